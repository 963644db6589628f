import type { IntervalSet, Slot } from './interval-set.ts';

/** A part of the time that several sets cover. */
export interface RankedSlot extends Slot {
  /** Index of the first set that covers it. */
  readonly rank: number;
}

/**
 * Yields the time that any of the sets covers, ascending, each part with the first set that covers it. Parts neither overlap nor
 * are merged: it takes constant time from one to the next, whatever later sets have below it.
 */
export function* overlay(sets: readonly IntervalSet[]): Generator<RankedSlot> {
  const next = sets.map(() => 0);
  for (let at = Number.NEGATIVE_INFINITY; at < Number.POSITIVE_INFINITY; ) {
    let rank: number | undefined;
    let until = Number.POSITIVE_INFINITY;
    for (let index = 0; index < sets.length; index += 1) {
      // The last part ended no later than this slot, so that one step passes it.
      if ((sets[index]![next[index]!]?.endMs ?? Number.POSITIVE_INFINITY) <= at) next[index]! += 1;
      const slot = sets[index]![next[index]!];
      if (slot === undefined) continue;
      if (slot.startMs <= at) rank ??= index;
      until = Math.min(until, slot.startMs <= at ? slot.endMs : slot.startMs);
    }
    if (rank !== undefined) yield { startMs: at, endMs: until, rank };
    at = until;
  }
}
