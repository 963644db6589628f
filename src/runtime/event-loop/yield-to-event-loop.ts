import { takeTurn } from './fair-turns.ts';

/** Steps of a few microseconds each between two pauses: well under 20 ms of work. */
const STEPS_PER_TURN = 2_000;

/**
 * Returns a promise to await every 2,000 steps, else undefined. An await alone is no pause: storage may answer without
 * leaving the event loop. Work of one lane (a tenant) takes turns with the work of others.
 * @example
 * const yieldToEventLoop = createYieldToEventLoop('app_1');
 * const pause = yieldToEventLoop();
 * if (pause !== undefined) await pause;
 */
export type YieldToEventLoop = (steps?: number) => Promise<void> | undefined;

/** Creates the step counter of one piece of long work. */
export function createYieldToEventLoop(lane: string): YieldToEventLoop {
  let taken = 0;
  return (steps = 1) => {
    taken += steps;
    if (taken < STEPS_PER_TURN) return undefined;
    taken = 0;
    return takeTurn(lane);
  };
}
