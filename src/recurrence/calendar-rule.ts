import { DAY_MS, packedCivil, weekdayOf } from '../zones/civil.ts';
import type { ZoneTable } from '../zones/zone-table.ts';
import { compileDayFilter, type DayDefaults, type DayFilter, startOfWeek } from './day-filter.ts';
import type { RecurrenceRule } from './recurrence-rule.ts';
import { compilePositions, type SetPositions } from './set-positions.ts';
import { clockTimes, listedTimes, type TimesOfDay } from './times-of-day.ts';

/** End of the search for wall times: the end of the year 9999, the last that RFC 5545 can express. */
export const HORIZON_MS = 253_402_300_800_000;

/** A rule of FREQ=DAILY or coarser, compiled to integers over day numbers. Its slots are wall times. */
export interface CalendarRule {
  readonly freq: 'YEARLY' | 'MONTHLY' | 'WEEKLY' | 'DAILY';
  readonly interval: number;
  /** Undefined for a DAILY or WEEKLY rule without date parts. */
  readonly filter: DayFilter | undefined;
  readonly times: TimesOfDay;
  /** Days of a WEEKLY rule, counted from the start of its week, ascending. */
  readonly weekDays: readonly number[];
  readonly positions: SetPositions | undefined;
  /** Cache of the last period that BYSETPOS was applied to, which begins on day `start`. */
  readonly picked: { start: number; walls: readonly number[] };
  readonly startWallMs: number;
  readonly startDay: number;
  readonly startYear: number;
  readonly startMonth: number;
  readonly wkst: number;
  readonly count: number | undefined;
  /** Set with gap 'skip': COUNT ignores slots in this zone's gaps. */
  readonly skips: ZoneTable | undefined;
  /** Slots at or after this wall time are cut off: initially by UNTIL, later by COUNT once it is known to run out. */
  endWallMs: number;
  isCounted: boolean;
  /** Progress of COUNT: `left` slots remain from `fromMs` on. */
  readonly tally: { fromMs: number; left: number };
}

/**
 * Compiles a rule of FREQ=DAILY or coarser. `untilWallMs` is its last possible wall time, if any; `skips` the zone
 * in whose gaps slots do not count, if any.
 */
export function compileCalendarRule(
  rule: RecurrenceRule,
  startWallMs: number,
  isAllDay: boolean,
  untilWallMs: number,
  skips: ZoneTable | undefined,
): CalendarRule {
  const startDay = Math.floor(startWallMs / DAY_MS);
  const packed = packedCivil(startDay);
  const times = timesOfDay(rule, startWallMs - startDay * DAY_MS, isAllDay);
  const positions = rule.bySetPos === undefined ? undefined : compilePositions(rule.bySetPos);
  const ofDay = rule.freq === 'DAILY' ? positions : undefined;
  return {
    freq: rule.freq as CalendarRule['freq'],
    interval: rule.interval,
    filter: dateFilter(rule, startDay, packed),
    times: ofDay === undefined ? times : listedTimes(ofDay.placesIn(times.size).map((place) => times.at(place))),
    weekDays: rule.freq === 'WEEKLY' ? daysOfWeek(rule, startDay) : [],
    positions: ofDay === undefined ? positions : undefined,
    picked: { start: Number.NaN, walls: [] },
    startWallMs,
    startDay,
    startYear: packed >> 9,
    startMonth: ((packed >> 5) & 15) - 1,
    wkst: rule.wkst,
    count: rule.count,
    skips,
    endWallMs: Math.min(untilWallMs + 1, HORIZON_MS),
    isCounted: rule.count === undefined,
    tally: { fromMs: startWallMs, left: rule.count ?? 0 },
  };
}

/** Returns whether a part determines the days, so that dtstart does not. */
function hasDayPart(rule: RecurrenceRule): boolean {
  return rule.byDay !== undefined || rule.byMonthDay !== undefined || rule.byYearDay !== undefined;
}

function dateFilter(rule: RecurrenceRule, startDay: number, packed: number): DayFilter | undefined {
  if (rule.freq === 'WEEKLY' || rule.freq === 'DAILY') {
    const isLimited =
      rule.byMonth !== undefined ||
      rule.byMonthDay !== undefined ||
      rule.byYearDay !== undefined ||
      rule.byWeekNo !== undefined ||
      (rule.freq === 'DAILY' && rule.byDay !== undefined);
    return isLimited ? compileDayFilter(rule, {}) : undefined;
  }
  return compileDayFilter(rule, dayDefaults(rule, startDay, packed));
}

function dayDefaults(rule: RecurrenceRule, startDay: number, packed: number): DayDefaults {
  if (hasDayPart(rule)) return {};
  if (rule.byWeekNo !== undefined) return { weekday: weekdayOf(startDay) };
  const monthDay = packed & 31;
  return rule.freq === 'MONTHLY' ? { monthDay } : { monthDay, months: 1 << (((packed >> 5) & 15) - 1) };
}

function daysOfWeek(rule: RecurrenceRule, startDay: number): readonly number[] {
  if (rule.byDay === undefined) {
    if (hasDayPart(rule)) return [0, 1, 2, 3, 4, 5, 6];
    return [startDay - startOfWeek(startDay, rule.wkst)];
  }
  let bits = 0;
  for (const day of rule.byDay) bits |= 1 << ((day.weekday - rule.wkst + 7) % 7);
  const days: number[] = [];
  for (let place = 0; place < 7; place++) if ((bits & (1 << place)) !== 0) days.push(place);
  return days;
}

/** RFC 5545 §3.3.10: BYHOUR, BYMINUTE and BYSECOND are ignored when dtstart is a date. */
function timesOfDay(rule: RecurrenceRule, startOfDayMs: number, isAllDay: boolean): TimesOfDay {
  if (isAllDay) return listedTimes([0]);
  if (rule.byHour === undefined && rule.byMinute === undefined && rule.bySecond === undefined) {
    return listedTimes([startOfDayMs]);
  }
  const seconds = Math.floor(startOfDayMs / 1000);
  return clockTimes(
    ascending(rule.byHour, Math.floor(seconds / 3600)),
    ascending(rule.byMinute, Math.floor(seconds / 60) % 60),
    clockSeconds(rule.bySecond, seconds % 60),
  );
}

/** Returns the values of a BY part ascending, each once; `byDefault` alone when the part is absent. */
export function ascending(values: readonly number[] | undefined, byDefault: number): readonly number[] {
  return values === undefined ? [byDefault] : [...new Set(values)].sort((a, b) => a - b);
}

/** Returns `ascending` with a leap second as second 59 (RFC 5545 §3.3.12). */
export function clockSeconds(values: readonly number[] | undefined, byDefault: number): readonly number[] {
  return ascending(
    values?.map((second) => Math.min(second, 59)),
    byDefault,
  );
}
