import { DAY_MS } from '../zones/index.ts';
import type { Occurrence } from './occurrence.ts';
import type { Series } from './series.ts';

/**
 * Returns where an occurrence of a series is to be found in another shape of it, whose first slot was at `beganMs` before, by nominal wall
 * times: at the same time, else moved as the first slot was, else where its date has a single slot. A move by half a day at most may lead
 * over midnight; of a longer one the occurrence takes the time of day, and stays on its date.
 */
export function counterpart(series: Series, slot: Occurrence, beganMs: number): Occurrence | undefined {
  const movedMs = series.dtstartMs - beganMs;
  const shiftMs = Math.abs(movedMs) <= DAY_MS / 2 ? movedMs : timeOfDay(series.dtstartMs) - timeOfDay(beganMs);
  const next = sameSlot(series, slot) ?? sameSlot(series, slot, shiftMs);
  if (next !== undefined) return next;
  const day = startOfDay(slot.wallMs);
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
