import fc from 'fast-check';
import { type AvailabilityQuery, availableRanges, availableSlots, explainSlot } from 'kalends/availability';
import { expect, test } from 'vitest';
import { sizeOf } from '../size-of.ts';
import { type BruteSlot, bruteRanges, bruteSlots } from './brute-force.ts';
import { randomQuery } from './random-queries.ts';

const CASES = sizeOf('cases', { short: 150, long: 1_000 });

function compare(a: BruteSlot, b: BruteSlot): number {
  const index = a.ranking.findIndex((value, place) => value !== b.ranking[place]);
  return (a.ranking[index] ?? 0) - (b.ranking[index] ?? 0);
}

function expected(query: AvailabilityQuery) {
  const slots = bruteSlots(query);
  const ranked = [...slots].sort(compare);
  return slots.map((slot) => ({
    startMs: slot.startMs,
    endMs: slot.startMs + query.durationMs,
    participants: slot.participants,
    absent: slot.absent,
    rank: ranked.indexOf(slot) + 1,
  }));
}

test('slots, ranges and explanations are those of a search that tries every minute', { timeout: 900_000 }, () => {
  let offered = 0;
  let empty = 0;
  fc.assert(
    fc.property(randomQuery, fc.integer({ min: -3, max: 600 }), (query, step) => {
      const { slots, total, nextCursor } = availableSlots(query, { limit: 1000 });
      const wanted = expected(query);
      const seen = slots.map(({ startMs, endMs, participants, absent, rank }) => ({
        startMs,
        endMs,
        participants,
        absent,
        rank,
      }));
      expect(seen).toEqual(wanted);
      expect([total, nextCursor]).toEqual([wanted.length, null]);
      const ranges = availableRanges(query, { limit: 1000 }).ranges;
      expect(ranges.map(({ startMs, endMs, participants }) => ({ startMs, endMs, participants }))).toEqual(
        bruteRanges(query),
      );
      const startMs = query.window.startMs + step * 5 * 60_000;
      for (const at of [startMs, ...slots.slice(0, 2).map((slot) => slot.startMs)]) {
        expect(explainSlot(query, at).isOffered).toBe(wanted.some((slot) => slot.startMs === at));
      }
      if (slots.length > 0) offered += 1;
      else empty += 1;
    }),
    { numRuns: CASES, seed: 20 },
  );
  // The cases are no good if most of them offer nothing, or all.
  expect(offered).toBeGreaterThan(CASES / 4);
  expect(empty).toBeGreaterThan(CASES / 50);
});
