import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  calendarCase,
  extendedTime,
  type RuleCase,
  ruleText,
  subDailyCase,
} from '../../../test/differential/rule-shape.ts';
import { sizeOf } from '../../../test/size-of.ts';
import { type Recurrence, recurrence } from '../src/index.ts';

/*
 * The oracle of every question is a plain filter over the forward list. The list itself is judged in test/differential, by
 * implementations that share nothing with ours.
 */

const LISTED = 120;
const HOUR_MS = 3_600_000;

const zone = fc.constantFrom(
  null,
  'UTC',
  'America/New_York',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Pacific/Apia',
);

interface Asked {
  readonly ruleCase: RuleCase;
  readonly timeZone: string | null;
  readonly dates: readonly number[];
  readonly removed: readonly number[];
  /** Places of the bounds in the list, with a distance of a few milliseconds or hours. */
  readonly bounds: readonly (readonly [place: number, distanceMs: number])[];
}

const asked: fc.Arbitrary<Asked> = fc.record({
  ruleCase: fc.oneof(calendarCase, subDailyCase),
  timeZone: zone,
  dates: fc.array(fc.integer({ min: -400, max: 400 }), { maxLength: 3 }),
  removed: fc.array(fc.nat(LISTED), { maxLength: 4 }),
  bounds: fc.tuple(
    fc.tuple(fc.nat(LISTED), fc.constantFrom(-HOUR_MS * 30, -1, 0, 0, 0, 1, 500, HOUR_MS)),
    fc.tuple(fc.nat(LISTED), fc.constantFrom(-HOUR_MS, -1, 0, 0, 0, 1, HOUR_MS * 30)),
  ),
});

function recurrenceOf({ ruleCase, timeZone, dates, removed }: Asked): Recurrence<number> {
  const { shape, dtstart } = ruleCase;
  const start = extendedTime(dtstart);
  const object = {
    start,
    timeZone,
    rule: ruleText(shape),
    rdates: dates.map((days) => extendedTime(dtstart + days * 86_400 + 77)),
  };
  const listed = recurrence(object).as('local').all(LISTED);
  const exdates = removed.flatMap((place) => listed[place] ?? []);
  return recurrence({ ...object, exdates }).as('ms');
}

function take<Value>(values: Iterable<Value>, most: number): Value[] {
  const taken: Value[] = [];
  for (const value of values) {
    if (taken.push(value) === most) break;
  }
  return taken;
}

function compareQuestions(each: Asked): void {
  const asking = recurrenceOf(each);
  const list = asking.all(LISTED + 1);
  const isWhole = list.length <= LISTED;
  const listedTo = list.at(-1) ?? 0;
  const end = isWhole ? Number.POSITIVE_INFINITY : listedTo;
  expect(take(asking, LISTED + 1)).toEqual(list);
  if (list.length === 0) return;
  const [low, high] = each.bounds
    .map(([place, distance]) => (list[place % list.length] ?? 0) + distance)
    .map((bound) => Math.min(bound, end - 1))
    .sort((one, other) => one - other) as [number, number];
  for (const inc of [false, true]) {
    const isAfter = (ms: number) => ms > low || (inc && ms === low);
    const isBefore = (ms: number) => ms < high || (inc && ms === high);
    const between = list.filter((ms) => isAfter(ms) && isBefore(ms));
    expect(asking.between(low, high, inc)).toEqual(between);
    expect(asking.between(low, high, inc, 3)).toEqual(between.slice(0, 3));
    expect(asking.between(low, high, inc, (_ms, index) => index < 2)).toEqual(between.slice(0, 2));
    expect(asking.after(low, inc)).toBe(list.find(isAfter) ?? null);
    expect(asking.before(high, inc)).toBe(list.findLast(isBefore) ?? null);
    expect(take(asking.forwards(low, inc), 5).filter((ms) => ms <= listedTo)).toEqual(list.filter(isAfter).slice(0, 5));
    expect([...asking.backwards(high, inc)]).toEqual(list.filter(isBefore).reverse());
  }
  expect(asking.includes(high)).toBe(list.includes(high));
  expect(asking.first()).toBe(list[0]);
  if (!isWhole || !asking.isFinite) return;
  expect(asking.last()).toBe(list.at(-1));
  expect(asking.count()).toBe(list.length);
  expect(asking.all()).toEqual(list);
  expect([...asking.backwards()]).toEqual([...list].reverse());
}

it('every question has the answer that a filter over the forward list gives', () => {
  fc.assert(fc.property(asked, compareQuestions), { numRuns: sizeOf('questions', { short: 250, long: 5_000 }) });
});
