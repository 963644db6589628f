import { DAY_MS } from '../zones/civil.ts';
import type { ZoneSpan, ZoneTable } from '../zones/zone-table.ts';
import type { CalendarRule } from './calendar-rule.ts';
import { fillWalls } from './calendar-walls.ts';
import type { GapPolicy, Occurrence } from './occurrence.ts';

/** Appends a source's occurrences that start in `[fromMs, toMs)`, ascending, each once, until `out` holds `max`. */
export type OccurrenceReader = (fromMs: number, toMs: number, max: number, out: Occurrence[]) => void;

/** Wall times computed per step where each one needs a zone lookup. */
const CHUNK = 512;

/** Largest offset from UTC of any zone, local mean times included. */
const MAX_OFFSET_MS = 16 * 3_600_000;

const TWO_DAYS_MS = 2 * DAY_MS;

/**
 * Creates a reader of a calendar rule in a zone, up to the instant `untilMs`. Wall times are resolved by RFC 5545 §3.3.5;
 * with gap `'skip'` those in a gap are neither returned nor counted (§3.3.10).
 */
export function createCalendarReader(
  rule: CalendarRule,
  table: ZoneTable,
  gap: GapPolicy,
  untilMs: number,
): OccurrenceReader {
  const walls: number[] = [];
  let span: ZoneSpan | undefined;

  /** Reads a window in which the offset changes. */
  function readAcross(first: ZoneSpan, fromMs: number, toMs: number, max: number, out: Occurrence[]): void {
    const hi = toMs + MAX_OFFSET_MS;
    // Only slots that a gap shifts start later than their wall time, by at most the length of the gap.
    let lo = fromMs + first.offsetMs - (fromMs < first.settledFromMs ? first.slackMs : 0);
    let here = first;
    let shifted: Occurrence[] | undefined;
    for (;;) {
      walls.length = 0;
      const capacity = Math.min(CHUNK, max - out.length + 8);
      fillWalls(rule, lo, hi, walls, capacity);
      let isPast = false;
      for (let index = 0; index < walls.length && out.length < max; index++) {
        const wallMs = walls[index]!;
        if (wallMs < here.wallFromMs || wallMs >= here.nextWallFromMs) here = table.spanOfWall(wallMs);
        const startMs = wallMs - here.offsetMs;
        if (wallMs >= here.wallToMs) {
          shifted ??= [];
          if (gap === 'forward') shifted.push({ startMs, wallMs });
          continue;
        }
        if (shifted !== undefined) shifted = placeShifted(shifted, startMs, fromMs, toMs, max, out);
        // Existing slots start in the order of their wall times; slots shifted by a later gap follow them.
        isPast = startMs >= toMs;
        if (isPast) break;
        if (startMs >= fromMs && out.length < max) out.push({ startMs, wallMs });
      }
      if (isPast || walls.length < capacity || out.length >= max) break;
      lo = walls.at(-1)! + 1;
    }
    if (shifted !== undefined) placeShifted(shifted, Number.POSITIVE_INFINITY, fromMs, toMs, max, out);
  }

  return (fromMs, endMs, max, out) => {
    const toMs = Math.min(endMs, untilMs + 1);
    if (fromMs >= toMs) return;
    if (span === undefined || fromMs < span.settledFromMs || toMs > span.toMs) {
      span = table.spanAt(Math.max(fromMs, rule.startWallMs - TWO_DAYS_MS));
    }
    if (fromMs < span.settledFromMs || toMs > span.toMs) {
      readAcross(span, fromMs, toMs, max, out);
      return;
    }
    const offset = span.offsetMs;
    walls.length = 0;
    fillWalls(rule, fromMs + offset, toMs + offset, walls, max - out.length);
    for (let index = 0; index < walls.length; index++) {
      const wallMs = walls[index]!;
      out.push({ startMs: wallMs - offset, wallMs });
    }
  };
}

/**
 * Appends slots shifted by a gap that start before `nextMs` and returns the later ones. A slot of the rule that already
 * starts at the same instant wins, so that the output strictly increases.
 */
function placeShifted(
  shifted: readonly Occurrence[],
  nextMs: number,
  fromMs: number,
  toMs: number,
  max: number,
  out: Occurrence[],
): Occurrence[] {
  for (const occurrence of shifted) {
    const { startMs } = occurrence;
    if (startMs < nextMs && startMs >= fromMs && startMs < toMs && out.length < max) out.push(occurrence);
  }
  return shifted.filter((occurrence) => occurrence.startMs > nextMs);
}
