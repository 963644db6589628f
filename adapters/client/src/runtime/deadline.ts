/** A limit of time for one attempt. */
export interface Deadline {
  /** Aborted when the time has passed, or with the caller's signal. */
  readonly signal: AbortSignal;
  /** Returns whether the time has passed. */
  hasPassed(): boolean;
  /** Releases the timer and the caller's signal. */
  end(): void;
}

export function deadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let hasPassed = false;
  const follow = () => controller.abort(outer?.reason);
  const timer = setTimeout(() => {
    hasPassed = true;
    controller.abort();
  }, timeoutMs);
  if (outer?.aborted === true) follow();
  else outer?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    hasPassed: () => hasPassed,
    end() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', follow);
    },
  };
}
