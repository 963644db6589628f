import type { ZoneSource } from './zone-source.ts';

/**
 * A stretch of time in which a zone's offset does not change, as instants `[fromMs, toMs)`.
 *
 * Wall times from `wallFromMs` up to `wallToMs` lie in it, each exactly once. A wall time from `wallToMs` up to
 * `nextWallFromMs` does not exist: it is read with this span's offset, the one before the gap (RFC 5545 §3.3.5). In
 * an overlap the two bounds are equal, and its wall times belong to the span that comes first.
 */
export interface ZoneSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly offsetMs: number;
  readonly wallFromMs: number;
  readonly wallToMs: number;
  readonly nextWallFromMs: number;
  /** How far the offset jumped when this span began: instants within `slackMs` of `fromMs` have unusual wall times. */
  readonly slackMs: number;
  /** From this instant to `toMs`, instants and wall times differ by `offsetMs` and nothing else. */
  readonly settledFromMs: number;
}

const DAY_MS = 86_400_000;
/** About 2.2 years: a page of the calendar costs one block, and a block half a millisecond. */
const BLOCK_MS = 2 ** 36;
/** Intl is sampled at this step. Cairo and Casablanca change twice within five weeks; nothing since 1970 within two days. */
const STEP_MS = 2 * DAY_MS;
/** No offset differs from another by more than 26 h, so a block that reaches this far around itself stands alone. */
const MARGIN_MS = 4 * DAY_MS;
/** Blocks kept per zone; four hundred cover nine centuries. */
const MAX_BLOCKS = 400;
/** The Gregorian calendar repeats after 400 years, weekdays included. */
const CYCLE_MS = 146_097 * DAY_MS;
/** From here on a table answers with the offsets of 400 years earlier. */
const FAR_MS = 16_725_225_600_000;

/** The offset spans of one zone, read from a source on demand and kept. */
export interface ZoneTable {
  /** The span that holds an instant. */
  spanAt(epochMs: number): ZoneSpan;
  /** The span whose offset turns a wall time into an instant: the first in an overlap, the one before a gap. */
  spanOfWall(wallMs: number): ZoneSpan;
}

/**
 * Builds the table of one zone. Each block of 2.2 years is sampled when first asked for. From the year 2500 on the offsets
 * are those of the same day 400 or more years earlier, so that no search into the far future samples eight thousand years:
 * the tz data lists single changes up to 2087 at most, and gives a yearly rule for all that follows.
 */
export function createZoneTable(source: ZoneSource, zone: string): ZoneTable {
  const blocks = new Map<number, readonly ZoneSpan[]>();

  function blockOf(ms: number): readonly ZoneSpan[] {
    const index = Math.floor(ms / BLOCK_MS);
    let spans = blocks.get(index);
    if (spans === undefined) {
      if (blocks.size >= MAX_BLOCKS) blocks.clear();
      spans = readSpans(source, zone, index * BLOCK_MS, (index + 1) * BLOCK_MS);
      blocks.set(index, spans);
    }
    return spans;
  }

  function spanAt(epochMs: number): ZoneSpan {
    const spans = blockOf(epochMs);
    let index = 0;
    while (index < spans.length - 1 && epochMs >= spans[index]!.toMs) index++;
    return spans[index]!;
  }

  function spanOfWall(wallMs: number): ZoneSpan {
    const spans = blockOf(wallMs);
    let index = 0;
    while (index < spans.length - 1 && wallMs >= spans[index]!.nextWallFromMs) index++;
    return spans[index]!;
  }

  return { spanAt: repeated(spanAt), spanOfWall: repeated(spanOfWall) };
}

function repeated(lookUp: (ms: number) => ZoneSpan): (ms: number) => ZoneSpan {
  return (ms) => {
    if (ms < FAR_MS) return lookUp(ms);
    const cycles = Math.floor((ms - FAR_MS) / CYCLE_MS) + 1;
    return moved(lookUp(ms - cycles * CYCLE_MS), cycles * CYCLE_MS);
  };
}

function moved(span: ZoneSpan, byMs: number): ZoneSpan {
  return {
    ...span,
    fromMs: span.fromMs + byMs,
    toMs: span.toMs + byMs,
    wallFromMs: span.wallFromMs + byMs,
    wallToMs: span.wallToMs + byMs,
    nextWallFromMs: span.nextWallFromMs + byMs,
    settledFromMs: span.settledFromMs + byMs,
  };
}

function readSpans(source: ZoneSource, zone: string, fromMs: number, toMs: number): readonly ZoneSpan[] {
  const start = fromMs - MARGIN_MS;
  const end = toMs + MARGIN_MS + DAY_MS;
  const starts = [start];
  const offsets = [source.offsetAt(zone, start)];
  for (let at = start + STEP_MS; ; at = Math.min(at + STEP_MS, end)) {
    const offset = source.offsetAt(zone, at);
    if (offset !== offsets.at(-1)) {
      starts.push(firstSecondOf(source, zone, Math.max(at - STEP_MS, starts.at(-1)!), at, offsets.at(-1)!));
      offsets.push(source.offsetAt(zone, starts.at(-1)!));
      if (offsets.at(-1) !== offset) at = starts.at(-1)!;
    }
    if (at >= end) break;
  }
  // The next block goes on from here; cut at a local midnight, so that no hour or day is in two parts.
  const lastOffset = offsets.at(-1)!;
  const midnight = Math.floor((end + lastOffset) / DAY_MS) * DAY_MS - lastOffset;
  const cut = midnight > starts.at(-1)! ? midnight : starts.pop()!;
  return starts.map((from, index) => spanBetween(from, starts[index + 1] ?? cut, offsets, index));
}

/** The first second after `low` at which the offset is no longer `before`. */
function firstSecondOf(source: ZoneSource, zone: string, low: number, high: number, before: number): number {
  let same = Math.floor(low / 1000);
  let changed = Math.ceil(high / 1000);
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2);
    if (source.offsetAt(zone, middle * 1000) === before) same = middle;
    else changed = middle;
  }
  return changed * 1000;
}

function spanBetween(fromMs: number, toMs: number, offsets: readonly number[], index: number): ZoneSpan {
  const offsetMs = offsets[index]!;
  const before = offsets[index - 1] ?? offsetMs;
  const after = offsets[index + 1] ?? offsetMs;
  return {
    fromMs,
    toMs,
    offsetMs,
    wallFromMs: fromMs + Math.max(before, offsetMs),
    wallToMs: toMs + offsetMs,
    nextWallFromMs: toMs + Math.max(offsetMs, after),
    slackMs: Math.abs(offsetMs - before),
    settledFromMs: fromMs + Math.abs(offsetMs - before),
  };
}
