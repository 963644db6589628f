import type { Occurrence } from './occurrence.ts';

/** A stored override of one slot. Times are in the unit of the series (instants, or wall times as if in UTC). */
export interface SeriesException {
  /** The nominal wall time of the slot it overrides (`Occurrence.wallMs`). */
  readonly wallMs: number;
  /** The start of that slot (`Occurrence.startMs`): without it both slots of a wall time that the clocks repeat are overridden. */
  readonly slotMs?: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly cancelled: boolean;
}

/** A slot of a window, as computed from the rule or replaced by its exception. */
export interface OverlaidSlot<E extends SeriesException> {
  readonly wallMs: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly exception: E | undefined;
}

/** Input of `overlay`. */
export interface OverlayInput<E extends SeriesException> {
  /** Every slot of the series that starts in the window. */
  readonly slots: readonly Occurrence[];
  /** All exceptions of the series, wherever they were moved from or to. */
  readonly exceptions: readonly E[];
  readonly from: number;
  readonly to: number;
  /** Returns the end of a slot; lengths vary where an all-day or overnight event crosses a clock change. */
  readonly endOf: (slot: Occurrence) => number;
  /** @default false */
  readonly includeCancelled?: boolean;
}

/**
 * Applies exceptions to a window's slots. Returns slots that start in `[from, to)` after all moves, ascending by start, then by
 * original wall time. A slot moved into the window appears, one moved out does not; adjacent windows contain each
 * exactly once. An exception whose slot the rule no longer produces still appears at its own time. The last of two
 * exceptions of one slot counts. Cancelled ones are omitted by default.
 */
export function overlay<E extends SeriesException>(input: OverlayInput<E>): readonly OverlaidSlot<E>[] {
  const { from, to, includeCancelled = false } = input;
  const bySlot = new Map(input.exceptions.map((exception) => [keyOf(exception.wallMs, exception.slotMs), exception]));
  const isOverridden = ({ wallMs, startMs }: Occurrence): boolean =>
    bySlot.has(keyOf(wallMs)) || bySlot.has(keyOf(wallMs, startMs));
  const out: OverlaidSlot<E>[] = [];
  for (const slot of input.slots) {
    if (slot.startMs < from || slot.startMs >= to || (bySlot.size > 0 && isOverridden(slot))) continue;
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

function keyOf(wallMs: number, slotMs?: number): number | string {
  return slotMs === undefined ? wallMs : `${wallMs} ${slotMs}`;
}

/**
 * Returns the date of an instant in an all-day series, as its midnight as if in UTC. Providers give the original start
 * of an all-day exception as a UTC time, `2026-03-02T07:00:00Z` for 2 March in Denver; its date is the local one.
 */
export function allDayWallOf(epochMs: number, offsetMs: number): number {
  return Math.floor((epochMs + offsetMs) / 86_400_000) * 86_400_000;
}
