import { formatDate, formatWall } from '../zones/wall-time.ts';
import {
  type OrdinalWeekday,
  type RecurrenceDate,
  type RecurrenceLines,
  type RecurrenceRule,
  type RecurrenceTime,
  WEEKDAY_NAMES,
} from './recurrence-rule.ts';

/**
 * Serializes recurrence properties as unfolded content lines: one line per rule, and one for each run of RDATE or EXDATE
 * values of the same type and zone. Parsing them gives an equal value.
 */
export function serializeRecurrence(recurrence: RecurrenceLines): readonly string[] {
  return [
    ...recurrence.rules.map((rule) => `RRULE:${serializeRule(rule)}`),
    ...recurrence.exceptionRules.map((rule) => `EXRULE:${serializeRule(rule)}`),
    ...printDates('RDATE', recurrence.dates),
    ...printDates('EXDATE', recurrence.exceptionDates),
  ];
}

/** Serializes a rule as the value of an RRULE, without parts at their default (INTERVAL=1, WKST=MO). */
export function serializeRule(rule: RecurrenceRule): string {
  let text = `FREQ=${rule.freq}`;
  if (rule.until !== undefined) text += `;UNTIL=${serializeTime(rule.until)}`;
  if (rule.count !== undefined) text += `;COUNT=${rule.count}`;
  if (rule.interval !== 1) text += `;INTERVAL=${rule.interval}`;
  text += printList('BYSECOND', rule.bySecond);
  text += printList('BYMINUTE', rule.byMinute);
  text += printList('BYHOUR', rule.byHour);
  text += printList('BYDAY', rule.byDay?.map(printWeekday));
  text += printList('BYMONTHDAY', rule.byMonthDay);
  text += printList('BYYEARDAY', rule.byYearDay);
  text += printList('BYWEEKNO', rule.byWeekNo);
  text += printList('BYMONTH', rule.byMonth);
  text += printList('BYSETPOS', rule.bySetPos);
  if (rule.wkst !== 0) text += `;WKST=${WEEKDAY_NAMES[rule.wkst]}`;
  return text;
}

/** Serializes a DATE or DATE-TIME value in the basic form, `20260301T090000Z`. */
export function serializeTime(time: RecurrenceTime): string {
  if (time.form === 'date') return formatDate(time.wallMs).replaceAll('-', '');
  return formatWall(time.wallMs).replaceAll(/[-:]/g, '') + (time.form === 'utc' ? 'Z' : '');
}

function printWeekday(day: OrdinalWeekday): string {
  return (day.ordinal === 0 ? '' : String(day.ordinal)) + WEEKDAY_NAMES[day.weekday];
}

function printList(part: string, values: readonly (number | string)[] | undefined): string {
  return values === undefined ? '' : `;${part}=${values.join(',')}`;
}

function printDates(name: string, dates: readonly RecurrenceDate[]): readonly string[] {
  const lines: string[] = [];
  let head = '';
  for (const date of dates) {
    const own = headOf(name, date);
    if (own === head) lines.push(`${lines.pop()},${printDate(date)}`);
    else lines.push(`${own}:${printDate(date)}`);
    head = own;
  }
  return lines;
}

function headOf(name: string, date: RecurrenceDate): string {
  const isPeriod = date.end !== undefined || date.durationMs !== undefined;
  const tzid = date.time.tzid ?? date.end?.tzid;
  const quoted = tzid !== undefined && /[:;,]/.test(tzid) ? `"${tzid}"` : tzid;
  return (
    name +
    (isPeriod ? ';VALUE=PERIOD' : date.time.form === 'date' ? ';VALUE=DATE' : '') +
    (quoted === undefined ? '' : `;TZID=${quoted}`)
  );
}

function printDate(date: RecurrenceDate): string {
  const start = serializeTime(date.time);
  if (date.end !== undefined) return `${start}/${serializeTime(date.end)}`;
  return date.durationMs === undefined ? start : `${start}/PT${date.durationMs / 1000}S`;
}
