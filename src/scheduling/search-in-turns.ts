import type { Steps } from '../availability/index.ts';
import { createYieldToEventLoop } from '../runtime/index.ts';

/** Does the work of a search in turns of the event loop, with those of other lanes. */
export async function searchInTurns<Result>(lane: string, steps: Steps<Result>): Promise<Result> {
  const yieldToEventLoop = createYieldToEventLoop(lane);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const pause = yieldToEventLoop(step.value);
    if (pause !== undefined) await pause;
  }
}
