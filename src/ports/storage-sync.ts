import type { CollectionKey } from './storage-mirror.ts';

/**
 * For so long after an outage a storage leaves what ran out during it to its holders, who renew first: an outage is not
 * the death of a process.
 */
export const OUTAGE_GRACE_MS = 5_000;

/** A lease as its holder knows it. */
export interface HeldLease {
  readonly name: string;
  readonly epoch: number;
}

/**
 * Exclusive work. A lease is short and renewed while the work goes on; one that has run out may be claimed by others. The
 * epoch fences: every claim and every release raises it, and what is done under another epoch is refused. A lease that ran
 * out and has not been claimed since is still its holder's.
 */
export interface LeaseStore {
  /**
   * Claims the lease if it is free or has run out: of concurrent callers at most one gets it; undefined: it is held. One
   * that ran out while the storage was away counts as held for `OUTAGE_GRACE_MS` after its return: its holder could not
   * renew it.
   */
  claim(name: string, ttlMs: number): Promise<{ readonly epoch: number } | undefined>;
  /** Extends those that still have their epoch, also when they have run out, to `ttlMs` from now; leaves the others alone. */
  renew(leases: readonly HeldLease[], ttlMs: number): Promise<void>;
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
  /** End of the account's cool-down (see `coolDown`); 0 before the first. */
  readonly notBefore: number;
}

/**
 * Collections of an account that does not exist (any more) have no schedule: changes of it are without effect, a hint
 * resolves with 0. Whatever sets dueAt, it is never before the account's `notBefore`.
 */
export interface ScheduleStore {
  /** The state; all zero/null for a collection without any. */
  get(key: CollectionKey): Promise<ScheduleState>;
  /** hintSeq + 1, due now. Resolves with the new hintSeq. */
  hint(key: CollectionKey): Promise<number>;
  /** Times never move back. */
  noteRead(key: CollectionKey, at: number): Promise<void>;
  /** Sets dueAt to the earlier of itself and `at` (a null one is set). */
  dueBy(key: CollectionKey, at: number): Promise<void>;
  /** Notes that the provider no longer shows the calendar, since the earliest time noted; it is not due any more. */
  noteMissing(key: CollectionKey, at: number): Promise<void>;
  /** Forgets `noteMissing`: the calendar is shown. Nothing when nothing was noted. */
  noteFound(key: CollectionKey): Promise<void>;
  /** Calendars of the account that have been noted as missing, ascending by id. */
  listMissing(
    key: Pick<CollectionKey, 'applicationId' | 'accountId'>,
  ): Promise<readonly { readonly calendarId: string; readonly since: number }[]>;
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
  /**
   * Begins the account's cool-down, or extends it, to `forMs` from now by the storage's clock; never shortens it. All of its
   * collections share it, those that are added later too, and it outlives the process: nothing is due before its end.
   */
  coolDown(account: Pick<CollectionKey, 'applicationId' | 'accountId'>, forMs: number): Promise<void>;
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
  /** SHA-256 of the token that the channel was opened with, hex: tells under which secret it was made. Empty for polls. */
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
  /** Across tenants, for inbound notifications: the channels with these ids, in any order, by one statement. */
  findMany(channelIds: readonly string[]): Promise<readonly ChannelRow[]>;
  update(
    applicationId: string,
    id: string,
    patch: Partial<Pick<ChannelRow, 'kind' | 'providerChannelId' | 'resourceId' | 'address' | 'expiresAt' | 'renewAt'>>,
  ): Promise<boolean>;
  delete(applicationId: string, id: string): Promise<void>;
  /**
   * Channels whose renewAt has come, earliest first, moved to `now + holdMs` so that no other process takes them meanwhile.
   * A holder that takes longer moves them on with `extendHold`.
   */
  claimRenewals(input: { readonly holdMs: number; readonly limit: number }): Promise<readonly ChannelRow[]>;
  /** Moves those that still have the given renewAt to `now + holdMs`; resolves with that time. */
  extendHold(held: readonly Pick<ChannelRow, 'id' | 'renewAt'>[], holdMs: number): Promise<number>;
  /**
   * Sets renewAt to now for the channels of this provider whose address is another one (our public URL has changed, or a
   * poll may become a push). Resolves with their number.
   */
  dueUnlessAddress(providerType: string, address: string): Promise<number>;
  /** Earliest renewAt of all, for waking up in time; null when there is no channel. */
  nextRenewalAt(): Promise<number | null>;
}
