import { daysInMonth } from '../zones/civil.ts';
import { DAY_MS, formatDate, formatWall } from '../zones/index.ts';
import {
  GRAPH_DAYS,
  GRAPH_INDEXES,
  type GraphDay,
  type GraphIndex,
  type GraphPattern,
  type GraphRange,
  type PatternedRecurrence,
} from './graph-pattern.ts';
import { parseRecurrence } from './parse-lines.ts';
import { RecurrenceError } from './recurrence-error.ts';
import type { RecurrenceLines, RecurrenceRule, RecurrenceTime } from './recurrence-rule.ts';
import { serializeRecurrence, serializeRule } from './serialize-recurrence.ts';
import { compileSeries } from './series.ts';
import { readContext, type SeriesDefinition, timeOccurrence } from './series-context.ts';

/** A recurrence that Graph cannot represent exactly. `part` names the unsupported part. */
export class UnrepresentableRecurrence extends RecurrenceError {
  constructor(part: string, rule: string) {
    super(part, rule);
    this.name = 'UnrepresentableRecurrence';
  }
}

function refuse(part: string, why = 'has no counterpart in a patternedRecurrence'): never {
  throw new UnrepresentableRecurrence(part, why);
}

/**
 * Converts a recurrence to Graph's patternedRecurrence, exactly or not at all.
 * @throws UnrepresentableRecurrence naming the part that Graph lacks; RecurrenceError when it cannot be read.
 * @see https://learn.microsoft.com/graph/api/resources/patternedrecurrence
 */
export function toPatternedRecurrence(definition: SeriesDefinition): PatternedRecurrence {
  const recurrence = parseRecurrence(definition.lines);
  const rule = onlyRule(recurrence);
  const context = readContext(definition);
  const pattern = patternOf(rule, startDate(context.startWallMs));
  checkTimes(rule, context.startWallMs, context.isAllDay);
  const bare = compileSeries({ ...definition, lines: [`RRULE:${serializeRule(rule)}`] });
  if (bare.first()?.wallMs !== context.startWallMs) refuse('dtstart', 'is not produced by the rule');
  const startDateText = formatDate(context.startWallMs);
  const zone = definition.timeZone === null ? {} : { recurrenceTimeZone: definition.timeZone };
  return {
    pattern,
    range: { ...rangeEnd(rule, definition), startDate: startDateText, ...zone },
    excluded: excludedWalls(definition, recurrence),
  };
}

interface StartDate {
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
}

function startDate(wallMs: number): StartDate {
  const [, month = 0, day = 0] = formatDate(wallMs).split('-').map(Number);
  return { month, day, weekday: (((Math.floor(wallMs / DAY_MS) + 3) % 7) + 7) % 7 };
}

function onlyRule(recurrence: RecurrenceLines): RecurrenceRule {
  if (recurrence.exceptionRules.length > 0) refuse('EXRULE');
  if (recurrence.dates.length > 0) refuse('RDATE');
  const [rule, second] = recurrence.rules;
  if (rule === undefined) return refuse('RRULE', 'is missing');
  if (second !== undefined) refuse('RRULE', 'is given more than once');
  return rule;
}

/** Accepts time parts that only repeat dtstart. */
function checkTimes(rule: RecurrenceRule, startWallMs: number, isAllDay: boolean): void {
  if (isAllDay) return;
  const [hour, minute, second] = formatWall(startWallMs).slice(11).split(':').map(Number);
  const says = (values: readonly number[] | undefined, own: number | undefined): boolean =>
    values === undefined || values.every((value) => value === own);
  if (!says(rule.byHour, hour)) refuse('BYHOUR');
  if (!says(rule.byMinute, minute)) refuse('BYMINUTE');
  if (!says(rule.bySecond, second)) refuse('BYSECOND');
}

function patternOf(rule: RecurrenceRule, start: StartDate): GraphPattern {
  if (rule.byYearDay !== undefined) refuse('BYYEARDAY');
  if (rule.byWeekNo !== undefined) refuse('BYWEEKNO');
  switch (rule.freq) {
    case 'DAILY':
      return dailyPattern(rule);
    case 'WEEKLY':
      return weeklyPattern(rule, rule.interval, start);
    case 'MONTHLY':
      if (rule.byMonth !== undefined) refuse('BYMONTH');
      return monthlyPattern(rule, start);
    case 'YEARLY':
      return yearlyPattern(rule, start);
    default:
      return refuse('FREQ', `${rule.freq} has no counterpart in a patternedRecurrence`);
  }
}

function dailyPattern(rule: RecurrenceRule): GraphPattern {
  refuseDateParts(rule);
  if (rule.byDay === undefined) return { type: 'daily', interval: rule.interval };
  if (rule.interval !== 1) refuse('BYDAY', 'beside DAILY and an INTERVAL has no counterpart in a patternedRecurrence');
  return { type: 'weekly', interval: 1, daysOfWeek: daysOf(rule), firstDayOfWeek: GRAPH_DAYS[rule.wkst]! };
}

function weeklyPattern(rule: RecurrenceRule, interval: number, start: StartDate): GraphPattern {
  refuseDateParts(rule);
  const daysOfWeek = rule.byDay === undefined ? [GRAPH_DAYS[start.weekday]!] : daysOf(rule);
  return { type: 'weekly', interval, daysOfWeek, firstDayOfWeek: GRAPH_DAYS[rule.wkst]! };
}

function refuseDateParts(rule: RecurrenceRule): void {
  if (rule.byMonth !== undefined) refuse('BYMONTH');
  if (rule.byMonthDay !== undefined) refuse('BYMONTHDAY');
  if (rule.bySetPos !== undefined) refuse('BYSETPOS');
}

function daysOf(rule: RecurrenceRule): readonly GraphDay[] {
  return [...new Set(rule.byDay?.map((day) => day.weekday))].sort((a, b) => a - b).map((day) => GRAPH_DAYS[day]!);
}

function monthlyPattern(rule: RecurrenceRule, start: StartDate): GraphPattern {
  const { interval } = rule;
  const relative = relativeDays(rule);
  if (relative !== undefined) return { type: 'relativeMonthly', interval, ...relative };
  return { type: 'absoluteMonthly', interval, dayOfMonth: dayOfMonth(rule, start, 28) };
}

function yearlyPattern(rule: RecurrenceRule, start: StartDate): GraphPattern {
  const { interval, byMonth } = rule;
  const months = [...new Set(byMonth)];
  if (months.length > 1) refuse('BYMONTH', 'with several months has no counterpart in a patternedRecurrence');
  const bySomeDay = rule.byDay !== undefined || rule.byMonthDay !== undefined;
  // Without BYMONTH, a numbered weekday counts in the year, and BYMONTHDAY means every month.
  if (months.length === 0 && bySomeDay)
    refuse(rule.byDay === undefined ? 'BYMONTHDAY' : 'BYDAY', 'needs one BYMONTH beside it');
  const month = months[0] ?? start.month;
  const relative = relativeDays(rule);
  if (relative !== undefined) return { type: 'relativeYearly', interval, month, ...relative };
  return { type: 'absoluteYearly', interval, month, dayOfMonth: dayOfMonth(rule, start, daysInMonth(2001, month)) };
}

/** Returns the day of an absolute pattern. Outlook moves a day that a month lacks to its last day: BYSETPOS in RRULE. */
function dayOfMonth(rule: RecurrenceRule, start: StartDate, always: number): number {
  const days = [...new Set(rule.byMonthDay ?? [start.day])].sort((a, b) => a - b);
  const last = days.at(-1)!;
  const isClamped =
    days[0]! === always && days.length > 1 && days.length === last - always + 1 && isOnly(rule.bySetPos, -1);
  if (isClamped) return last;
  if (days.length > 1) refuse('BYMONTHDAY', 'with several days has no counterpart in a patternedRecurrence');
  if (last < 0) refuse('BYMONTHDAY', 'counted from the end has a counterpart for -1 alone');
  if (rule.bySetPos !== undefined && !rule.bySetPos.some((place) => Math.abs(place) === 1)) refuse('BYSETPOS');
  if (last > always) refuse('BYMONTHDAY', `${last} is skipped by RRULE in short months and moved by Outlook`);
  return last;
}

function isOnly(values: readonly number[] | undefined, value: number): boolean {
  return values?.every((each) => each === value) ?? false;
}

function relativeDays(rule: RecurrenceRule): Pick<GraphPattern, 'daysOfWeek' | 'index'> | undefined {
  const { byDay, byMonthDay, bySetPos } = rule;
  if (byDay === undefined) {
    if (!isOnly(byMonthDay, -1) || bySetPos !== undefined) return undefined;
    return { daysOfWeek: GRAPH_DAYS, index: 'last' };
  }
  if (byMonthDay !== undefined) refuse('BYMONTHDAY', 'beside BYDAY has no counterpart in a patternedRecurrence');
  const places = new Set([...byDay.map((day) => day.ordinal), ...(bySetPos ?? [])]);
  if (bySetPos === undefined) {
    if (new Set(byDay.map((day) => `${day.ordinal}:${day.weekday}`)).size > 1 || places.has(0)) {
      refuse('BYDAY', 'is one numbered weekday, or weekdays beside one BYSETPOS, in a patternedRecurrence');
    }
    return { daysOfWeek: daysOf(rule), index: indexOf('BYDAY', byDay[0]!.ordinal) };
  }
  if (byDay.some((day) => day.ordinal !== 0)) refuse('BYDAY', 'numbered beside BYSETPOS has no counterpart');
  if (new Set(bySetPos).size > 1) refuse('BYSETPOS', 'with several places has no counterpart in a patternedRecurrence');
  return { daysOfWeek: daysOf(rule), index: indexOf('BYSETPOS', bySetPos[0]!) };
}

function indexOf(part: string, place: number): GraphIndex {
  if (place === -1) return 'last';
  return (
    (place > 0 && place < 5 ? GRAPH_INDEXES[place - 1] : undefined) ?? refuse(part, `${place} is none of 1 to 4 and -1`)
  );
}

function rangeEnd(
  rule: RecurrenceRule,
  definition: SeriesDefinition,
): Omit<GraphRange, 'startDate' | 'recurrenceTimeZone'> {
  if (rule.count !== undefined && rule.until !== undefined) refuse('COUNT', 'beside UNTIL has no counterpart');
  if (rule.count !== undefined) return { type: 'numbered', numberOfOccurrences: rule.count };
  if (rule.until === undefined) return { type: 'noEnd' };
  return { type: 'endDate', endDate: lastDate(rule, rule.until, definition) };
}

/** Returns the last date for Graph: UNTIL's date where it means the same, else the date of the last slot. */
function lastDate(rule: RecurrenceRule, until: RecurrenceTime, definition: SeriesDefinition): string {
  const slots = (each: RecurrenceRule) => compileSeries({ ...definition, lines: [`RRULE:${serializeRule(each)}`] });
  const last = slots(rule).last();
  if (!last) return refuse('UNTIL', 'comes before dtstart');
  const [next] = slots({ ...rule, until: undefined }).occurrences({
    from: last.startMs + 1,
    to: Number.POSITIVE_INFINITY,
    limit: 1,
  });
  const { table } = readContext(definition);
  const said = formatDate(until.wallMs + (until.form === 'utc' ? table.spanAt(until.wallMs).offsetMs : 0));
  const own = formatDate(last.wallMs);
  return said >= own && (next === undefined || said < formatDate(next.wallMs)) ? said : own;
}

function excludedWalls(definition: SeriesDefinition, recurrence: RecurrenceLines): readonly number[] {
  if (recurrence.exceptionDates.length === 0) return [];
  const context = readContext(definition);
  const kept = serializeRecurrence({ ...recurrence, exceptionDates: [] });
  const series = compileSeries({ ...definition, lines: kept });
  const walls = recurrence.exceptionDates.flatMap(({ time }) => {
    if (time.form === 'date' && !context.isAllDay) return wallsOfDay(definition, kept, time.wallMs);
    const slot = series.slotAt(timeOccurrence(context, time).startMs);
    return slot === undefined ? [] : [slot.wallMs];
  });
  return [...new Set(walls)].sort((a, b) => a - b);
}

function wallsOfDay(definition: SeriesDefinition, lines: readonly string[], dayMs: number): readonly number[] {
  const floating = compileSeries({ ...definition, lines, timeZone: null });
  return floating.occurrences({ from: dayMs, to: dayMs + DAY_MS }).map((occurrence) => occurrence.wallMs);
}
