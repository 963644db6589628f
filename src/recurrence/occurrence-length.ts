import { instantOf, instantOfText, nominalWallOf, wallAt } from '../zones/index.ts';

/**
 * Returns the wall-clock length of an occurrence in milliseconds: 22:00 to 06:00 is eight hours every night. Where a clock
 * change makes it zero or negative, returns the elapsed time.
 */
export function wallLength(zone: string, startMs: number, endMs: number): number {
  return lengthUntil(wallAt(zone, endMs), zone, startMs, endMs);
}

function lengthUntil(endWallMs: number, zone: string, startMs: number, endMs: number): number {
  const elapsedMs = Math.max(0, endMs - startMs);
  const wallMs = endWallMs - wallAt(zone, startMs);
  return wallMs > 0 || elapsedMs === 0 ? Math.max(0, wallMs) : elapsedMs;
}

/** A start or an end, as events have it. */
interface Point {
  readonly dateTime: string;
  readonly timeZone: string;
}

/**
 * Returns the length of a timed series' occurrences by the clocks of `zone`, from its own start and end. An end that the clocks skip
 * counts as it is written.
 */
export function seriesLength(zone: string, { start, end }: { readonly start: Point; readonly end: Point }): number {
  const endMs = instantOfText(end.dateTime, end.timeZone);
  // Another zone may have the clocks that this one skips.
  const endWallMs = end.timeZone === start.timeZone ? nominalWallOf(zone, end.dateTime) : wallAt(zone, endMs);
  return lengthUntil(endWallMs, zone, instantOfText(start.dateTime, start.timeZone), endMs);
}

/**
 * Returns the end of an occurrence with a start and a wall-clock length. A start shifted over a gap shifts the end too, an
 * end in a gap takes the offset before the gap, and an ambiguous end has the offset of the start, else it is the first.
 */
export function occurrenceEnd(zone: string, startMs: number, lengthMs: number): number {
  const wallMs = wallAt(zone, startMs) + lengthMs;
  const elapsedMs = startMs + lengthMs;
  return wallAt(zone, elapsedMs) === wallMs ? elapsedMs : Math.max(startMs, instantOf(zone, wallMs));
}
