import { DAY_MS } from '../zones/index.ts';
import type { Series } from './series.ts';

/**
 * Returns where an occurrence of a series is to be found in another shape of it, whose first slot was at `beganMs` before, all by their
 * nominal wall times: at the same time, else moved as the first slot was, else where its date has a single slot. A move by half a day
 * at most may lead over midnight; of a longer one the occurrence takes the time of day, and stays on its date.
 */
export function counterpart(series: Series, wallMs: number, beganMs: number): number | undefined {
  if (series.has(wallMs)) return wallMs;
  const movedMs = series.dtstartMs - beganMs;
  const shiftMs = Math.abs(movedMs) <= DAY_MS / 2 ? movedMs : timeOfDay(series.dtstartMs) - timeOfDay(beganMs);
  if (series.has(wallMs + shiftMs)) return wallMs + shiftMs;
  const day = startOfDay(wallMs);
  const slots = series
    // A wall time is less than a day from the same time in UTC.
    .occurrences({ from: day - DAY_MS, to: day + 2 * DAY_MS })
    .filter((slot) => startOfDay(slot.wallMs) === day);
  return slots.length === 1 ? slots[0]?.wallMs : undefined;
}

function startOfDay(wallMs: number): number {
  return Math.floor(wallMs / DAY_MS) * DAY_MS;
}

function timeOfDay(wallMs: number): number {
  return wallMs - startOfDay(wallMs);
}
