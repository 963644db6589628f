import type { CollectionKey } from './storage-mirror.ts';

/** Exclusive work. A lease is held until `leasedUntil` by the storage's clock; every claim raises the epoch. */
export interface LeaseStore {
  /** Claims the lease if it is free or has run out: of concurrent callers at most one gets it; undefined: somebody holds it. */
  claim(name: string, ttlMs: number): Promise<{ readonly epoch: number } | undefined>;
  /** Extends it; false when it was lost or has run out. */
  renew(name: string, epoch: number, ttlMs: number): Promise<boolean>;
  /** Gives it up; without effect when it was lost. */
  release(name: string, epoch: number): Promise<void>;
  /**
   * Takes up to `atMost` calls out of a budget that every process shares: it holds up to `capacity` calls, at first as many,
   * and gains `perMinute` of them a minute, evenly, by the storage's clock. `keep` of them are left for others. Resolves
   * with the number taken, and when it is 0 with the time until one may be.
   */
  takeCalls(
    name: string,
    budget: {
      readonly perMinute: number;
      readonly capacity: number;
      readonly atMost: number;
      readonly keep: number;
    },
  ): Promise<{ readonly taken: number; readonly waitMs: number }>;
  /**
   * Forgets up to `limit` leases that ended more than `endedForMs` ago; resolves with their number. Their epochs begin
   * anew, so nobody who held one may still be at work.
   */
  purge(input: { readonly endedForMs: number; readonly limit: number }): Promise<number>;
}

/** Background state of one collection, apart from the mirror so that a push never waits for a mirror transaction. */
export interface ScheduleState {
  /** Raised by every push. */
  readonly hintSeq: number;
  /** The hint that the latest finished pull had seen when it started. hintSeq above it: a hint is pending. */
  readonly clearedHintSeq: number;
  /** Start of the request whose result is the latest in the mirror; null before the first. */
  readonly syncedAt: number | null;
  readonly lastReadAt: number | null;
  /** When background work is due; null: never by itself. */
  readonly dueAt: number | null;
  /** Pulls that have failed in a row. */
  readonly failures: number;
  /** Empty pulls after a hint that are still to be repeated. */
  readonly repeatsLeft: number;
}

/** Collections of an account that does not exist (any more) have no schedule: changes of it are without effect, a hint resolves with 0. */
export interface ScheduleStore {
  /** The state; all zero/null for a collection without any. */
  get(key: CollectionKey): Promise<ScheduleState>;
  /** hintSeq + 1, due now. Resolves with the new hintSeq. */
  hint(key: CollectionKey): Promise<number>;
  /** Times never move back. */
  noteRead(key: CollectionKey, at: number): Promise<void>;
  /** Sets dueAt to the earlier of itself and `at` (a null one is set). */
  dueBy(key: CollectionKey, at: number): Promise<void>;
  /**
   * Ends a pull: syncedAt and clearedHintSeq (never lowered), failures and the next dueAt. A hint above the given
   * clearedHintSeq came meanwhile and keeps dueAt at now; a pull that failed gives none, and its dueAt stands.
   * repeatsLeft stays when it is not given.
   */
  finish(
    key: CollectionKey,
    result: {
      readonly syncedAt?: number;
      readonly clearedHintSeq?: number;
      readonly failures: number;
      readonly repeatsLeft?: number;
      readonly dueAt: number | null;
    },
  ): Promise<void>;
  /** Claims an account that has due collections (ACTIVE accounts only): its lease `account:{id}` for ttlMs, and its due collections, earliest first. */
  claimDueAccount(ttlMs: number): Promise<
    | {
        readonly applicationId: string;
        readonly accountId: string;
        readonly epoch: number;
        readonly collections: readonly CollectionKey[];
      }
    | undefined
  >;
  /** Earliest dueAt of all ACTIVE accounts (of one that is being worked on: not before its lease ends), for waking up in time; null when nothing is scheduled. */
  nextDueAt(): Promise<number | null>;
}

/** A push channel, or the poll that stands in for one. */
export interface ChannelRow {
  /** Ours; sent to Google as the channel id. */
  readonly id: string;
  readonly applicationId: string;
  readonly accountId: string;
  readonly calendarId: string | null;
  readonly providerType: string;
  readonly kind: 'push' | 'poll';
  /** Null until the provider has answered. `poll_…` for polls. */
  readonly providerChannelId: string | null;
  readonly resourceId: string | null;
  /** SHA-256 of the token that notifications must carry, hex. */
  readonly tokenHash: string;
  /** The public address that the provider was given; empty for polls. */
  readonly address: string;
  readonly expiresAt: number;
  /** When upkeep is due (half-life, or a retry). */
  readonly renewAt: number;
  readonly createdAt: number;
}

export interface ChannelStore {
  insert(row: ChannelRow): Promise<void>;
  /** The channels of one collection, newest first. */
  list(key: CollectionKey): Promise<readonly ChannelRow[]>;
  /** Across tenants, for inbound notifications: by our id or by the provider's. */
  findForPush(providerType: string, channelId: string): Promise<ChannelRow | undefined>;
  update(
    applicationId: string,
    id: string,
    patch: Partial<Pick<ChannelRow, 'kind' | 'providerChannelId' | 'resourceId' | 'address' | 'expiresAt' | 'renewAt'>>,
  ): Promise<boolean>;
  delete(applicationId: string, id: string): Promise<void>;
  /** Channels whose renewAt has come, earliest first, moved to `now + holdMs` so that no other process takes them meanwhile. */
  claimRenewals(input: { readonly holdMs: number; readonly limit: number }): Promise<readonly ChannelRow[]>;
  /**
   * Sets renewAt to now for the channels of this provider whose address is another one (our public URL has changed, or a
   * poll may become a push). Resolves with their number.
   */
  dueUnlessAddress(providerType: string, address: string): Promise<number>;
  /** Earliest renewAt of all, for waking up in time; null when there is no channel. */
  nextRenewalAt(): Promise<number | null>;
}
