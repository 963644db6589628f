import { instantOf, wallAt } from '../zones/index.ts';

/**
 * Returns how long an occurrence lasts by the clocks of its zone, in milliseconds: 22:00 to 06:00 is eight hours in every
 * night. Where a change of the clocks makes that nothing or less, the elapsed time counts.
 */
export function wallLength(zone: string, startMs: number, endMs: number): number {
  const elapsedMs = Math.max(0, endMs - startMs);
  const wallMs = wallAt(zone, endMs) - wallAt(zone, startMs);
  return wallMs > 0 || elapsedMs === 0 ? Math.max(0, wallMs) : elapsedMs;
}

/**
 * Returns the end of an occurrence that begins at an instant and lasts so long by the clocks of its zone, as calendars show
 * it: a start that was shifted over a gap takes its end along, an end in a gap is shifted by the offset before the gap, and
 * an end that exists twice is the one with the offset of the start, else the first.
 */
export function occurrenceEnd(zone: string, startMs: number, lengthMs: number): number {
  const wallMs = wallAt(zone, startMs) + lengthMs;
  const elapsedMs = startMs + lengthMs;
  return wallAt(zone, elapsedMs) === wallMs ? elapsedMs : Math.max(startMs, instantOf(zone, wallMs));
}
