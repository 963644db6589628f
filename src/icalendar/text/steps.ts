/** Work that pauses after each step of a millisecond at most, so that its caller can leave the event loop to others. */
export type Steps<Result> = Generator<void, Result, void>;

/** Does the work without a pause. */
export function allAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
