/*
 * The oracle for zones: it asks Intl for the local time at each instant and tries instants one after the other. It
 * knows nothing of tables or transitions.
 */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}

/** The wall time of a zone, as epoch milliseconds of the same reading in UTC. */
export function slowWallAt(zone: string, epochMs: number): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(epochMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  return Date.UTC(parts['year']!, parts['month']! - 1, parts['day'], parts['hour'], parts['minute'], parts['second']);
}

const HOUR = 3_600_000;
const QUARTER = HOUR / 4;

/** Every instant at which the clocks of a zone show a wall time, trying each offset in use around it. */
function instantsAt(zone: string, wallMs: number): readonly number[] {
  const offsets = new Set<number>();
  for (let at = wallMs - 27 * HOUR; at <= wallMs + 27 * HOUR; at += HOUR) offsets.add(slowWallAt(zone, at) - at);
  return [...offsets]
    .map((offset) => wallMs - offset)
    .filter((instant) => slowWallAt(zone, instant) === wallMs)
    .sort((a, b) => a - b);
}

/** RFC 5545 §3.3.5: the first of two instants; for a time that does not exist, that of the offset before the gap. */
export function slowInstantOf(zone: string, wallMs: number): number {
  const [first] = instantsAt(zone, wallMs);
  if (first !== undefined) return first;
  let before = wallMs;
  while (instantsAt(zone, before).length === 0) before -= QUARTER;
  const offset = before - instantsAt(zone, before).at(-1)!;
  return wallMs - offset;
}
