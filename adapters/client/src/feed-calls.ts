import { type CallOptions, deletion, pathOf, type Send, type Success } from './call.ts';
import { createListing, type Listing } from './listing.ts';
import type { Feed, FeedCreate, FeedCreated, FeedListQuery } from './model/feed.ts';

/** Calls about feeds: calendars that are published under secret addresses. */
export interface FeedCalls {
  /** Lists the application's feeds, without their addresses. */
  list(query?: FeedListQuery, options?: CallOptions): Listing<Feed>;
  /** Publishes calendars. Returns their secret address, which no later answer shows. */
  create(body: FeedCreate, options?: CallOptions): Promise<FeedCreated>;
  /** Ends a feed. */
  delete(feedId: string, options?: CallOptions): Promise<Success>;
}

export function feedCalls(send: Send): FeedCalls {
  const path = (...ids: readonly string[]) => pathOf('feeds', ...ids);
  return {
    list: (query, options) => createListing(send, path(), query, options),
    create: (body, options) => send({ method: 'POST', path: path(), body, options }),
    delete: (feedId, options) => send(deletion(path(feedId), options)),
  };
}
