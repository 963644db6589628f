import type { ZoneSpan, ZoneTable } from '../zones/zone-table.ts';
import { type CalendarRule, fillWalls } from './calendar-rule.ts';
import type { GapPolicy, Occurrence } from './occurrence.ts';

/** Appends a source's occurrences that start in `[fromMs, toMs)`, ascending, each once, until `out` holds `max`. */
export type OccurrenceReader = (fromMs: number, toMs: number, max: number, out: Occurrence[]) => void;

/** How many wall times are worked out at once where each needs its own look at the zone. */
const CHUNK = 512;

/** Reads a calendar rule in a zone. The walls are resolved by RFC 5545 §3.3.5. */
export function createCalendarReader(rule: CalendarRule, table: ZoneTable, gap: GapPolicy): OccurrenceReader {
  let span: ZoneSpan | undefined;
  const walls: number[] = [];

  return (fromMs, toMs, max, out) => {
    if (span === undefined || fromMs < span.settledFromMs || toMs > span.toMs) {
      span = table.spanAt(Math.max(fromMs, rule.startWallMs));
    }
    if (fromMs < span.settledFromMs || toMs > span.toMs) {
      readAcross(rule, table, gap, fromMs, toMs, max, out);
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

/** As the reader does, for a window in which the offset changes. */
function readAcross(
  rule: CalendarRule,
  table: ZoneTable,
  gap: GapPolicy,
  fromMs: number,
  toMs: number,
  max: number,
  out: Occurrence[],
): void {
  const first = table.spanAt(Math.max(fromMs, rule.startWallMs - 2 * 86_400_000));
  const last = table.spanAt(Math.min(toMs - 1, rule.endWallMs + 2 * 86_400_000));
  let lo = fromMs + first.offsetMs - first.slackMs;
  const hi = toMs + last.offsetMs + last.slackMs;
  const merge = createShiftMerge(fromMs, toMs, max, gap, out);
  const walls: number[] = [];
  let span = first;
  for (;;) {
    walls.length = 0;
    const room = Math.min(CHUNK, max - out.length + 8);
    fillWalls(rule, lo, hi, walls, room);
    for (const wallMs of walls) {
      if (wallMs < span.wallFromMs || wallMs >= span.nextWallFromMs) span = table.spanOfWall(wallMs);
      merge.add(wallMs - span.offsetMs, wallMs, wallMs >= span.wallToMs);
    }
    if (walls.length < room || out.length >= max) break;
    lo = walls.at(-1)! + 1;
  }
  merge.end();
}

interface ShiftMerge {
  add(startMs: number, wallMs: number, isShifted: boolean): void;
  end(): void;
}

/**
 * Puts the slots that a gap shifted forward into their places among those it did not. A slot of the rule that already
 * starts there wins, so that the output strictly increases.
 */
function createShiftMerge(fromMs: number, toMs: number, max: number, gap: GapPolicy, out: Occurrence[]): ShiftMerge {
  let shifted: Occurrence[] = [];

  function push(occurrence: Occurrence): void {
    const { startMs } = occurrence;
    if (startMs >= fromMs && startMs < toMs && out.length < max) out.push(occurrence);
  }

  function flushBefore(startMs: number): void {
    for (const occurrence of shifted) if (occurrence.startMs < startMs) push(occurrence);
    shifted = shifted.filter((occurrence) => occurrence.startMs > startMs);
  }

  return {
    add(startMs, wallMs, isShifted) {
      if (isShifted) {
        if (gap === 'forward') shifted.push({ startMs, wallMs });
        return;
      }
      if (shifted.length > 0) flushBefore(startMs);
      push({ startMs, wallMs });
    },
    end: () => flushBefore(Number.POSITIVE_INFINITY),
  };
}
