import { propertyFailure } from '../api/graph-error.ts';
import { DAY_MS, formatDay, parseDay } from '../times.ts';
import type {
  PatternedRecurrence,
  PatternType,
  RecurrenceInput,
  RecurrencePattern,
  RecurrenceRange,
} from './patterned-recurrence.ts';

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const INDEXES = ['first', 'second', 'third', 'fourth', 'last'] as const;

const NO_DATE = '0001-01-01';

/** The fields that a type uses beside interval; any other must be absent or zero. */
const FIELDS: Readonly<Record<PatternType, readonly ('month' | 'dayOfMonth' | 'daysOfWeek' | 'index')[]>> = {
  daily: [],
  weekly: ['daysOfWeek'],
  absoluteMonthly: ['dayOfMonth'],
  relativeMonthly: ['daysOfWeek', 'index'],
  absoluteYearly: ['dayOfMonth', 'month'],
  relativeYearly: ['daysOfWeek', 'index', 'month'],
};

const fail = (property: string, rule: string): never => {
  throw propertyFailure(`Your request can't be completed. Recurrence/${property}: ${rule}.`);
};

/**
 * Checks a recurrence as Graph does and completes it to the form of answers.
 * @throws GraphError 400 ErrorPropertyValidationFailure naming the field
 */
export function normaliseRecurrence(input: RecurrenceInput, timeZone: string): PatternedRecurrence {
  return { pattern: normalisePattern(input.pattern), range: normaliseRange(input.range, timeZone) };
}

function normalisePattern(input: RecurrenceInput['pattern']): RecurrencePattern {
  const uses = FIELDS[input.type];
  const daysOfWeek = input.daysOfWeek ?? [];
  const index = input.index ?? 'first';
  if (!Number.isInteger(input.interval) || input.interval < 1) fail('Pattern/Interval', 'must be a positive integer');
  if (input.interval > (input.type === 'daily' ? 999 : 99)) fail('Pattern/Interval', 'is too large');
  checkNumber(uses.includes('month'), 'Month', input.month ?? 0, 12);
  checkNumber(uses.includes('dayOfMonth'), 'DayOfMonth', input.dayOfMonth ?? 0, 31);
  if (uses.includes('daysOfWeek') !== daysOfWeek.length > 0) {
    fail('Pattern/DaysOfWeek', uses.includes('daysOfWeek') ? 'is required' : `is not supported by ${input.type}`);
  }
  if (!uses.includes('index') && index !== 'first') fail('Pattern/Index', `is not supported by ${input.type}`);
  return {
    type: input.type,
    interval: input.interval,
    month: input.month ?? 0,
    dayOfMonth: input.dayOfMonth ?? 0,
    daysOfWeek: DAYS.filter((day) => daysOfWeek.includes(day)),
    firstDayOfWeek: input.firstDayOfWeek ?? 'sunday',
    index,
  };
}

function checkNumber(used: boolean, name: string, value: number, max: number): void {
  if (!used && value !== 0) fail(`Pattern/${name}`, 'is not supported by this type of pattern');
  if (used && (!Number.isInteger(value) || value < 1 || value > max)) {
    fail(`Pattern/${name}`, `must be from 1 to ${max}`);
  }
}

function normaliseRange(input: RecurrenceInput['range'], timeZone: string): RecurrenceRange {
  const endDate = input.endDate ?? NO_DATE;
  const count = input.numberOfOccurrences ?? 0;
  const start = parseDay(input.startDate);
  if (start === undefined) fail('Range/StartDate', 'must be a date');
  if (input.type === 'endDate') {
    const end = parseDay(endDate);
    if (end === undefined || endDate === NO_DATE) fail('Range/EndDate', 'must be a date');
    if (end! < start!) fail('Range/EndDate', 'must not be before the start date');
  } else if (endDate !== NO_DATE) fail('Range/EndDate', `is not supported by ${input.type}`);
  if (input.type === 'numbered') {
    if (!Number.isInteger(count) || count < 1 || count > 999) {
      fail('Range/NumberOfOccurrences', 'must be from 1 to 999');
    }
  } else if (count !== 0) fail('Range/NumberOfOccurrences', `is not supported by ${input.type}`);
  return {
    type: input.type,
    startDate: input.startDate,
    endDate,
    recurrenceTimeZone: input.recurrenceTimeZone ?? timeZone,
    numberOfOccurrences: count,
  };
}

const civil = (day: number): { year: number; month: number; date: number } => {
  const at = new Date(day * DAY_MS);
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, date: at.getUTCDate() };
};

/** Returns the day number of a date; a month may exceed 12, and day 0 is the last of the month before. */
const dayNumber = (year: number, month: number, date: number): number => Date.UTC(year, month - 1, date) / DAY_MS;

const weekday = (day: number): number => (((day + 4) % 7) + 7) % 7;

/** Returns the day of a month; as in Exchange, its last one where it has no such day. */
function clampedDay(year: number, month: number, dayOfMonth: number): number {
  return Math.min(dayNumber(year, month, 1) + dayOfMonth - 1, dayNumber(year, month + 1, 0));
}

function relativeDay(pattern: RecurrencePattern, year: number, month: number): number | undefined {
  const fitting: number[] = [];
  for (let day = dayNumber(year, month, 1); day <= dayNumber(year, month + 1, 0); day += 1) {
    if (pattern.daysOfWeek.some((name) => name === DAYS[weekday(day)])) fitting.push(day);
  }
  const index = INDEXES.indexOf(pattern.index as (typeof INDEXES)[number]);
  return index === 4 ? fitting.at(-1) : fitting[index];
}

interface Periods {
  /** Days of the k-th period since the start's, ascending. */
  readonly days: (k: number) => readonly number[];
  /** A lower bound of the period that holds `day`. */
  readonly at: (day: number) => number;
}

/** Returns the periods of a pattern, counted from the start's. */
function periodsOf(pattern: RecurrencePattern, start: number): Periods {
  const { interval } = pattern;
  if (pattern.type === 'daily') {
    return { days: (k) => [start + k * interval], at: (day) => Math.floor((day - start) / interval) };
  }
  if (pattern.type === 'weekly') {
    const firstDay = DAYS.indexOf(pattern.firstDayOfWeek as (typeof DAYS)[number]);
    const weekStart = start - ((weekday(start) - firstDay + 7) % 7);
    const offsets = pattern.daysOfWeek.map((name) => (DAYS.indexOf(name as (typeof DAYS)[number]) - firstDay + 7) % 7);
    offsets.sort((a, b) => a - b);
    return {
      days: (k) => offsets.map((offset) => weekStart + 7 * interval * k + offset),
      at: (day) => Math.floor((day - weekStart) / (7 * interval)),
    };
  }
  const { year, month } = civil(start);
  const isYearly = pattern.type === 'absoluteYearly' || pattern.type === 'relativeYearly';
  const isRelative = pattern.type === 'relativeMonthly' || pattern.type === 'relativeYearly';
  const dayIn = (y: number, m: number): number | undefined =>
    isRelative ? relativeDay(pattern, y, m) : clampedDay(y, m, pattern.dayOfMonth);
  return {
    days(k) {
      const months = isYearly ? (year + k * interval) * 12 + pattern.month - 1 : year * 12 + month - 1 + k * interval;
      const day = dayIn(Math.floor(months / 12), (months % 12) + 1);
      return day === undefined ? [] : [day];
    },
    at(day) {
      const to = civil(day);
      const months = isYearly ? (to.year - year) * 12 : (to.year - year) * 12 + to.month - month;
      return Math.floor(months / (isYearly ? 12 * interval : interval));
    },
  };
}

/** After this many periods in a row without a day a pattern is taken to have none (29 February clamps, so none is rare). */
const LONGEST_GAP = 500;

/**
 * Slots of a recurrence as day numbers, ascending, `from` <= day < `to`.
 * A numbered range is counted from the start, so its cost grows with the distance.
 */
export function slotDays(recurrence: PatternedRecurrence, from: number, to: number): number[] {
  const { pattern, range } = recurrence;
  const start = parseDay(range.startDate)!;
  const last = range.type === 'endDate' ? parseDay(range.endDate)! : Number.POSITIVE_INFINITY;
  const periods = periodsOf(pattern, start);
  const isNumbered = range.type === 'numbered';
  const slots: number[] = [];
  let counted = 0;
  let empty = 0;
  for (let k = isNumbered ? 0 : Math.max(0, periods.at(from) - 1); empty < LONGEST_GAP; k += 1) {
    const days = periods.days(k);
    empty = days.length === 0 ? empty + 1 : 0;
    for (const day of days) {
      if (day < start) continue;
      if (day >= to || day > last) return slots;
      if (isNumbered && ++counted > range.numberOfOccurrences) return slots;
      if (day >= from) slots.push(day);
    }
  }
  return slots;
}

/** Returns more days than any two neighbouring slots are apart. */
export function widestGapDays(pattern: RecurrencePattern): number {
  if (pattern.type === 'daily') return pattern.interval + 1;
  if (pattern.type === 'weekly') return 7 * (pattern.interval + 1);
  if (pattern.type === 'absoluteMonthly' || pattern.type === 'relativeMonthly') return 31 * (pattern.interval + 2);
  return 366 * (pattern.interval + 2);
}

/** Returns the first slot; undefined when the range ends before the pattern begins. */
function firstSlot(recurrence: PatternedRecurrence): number | undefined {
  const start = parseDay(recurrence.range.startDate)!;
  return slotDays(recurrence, start, start + 2 * widestGapDays(recurrence.pattern))[0];
}

/** Returns the recurrence with its start at the first slot, where Exchange puts the master. */
export function startedAtFirstSlot(recurrence: PatternedRecurrence): PatternedRecurrence | undefined {
  const first = firstSlot(recurrence);
  if (first === undefined) return undefined;
  return { ...recurrence, range: { ...recurrence.range, startDate: formatDay(first) } };
}
