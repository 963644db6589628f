import { takeTurn } from '../runtime/index.ts';

/** Steps of a few microseconds each that may be taken before others get a turn: well under 20 ms. */
const STEPS_PER_TURN = 2_000;

/**
 * Counts the steps of long work; when it is time to leave the event loop to others, it returns what to wait for. Storage may
 * answer without ever leaving the loop, so awaiting it is no pause. Work of one lane (a tenant) takes turns with that of others.
 * @example
 * const pause = breathe();
 * if (pause !== undefined) await pause;
 */
export type Breathe = (steps?: number) => Promise<void> | undefined;

export function createBreather(lane: string): Breathe {
  let taken = 0;
  return (steps = 1) => {
    taken += steps;
    if (taken < STEPS_PER_TURN) return undefined;
    taken = 0;
    return takeTurn(lane);
  };
}
