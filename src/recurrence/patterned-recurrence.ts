import { daysInMonth } from '../zones/civil.ts';
import { DAY_MS, formatDate, formatWall, instantOf, intlZones, parseWall, type Zones } from '../zones/index.ts';
import { parseRecurrence } from './parse-lines.ts';
import { printRecurrence, printRule } from './print-recurrence.ts';
import { RecurrenceError } from './recurrence-error.ts';
import type { RecurrenceLines, RecurrenceRule } from './recurrence-rule.ts';
import { compileSeries } from './series.ts';
import { readContext, type SeriesDefinition, timeOccurrence, untilWall } from './series-context.ts';

const GRAPH_DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
const GRAPH_INDEXES = ['first', 'second', 'third', 'fourth', 'last'] as const;

export type GraphDay = (typeof GRAPH_DAYS)[number];
export type GraphIndex = (typeof GRAPH_INDEXES)[number];

/** `recurrencePattern` of Microsoft Graph. Fields that a type does not use are absent. */
export interface GraphPattern {
  readonly type: 'daily' | 'weekly' | 'absoluteMonthly' | 'relativeMonthly' | 'absoluteYearly' | 'relativeYearly';
  readonly interval: number;
  readonly daysOfWeek?: readonly GraphDay[];
  readonly dayOfMonth?: number;
  readonly month?: number;
  readonly firstDayOfWeek?: GraphDay;
  readonly index?: GraphIndex;
}

/** `recurrenceRange` of Microsoft Graph. `endDate` is the last date, inclusive, in `recurrenceTimeZone`. */
export interface GraphRange {
  readonly type: 'noEnd' | 'numbered' | 'endDate';
  readonly startDate: string;
  readonly endDate?: string;
  readonly numberOfOccurrences?: number;
  readonly recurrenceTimeZone?: string;
}

/** A series as Graph holds it. `excluded` are the nominal wall times to delete as instances after it is created. */
export interface PatternedRecurrence {
  readonly pattern: GraphPattern;
  readonly range: GraphRange;
  readonly excluded: readonly number[];
}

/** A recurrence that Graph cannot hold exactly. `part` names what it lacks. */
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
 * Says a recurrence as Graph's patternedRecurrence, exactly or not at all.
 * @throws UnrepresentableRecurrence naming the part that Graph lacks; RecurrenceError when it cannot be read.
 * @see https://learn.microsoft.com/graph/api/resources/patternedrecurrence
 */
export function toPatternedRecurrence(definition: SeriesDefinition): PatternedRecurrence {
  const recurrence = parseRecurrence(definition.lines);
  const rule = onlyRule(recurrence);
  const context = readContext(definition);
  const pattern = patternOf(rule, startDate(context.startWallMs));
  checkTimes(rule, context.startWallMs, context.isAllDay);
  const bare = compileSeries({ ...definition, lines: [`RRULE:${printRule(rule)}`] });
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

/** Time parts are fine where they only repeat what dtstart says. */
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

/** The day of an absolute pattern. Outlook moves a day that a month lacks to its last one, which RRULE says by BYSETPOS. */
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
  const context = readContext(definition);
  const wall = untilWall(context, rule.until);
  // Graph ends at a date: that of UNTIL, or the day before when UNTIL comes earlier in the day than the occurrence.
  const timeOfStart = context.startWallMs - Math.floor(context.startWallMs / DAY_MS) * DAY_MS;
  return { type: 'endDate', endDate: formatDate(wall - timeOfStart) };
}

function excludedWalls(definition: SeriesDefinition, recurrence: RecurrenceLines): readonly number[] {
  if (recurrence.exceptionDates.length === 0) return [];
  const context = readContext(definition);
  const kept = printRecurrence({ ...recurrence, exceptionDates: [] });
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

/** What turns a range's last date into the UNTIL of a timed series, which RFC 5545 wants in UTC. */
export interface PatternStart {
  readonly timeZone: string;
  readonly zones?: Zones;
}

/**
 * Says Graph's patternedRecurrence as RRULE lines. A day of month that short months lack becomes the last day that they
 * have, as Outlook does it. UNTIL is the range's last date, or its last second in UTC when `start` gives the zone.
 * @throws RecurrenceError naming the field that is missing or unknown.
 */
export function fromPatternedRecurrence(
  pattern: GraphPattern,
  range: GraphRange,
  start?: PatternStart,
): readonly string[] {
  const interval = pattern.interval > 1 ? `;INTERVAL=${pattern.interval}` : '';
  return [`RRULE:${ruleParts(pattern, interval)}${endPart(range, start)}`];
}

function ruleParts(pattern: GraphPattern, interval: string): string {
  switch (pattern.type) {
    case 'daily':
      return `FREQ=DAILY${interval}`;
    case 'weekly':
      return `FREQ=WEEKLY${interval};BYDAY=${dayList(pattern)}${weekStart(pattern)}`;
    case 'absoluteMonthly':
      return `FREQ=MONTHLY${interval}${absoluteDay(pattern, 28)}`;
    case 'relativeMonthly':
      return `FREQ=MONTHLY${interval}${relativeDay(pattern)}`;
    case 'absoluteYearly':
      return `FREQ=YEARLY${interval};BYMONTH=${monthOf(pattern)}${absoluteDay(pattern, daysInMonth(2001, monthOf(pattern)))}`;
    case 'relativeYearly':
      return `FREQ=YEARLY${interval};BYMONTH=${monthOf(pattern)}${relativeDay(pattern)}`;
    default:
      throw new RecurrenceError('pattern.type', `"${String(pattern.type)}" is unknown`);
  }
}

const SHORT_DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

function dayIndexes(pattern: GraphPattern): readonly number[] {
  const indexes = (pattern.daysOfWeek ?? []).map((day) => GRAPH_DAYS.indexOf(day));
  if (indexes.length === 0 || indexes.includes(-1)) {
    throw new RecurrenceError('pattern.daysOfWeek', `${JSON.stringify(pattern.daysOfWeek)} names no weekdays`);
  }
  return [...new Set(indexes)].sort((a, b) => a - b);
}

function dayList(pattern: GraphPattern): string {
  return dayIndexes(pattern)
    .map((day) => SHORT_DAYS[day])
    .join(',');
}

/** Graph's week begins on Sunday unless it says otherwise, RRULE's on Monday. */
function weekStart(pattern: GraphPattern): string {
  const day = GRAPH_DAYS.indexOf(pattern.firstDayOfWeek ?? 'sunday');
  return day <= 0 ? '' : `;WKST=${SHORT_DAYS[day]}`;
}

function monthOf(pattern: GraphPattern): number {
  const { month } = pattern;
  if (month === undefined || !(month >= 1 && month <= 12))
    throw new RecurrenceError('pattern.month', `${month} is no month`);
  return month;
}

function absoluteDay(pattern: GraphPattern, always: number): string {
  const day = pattern.dayOfMonth;
  if (day === undefined || !(day >= 1 && day <= 31))
    throw new RecurrenceError('pattern.dayOfMonth', `${day} is no day`);
  if (day <= always) return `;BYMONTHDAY=${day}`;
  const days = Array.from({ length: day - always + 1 }, (_, index) => always + index);
  return `;BYMONTHDAY=${days.join(',')};BYSETPOS=-1`;
}

function relativeDay(pattern: GraphPattern): string {
  const days = dayIndexes(pattern);
  const at = GRAPH_INDEXES.indexOf(pattern.index ?? 'first');
  if (at < 0) throw new RecurrenceError('pattern.index', `"${String(pattern.index)}" is unknown`);
  const place = at === 4 ? -1 : at + 1;
  if (days.length === 7) return `;BYMONTHDAY=${place}`;
  return days.length === 1 ? `;BYDAY=${place}${SHORT_DAYS[days[0]!]}` : `;BYDAY=${dayList(pattern)};BYSETPOS=${place}`;
}

function endPart(range: GraphRange, start: PatternStart | undefined): string {
  switch (range.type) {
    case 'noEnd':
      return '';
    case 'numbered':
      if (!((range.numberOfOccurrences ?? 0) >= 1)) {
        throw new RecurrenceError('range.numberOfOccurrences', `${range.numberOfOccurrences} is no count`);
      }
      return `;COUNT=${range.numberOfOccurrences}`;
    case 'endDate':
      return `;UNTIL=${untilText(range, start)}`;
    default:
      throw new RecurrenceError('range.type', `"${String(range.type)}" is unknown`);
  }
}

function untilText(range: GraphRange, start: PatternStart | undefined): string {
  const date = parseWall(range.endDate ?? '');
  if (date === undefined) throw new RecurrenceError('range.endDate', `"${range.endDate}" is no date`);
  if (start === undefined) return formatDate(date.wallMs).replaceAll('-', '');
  const last = instantOf(start.timeZone, date.wallMs + DAY_MS - 1000, start.zones ?? intlZones);
  return `${formatWall(last).replaceAll(/[-:]/g, '')}Z`;
}
