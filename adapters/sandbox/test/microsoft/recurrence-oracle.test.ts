import fc from 'fast-check';
import { compileSeries } from 'kalends/recurrence';
import { fromPatternedRecurrence, type GraphPattern } from 'kalends/recurrence/patterned';
import { describe, expect, test } from 'vitest';
import type { PatternedRecurrence } from '../../src/microsoft/series/patterned-recurrence.ts';
import { normaliseRecurrence, slotDays } from '../../src/microsoft/series/recurrence-pattern.ts';
import { formatDay, parseDay } from '../../src/microsoft/times.ts';

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const INDEXES = ['first', 'second', 'third', 'fourth', 'last'];

const startDay = fc.integer({ min: parseDay('2018-01-01')!, max: parseDay('2027-12-31')! });
const daysOfWeek = fc.subarray(DAYS, { minLength: 1 });
const interval = fc.integer({ min: 1, max: 5 });
const month = fc.integer({ min: 1, max: 12 });
const dayOfMonth = fc.integer({ min: 1, max: 31 });
const index = fc.constantFrom(...INDEXES);

const pattern = fc.oneof(
  fc.record({ type: fc.constant('daily' as const), interval }),
  fc.record({ type: fc.constant('weekly' as const), interval, daysOfWeek, firstDayOfWeek: fc.constantFrom(...DAYS) }),
  fc.record({ type: fc.constant('absoluteMonthly' as const), interval, dayOfMonth }),
  fc.record({ type: fc.constant('relativeMonthly' as const), interval, daysOfWeek, index }),
  fc.record({ type: fc.constant('absoluteYearly' as const), interval, dayOfMonth, month }),
  fc.record({ type: fc.constant('relativeYearly' as const), interval, daysOfWeek, index, month }),
);

const recurrence = fc
  .record({
    pattern,
    start: startDay,
    end: fc.option(fc.integer({ min: 0, max: 900 })),
    count: fc.integer({ min: 1, max: 40 }),
    isNumbered: fc.boolean(),
  })
  .map(({ pattern: rule, start, end, count, isNumbered }) => {
    const startDate = formatDay(start);
    const range = isNumbered
      ? { type: 'numbered' as const, startDate, numberOfOccurrences: count }
      : end === null
        ? { type: 'noEnd' as const, startDate }
        : { type: 'endDate' as const, startDate, endDate: formatDay(start + end) };
    return normaliseRecurrence({ pattern: rule, range }, 'UTC');
  });

interface Civil {
  readonly year: number;
  readonly month: number;
  readonly date: number;
}

function civilOf(day: number): Civil {
  const [year = 0, monthOfYear = 0, date = 0] = formatDay(day).split('-').map(Number);
  return { year, month: monthOfYear, date };
}

const weekdayOf = (day: number): number => new Date(`${formatDay(day)}T00:00:00Z`).getUTCDay();
const lastDateOf = ({ year, month: monthOfYear }: Civil): number =>
  new Date(Date.UTC(year, monthOfYear, 0)).getUTCDate();

/** Whether `day` is the one that a relative pattern means in its month: looked at day by day. */
function isRelativeDay({ daysOfWeek: names, index: place }: PatternedRecurrence['pattern'], day: number): boolean {
  const fits = (each: number): boolean => names.includes(DAYS[weekdayOf(each)]!);
  if (!fits(day)) return false;
  const { date } = civilOf(day);
  const countIn = (from: number, to: number): number => {
    let count = 0;
    for (let each = from; each <= to; each += 1) if (fits(each)) count += 1;
    return count;
  };
  if (place === 'last') return countIn(day + 1, day + lastDateOf(civilOf(day)) - date) === 0;
  return countIn(day - date + 1, day) === INDEXES.indexOf(place) + 1;
}

/** The definition, one day at a time: slow, and sharing nothing with the code under test. */
function isSlot({ pattern: rule, range }: PatternedRecurrence, day: number): boolean {
  const start = parseDay(range.startDate)!;
  const [from, to] = [civilOf(start), civilOf(day)];
  const months = (to.year - from.year) * 12 + to.month - from.month;
  const isDate = to.date === Math.min(rule.dayOfMonth, lastDateOf(to));
  switch (rule.type) {
    case 'daily':
      return (day - start) % rule.interval === 0;
    case 'weekly': {
      const first = DAYS.indexOf(rule.firstDayOfWeek);
      const weekOf = (each: number): number => each - ((weekdayOf(each) - first + 7) % 7);
      const weeks = (weekOf(day) - weekOf(start)) / 7;
      return weeks % rule.interval === 0 && rule.daysOfWeek.includes(DAYS[weekdayOf(day)]!);
    }
    case 'absoluteMonthly':
      return months % rule.interval === 0 && isDate;
    case 'relativeMonthly':
      return months % rule.interval === 0 && isRelativeDay(rule, day);
    case 'absoluteYearly':
      return (to.year - from.year) % rule.interval === 0 && to.month === rule.month && isDate;
    case 'relativeYearly':
      return (to.year - from.year) % rule.interval === 0 && to.month === rule.month && isRelativeDay(rule, day);
  }
}

function slowSlots(given: PatternedRecurrence, to: number): number[] {
  const { range } = given;
  const slots: number[] = [];
  for (let day = parseDay(range.startDate)!; day < to; day += 1) {
    if (range.type === 'endDate' && day > parseDay(range.endDate)!) break;
    if (range.type === 'numbered' && slots.length === range.numberOfOccurrences) break;
    if (isSlot(given, day)) slots.push(day);
  }
  return slots;
}

describe('slotDays', () => {
  test('equals the definition looked at day by day, in every window', () => {
    fc.assert(
      fc.property(
        recurrence,
        fc.integer({ min: -40, max: 900 }),
        fc.integer({ min: 0, max: 500 }),
        (given, offset, length) => {
          const from = parseDay(given.range.startDate)! + offset;
          const slow = slowSlots(given, from + length).filter((day) => day >= from);
          expect(slotDays(given, from, from + length)).toEqual(slow);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('agrees with the engine’s reading of the same patterned recurrence', () => {
    fc.assert(
      fc.property(recurrence, (given) => {
        const start = parseDay(given.range.startDate)!;
        const to = start + 1500;
        const { pattern: rule, range } = given;
        const lines = fromPatternedRecurrence(rule as GraphPattern, range);
        const series = compileSeries({ dtstart: given.range.startDate, timeZone: null, lines });
        const engine = series.occurrences({ from: start * 86_400_000, to: to * 86_400_000 });
        expect(slotDays(given, start, to).map(formatDay)).toEqual(
          engine.map(({ wallMs }) => formatDay(wallMs / 86_400_000)),
        );
      }),
      { numRuns: 200 },
    );
  });
});
