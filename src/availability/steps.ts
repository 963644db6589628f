/**
 * Work that pauses after each step, so that its caller can leave the event loop to others. It yields the size of the step: some
 * microseconds for each.
 */
export type Steps<Result> = Generator<number, Result, void>;

/** Does the work without a pause. */
export function allAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
