import { DAY_MS, instantOf, wallAt, weekdayOf, type Zones } from '../zones/index.ts';

/** Returns the first instant of a day, given as its number from 1 January 1970. */
export function startOfDay(timeZone: string, day: number, zones: Zones): number {
  return instantOf(timeZone, day * DAY_MS, zones);
}

/**
 * Returns the number of the day of an instant. A day lasts from its first midnight to the next one's, also in a zone whose clocks go
 * back over midnight and show the end of the day before once more.
 */
export function dayAt(timeZone: string, epochMs: number, zones: Zones): number {
  const day = Math.floor(wallAt(timeZone, epochMs, zones) / DAY_MS);
  return startOfDay(timeZone, day + 1, zones) <= epochMs ? day + 1 : day;
}

/** Returns the first day of a week; `weekStart` counts from 0, Monday. */
export function firstDayOfWeek(day: number, weekStart: number): number {
  return day - ((weekdayOf(day) - weekStart + 7) % 7);
}
