import type { Caller, Page } from './callers.ts';
import type { Feed, FeedCreate, FeedCreated, FeedListQuery } from './model/index.ts';

/** Calendars that are published under secret addresses. */
export interface FeedService {
  list(caller: Caller, query?: FeedListQuery): Promise<Page<Feed>>;
  /** Publishes calendars as one feed; its secret address is returned only here. */
  create(caller: Caller, body: FeedCreate): Promise<FeedCreated>;
  /** Ends a feed: from now on its address answers as one that never was. */
  delete(caller: Caller, feedId: string): Promise<void>;
}
