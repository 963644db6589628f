import fc from 'fast-check';
import { normalize, overlay, type Slot } from 'kalends/free-busy';
import { expect, test } from 'vitest';

const SIZE = 40;
const slot = fc
  .tuple(fc.integer({ min: 0, max: SIZE }), fc.integer({ min: 0, max: 12 }))
  .map(([startMs, length]): Slot => ({ startMs, endMs: Math.min(SIZE, startMs + length) }));
const sets = fc.array(fc.array(slot, { maxLength: 6 }), { maxLength: 4 });

const covers = (set: readonly Slot[], minute: number) =>
  set.some(({ startMs, endMs }) => startMs <= minute && minute < endMs);

test('every minute has the first set that covers it, against a grid', () => {
  fc.assert(
    fc.property(sets, (given) => {
      const parts = [...overlay(given.map((set) => normalize(set)))];
      const grid = Array.from({ length: SIZE }, (_, minute) => parts.filter((part) => covers([part], minute)));
      expect(grid.map((found) => found.map(({ rank }) => rank))).toEqual(
        Array.from({ length: SIZE }, (_, minute) => {
          const first = given.findIndex((set) => covers(set, minute));
          return first < 0 ? [] : [first];
        }),
      );
      for (const [index, { startMs, endMs }] of parts.entries()) {
        expect(startMs).toBeLessThan(endMs);
        expect(startMs).toBeGreaterThanOrEqual(parts[index - 1]?.endMs ?? 0);
      }
    }),
    { numRuns: 500 },
  );
});

test('sets without a beginning or an end', () => {
  const always = { startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY };
  expect([...overlay([[{ startMs: 1, endMs: 2 }], [always]])]).toEqual([
    { startMs: Number.NEGATIVE_INFINITY, endMs: 1, rank: 1 },
    { startMs: 1, endMs: 2, rank: 0 },
    { startMs: 2, endMs: Number.POSITIVE_INFINITY, rank: 1 },
  ]);
  expect([...overlay([])]).toEqual([]);
});
