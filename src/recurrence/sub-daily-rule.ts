import type { ZoneTable } from '../zones/zone-table.ts';
import { HORIZON_MS } from './calendar-rule.ts';
import { type ClockParts, compileClockParts } from './clock-parts.ts';
import { allowsAnyDay, compileDayFilter, createDaySearch, possibleWeekdays } from './day-filter.ts';
import type { RecurrenceRule } from './recurrence-rule.ts';

/**
 * A compiled rule of FREQ=HOURLY or finer. Its windows are `lengthMs` long, begin at `originMs` and follow each other
 * every `stepMs` of elapsed time. Its slots are the instants in a window, in whole seconds and not before `startMs`,
 * whose local date passes `nextDay` and whose local time passes `clock`.
 */
export interface SubDailyRule {
  /** The instant of dtstart. */
  readonly startMs: number;
  readonly originMs: number;
  readonly stepMs: number;
  /** A second for a rule that steps from dtstart: its windows hold one instant. */
  readonly lengthMs: number;
  readonly isStepped: boolean;
  /** Returns the first day from a given one on whose date passes; undefined when every date does. */
  readonly nextDay: ((dayNumber: number) => number) | undefined;
  /** Weekdays that can pass, as bits from Monday. */
  readonly weekdays: number;
  readonly clock: ClockParts;
  /** BYSETPOS, for windows of more than one instant. */
  readonly positions: readonly number[] | undefined;
  /** Most slots of one window. */
  readonly mostSlots: number;
  /** Last possible start: UNTIL, or the end of the year 9999. */
  readonly untilMs: number;
  readonly count: number | undefined;
  /** True when the parts contradict each other at every time. */
  readonly isEmpty: boolean;
}

const UNITS = { HOURLY: 3_600_000, MINUTELY: 60_000, SECONDLY: 1000 } as const;

/**
 * Compiles a rule of FREQ=HOURLY or finer. With BYMINUTE or BYSECOND the windows of HOURLY and MINUTELY are an hour or
 * a minute long and begin with the clock hour or minute of dtstart; a finer part that is absent is taken from dtstart
 * (RFC 5545 §3.3.10).
 */
export function compileSubDailyRule(
  rule: RecurrenceRule,
  startWallMs: number,
  table: ZoneTable,
  untilMs: number,
): SubDailyRule {
  const unitMs = UNITS[rule.freq as keyof typeof UNITS];
  const startMs = startWallMs - table.spanOfWall(startWallMs).offsetMs;
  // A dtstart in a gap starts at its shifted time.
  const shownMs = startMs + table.spanAt(startMs).offsetMs;
  const isStepped = rule.freq === 'SECONDLY' || (rule.byMinute === undefined && rule.bySecond === undefined);
  const shownSeconds = Math.floor(shownMs / 1000);
  const seconds = rule.bySecond?.map((second) => Math.min(second, 59));
  const clock = isStepped
    ? compileClockParts(rule.byHour, rule.byMinute, seconds)
    : compileClockParts(
        rule.byHour,
        rule.freq === 'HOURLY' ? (rule.byMinute ?? [modulo(Math.floor(shownSeconds / 60), 60)]) : rule.byMinute,
        seconds ?? [modulo(shownSeconds, 60)],
      );
  const filter = limitsDays(rule) ? compileDayFilter(rule, {}) : undefined;
  const horizonMs = HORIZON_MS - table.spanOfWall(HORIZON_MS).offsetMs;
  const picksNothing = isStepped && rule.bySetPos !== undefined && !rule.bySetPos.some((n) => Math.abs(n) === 1);
  return {
    startMs,
    originMs: isStepped ? startMs : startMs - modulo(shownMs, unitMs),
    stepMs: rule.interval * unitMs,
    lengthMs: isStepped ? 1000 : unitMs,
    isStepped,
    nextDay: filter && createDaySearch(filter),
    weekdays: filter === undefined ? 0x7f : possibleWeekdays(filter),
    clock,
    positions: isStepped ? undefined : rule.bySetPos,
    mostSlots: isStepped ? 1 : unitMs / 1000,
    untilMs: Math.min(untilMs, horizonMs - 1),
    count: rule.count,
    isEmpty: picksNothing || (filter !== undefined && !allowsAnyDay(filter)),
  };
}

function limitsDays({ byMonth, byMonthDay, byYearDay, byWeekNo, byDay }: RecurrenceRule): boolean {
  return [byMonth, byMonthDay, byYearDay, byWeekNo, byDay].some((part) => part !== undefined);
}

/** Returns the remainder of floored division. */
export function modulo(value: number, divisor: number): number {
  return value - Math.floor(value / divisor) * divisor;
}

/** Returns the start of the first window that begins at or after an instant. */
export function windowAtOrAfter({ originMs, stepMs }: SubDailyRule, ms: number): number {
  return originMs + Math.max(0, Math.ceil((ms - originMs) / stepMs)) * stepMs;
}

/** Returns the start of the first window that ends after an instant. */
export function windowEndingAfter({ originMs, stepMs, lengthMs }: SubDailyRule, ms: number): number {
  return originMs + Math.max(0, Math.floor((ms - lengthMs - originMs) / stepMs) + 1) * stepMs;
}
