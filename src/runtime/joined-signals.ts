import { setMaxListeners } from 'node:events';

/**
 * Does work under a signal that the first of these to be aborted aborts, with its reason; undefined is never aborted. When
 * the work has ended, nothing of it is left at them: at a signal that lives as long as its process, `AbortSignal.any` leaves
 * an entry for each call.
 */
export async function withJoinedSignals<Result>(
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const joined = new AbortController();
  const releases = signals.flatMap((signal) => (signal === undefined ? [] : [follow(signal, joined)]));
  try {
    return await work(joined.signal);
  } finally {
    for (const release of releases) release();
  }
}

function follow(signal: AbortSignal, joined: AbortController): () => void {
  const abort = () => joined.abort(signal.reason);
  if (signal.aborted) abort();
  // Everyone lets go in the end, so that many at the same time are no leak.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
