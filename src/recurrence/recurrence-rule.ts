/** RFC 5545 §3.3.10. */
export type Frequency = 'YEARLY' | 'MONTHLY' | 'WEEKLY' | 'DAILY' | 'HOURLY' | 'MINUTELY' | 'SECONDLY';

/** One element of BYDAY. `weekday` counts from 0 for Monday; `ordinal` 0 means every such day, -1 the last one. */
export interface OrdinalWeekday {
  readonly weekday: number;
  readonly ordinal: number;
}

/**
 * A DATE or DATE-TIME value. `wallMs` is its reading as if in UTC; `tzid` is set for the form `zoned` only.
 * @see RFC 5545 §3.3.4 and §3.3.5
 */
export interface RecurrenceTime {
  readonly form: 'date' | 'local' | 'utc' | 'zoned';
  readonly wallMs: number;
  readonly tzid?: string;
}

/** One value of RDATE or EXDATE. An RDATE of value type PERIOD has an end or a duration. */
export interface RecurrenceDate {
  readonly time: RecurrenceTime;
  readonly end?: RecurrenceTime;
  readonly durationMs?: number;
}

/** A parsed recurrence rule; a part that is absent is undefined, INTERVAL is 1 and WKST is Monday (0) by default. */
export interface RecurrenceRule {
  readonly freq: Frequency;
  readonly interval: number;
  readonly count: number | undefined;
  readonly until: RecurrenceTime | undefined;
  readonly wkst: number;
  readonly bySecond: readonly number[] | undefined;
  readonly byMinute: readonly number[] | undefined;
  readonly byHour: readonly number[] | undefined;
  readonly byDay: readonly OrdinalWeekday[] | undefined;
  readonly byMonthDay: readonly number[] | undefined;
  readonly byYearDay: readonly number[] | undefined;
  readonly byWeekNo: readonly number[] | undefined;
  readonly byMonth: readonly number[] | undefined;
  readonly bySetPos: readonly number[] | undefined;
}

/** The recurrence properties of one event. `exceptionRules` are EXRULE lines of RFC 2445, which Google still sends. */
export interface RecurrenceLines {
  readonly rules: readonly RecurrenceRule[];
  readonly exceptionRules: readonly RecurrenceRule[];
  readonly dates: readonly RecurrenceDate[];
  readonly exceptionDates: readonly RecurrenceDate[];
}

/** The weekdays as RFC 5545 writes them, from Monday. */
export const WEEKDAY_NAMES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

/** From the coarsest to the finest. */
export const FREQUENCIES: readonly Frequency[] = [
  'YEARLY',
  'MONTHLY',
  'WEEKLY',
  'DAILY',
  'HOURLY',
  'MINUTELY',
  'SECONDLY',
];

/** Returns whether a frequency steps in elapsed time rather than in days. */
export function isSubDaily(freq: Frequency): boolean {
  return freq === 'HOURLY' || freq === 'MINUTELY' || freq === 'SECONDLY';
}
