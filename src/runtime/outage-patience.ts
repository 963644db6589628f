import { AsyncLocalStorage } from 'node:async_hooks';

/** How long somebody waits for a storage that is away. */
export interface OutagePatience {
  /** From the beginning of the outage; 0 for whoever wants to know of it at once. */
  readonly limitMs: number;
  /** Ends the wait before its time. */
  readonly signal?: AbortSignal;
}

/** Made for the first storage that wants to know: before Node 24 it slows every promise of the process. */
let current: AsyncLocalStorage<OutagePatience> | undefined;

/**
 * For storages that can be away: asks for the patience of whoever calls them; undefined where nobody has said, and a storage
 * waits as for a request. A storage asks for this before it is first used: patience is carried from then on.
 */
export function outagePatienceReader(): () => OutagePatience | undefined {
  current ??= new AsyncLocalStorage();
  const carried = current;
  return () => carried.getStore();
}

/** Does the work, and all that it starts, with this patience. Of patience within patience the inner one counts. */
export function withPatience<Result>(patience: OutagePatience, work: () => Result): Result {
  return current === undefined ? work() : current.run(patience, work);
}
