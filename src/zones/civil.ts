/** Milliseconds in a day of 24 hours. */
export const DAY_MS = 86_400_000;

/**
 * Returns the number of days from 1 January 1970 to the given date of the proleptic Gregorian calendar.
 * `month` counts from 1; a `day` outside its month carries over.
 */
export function daysFromCivil(year: number, month: number, day: number): number {
  // A year that begins in March puts the leap day last, so that month lengths follow one straight line.
  const y = month > 2 ? year : year - 1;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = (((month > 2 ? month - 3 : month + 9) * 153 + 2) / 5) | 0;
  return era * 146097 + yearOfEra * 365 + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0) + dayOfYear + day - 719469;
}

/** Returns the date of a day number as one integer, `year * 512 + month * 32 + day`: hot loops allocate nothing. */
export function packedCivil(dayNumber: number): number {
  const z = dayNumber + 719468;
  const era = Math.floor(z / 146097);
  const dayOfEra = z - era * 146097;
  const yearOfEra =
    ((dayOfEra - ((dayOfEra / 1460) | 0) + ((dayOfEra / 36524) | 0) - ((dayOfEra / 146096) | 0)) / 365) | 0;
  const dayOfYear = dayOfEra - (yearOfEra * 365 + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0));
  const shifted = ((5 * dayOfYear + 2) / 153) | 0;
  const day = dayOfYear - (((153 * shifted + 2) / 5) | 0) + 1;
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return year * 512 + month * 32 + day;
}

/** Returns whether `year` has a 29 February. */
export function isLeapYear(year: number): boolean {
  return (year & 3) === 0 && (year % 100 !== 0 || year % 400 === 0);
}

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns the number of days of a month; `month` counts from 1. */
export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : MONTH_LENGTHS[month - 1]!;
}

/** Returns the weekday of a day number: 0 is Monday, 6 is Sunday. */
export function weekdayOf(dayNumber: number): number {
  return (((dayNumber + 3) % 7) + 7) % 7;
}
