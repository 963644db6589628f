import { AsyncLocalStorage } from 'node:async_hooks';

/** Longest wait for a storage that is away. */
export interface OutageTimeout {
  /** Counted from the beginning of the outage; 0: fail at once. */
  readonly limitMs: number;
  /** Ends the wait early. */
  readonly signal?: AbortSignal;
}

/** Created for the first storage that reads it: before Node 24 it slows every promise of the process. */
let current: AsyncLocalStorage<OutageTimeout> | undefined;

/**
 * Returns a reader of the caller's timeout, for storages that can be away. It returns undefined where the caller set none:
 * the storage then waits as for a request. Call this before the storage is first used: timeouts are carried from then on.
 */
export function outageTimeoutReader(): () => OutageTimeout | undefined {
  current ??= new AsyncLocalStorage();
  const carried = current;
  return () => carried.getStore();
}

/** Runs the work, and all that it starts, under this timeout; the innermost of several counts. */
export function withOutageTimeout<Result>(timeout: OutageTimeout, work: () => Result): Result {
  return current === undefined ? work() : current.run(timeout, work);
}
