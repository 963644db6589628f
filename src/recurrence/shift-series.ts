import { DAY_MS, formatWall } from '../zones/index.ts';
import { parseRecurrence } from './parse-lines.ts';
import type { RecurrenceDate, RecurrenceRule, RecurrenceTime } from './recurrence-rule.ts';
import { serializeRecurrence } from './serialize-recurrence.ts';
import { readContext, resolved, type SeriesContext, type SeriesDefinition, timeOccurrence } from './series-context.ts';

/** New first slot of a moved series, as in SeriesDefinition. */
export type SeriesStart = Pick<SeriesDefinition, 'dtstart' | 'timeZone'>;

/**
 * Returns the lines of a series that moves as a whole: UNTIL, RDATE and EXDATE move by the same wall time as dtstart, weekdays of
 * a DAILY or WEEKLY rule by the same days, and a day of the month, month or time of day that only repeats dtstart
 * follows the new one; EXDATEs of such a day do, too, and UNTIL follows the last slot that it admits. Other parts stay: the caller
 * checks that the rule produces the new dtstart. Lines of equal meaning keep their spelling.
 * @throws RecurrenceError when dtstart, a zone or a line cannot be read
 */
export function shiftSeries(definition: SeriesDefinition, to: SeriesStart): readonly string[] {
  const from = readContext(definition);
  const target = readContext({ ...definition, ...to });
  const isSame = from.startWallMs === target.startWallMs && from.isAllDay === target.isAllDay;
  if (isSame && definition.timeZone === to.timeZone) return definition.lines;
  const parsed = parseRecurrence(definition.lines);
  const isByMonths = repeatsDay(parsed.rules, from);
  const shift: Shift = { from, target, isFloating: to.timeZone === null, isByMonths };
  const { rules, exceptionRules, dates, exceptionDates } = parsed;
  const shifted = serializeRecurrence({
    rules: rules.map((rule) => shiftRule(rule, shift)),
    exceptionRules: exceptionRules.map((rule) => shiftRule(rule, shift)),
    dates: dates.map((date) => shiftDate(date, shift)),
    exceptionDates: exceptionDates.map((date) => shiftDate(date, shift)),
  });
  return shifted.join('\n') === serializeRecurrence(parsed).join('\n') ? definition.lines : shifted;
}

/**
 * Returns the wall time of the dtstart of a series that moves as a whole, an occurrence of it from one wall time to another: as
 * much later or earlier by the clock; where a day of the month only repeats dtstart, by as many months and to the new day.
 * @throws RecurrenceError when dtstart, the zone or a line cannot be read
 */
export function shiftedStart(definition: SeriesDefinition, slotWallMs: number, toWallMs: number): number {
  const context = readContext(definition);
  const { rules } = parseRecurrence(definition.lines);
  return movedWall(context.startWallMs, slotWallMs, toWallMs, repeatsDay(rules, context));
}

interface Shift {
  readonly from: SeriesContext;
  readonly target: SeriesContext;
  readonly isFloating: boolean;
  /** Whether the day of the month follows dtstart. */
  readonly isByMonths: boolean;
}

const dayOf = (wallMs: number): number => Math.floor(wallMs / DAY_MS);

function shiftRule(rule: RecurrenceRule, shift: Shift): RecurrenceRule {
  const { from, target } = shift;
  const days = dayOf(target.startWallMs) - dayOf(from.startWallMs);
  const until = rule.until && shiftTime(rule.until, shift, shift.isByMonths && days !== 0 ? untilByMonths : movedWall);
  return { ...withDay(withWeekdays(rule, days), shift), ...clockParts(rule, shift), until };
}

/** Shifts weekdays with the start, and WKST too where it matters. */
function withWeekdays(rule: RecurrenceRule, days: number): RecurrenceRule {
  const { freq, byDay, bySetPos, byMonth, interval, wkst } = rule;
  const turns = days % 7 !== 0 && (freq === 'WEEKLY' || freq === 'DAILY');
  const isPlain = bySetPos === undefined && byMonth === undefined && byDay?.every(({ ordinal }) => ordinal === 0);
  if (!turns || byDay === undefined || isPlain !== true) return rule;
  const turned = (weekday: number) => (((weekday + days) % 7) + 7) % 7;
  return {
    ...rule,
    byDay: byDay.map((day) => ({ ...day, weekday: turned(day.weekday) })),
    wkst: freq === 'WEEKLY' && interval > 1 && byDay.length > 1 ? turned(wkst) : wkst,
  };
}

/** Replaces a single day of the month, or month, that repeats the start's own. */
function withDay(rule: RecurrenceRule, { from, target }: Shift): RecurrenceRule {
  if (!repeatsDay([rule], from)) return rule;
  const next = civil(target.startWallMs);
  return {
    ...rule,
    byMonthDay: rule.byMonthDay && [next.day],
    byMonth: rule.byMonth && [next.month],
  };
}

/** Whether each rule has one day of the month, that of the start. */
function repeatsDay(rules: readonly RecurrenceRule[], { startWallMs }: SeriesContext): boolean {
  const { month, day } = civil(startWallMs);
  return (
    rules.length > 0 &&
    rules.every((rule) => {
      if ((rule.freq !== 'MONTHLY' && rule.freq !== 'YEARLY') || rule.byDay !== undefined) return false;
      const repeatsMonth = rule.freq === 'YEARLY' && isOnly(rule.byMonth, month);
      // A month may change only with its day, else "31 May" would become a day of another month.
      return (
        (rule.byMonthDay === undefined || isOnly(rule.byMonthDay, day)) && (rule.byMonth === undefined || repeatsMonth)
      );
    })
  );
}

/** Moves a wall time as another moves. Months differ in length, so that no number of days takes one slot of a day to the next. */
function movedWall(wallMs: number, fromMs: number, toMs: number, isByMonths: boolean): number {
  const own = civil(wallMs);
  const from = civil(fromMs);
  const to = civil(toMs);
  if (!isByMonths || own.day !== from.day) return wallMs + (toMs - fromMs);
  return inMonth(own, monthsBetween(from, to), to.day) + timeOfDay(wallMs) + timeOfDay(toMs) - timeOfDay(fromMs);
}

/**
 * Moves an UNTIL by months, to the new slot of the month of the last old one: months differ in length, so that the same time
 * behind it might admit one slot more, or one less.
 */
function untilByMonths(wallMs: number, fromMs: number, toMs: number): number {
  const own = civil(wallMs);
  const [from, to] = [civil(fromMs), civil(toMs)];
  const isBefore = own.day < from.day || (own.day === from.day && timeOfDay(wallMs) < timeOfDay(fromMs));
  return inMonth(own, monthsBetween(from, to) - (isBefore ? 1 : 0), to.day) + timeOfDay(toMs);
}

type Civil = ReturnType<typeof civil>;

function monthsBetween(from: Civil, to: Civil): number {
  return (to.year - from.year) * 12 + (to.month - from.month);
}

/** The midnight of a day, so many months after that of a date. */
function inMonth({ year, month }: Civil, months: number, day: number): number {
  // setUTCFullYear takes years below 100 as they are.
  return new Date(0).setUTCFullYear(year, month - 1 + months, day);
}

/** Replaces parts of the time of day that repeat the start's. */
function clockParts(rule: RecurrenceRule, { from, target }: Shift): Partial<RecurrenceRule> {
  if (from.isAllDay || target.isAllDay) return {};
  const [old, next] = [civil(from.startWallMs), civil(target.startWallMs)];
  return {
    byHour: isOnly(rule.byHour, old.hour) ? [next.hour] : rule.byHour,
    byMinute: isOnly(rule.byMinute, old.minute) ? [next.minute] : rule.byMinute,
    bySecond: isOnly(rule.bySecond, old.second) ? [next.second] : rule.bySecond,
  };
}

function isOnly(values: readonly number[] | undefined, value: number): boolean {
  return values?.length === 1 && values[0] === value;
}

/** The parts of a wall time. */
function civil(wallMs: number) {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = formatWall(wallMs).split(/\D/).map(Number);
  return { year, month, day, hour, minute, second };
}

const timeOfDay = (wallMs: number): number => wallMs - dayOf(wallMs) * DAY_MS;

function shiftDate(date: RecurrenceDate, shift: Shift): RecurrenceDate {
  const time = shiftTime(date.time, shift);
  if (date.end !== undefined) return { time, end: shiftTime(date.end, shift) };
  return date.durationMs === undefined ? { time } : { time, durationMs: date.durationMs };
}

function shiftTime(time: RecurrenceTime, shift: Shift, moved: typeof movedWall = movedWall): RecurrenceTime {
  const { from, target, isFloating, isByMonths } = shift;
  const move = (wallMs: number) => moved(wallMs, from.startWallMs, target.startWallMs, isByMonths);
  // A plain date beside a timed series means its whole day.
  if (time.form === 'date' && !from.isAllDay && !target.isAllDay) {
    return { form: 'date', wallMs: dayOf(move(time.wallMs + timeOfDay(from.startWallMs))) * DAY_MS };
  }
  const wallMs = move(timeOccurrence(from, time).wallMs);
  if (target.isAllDay) return { form: 'date', wallMs: dayOf(wallMs) * DAY_MS };
  if (isFloating) return { form: 'local', wallMs };
  return { form: 'utc', wallMs: resolved(target, wallMs).startMs };
}
