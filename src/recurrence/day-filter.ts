import { daysFromCivil, daysInMonth, isLeapYear, packedCivil, weekdayOf } from '../zones/civil.ts';
import type { OrdinalWeekday, RecurrenceRule } from './recurrence-rule.ts';

/**
 * The parts of a rule that test a date, compiled to bit masks.
 *
 * The days of a month depend only on its length and first weekday; the days of a year only on its first weekday and on
 * which of it and its neighbours are leap years. So there are 28 results, each computed once.
 */
export interface DayFilter {
  /** Bit m: month m (from 0) is allowed. */
  readonly months: number;
  /** Bit d: day d (from 0) of a month is allowed; undefined without BYMONTHDAY. */
  readonly monthDays: number | undefined;
  /** Bit d: the day d places before the last one is allowed. */
  readonly monthDaysFromEnd: number;
  /** Bit w: weekday w (from Monday) is allowed without a number. */
  readonly weekdays: number;
  readonly ordinals: readonly OrdinalWeekday[];
  readonly hasWeekdays: boolean;
  /** Numbered weekdays count within the year rather than within the month. */
  readonly ordinalsOfYear: boolean;
  readonly yearDays: readonly number[] | undefined;
  readonly weekNumbers: readonly number[] | undefined;
  readonly wkst: number;
  /** A month's days depend on its place in the year. */
  readonly needsYear: boolean;
  readonly monthMasks: number[];
  readonly yearMasks: (readonly number[] | undefined)[];
  /** Whether any date passes; undefined until it is first needed. */
  isPossible: boolean | undefined;
}

/** Date parts that dtstart determines because the rule leaves them out. */
export interface DayDefaults {
  readonly months?: number;
  readonly monthDay?: number;
  readonly weekday?: number;
}

const ALL_MONTHS = 0xfff;
const WEEKLY_BITS = 0b1_0000001_0000001_0000001_0000001;
const UNKNOWN = -1;

function bitsOf(values: readonly number[], base: number): number {
  let bits = 0;
  for (const value of values) if (value >= base) bits |= 1 << (value - base);
  return bits;
}

/** Compiles the date parts of a rule; `defaults` apply as if written in it. */
export function compileDayFilter(rule: RecurrenceRule, defaults: DayDefaults): DayFilter {
  const ordinals: OrdinalWeekday[] = [];
  let weekdays = defaults.weekday === undefined ? 0 : 1 << defaults.weekday;
  for (const day of rule.byDay ?? []) {
    if (day.ordinal === 0) weekdays |= 1 << day.weekday;
    else ordinals.push(day);
  }
  const monthDays = rule.byMonthDay ?? (defaults.monthDay === undefined ? undefined : [defaults.monthDay]);
  const ordinalsOfYear = ordinals.length > 0 && rule.freq === 'YEARLY' && rule.byMonth === undefined;
  return {
    months: rule.byMonth === undefined ? (defaults.months ?? ALL_MONTHS) : bitsOf(rule.byMonth, 1),
    monthDays: monthDays === undefined ? undefined : bitsOf(monthDays, 1),
    monthDaysFromEnd:
      monthDays === undefined
        ? 0
        : bitsOf(
            monthDays.map((day) => -day),
            1,
          ),
    weekdays,
    ordinals,
    hasWeekdays: weekdays !== 0 || ordinals.length > 0,
    ordinalsOfYear,
    yearDays: rule.byYearDay,
    weekNumbers: rule.byWeekNo,
    wkst: rule.wkst,
    needsYear: rule.byYearDay !== undefined || rule.byWeekNo !== undefined || ordinalsOfYear,
    monthMasks: [],
    yearMasks: [],
    isPossible: undefined,
  };
}

/** Returns the allowed days of a month as bits from day 0; `month` counts from 0, `firstDay` is its first day number. */
export function monthMask(filter: DayFilter, year: number, month: number, firstDay: number): number {
  if ((filter.months & (1 << month)) === 0) return 0;
  return filter.needsYear ? masksOfYear(filter, year)[month]! : plainMonthMask(filter, year, month, firstDay);
}

/** Returns whether a date passes every date part. */
export function allowsDay(filter: DayFilter, year: number, month: number, day: number, dayNumber: number): boolean {
  return (monthMask(filter, year, month - 1, dayNumber - day + 1) & (1 << (day - 1))) !== 0;
}

/** Creates a search for the first allowed day from a given one on; it caches its last result. */
export function createDaySearch(filter: DayFilter): (dayNumber: number) => number {
  let asked = Number.POSITIVE_INFINITY;
  let answer = Number.NEGATIVE_INFINITY;
  if (!allowsAnyDay(filter)) return () => Number.POSITIVE_INFINITY;
  return (dayNumber) => {
    if (dayNumber >= asked && dayNumber <= answer) return answer;
    asked = dayNumber;
    answer = nextAllowedDay(filter, dayNumber);
    return answer;
  };
}

function nextAllowedDay(filter: DayFilter, dayNumber: number): number {
  const packed = packedCivil(dayNumber);
  const place = (packed & 31) - 1;
  let year = packed >> 9;
  let month = ((packed >> 5) & 15) - 1;
  let first = dayNumber - place;
  let mask = monthMask(filter, year, month, first) & (-1 << place);
  while (mask === 0) {
    first += daysInMonth(year, month + 1);
    month++;
    if (month === 12) {
      month = 0;
      year++;
    }
    mask = monthMask(filter, year, month, first);
  }
  return first + 31 - Math.clz32(mask & -mask);
}

function plainMonthMask(filter: DayFilter, year: number, month: number, firstDay: number): number {
  const length = daysInMonth(year, month + 1);
  const first = weekdayOf(firstDay);
  const key = (length - 28) * 7 + first;
  let mask = filter.monthMasks[key];
  if (mask === undefined) {
    mask = computeMonthMask(filter, length, first);
    filter.monthMasks[key] = mask;
  }
  return mask;
}

function computeMonthMask(filter: DayFilter, length: number, first: number): number {
  const all = length === 31 ? 0x7fffffff : (1 << length) - 1;
  let mask = all;
  if (filter.monthDays !== undefined) mask &= filter.monthDays | fromEnd(filter.monthDaysFromEnd, length);
  if (filter.hasWeekdays && !filter.ordinalsOfYear) mask &= weekdayMask(filter, length, first);
  return mask;
}

function fromEnd(bits: number, length: number): number {
  let mask = 0;
  for (let place = 0; place < length; place++) if ((bits & (1 << place)) !== 0) mask |= 1 << (length - 1 - place);
  return mask;
}

function weekdayMask(filter: DayFilter, length: number, first: number): number {
  let mask = 0;
  for (let weekday = 0; weekday < 7; weekday++) {
    if ((filter.weekdays & (1 << weekday)) !== 0) mask |= WEEKLY_BITS << ((weekday - first + 7) % 7);
  }
  for (const { weekday, ordinal } of filter.ordinals) {
    const place = nthPlace((weekday - first + 7) % 7, ordinal, length);
    if (place >= 0) mask |= 1 << place;
  }
  return mask;
}

/** Returns the place of the nth weekday, the first of which is at `firstPlace`; -1 when there is none. */
function nthPlace(firstPlace: number, ordinal: number, length: number): number {
  const last = firstPlace + 7 * Math.floor((length - 1 - firstPlace) / 7);
  const place = ordinal > 0 ? firstPlace + 7 * (ordinal - 1) : last + 7 * (ordinal + 1);
  return place >= 0 && place < length ? place : UNKNOWN;
}

function masksOfYear(filter: DayFilter, year: number): readonly number[] {
  const leaps = isLeapYear(year) ? 1 : isLeapYear(year - 1) ? 2 : isLeapYear(year + 1) ? 3 : 0;
  const key = weekdayOf(daysFromCivil(year, 1, 1)) * 4 + leaps;
  let masks = filter.yearMasks[key];
  if (masks === undefined) {
    masks = computeYearMasks(filter, year);
    filter.yearMasks[key] = masks;
  }
  return masks;
}

function computeYearMasks(filter: DayFilter, year: number): readonly number[] {
  const newYear = daysFromCivil(year, 1, 1);
  const yearLength = isLeapYear(year) ? 366 : 365;
  const masks: number[] = [];
  for (let month = 1, day = newYear; month <= 12; month++) {
    const length = daysInMonth(year, month);
    let mask = computeMonthMask(filter, length, weekdayOf(day));
    for (let place = 0; place < length; place++, day++) {
      if ((mask & (1 << place)) !== 0 && !allowsInYear(filter, day, year, newYear, yearLength)) mask &= ~(1 << place);
    }
    masks.push(mask);
  }
  return masks;
}

function allowsInYear(filter: DayFilter, day: number, year: number, newYear: number, yearLength: number): boolean {
  const place = day - newYear;
  const { yearDays, weekNumbers } = filter;
  if (yearDays !== undefined && !yearDays.includes(place + 1) && !yearDays.includes(place - yearLength)) return false;
  if (weekNumbers !== undefined && !isInWeek(weekNumbers, day, year, filter.wkst)) return false;
  if (!filter.ordinalsOfYear) return true;
  const weekday = weekdayOf(day);
  if ((filter.weekdays & (1 << weekday)) !== 0) return true;
  const first = (weekday - weekdayOf(newYear) + 7) % 7;
  return filter.ordinals.some(
    (item) => item.weekday === weekday && nthPlace(first, item.ordinal, yearLength) === place,
  );
}

/** A week belongs to the year of its fourth day, so early January and late December may belong to a neighbour. */
function isInWeek(weekNumbers: readonly number[], day: number, year: number, wkst: number): boolean {
  const weekStart = startOfWeek(day, wkst);
  const fourth = weekStart + 3;
  const weekYear =
    fourth < daysFromCivil(year, 1, 1) ? year - 1 : fourth >= daysFromCivil(year + 1, 1, 1) ? year + 1 : year;
  const firstWeek = startOfWeek(daysFromCivil(weekYear, 1, 4), wkst);
  const nextFirstWeek = startOfWeek(daysFromCivil(weekYear + 1, 1, 4), wkst);
  return weekNumbers.includes((weekStart - firstWeek) / 7 + 1) || weekNumbers.includes((weekStart - nextFirstWeek) / 7);
}

/** Returns the day number on which the week of `day` begins. */
export function startOfWeek(day: number, wkst: number): number {
  return day - ((weekdayOf(day) - wkst + 7) % 7);
}

/** Returns the weekdays on which BYDAY can pass, as bits. */
export function possibleWeekdays({ weekdays, ordinals, hasWeekdays }: DayFilter): number {
  return hasWeekdays ? ordinals.reduce((bits, { weekday }) => bits | (1 << weekday), weekdays) : 0x7f;
}

/** Returns whether any date passes. The calendar repeats after 400 years, so one cycle proves it. */
export function allowsAnyDay(filter: DayFilter): boolean {
  filter.isPossible ??= searchCycle(filter);
  return filter.isPossible;
}

function searchCycle(filter: DayFilter): boolean {
  for (let year = 2000; year < 2400; year++) {
    for (let month = 0; month < 12; month++) {
      if ((filter.months & (1 << month)) === 0) continue;
      if (monthMask(filter, year, month, daysFromCivil(year, month + 1, 1)) !== 0) return true;
    }
  }
  return false;
}
