import type { Clock } from '../ports/index.ts';

/** Says that work did not end in time. */
export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`It took longer than ${ms} ms.`);
    this.name = 'DeadlineError';
  }
}

/** Made once: without a reason each abort would make an error of its own, with its stack. */
const FINISHED = new Error('The work has ended in time.');

/**
 * The result of `work`, or a rejection with DeadlineError after `ms` on the clock. The signal given to the work is aborted
 * then; work that ignores it goes on unobserved.
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
    // Ends the sleep; its rejection is nobody's news any more.
    deadline.catch(() => undefined);
    finished.abort(FINISHED);
  }
}
