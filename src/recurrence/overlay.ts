import type { Occurrence } from './occurrence.ts';

/** A stored override of one slot. Times are in the unit of the series (instants, or wall times as if in UTC). */
export interface SeriesException {
  /** The nominal wall time of the slot it overrides (`Occurrence.wallMs`). */
  readonly wallMs: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly cancelled: boolean;
}

/** A slot of a window: as the rule has it, or as its exception says. */
export interface OverlaidSlot<E extends SeriesException> {
  readonly wallMs: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly exception: E | undefined;
}

/** What `overlay` puts together. */
export interface OverlayInput<E extends SeriesException> {
  /** Every slot of the series that starts in the window. */
  readonly slots: readonly Occurrence[];
  /** Every exception of the series, wherever it was moved from or to. */
  readonly exceptions: readonly E[];
  readonly from: number;
  readonly to: number;
  /** The length of an occurrence, by the slot: it varies where an all-day or overnight event crosses a clock change. */
  readonly endOf: (slot: Occurrence) => number;
  /** @default false */
  readonly includeCancelled?: boolean;
}

/**
 * Lays exceptions over a window's slots: what starts in `[from, to)` after all moves, ascending by start, then by
 * original wall time. A slot moved into the window appears, one moved out does not, and adjacent windows show each
 * exactly once. An exception whose slot the rule no longer produces still appears where it was moved to. When two
 * exceptions name one slot, the last one counts. Cancelled ones are left out unless asked for.
 */
export function overlay<E extends SeriesException>(input: OverlayInput<E>): readonly OverlaidSlot<E>[] {
  const { from, to, includeCancelled = false } = input;
  const bySlot = new Map(input.exceptions.map((exception) => [exception.wallMs, exception]));
  const out: OverlaidSlot<E>[] = [];
  for (const slot of input.slots) {
    if (slot.startMs < from || slot.startMs >= to || bySlot.has(slot.wallMs)) continue;
    out.push({ wallMs: slot.wallMs, startMs: slot.startMs, endMs: input.endOf(slot), exception: undefined });
  }
  for (const exception of bySlot.values()) {
    if (exception.cancelled && !includeCancelled) continue;
    if (exception.startMs < from || exception.startMs >= to) continue;
    const { wallMs, startMs, endMs } = exception;
    out.push({ wallMs, startMs, endMs, exception });
  }
  return bySlot.size === 0 ? out : out.sort((a, b) => a.startMs - b.startMs || a.wallMs - b.wallMs);
}

/**
 * The date that an instant names in an all-day series, as its midnight as if in UTC. Providers give the original start
 * of an all-day exception as a UTC time, `2026-03-02T07:00:00Z` for 2 March in Denver; its date is the local one.
 */
export function allDayWallOf(epochMs: number, offsetMs: number): number {
  return Math.floor((epochMs + offsetMs) / 86_400_000) * 86_400_000;
}
