import type { RecurrenceRule } from './recurrence-rule.ts';

/**
 * The most slots that a rule can have in one day. Its BYHOUR, BYMINUTE and BYSECOND multiply where they are finer than FREQ, so
 * that `DAILY;BYHOUR=…;BYMINUTE=…;BYSECOND=…` can be as dense as SECONDLY, and limit where they are coarser. BYSETPOS, which
 * takes slots away after all of them have been worked out, is not counted.
 */
export function slotsPerDay({ freq, interval, byHour, byMinute, bySecond }: RecurrenceRule): number {
  const sizeOr = (part: readonly number[] | undefined, absent: number) =>
    part === undefined ? absent : new Set(part).size;
  const seconds = sizeOr(bySecond, 1);
  const minutes = sizeOr(byMinute, 1);
  if (freq === 'SECONDLY') {
    const met = sizeOr(byHour, 24) * sizeOr(byMinute, 60) * sizeOr(bySecond, 60);
    return Math.min(Math.ceil(86_400 / interval), met);
  }
  if (freq === 'MINUTELY') {
    return Math.min(Math.ceil(1_440 / interval), sizeOr(byHour, 24) * sizeOr(byMinute, 60)) * seconds;
  }
  if (freq === 'HOURLY') return Math.min(Math.ceil(24 / interval), sizeOr(byHour, 24)) * minutes * seconds;
  return sizeOr(byHour, 1) * minutes * seconds;
}

/** Two slots of a rule are at least so far apart. */
export function leastStepMs({ freq, interval, bySecond }: RecurrenceRule): number {
  if (freq === 'SECONDLY') return interval * 1_000;
  return freq === 'MINUTELY' && (bySecond?.length ?? 1) === 1 ? interval * 60_000 : 1_000;
}
