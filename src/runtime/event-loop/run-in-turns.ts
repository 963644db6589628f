import { nextTurn } from './next-turn.ts';

/** Steps take a millisecond at most, most of them some 20 µs. */
const STEPS_PER_TURN = 20;

/** Does work that pauses after each step, some steps in each turn of the event loop. */
export async function runInTurns<Result>(steps: Generator<unknown, Result, void>): Promise<Result> {
  for (let taken = 1; ; taken += 1) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (taken % STEPS_PER_TURN === 0) await nextTurn();
  }
}
