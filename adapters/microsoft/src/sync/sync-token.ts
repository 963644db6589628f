import { ProviderError } from 'kalends/ports';
import { z } from 'zod';

const feed = z.object({
  /** The delta link, relative to the root of Graph, so that it outlives a change of the root. */
  link: z.string().min(1),
  /** The range that the feed covers, epoch ms. */
  window: z.object({ from: z.number(), to: z.number() }),
  /** When the feed was begun, epoch ms. */
  startedAt: z.number(),
});

/** A change feed of calendarView that was begun. */
export type ChangeFeed = z.infer<typeof feed>;

const refusal = z.object({
  /** When the feed is tried again, epoch ms. */
  retryAt: z.number(),
  /** The wait before that. */
  waitMs: z.number(),
});

/** A refusal of the change feed: events are listed instead until it is tried again. */
export type FeedRefusal = z.infer<typeof refusal>;

const syncToken = z.object({
  v: z.literal(2),
  /** Null while there never was one. */
  feed: feed.nullable(),
  /** Null while the feed answers. */
  refusal: refusal.nullable(),
  /** When each source of changes was asked, epoch ms; 0 for one that was not. */
  askedAt: z.object({ feed: z.number(), search: z.number() }).default({ feed: 0, search: 0 }),
  /** The latest change that was seen, by Graph's own clock, epoch ms; at most the time of the request that showed it. */
  modifiedAt: z.number(),
  /** Tags of events changed shortly before that, by id: seen already, not to be read again. */
  seen: z.record(z.string(), z.string()),
});

/** Resume point of a pull of a calendar's events. */
export type SyncToken = z.infer<typeof syncToken>;

/** Serializes a token for the engine to store. */
export function printSyncToken(token: SyncToken): string {
  return JSON.stringify(token);
}

/** Parses a token. @throws ProviderError sync-token-expired for a foreign text: a full pull is the remedy */
export function parseSyncToken(text: string): SyncToken {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ProviderError('sync-token-expired', 'the sync token cannot be read', { cause });
  }
  const parsed = syncToken.safeParse(value);
  if (!parsed.success) throw new ProviderError('sync-token-expired', 'the sync token is of another kind');
  return parsed.data;
}
