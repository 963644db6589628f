import type { Slot } from '../free-busy/index.ts';
import { DAY_MS } from '../zones/index.ts';
import type { ResolvedQuery } from './resolve-query.ts';

/**
 * Returns the instants of the window at which the wall clock of the query's zone shows a multiple of the step after midnight,
 * ascending. A time that the clock shows twice is there twice, one that it skips is not.
 */
export function startGrid({
  window,
  earliestMs,
  durationMs,
  stepMs,
  timeZone,
  zones,
}: ResolvedQuery): readonly number[] {
  const points: number[] = [];
  const table = zones.tableOf(timeZone);
  const endMs = window.endMs - durationMs + 1;
  for (let at = earliestMs; at < endMs; ) {
    const { offsetMs, toMs } = table.spanAt(at);
    const wallMs = at + offsetMs;
    const midnight = Math.floor(wallMs / DAY_MS) * DAY_MS;
    const until = Math.min(toMs, endMs, midnight + DAY_MS - offsetMs);
    const steps = Math.ceil((wallMs - midnight) / stepMs);
    for (let point = midnight + steps * stepMs - offsetMs; point < until; point += stepMs) points.push(point);
    at = until;
  }
  return points;
}

/** Returns the index of the first point that is not before an instant; the number of points if all are. */
export function firstPointFrom(points: readonly number[], fromMs: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((points[middle] ?? fromMs) < fromMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns whether a point lies in `[startMs, endMs)`. */
export function hasPoint(points: readonly number[], { startMs, endMs }: Slot): boolean {
  return (points[firstPointFrom(points, startMs)] ?? endMs) < endMs;
}
