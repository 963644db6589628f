import pRetry from 'p-retry';
import type { Clock } from '../ports/index.ts';

export interface RetryOptions {
  readonly clock: Clock;
  /** Attempts in all, the first included. */
  readonly attempts: number;
  /** Wait before the next attempt; `attempt` counts the failed ones from 1. */
  readonly delayMs: (attempt: number, error: Error) => number;
  readonly shouldRetry: (error: Error) => boolean;
  readonly signal?: AbortSignal;
}

/** Runs `work` until it succeeds, its error is not worth a retry, or the attempts are used up; rejects with its last error. */
export function retry<Result>(work: (attempt: number) => Promise<Result>, options: RetryOptions): Promise<Result> {
  const { clock, attempts, delayMs, shouldRetry, signal } = options;
  return pRetry(work, {
    retries: attempts - 1,
    // p-retry waits by the real clock: its own wait is zero, and ours takes place on the injected one.
    minTimeout: 0,
    ...(signal === undefined ? {} : { signal }),
    shouldRetry: ({ error }) => shouldRetry(error),
    async onFailedAttempt({ error, attemptNumber, retriesLeft }) {
      if (retriesLeft > 0 && shouldRetry(error)) await clock.sleep(delayMs(attemptNumber, error), signal);
    },
  });
}
