/** A turn of a test, as it ended. */
export interface Turn {
  readonly failure: string | undefined;
  /** The mutants that the sources asked about. */
  readonly met: ReadonlySet<number>;
  readonly ms: number;
}

/**
 * `spoils`: the test fails afterwards without a mutant too, so the process cannot be used for another.
 * `breaks`: the test fails without a mutant, before any.
 */
export type Fate = 'survives' | 'killed' | 'times out' | 'spoils' | 'breaks';

/** A test that takes longer is played without a mutant only. */
const SLOWEST_MS = 1_500;

/**
 * Yields the mutant of each turn of one test, 0 for none: first none, then each that the test meets. A failure is
 * followed by a turn without a mutant, which proves that the process is as it was.
 * @returns whether the process can be used further
 */
export function* turnsOf(
  candidates: Iterable<number>,
  tell: (mutant: number, fate: Fate, turn: Turn) => void,
): Generator<number, boolean, Turn> {
  const first = yield 0;
  if (first.failure !== undefined) {
    tell(0, 'breaks', first);
    return false;
  }
  tell(0, 'survives', first);
  if (first.ms > SLOWEST_MS) return true;
  for (const mutant of candidates) {
    if (!first.met.has(mutant)) continue;
    const turn = yield mutant;
    if (turn.failure === undefined) {
      tell(mutant, 'survives', turn);
      continue;
    }
    const after = yield 0;
    if (after.failure !== undefined) {
      tell(mutant, 'spoils', turn);
      return false;
    }
    tell(mutant, turn.failure.includes('timed out') ? 'times out' : 'killed', turn);
  }
  return true;
}
