import pRetry from 'p-retry';
import type { Clock } from '../ports/index.ts';

export interface RetryOptions {
  readonly clock: Clock;
  /** Attempts in all, the first included. At least one is made. */
  readonly attempts: number;
  readonly shouldRetry: (error: unknown) => boolean;
  /**
   * Wait before the next attempt, or undefined when it would be too long to be waited for. `attempt` counts the failed
   * ones from 1. Asked once for each failure that is worth a retry and leaves an attempt.
   */
  readonly delayMs: (attempt: number, error: unknown) => number | undefined;
  /** Ends a wait: the result rejects with the signal's reason. Ending an attempt is the work's own part. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` until it succeeds, its error is not worth a retry, or the attempts are used up. Waits on the clock; rejects
 * with the last error exactly as it was thrown, whatever it is.
 */
export async function retry<Result>(
  work: (attempt: number) => Promise<Result>,
  options: RetryOptions,
): Promise<Result> {
  const { clock, attempts, shouldRetry, delayMs, signal } = options;
  // p-retry replaces what is not an Error and never repeats a TypeError; whether to repeat is decided here alone.
  const attemptOnce = async (attempt: number) => {
    try {
      return await work(attempt);
    } catch (reason) {
      throw new FailedAttempt(reason);
    }
  };
  try {
    // The signal is not p-retry's: it would throw away the result of an attempt that succeeded meanwhile.
    return await pRetry(attemptOnce, {
      retries: Math.max(0, attempts - 1),
      // p-retry waits by the real clock: its own wait is zero, and ours takes place on the injected one.
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
