import pRetry from 'p-retry';
import type { Clock } from '../../ports/index.ts';

export interface RetryOptions {
  readonly clock: Clock;
  /** Attempts in all, the first included. At least one is made. */
  readonly attempts: number;
  readonly shouldRetry: (error: unknown) => boolean;
  /**
   * Wait before the next attempt; undefined: none, the wait would be too long. `attempt` counts the failed ones from 1.
   * Called once for each failure that may be retried and leaves an attempt.
   */
  readonly delayMs: (attempt: number, error: unknown) => number | undefined;
  /** Ends a wait: the result rejects with the signal's reason. The work itself ends a running attempt. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` until it succeeds, its error may not be retried, or the attempts are used up. Waits on the clock. Rejects with
 * the last error exactly as it was thrown, even if it is no Error.
 */
export async function retry<Result>(
  work: (attempt: number) => Promise<Result>,
  options: RetryOptions,
): Promise<Result> {
  const { clock, attempts, shouldRetry, delayMs, signal } = options;
  // p-retry replaces values that are no Error and never repeats a TypeError; `shouldRetry` alone decides here.
  const attemptOnce = async (attempt: number) => {
    try {
      return await work(attempt);
    } catch (reason) {
      throw new FailedAttempt(reason);
    }
  };
  try {
    // p-retry does not get the signal: it would discard the result of an attempt that succeeded meanwhile.
    return await pRetry(attemptOnce, {
      retries: Math.max(0, attempts - 1),
      // p-retry waits on the real clock: its own wait is zero, and ours is on the injected one.
      minTimeout: 0,
      async onFailedAttempt({ error, attemptNumber, retriesLeft }) {
        const reason = error instanceof FailedAttempt ? error.reason : error;
        const waitMs = retriesLeft > 0 && shouldRetry(reason) ? delayMs(attemptNumber, reason) : undefined;
        if (waitMs === undefined) throw error;
        await clock.sleep(waitMs, signal);
      },
    });
  } catch (error) {
    throw error instanceof FailedAttempt ? error.reason : error;
  }
}

class FailedAttempt extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super('an attempt failed');
    this.reason = reason;
  }
}
