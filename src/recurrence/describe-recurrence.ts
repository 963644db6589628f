import rrule from 'rrule';
import { formatDate, formatWall } from '../zones/index.ts';
import { parseRecurrence } from './parse-lines.ts';
import type { RecurrenceRule } from './recurrence-rule.ts';
import { serializeRule } from './serialize-recurrence.ts';

/**
 * Describes a recurrence in English: `every week on Monday, Wednesday for 8 times; except on 2026-03-02`. Parts without
 * words are appended literally.
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

/** Appends the parts that rrule's text omits: those whose removal does not change it. */
function describeRule(rule: RecurrenceRule): string {
  const text = words(rule);
  const unsaid = BY_PARTS.filter((part) => rule[part] !== undefined && words({ ...rule, [part]: undefined }) === text);
  if (unsaid.length === 0) return text;
  const parts = serializeRule(rule)
    .split(';')
    .filter((part) => unsaid.some((name) => part.startsWith(`${name.toUpperCase()}=`)));
  return `${text} (${parts.join(', ')})`;
}

/** Supplies the words for seconds, which rrule lacks. */
function words(rule: RecurrenceRule): string {
  if (rule.freq === 'SECONDLY') return words({ ...rule, freq: 'MINUTELY' }).replace('minute', 'second');
  return rrule.RRule.fromString(serializeRule(rule)).toText();
}
