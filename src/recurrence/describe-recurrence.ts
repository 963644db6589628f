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

const BY_PARTS = [
  'byMonth',
  'byWeekNo',
  'byYearDay',
  'byMonthDay',
  'byDay',
  'byHour',
  'byMinute',
  'bySecond',
  'bySetPos',
] as const;

/** rrule leaves out parts it has no words for: those without which its text is the same. */
function describeRule(rule: RecurrenceRule): string {
  const text = words(rule);
  const unsaid = BY_PARTS.filter((part) => rule[part] !== undefined && words({ ...rule, [part]: undefined }) === text);
  if (unsaid.length === 0) return text;
  const parts = printRule(rule)
    .split(';')
    .filter((part) => unsaid.some((name) => part.startsWith(`${name.toUpperCase()}=`)));
  return `${text} (${parts.join(', ')})`;
}

/** rrule has words for minutes, and none for seconds. */
function words(rule: RecurrenceRule): string {
  if (rule.freq === 'SECONDLY') return words({ ...rule, freq: 'MINUTELY' }).replace('minute', 'second');
  return rrule.RRule.fromString(printRule(rule)).toText();
}
