/** A half-open range of time `[startMs, endMs)`, in epoch milliseconds. */
export interface Slot {
  readonly startMs: number;
  readonly endMs: number;
}

/** Non-empty slots in ascending order that neither overlap nor touch, as `normalize` returns them. */
export type IntervalSet = readonly Slot[];

/**
 * Returns the interval set of the time that the slots cover: ascending, overlapping and touching slots merged, empty and
 * inverted ones dropped. Accepts any order and does not change the input. O(n log n), O(n) for sorted input.
 * @throws RangeError when a bound is not a number.
 */
export function normalize(slots: Iterable<Slot>): IntervalSet {
  const sorted: Slot[] = [];
  let ordered = true;
  let previous = Number.NEGATIVE_INFINITY;
  for (const slot of slots) {
    if (Number.isNaN(slot.startMs) || Number.isNaN(slot.endMs)) throw new RangeError('a slot has a bound that is NaN');
    if (slot.endMs <= slot.startMs) continue;
    if (slot.startMs < previous) ordered = false;
    previous = slot.startMs;
    sorted.push(slot);
  }
  if (!ordered) sorted.sort((a, b) => (a.startMs < b.startMs ? -1 : a.startMs > b.startMs ? 1 : 0));
  return merged(sorted);
}

function merged(sorted: readonly Slot[]): IntervalSet {
  const [first] = sorted;
  if (first === undefined) return [];
  const out: Slot[] = [];
  let { startMs, endMs } = first;
  for (const slot of sorted) {
    if (slot.startMs > endMs) {
      out.push({ startMs, endMs });
      startMs = slot.startMs;
      endMs = slot.endMs;
    } else if (slot.endMs > endMs) {
      endMs = slot.endMs;
    }
  }
  out.push({ startMs, endMs });
  return out;
}

/** Returns the time that any of the sets covers. */
export function union(...sets: readonly IntervalSet[]): IntervalSet {
  return normalize(sets.flat());
}

/** Returns the time that both sets cover. O(n + m). */
export function intersect(a: IntervalSet, b: IntervalSet): IntervalSet {
  const out: Slot[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const left = a[i]!;
    const right = b[j]!;
    const startMs = Math.max(left.startMs, right.startMs);
    const endMs = Math.min(left.endMs, right.endMs);
    if (startMs < endMs) out.push({ startMs, endMs });
    if (left.endMs < right.endMs) i++;
    else j++;
  }
  return out;
}

/** Returns the time that `a` covers and `b` does not. O(n + m). */
export function subtract(a: IntervalSet, b: IntervalSet): IntervalSet {
  const out: Slot[] = [];
  let j = 0;
  for (const slot of a) {
    let startMs = slot.startMs;
    while (j < b.length && b[j]!.endMs <= startMs) j++;
    for (let k = j; k < b.length && b[k]!.startMs < slot.endMs; k++) {
      if (b[k]!.startMs > startMs) out.push({ startMs, endMs: b[k]!.startMs });
      startMs = Math.max(startMs, b[k]!.endMs);
    }
    if (startMs < slot.endMs) out.push({ startMs, endMs: slot.endMs });
  }
  return out;
}

/** Returns the time of the window that the set does not cover: the free time between busy slots. */
export function complement(set: IntervalSet, window: Slot): IntervalSet {
  return subtract(normalize([window]), set);
}

/** Returns the set inside the window; slots across its edges are cut. */
export function clip(set: IntervalSet, window: Slot): IntervalSet {
  return intersect(set, normalize([window]));
}

/** Returns the covered time in milliseconds. */
export function totalMs(set: IntervalSet): number {
  return set.reduce((sum, slot) => sum + slot.endMs - slot.startMs, 0);
}
