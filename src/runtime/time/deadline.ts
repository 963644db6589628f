import type { Clock } from '../../ports/index.ts';

/** Signals work that did not end in time. */
export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`It took longer than ${ms} ms.`);
    this.name = 'DeadlineError';
  }
}

/** Shared: an abort without a reason creates an error with its stack each time. */
const FINISHED = new Error('The work has ended in time.');

/**
 * Resolves with the result of `work`, or rejects with DeadlineError after `ms` on the clock. The signal given to the work is
 * aborted then; work that ignores it continues unobserved.
 */
export async function withDeadline<Result>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController();
  const finished = new AbortController();
  const deadline = clock.sleep(ms, finished.signal).then(() => {
    const error = new DeadlineError(ms);
    ending.abort(error);
    throw error;
  });
  try {
    return await Promise.race([work(ending.signal), deadline]);
  } finally {
    // Cancel the sleep; ignore its rejection.
    deadline.catch(() => undefined);
    finished.abort(FINISHED);
  }
}
