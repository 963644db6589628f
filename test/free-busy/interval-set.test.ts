import fc from 'fast-check';
import {
  allDaySlot,
  clip,
  complement,
  type IntervalSet,
  intersect,
  normalize,
  type Slot,
  subtract,
  totalMs,
  union,
} from 'kalends/free-busy';
import { describe, expect, test } from 'vitest';

const SIZE = 60;
const slot = fc
  .tuple(fc.integer({ min: 0, max: SIZE }), fc.integer({ min: 0, max: SIZE }))
  .map(([startMs, endMs]): Slot => ({ startMs, endMs }));
const slots = fc.array(slot, { maxLength: 12 });

/** The oracle: a set is the minutes of a grid that it covers. */
const covers = (set: readonly Slot[], minute: number) =>
  set.some((each) => each.startMs <= minute && minute < each.endMs);
const grid = (set: readonly Slot[]) => Array.from({ length: SIZE }, (_, minute) => covers(set, minute));

function isNormal(set: IntervalSet): boolean {
  return set.every((each, index) => {
    const before = set[index - 1];
    return each.startMs < each.endMs && (before === undefined || before.endMs < each.startMs);
  });
}

function holds(check: (a: readonly Slot[], b: readonly Slot[], window: Slot) => void): void {
  fc.assert(
    fc.property(slots, slots, slot, (a, b, window) => check(a, b, window)),
    { numRuns: 2000 },
  );
}

describe('against a grid of minutes', () => {
  const same = (set: IntervalSet, test: (minute: number) => boolean) => {
    expect(isNormal(set)).toBe(true);
    expect(grid(set)).toEqual(Array.from({ length: SIZE }, (_, minute) => test(minute)));
  };

  test('normalize', () => holds((a) => same(normalize(a), (minute) => covers(a, minute))));
  test('union', () =>
    holds((a, b) => same(union(normalize(a), normalize(b)), (minute) => covers(a, minute) || covers(b, minute))));
  test('intersect', () =>
    holds((a, b) => same(intersect(normalize(a), normalize(b)), (minute) => covers(a, minute) && covers(b, minute))));
  test('subtract', () =>
    holds((a, b) => same(subtract(normalize(a), normalize(b)), (minute) => covers(a, minute) && !covers(b, minute))));
  test('complement', () =>
    holds((a, _b, window) =>
      same(complement(normalize(a), window), (minute) => covers([window], minute) && !covers(a, minute)),
    ));
  test('clip', () =>
    holds((a, _b, window) =>
      same(clip(normalize(a), window), (minute) => covers([window], minute) && covers(a, minute)),
    ));
});

describe('normalize', () => {
  test('merges slots that touch, drops empty and inverted ones, and leaves its input alone', () => {
    const input: Slot[] = [
      { startMs: 20, endMs: 30 },
      { startMs: 5, endMs: 5 },
      { startMs: 10, endMs: 20 },
      { startMs: 9, endMs: 1 },
      { startMs: 12, endMs: 15 },
    ];
    const copy = structuredClone(input);
    expect(normalize(input)).toEqual([{ startMs: 10, endMs: 30 }]);
    expect(input).toEqual(copy);
  });

  test('takes slots without an end or a beginning', () => {
    const always = { startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY };
    expect(normalize([{ startMs: 1, endMs: 2 }, always])).toEqual([always]);
    expect(complement([{ startMs: 1, endMs: 2 }], always)).toEqual([
      { startMs: Number.NEGATIVE_INFINITY, endMs: 1 },
      { startMs: 2, endMs: Number.POSITIVE_INFINITY },
    ]);
  });

  test('refuses a bound that is NaN', () => {
    expect(() => normalize([{ startMs: Number.NaN, endMs: 2 }])).toThrow(RangeError);
  });

  test('a million overlapping slots', () => {
    const many = Array.from({ length: 1_000_000 }, (_, index) => {
      const startMs = (index * 7919) % 1_000_003;
      return { startMs, endMs: startMs + 50 + (index % 100) };
    });
    const set = normalize(many);
    expect(isNormal(set)).toBe(true);
    expect(totalMs(union(set, set))).toBe(totalMs(set));
    expect(totalMs(set) + totalMs(complement(set, { startMs: 0, endMs: 1_000_200 }))).toBe(1_000_200);
  });
});

describe('allDaySlot', () => {
  const day = (date: string) => Date.parse(`${date}T00:00:00Z`);
  const hours = (from: string, to: string, zone: string) => {
    const { startMs, endMs } = allDaySlot(day(from), day(to), zone);
    return (endMs - startMs) / 3_600_000;
  };

  test.each([
    ['a day', '2026-01-05', '2026-01-06', 'America/New_York', 24],
    ['a day on which the clocks go forward', '2026-03-08', '2026-03-09', 'America/New_York', 23],
    ['a day on which they go back', '2026-11-01', '2026-11-02', 'America/New_York', 25],
    ['half an hour on Lord Howe', '2026-10-04', '2026-10-05', 'Australia/Lord_Howe', 23.5],
    ['a day that begins at 01:00', '2026-04-24', '2026-04-25', 'Africa/Cairo', 23],
    ['a day that the zone skipped', '2011-12-30', '2011-12-31', 'Pacific/Apia', 0],
    ['no days', '2026-01-05', '2026-01-05', 'America/New_York', 0],
  ])('%s', (_name, from, to, zone, wanted) => {
    expect(hours(from, to, zone)).toBe(wanted);
  });

  test('begins at the local midnight', () => {
    expect(allDaySlot(day('2026-07-01'), day('2026-07-02'), 'Asia/Tokyo')).toEqual({
      startMs: Date.UTC(2026, 5, 30, 15),
      endMs: Date.UTC(2026, 6, 1, 15),
    });
  });
});
