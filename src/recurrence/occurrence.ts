/** One slot of a series. */
export interface Occurrence {
  /** Its start as an instant; for a floating or all-day series, its wall time as if in UTC. */
  readonly startMs: number;
  /**
   * Its nominal wall time as if in UTC, before a start in a gap is shifted. It identifies the slot permanently and is the key
   * of exceptions.
   */
  readonly wallMs: number;
  /** Set only for an RDATE of value type PERIOD, which has its own length. */
  readonly durationMs?: number;
}

/** `'forward'` gives a start that does not exist the offset before the gap, `'skip'` omits it. */
export type GapPolicy = 'forward' | 'skip';
