import { DAY_MS } from '../zones/civil.ts';
import { ascending, clockSeconds } from './calendar-rule.ts';
import { compileDayFilter, type DayFilter } from './day-filter.ts';
import type { RecurrenceRule } from './recurrence-rule.ts';
import { pickPositions } from './set-positions.ts';

/**
 * A rule of FREQ=HOURLY or finer. It steps from dtstart in elapsed time, and its BY parts test the local time of each
 * step; the finer ones put slots into the step's hour or minute.
 */
export interface SubDailyRule {
  readonly startMs: number;
  readonly stepMs: number;
  readonly unitMs: number;
  /** Places of the slots within a unit in milliseconds, or undefined when a slot is where its step is. */
  readonly places: readonly number[] | undefined;
  readonly filter: DayFilter | undefined;
  readonly hours: readonly boolean[] | undefined;
  readonly minutes: readonly boolean[] | undefined;
  readonly seconds: readonly boolean[] | undefined;
  /** The unit that the finest of these tests, infinite without any. */
  readonly testedMs: number;
  /** How many steps of a whole hour pass, by how far into it the first one is. */
  readonly stepsByPhase: Map<number, number>;
  readonly untilMs: number;
  readonly count: number | undefined;
}

const UNITS = { HOURLY: 3_600_000, MINUTELY: 60_000, SECONDLY: 1000 } as const;

/** Compiles a rule of FREQ=HOURLY or finer. `startMs` is the instant of dtstart. */
export function compileSubDailyRule(
  rule: RecurrenceRule,
  startMs: number,
  startWallMs: number,
  untilMs: number,
): SubDailyRule {
  const unitMs = UNITS[rule.freq as keyof typeof UNITS];
  const isLimited =
    rule.byMonth !== undefined ||
    rule.byMonthDay !== undefined ||
    rule.byYearDay !== undefined ||
    rule.byWeekNo !== undefined ||
    rule.byDay !== undefined;
  const hours = flags(rule.byHour, 24);
  const minutes = rule.freq === 'HOURLY' ? undefined : flags(rule.byMinute, 60);
  const seconds = rule.freq === 'SECONDLY' ? flags(rule.bySecond && clockSeconds(rule.bySecond, 0), 60) : undefined;
  return {
    startMs,
    stepMs: rule.interval * unitMs,
    unitMs,
    places: placesInUnit(rule, startWallMs),
    filter: isLimited ? compileDayFilter(rule, {}) : undefined,
    hours,
    minutes,
    seconds,
    testedMs: seconds ? 1000 : minutes ? 60_000 : hours ? 3_600_000 : Number.POSITIVE_INFINITY,
    stepsByPhase: new Map(),
    untilMs,
    count: rule.count,
  };
}

function flags(values: readonly number[] | undefined, size: number): readonly boolean[] | undefined {
  return values && Array.from({ length: size }, (_, value) => values.includes(value));
}

function placesInUnit(rule: RecurrenceRule, startWallMs: number): readonly number[] | undefined {
  const expandsMinutes = rule.freq === 'HOURLY' && rule.byMinute !== undefined;
  const expandsSeconds = rule.freq !== 'SECONDLY' && rule.bySecond !== undefined;
  if (!expandsMinutes && !expandsSeconds) {
    // One slot in each step: its first and its last, and nothing else.
    const keeps = rule.bySetPos === undefined || rule.bySetPos.includes(1) || rule.bySetPos.includes(-1);
    return keeps ? undefined : [];
  }
  const seconds = Math.floor(startWallMs / 1000);
  const minutes = rule.freq === 'HOURLY' ? ascending(rule.byMinute, Math.floor(seconds / 60) % 60) : [0];
  const places = minutes.flatMap((minute) =>
    clockSeconds(rule.bySecond, seconds % 60).map((second) => (minute * 60 + second) * 1000),
  );
  return rule.bySetPos === undefined ? places : pickPositions([0], places, rule.bySetPos, DAY_MS);
}

function gcd(a: number, b: number): number {
  let x = a;
  let y = b;
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

/**
 * Whether any step can ever meet the time-of-day parts while the offset is `offsetMs`. Steps meet exactly the times
 * that are congruent to dtstart modulo the common divisor of the step and a day.
 */
export function meetsTimeParts(rule: SubDailyRule, offsetMs: number): boolean {
  if (rule.hours === undefined && rule.minutes === undefined && rule.seconds === undefined) return true;
  const divisor = gcd(rule.stepMs, DAY_MS);
  const start = rule.startMs + offsetMs;
  const first = ((start % divisor) + divisor) % divisor;
  for (let time = first; time < DAY_MS; time += divisor) if (passesTimeParts(rule, time)) return true;
  return false;
}

function passesTimeParts(rule: SubDailyRule, timeOfDay: number): boolean {
  const { hours, minutes, seconds } = rule;
  if (hours !== undefined && !hours[(timeOfDay / 3_600_000) | 0]) return false;
  if (minutes !== undefined && !minutes[((timeOfDay / 60_000) | 0) % 60]) return false;
  return seconds === undefined || seconds[((timeOfDay / 1000) | 0) % 60]!;
}
