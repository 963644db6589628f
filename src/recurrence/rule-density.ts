import type { RecurrenceRule } from './recurrence-rule.ts';

/**
 * Returns the most slots that a rule can have in one day. Its BYHOUR, BYMINUTE and BYSECOND multiply where they are finer than FREQ, so
 * that `DAILY;BYHOUR=…;BYMINUTE=…;BYSECOND=…` can be as dense as SECONDLY, and limit where they are coarser. BYSETPOS is
 * ignored: it removes slots after all of them have been computed.
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

/** Returns the least distance between two slots of a rule. */
export function leastStepMs({ freq, interval, bySecond }: RecurrenceRule): number {
  if (freq === 'SECONDLY') return interval * 1_000;
  return freq === 'MINUTELY' && (bySecond?.length ?? 1) === 1 ? interval * 60_000 : 1_000;
}
