import { formatDate, formatWall, type Zones } from '../zones/index.ts';
import { FLOATING_TABLE } from './floating-table.ts';
import { parseRecurrence, writtenLines } from './parse-lines.ts';
import { RecurrenceError } from './recurrence-error.ts';
import { isSubDaily, type RecurrenceDate, type RecurrenceRule } from './recurrence-rule.ts';
import { slotsPerDay } from './rule-density.ts';
import { serializeRecurrence, serializeRule, serializeTime } from './serialize-recurrence.ts';
import { compileSeries } from './series.ts';
import { readContext, type SeriesContext, timeOccurrence, untilInstant, untilWall } from './series-context.ts';

/** A recurrence from a user, with the start of its event. */
export interface InputRecurrence {
  /** `YYYY-MM-DDTHH:MM:SS`, or `YYYY-MM-DD` for an all-day event. */
  readonly dtstart: string;
  /** Of an all-day event the zone that gives UTC times their dates; null: the dates as written. */
  readonly timeZone: string | null;
  readonly lines: readonly string[];
  readonly zones?: Zones;
}

/** One per hour. A denser rule is a mistake or an attack on its readers. */
const MOST_A_DAY = 24;

/**
 * Validates a recurrence from a user and returns its lines: trimmed, without empty ones, a bare `FREQ=…` with its `RRULE:`,
 * and UNTIL in the form that RFC 5545 requires beside this dtstart: a date for an all-day event, UTC for one in a zone.
 * RDATE and EXDATE of an all-day event become dates, of UTC times those in `timeZone`.
 *
 * Stricter than the parser for providers: at most one RRULE, no EXRULE, no x-parts, no FREQ finer than DAILY, at most 24
 * occurrences a day, every MUST of RFC 5545 §3.3.10, and a dtstart that the rule produces.
 * @throws RecurrenceError naming the part, and for a dtstart off the rule the first date that fits
 */
export function checkInputRecurrence(input: InputRecurrence): readonly string[] {
  const lines = writtenLines(input.lines.map(normalLine));
  const { rules, exceptionRules } = parseRecurrence(lines);
  const [rule, second] = rules;
  if (second !== undefined) throw new RecurrenceError('RRULE', 'at most one is allowed');
  if (exceptionRules.length > 0) throw new RecurrenceError('EXRULE', 'only RRULE, RDATE and EXDATE are allowed');
  for (const line of lines) checkNoExtension(line);
  const context = readContext(input);
  compileSeries({ ...input, lines });
  const written = context.isAllDay ? lines.map((line) => withDates(line, context)) : lines;
  if (rule === undefined) return written;
  checkRule(rule, context.isAllDay);
  checkStart(input, lines, rule, context.isAllDay);
  return withUntil(written, rule, context);
}

/** Rewrites times in an RDATE or EXDATE of an all-day event; dates keep the user's spelling. */
function withDates(line: string, context: SeriesContext): string {
  const { dates, exceptionDates } = parseRecurrence([line]);
  if ([...dates, ...exceptionDates].every(({ time }) => time.form === 'date')) return line;
  const dateOf = ({ time }: RecurrenceDate): RecurrenceDate => ({
    time: { form: 'date', wallMs: timeOccurrence(context, time).wallMs },
  });
  const written = { dates: dates.map(dateOf), exceptionDates: exceptionDates.map(dateOf) };
  return serializeRecurrence({ rules: [], exceptionRules: [], ...written }).join('\n');
}

/** Rewrites an UNTIL of another form; everything else keeps the user's spelling. */
function withUntil(lines: readonly string[], rule: RecurrenceRule, context: SeriesContext): readonly string[] {
  const { until } = rule;
  if (until === undefined) return lines;
  const form = context.isAllDay ? 'date' : context.table === FLOATING_TABLE ? until.form : 'utc';
  if (form === until.form) return lines;
  const wallMs = form === 'date' ? untilWall(context, until) : untilInstant(context, until);
  const text = serializeTime({ form, wallMs });
  return lines.map((line) => (/^RRULE/i.test(line) ? line.replace(/(UNTIL=)[^;]*/i, `$1${text}`) : line));
}

function normalLine(line: string): string {
  const text = line.trim();
  return /^FREQ=/i.test(text) ? `RRULE:${text}` : text;
}

/** Rejects x-parts: their effect on the slots is unknown, and some providers drop them silently. */
function checkNoExtension(line: string): void {
  const text = line.replaceAll(/\s/g, '').toUpperCase();
  const extension = /^RRULE[^:]*:(?:.*;)?(X-[^=;]*)/.exec(text)?.[1];
  if (extension !== undefined) throw new RecurrenceError(extension, 'is no part of a rule');
}

function checkRule(rule: RecurrenceRule, isAllDay: boolean): void {
  const refuse = (part: string, why: string): never => {
    throw new RecurrenceError(part, why);
  };
  if (isSubDaily(rule.freq)) refuse('FREQ', `${rule.freq} is finer than DAILY`);
  const perDay = slotsPerDay(rule);
  if (perDay > MOST_A_DAY) {
    const finest = rule.bySecond ? 'BYSECOND' : rule.byMinute ? 'BYMINUTE' : 'BYHOUR';
    refuse(finest, `makes up to ${perDay} occurrences a day, more than the ${MOST_A_DAY} that are allowed`);
  }
  if (rule.count !== undefined && rule.until !== undefined) refuse('COUNT', 'must not stand beside UNTIL');
  if (rule.byWeekNo !== undefined && rule.freq !== 'YEARLY') refuse('BYWEEKNO', `has no meaning with ${rule.freq}`);
  if (rule.byYearDay !== undefined && rule.freq !== 'YEARLY') refuse('BYYEARDAY', `has no meaning with ${rule.freq}`);
  if (rule.byMonthDay !== undefined && rule.freq === 'WEEKLY') refuse('BYMONTHDAY', 'has no meaning with WEEKLY');
  const hasOther = [
    rule.byDay,
    rule.byMonthDay,
    rule.byYearDay,
    rule.byWeekNo,
    rule.byMonth,
    rule.byHour,
    rule.byMinute,
    rule.bySecond,
  ].some((part) => part !== undefined);
  if (rule.bySetPos !== undefined && !hasOther) refuse('BYSETPOS', 'needs another BY part');
  if (isAllDay && (rule.byHour ?? rule.byMinute ?? rule.bySecond) !== undefined) {
    refuse(rule.byHour ? 'BYHOUR' : rule.byMinute ? 'BYMINUTE' : 'BYSECOND', 'has no meaning for an all-day event');
  }
}

/**
 * Checks that the rule or an RDATE produces dtstart. EXDATE does not count: the first occurrence may be cancelled, as Google
 * writes it.
 */
function checkStart(input: InputRecurrence, lines: readonly string[], rule: RecurrenceRule, isAllDay: boolean): void {
  const ruleLine = `RRULE:${serializeRule(rule)}`;
  const first = compileSeries({ ...input, lines: [ruleLine] }).first();
  if (first === undefined) throw new RecurrenceError('RRULE', 'produces no occurrence');
  const dates = lines.filter((line) => /^RDATE/i.test(line));
  const series = compileSeries({ ...input, lines: [ruleLine, ...dates] });
  if (series.has(series.dtstartMs)) return;
  const fits = isAllDay ? formatDate(first.wallMs) : formatWall(first.wallMs);
  throw new RecurrenceError('dtstart', `${input.dtstart} is not produced by the rule; the first that fits is ${fits}`);
}
