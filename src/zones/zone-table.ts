import { DAY_MS } from './civil.ts';
import { FAR_MS, FIRST_CHANGE_MS, farYearOf } from './far-years.ts';
import type { ZoneSource } from './zone-source.ts';

/**
 * Span of time with one offset in a zone, as instants `[fromMs, toMs)`.
 *
 * Wall times from `wallFromMs` up to `wallToMs` lie in it, each exactly once. A wall time from `wallToMs` up to
 * `nextWallFromMs` does not exist; it takes this span's offset, the one before the gap (RFC 5545 §3.3.5). In an overlap the
 * two bounds are equal, and its wall times belong to the earlier span.
 */
export interface ZoneSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly offsetMs: number;
  readonly wallFromMs: number;
  readonly wallToMs: number;
  readonly nextWallFromMs: number;
  /** Size of the offset change at `fromMs`: instants within `slackMs` of it have unusual wall times. */
  readonly slackMs: number;
  /** From this instant to `toMs`, instants and wall times differ by exactly `offsetMs`. */
  readonly settledFromMs: number;
}

/** About 2.2 years. A page of a calendar usually needs one block, which takes half a millisecond. */
const BLOCK_MS = 2 ** 36;
/** Sampling step of the source: no zone has changed twice within two days since 1970. */
const STEP_MS = 2 * DAY_MS;
/** From here on only rules change offsets; the closest changes are Gaza's at Ramadan, a week apart by the clocks. */
const RULES_MS = Date.UTC(2040, 0, 1);
const RULES_STEP_MS = 6 * DAY_MS;
/** Offsets differ by at most 26 h, so a block extended by this margin is independent of its neighbours. */
const MARGIN_MS = 4 * DAY_MS;

/**
 * Offset spans of one zone, read from a source on demand and cached. Nothing before 1800 or after 2131 is read: before
 * there is one offset, and later years repeat those of 2104–2131 by their kind.
 */
export interface ZoneTable {
  /** Returns the span of an instant. */
  spanAt(epochMs: number): ZoneSpan;
  /** Returns the span whose offset applies to a wall time: the first in an overlap, the one before a gap. */
  spanOfWall(wallMs: number): ZoneSpan;
}

/** Creates the table of one zone. Each block of 2.2 years is sampled on first use. */
export function createZoneTable(source: ZoneSource, zone: string): ZoneTable {
  const blocks = new Map<number, readonly ZoneSpan[]>();
  let beforeChanges: ZoneSpan | undefined;

  function blockOf(ms: number): readonly ZoneSpan[] {
    const index = Math.floor(ms / BLOCK_MS);
    let spans = blocks.get(index);
    if (spans === undefined) {
      spans = readSpans(source, zone, index * BLOCK_MS, (index + 1) * BLOCK_MS);
      blocks.set(index, spans);
    }
    return spans;
  }

  function firstSpan(): ZoneSpan {
    beforeChanges ??= spanBetween(
      Number.NEGATIVE_INFINITY,
      FIRST_CHANGE_MS,
      [source.offsetAt(zone, FIRST_CHANGE_MS)],
      0,
    );
    return beforeChanges;
  }

  function nearSpanAt(epochMs: number): ZoneSpan {
    const spans = blockOf(epochMs);
    let index = 0;
    while (index < spans.length - 1 && epochMs >= spans[index]!.toMs) index++;
    return spans[index]!;
  }

  function nearSpanOfWall(wallMs: number): ZoneSpan {
    const spans = blockOf(wallMs);
    let index = 0;
    while (index < spans.length - 1 && wallMs >= spans[index]!.nextWallFromMs) index++;
    return spans[index]!;
  }

  return {
    spanAt(epochMs) {
      if (epochMs < FIRST_CHANGE_MS) return firstSpan();
      if (epochMs < FAR_MS) return nearSpanAt(epochMs);
      const { startMs, endMs, shiftMs } = farYearOf(epochMs);
      return moveSpan(nearSpanAt(epochMs - shiftMs), shiftMs, startMs, endMs);
    },
    spanOfWall(wallMs) {
      if (wallMs < FIRST_CHANGE_MS && wallMs < firstSpan().wallToMs) return firstSpan();
      if (wallMs < FAR_MS) return nearSpanOfWall(wallMs);
      const { startMs, endMs, shiftMs } = farYearOf(wallMs);
      const span = nearSpanOfWall(wallMs - shiftMs);
      return moveSpan(span, shiftMs, startMs - span.offsetMs, endMs - span.offsetMs);
    },
  };
}

function readSpans(source: ZoneSource, zone: string, fromMs: number, toMs: number): readonly ZoneSpan[] {
  const start = fromMs - MARGIN_MS;
  const end = toMs + MARGIN_MS + DAY_MS;
  const starts = [start];
  const offsets = [source.offsetAt(zone, start)];
  const step = fromMs < RULES_MS ? STEP_MS : RULES_STEP_MS;
  for (let at = start + step; ; at = Math.min(at + step, end)) {
    const offset = source.offsetAt(zone, at);
    if (offset !== offsets.at(-1)) {
      starts.push(firstSecondOf(source, zone, Math.max(at - step, starts.at(-1)!), at, offsets.at(-1)!));
      offsets.push(source.offsetAt(zone, starts.at(-1)!));
      if (offsets.at(-1) !== offset) at = starts.at(-1)!;
    }
    if (at >= end) break;
  }
  // The next block continues here, at a local midnight, so that no hour or day is split.
  const lastOffset = offsets.at(-1)!;
  const midnight = Math.floor((end + lastOffset) / DAY_MS) * DAY_MS - lastOffset;
  const cut = midnight > starts.at(-1)! ? midnight : starts.pop()!;
  return starts.map((from, index) => spanBetween(from, starts[index + 1] ?? cut, offsets, index));
}

/** Finds the first second after `low` at which the offset is no longer `before`. */
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

/** Returns the span `[fromMs, toMs)` that has one of several successive offsets. */
export function spanBetween(fromMs: number, toMs: number, offsets: readonly number[], index: number): ZoneSpan {
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

/** Moves a span of the near year to the far one; it is valid for the instants `[fromMs, toMs)`. */
function moveSpan(span: ZoneSpan, shiftMs: number, fromMs: number, toMs: number): ZoneSpan {
  const { offsetMs } = span;
  const start = Math.max(span.fromMs + shiftMs, fromMs);
  const end = Math.min(span.toMs + shiftMs, toMs);
  const isFirst = start === span.fromMs + shiftMs;
  const isLast = end === span.toMs + shiftMs;
  return {
    fromMs: start,
    toMs: end,
    offsetMs,
    wallFromMs: isFirst ? span.wallFromMs + shiftMs : start + offsetMs,
    wallToMs: end + offsetMs,
    nextWallFromMs: isLast ? span.nextWallFromMs + shiftMs : end + offsetMs,
    slackMs: isFirst ? span.slackMs : 0,
    settledFromMs: start + (isFirst ? span.slackMs : 0),
  };
}
