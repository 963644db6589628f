import { DAY_MS, daysFromCivil, isLeapYear, packedCivil, weekdayOf } from './civil.ts';

/** No zone changed its offset before 1800; each had its local mean time. */
export const FIRST_CHANGE_MS = Date.UTC(1800, 0, 1);

const CYCLE_START = 2104;
const CYCLE_END = 2132;

/** From here on zones follow rules: a year has the offset changes of the year of its kind in 2104–2131. */
export const FAR_MS = Date.UTC(CYCLE_END, 0, 1);

/** Kind of a year. Rules such as "second Sunday in March" depend on its first weekday and on leap years only. */
function kindOf(year: number): number {
  return weekdayOf(daysFromCivil(year, 1, 1)) * 2 + (isLeapYear(year) ? 1 : 0);
}

/** Any 28 years without a century year include every kind. */
const YEAR_OF_KIND: readonly number[] = Array.from({ length: 14 }, (_, kind) => {
  let year = CYCLE_START;
  while (kindOf(year) !== kind) year++;
  return year;
});

/** A far year and the near year of its kind: `shiftMs` is the distance from the near to the far one. */
interface FarYear {
  readonly startMs: number;
  readonly endMs: number;
  readonly shiftMs: number;
}

/** Finds the near year for a time at or after `FAR_MS`. */
export function farYearOf(ms: number): FarYear {
  const year = packedCivil(Math.floor(ms / DAY_MS)) >> 9;
  const startMs = daysFromCivil(year, 1, 1) * DAY_MS;
  const nearMs = daysFromCivil(YEAR_OF_KIND[kindOf(year)]!, 1, 1) * DAY_MS;
  return { startMs, endMs: daysFromCivil(year + 1, 1, 1) * DAY_MS, shiftMs: startMs - nearMs };
}
