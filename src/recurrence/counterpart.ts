import { DAY_MS, instantOf } from '../zones/index.ts';
import type { Occurrence } from './occurrence.ts';
import type { Series } from './series.ts';

/** Where a series begins. */
export interface SeriesBegin {
  /** Nominal wall time of its first slot, as if in UTC. */
  readonly wallMs: number;
  /** Null for an all-day or a floating series. */
  readonly timeZone: string | null;
}

const HALF_DAY_MS = DAY_MS / 2;

/**
 * Returns whether the occurrences of a series that begins elsewhere move along with the first one, over midnight too: by half a day at
 * most, by the clocks or, since zones may be further apart than that, in time. After a longer move they stay on their dates.
 */
export function movesAlong(from: SeriesBegin, to: SeriesBegin): boolean {
  if (Math.abs(to.wallMs - from.wallMs) <= HALF_DAY_MS) return true;
  if (from.timeZone === null || to.timeZone === null) return false;
  return Math.abs(instantOf(to.timeZone, to.wallMs) - instantOf(from.timeZone, from.wallMs)) <= HALF_DAY_MS;
}

/**
 * Returns where an occurrence of a series is to be found in another shape of it, whose first slot was at `began` before, by nominal wall
 * times: at the same time, else moved as the first slot was, else where its date has a single slot. Where the slots do not move along, the
 * occurrence takes the time of day, and stays on its date; in a zone far away its time and its date are those that it moves to.
 */
export function counterpart(series: Series, slot: Occurrence, began: SeriesBegin): Occurrence | undefined {
  const { dtstartMs, timeZone } = series;
  const movedMs = dtstartMs - began.wallMs;
  const isAlong = movesAlong(began, { wallMs: dtstartMs, timeZone });
  // There another occurrence may have the old wall time, or the old date.
  const isFar = isAlong && Math.abs(movedMs) > HALF_DAY_MS;
  const shiftMs = isAlong ? movedMs : timeOfDay(dtstartMs) - timeOfDay(began.wallMs);
  const next = (isFar ? undefined : sameSlot(series, slot)) ?? sameSlot(series, slot, shiftMs);
  if (next !== undefined) return next;
  const day = startOfDay(slot.wallMs + (isFar ? movedMs : 0));
  const slots = series
    // A wall time is less than a day from the same time in UTC.
    .occurrences({ from: day - DAY_MS, to: day + 2 * DAY_MS })
    .filter((other) => startOfDay(other.wallMs) === day);
  return slots.length === 1 ? slots[0] : undefined;
}

/**
 * Returns the slot at the same nominal wall time as one of another shape, or at one as much later; of the two of an hour that the clocks
 * repeat the one of the same pass.
 */
function sameSlot(series: Series, slot: Occurrence, laterMs = 0): Occurrence | undefined {
  const wallMs = slot.wallMs + laterMs;
  const then = series.slotAt(slot.startMs + laterMs);
  if (then?.wallMs === wallMs) return then;
  const other = series.slotOfWall(wallMs);
  return other?.wallMs === wallMs ? other : undefined;
}

function startOfDay(wallMs: number): number {
  return Math.floor(wallMs / DAY_MS) * DAY_MS;
}

function timeOfDay(wallMs: number): number {
  return wallMs - startOfDay(wallMs);
}
