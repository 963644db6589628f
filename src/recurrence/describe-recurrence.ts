import rrule from 'rrule';
import { formatDate, formatWall } from '../zones/index.ts';
import { parseRecurrence } from './parse-lines.ts';
import { printRule } from './print-recurrence.ts';
import type { RecurrenceRule } from './recurrence-rule.ts';

/**
 * Says a recurrence in English: `every week on Monday, Wednesday for 8 times; except on 2026-03-02`. Parts that have
 * no words are added as they stand.
 * @throws RecurrenceError naming the part that cannot be read.
 */
export function describeRecurrence(lines: readonly string[]): string {
  const { rules, exceptionRules, dates, exceptionDates } = parseRecurrence(lines);
  return [
    ...rules.map(describeRule),
    ...exceptionRules.map((rule) => `except ${describeRule(rule)}`),
    ...(dates.length > 0 ? [`${rules.length > 0 ? 'and ' : ''}on ${dates.map(dateText).join(', ')}`] : []),
    ...(exceptionDates.length > 0 ? [`except on ${exceptionDates.map(dateText).join(', ')}`] : []),
  ].join('; ');
}

function dateText(date: { readonly time: { readonly form: string; readonly wallMs: number } }): string {
  const { form, wallMs } = date.time;
  if (form === 'date') return formatDate(wallMs);
  return formatWall(wallMs).replace('T', ' ') + (form === 'utc' ? ' UTC' : '');
}

const PARTS_WITHOUT_WORDS = ['bySetPos', 'byYearDay', 'byWeekNo', 'byMinute', 'bySecond'] as const;

function describeRule(rule: RecurrenceRule): string {
  const spoken: RecurrenceRule = {
    ...rule,
    bySetPos: undefined,
    byYearDay: undefined,
    byWeekNo: undefined,
    byMinute: undefined,
    bySecond: undefined,
  };
  const text = rrule.RRule.fromString(printRule(spoken)).toText();
  const unsaid = PARTS_WITHOUT_WORDS.filter((part) => rule[part] !== undefined).map(
    (part) => `${part.toUpperCase()}=${rule[part]!.join(',')}`,
  );
  return unsaid.length === 0 ? text : `${text} (${unsaid.join(', ')})`;
}
