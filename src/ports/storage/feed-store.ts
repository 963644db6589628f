import type { AuditRow } from './audit-store.ts';
import type { CreationKey } from './creation-key.ts';

/** A published feed of calendars. */
export interface FeedRow {
  readonly id: string;
  readonly applicationId: string;
  readonly name: string;
  readonly detail: 'full' | 'busy';
  /** Peppered HMAC of the secret in its address, hex. */
  readonly hash: string;
  /** In the order in which they were given. Those of deleted accounts are not among them. */
  readonly calendars: readonly { readonly accountId: string; readonly calendarId: string }[];
  readonly createdAt: number;
}

/**
 * Stores the feeds of applications. The deletion of an account takes its calendars out of all feeds, and deletes the feeds that had
 * no others, in the same transaction.
 */
export interface FeedStore {
  /** Resolves false, changing nothing, when one of the accounts is not the application's. */
  create(row: FeedRow, audit?: AuditRow): Promise<boolean>;
  /** Returns the feed that is stored under one of the hashes. Searches all applications: the secret is the right to read it. */
  findByHash(...hashes: readonly string[]): Promise<FeedRow | undefined>;
  /** Ascending by creation. */
  list(
    applicationId: string,
    input: { readonly limit: number; readonly after?: CreationKey },
  ): Promise<readonly FeedRow[]>;
  /** Resolves false when there is no such feed. */
  delete(applicationId: string, feedId: string, audit?: AuditRow): Promise<boolean>;
  /** Replaces a feed's hash, if it still is `expected`. */
  replaceHash(id: string, expected: string, hash: string): Promise<void>;
}
