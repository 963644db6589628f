/** Longest delay of a timer: one above it fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

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

/** @throws RangeError for a time that no timer takes */
export function requireTimeout(timeoutMs: number): void {
  if (timeoutMs > 0 && timeoutMs <= LONGEST_MS) return;
  throw new RangeError(`timeoutMs: must be from 1 to ${LONGEST_MS}`);
}
