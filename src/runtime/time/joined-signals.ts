import { setMaxListeners } from 'node:events';

/**
 * Runs work under a signal that aborts with the first of these, for its reason; undefined never aborts. Removes its listeners
 * when the work has ended: `AbortSignal.any` leaves an entry per call at a signal that lives as long as its process.
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
  // Every listener is removed in the end, so that many at a time are no leak.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
