import type { PullKnowledge } from 'kalends/ports';
import type { SyncToken } from './sync-token.ts';

/** The sources of changes: the feed of the window, and the search for recent modifications. */
export interface Sources {
  readonly feed: boolean;
  readonly search: boolean;
}

/**
 * Returns the sources that an incremental pull asks: in a poll, the one asked longest ago and those not asked lately. Both
 * show an event that was created or changed in the window. A feed that is refused leaves all to the search.
 */
export function sourcesToAsk(
  { feed, refusal, askedAt }: SyncToken,
  known: Pick<PullKnowledge, 'askedSince'> | undefined,
): Sources {
  const since = known?.askedSince;
  if (since === undefined || feed === null || refusal !== null) return { feed: true, search: true };
  const isFeedNext = askedAt.feed <= askedAt.search;
  return { feed: isFeedNext || askedAt.feed < since, search: !isFeedNext || askedAt.search < since };
}
