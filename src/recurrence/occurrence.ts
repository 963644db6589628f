/** One slot of a series. */
export interface Occurrence {
  /** Its start as an instant; for a floating or all-day series, its wall time as if in UTC. */
  readonly startMs: number;
  /**
   * Its nominal wall time as if in UTC: what the rule says before a start in a gap is shifted. It names the slot for
   * good, and so serves as the key of exceptions.
   */
  readonly wallMs: number;
  /** Given for an RDATE of value type PERIOD alone, whose length is its own. */
  readonly durationMs?: number;
}

/** `gap: 'forward'` reads a start that does not exist with the offset before the gap, `'skip'` leaves it out. */
export type GapPolicy = 'forward' | 'skip';
