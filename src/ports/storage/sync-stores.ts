import type { CollectionKey } from './mirror-store.ts';

/**
 * Time after an outage in which leases that expired during it still belong to their holders, which renew them first: an outage
 * does not mean that a process died.
 */
export const OUTAGE_GRACE_MS = 5_000;

/** A lease as its holder knows it. */
export interface HeldLease {
  readonly name: string;
  readonly epoch: number;
}

/**
 * Leases for exclusive work. A lease is short and renewed during the work; another process may claim it once it has expired.
 * Each claim and release raises the epoch, and commits under another epoch are refused. An expired lease still belongs to its
 * holder until it is claimed.
 */
export interface LeaseStore {
  /**
   * Claims the lease if it is free or has expired; at most one of several concurrent callers gets it. Returns undefined when
   * it is held. A lease that expired while the storage was down, when its holder could not renew it, counts as held for
   * `OUTAGE_GRACE_MS` after the storage's return.
   */
  claim(name: string, ttlMs: number): Promise<{ readonly epoch: number } | undefined>;
  /** Extends the leases that still have their epoch, expired ones too, to `ttlMs` from now; leaves the others alone. */
  renew(leases: readonly HeldLease[], ttlMs: number): Promise<void>;
  /** Releases the lease; without effect when it was lost. */
  release(name: string, epoch: number): Promise<void>;
  /**
   * Takes up to `atMost` calls from a budget shared by all processes. It starts with `capacity` calls, its maximum, and gains
   * `perMinute` calls per minute, evenly, by the storage's clock. `keep` calls stay for others. Returns the number taken,
   * the number left, and when nothing was taken the time until a call is available.
   */
  takeCalls(
    name: string,
    budget: {
      readonly perMinute: number;
      readonly capacity: number;
      readonly atMost: number;
      readonly keep: number;
    },
  ): Promise<{ readonly taken: number; readonly left: number; readonly waitMs: number }>;
  /** Gives back calls that were taken and not needed; a budget has `capacity` calls at most. Without effect on one that is not there. */
  giveBackCalls(name: string, given: { readonly calls: number; readonly capacity: number }): Promise<void>;
  /**
   * Counts up to `atMost` calls of a day, as long as its count does not exceed `upTo`. The count of a later day begins at
   * 0; the day before the latest counts as the latest. Days are counted from 1970-01-01 on; one that is further than a day from
   * the storage's own date, in UTC, is of a process with a wrong date, and counts as the nearest that is not. Returns the number
   * counted and the day's count after it.
   */
  takeDayCalls(
    name: string,
    input: { readonly day: number; readonly atMost: number; readonly upTo: number },
  ): Promise<{ readonly taken: number; readonly used: number }>;
  /**
   * Removes up to `limit` leases that ended more than `endedForMs` ago; resolves with their number. A later claim gets an
   * epoch above all that the lease has had, so that a former holder who is still at work stays refused. Also removes up to
   * `limit` budgets from which nothing was taken for that time; they begin with their capacity again.
   */
  purge(input: { readonly endedForMs: number; readonly limit: number }): Promise<number>;
}

/** Background state of one collection, apart from the mirror so that a push never waits for a mirror transaction. */
export interface ScheduleState {
  /** Raised by every push. */
  readonly hintSeq: number;
  /** hintSeq at the start of the latest finished pull. A hint is pending while hintSeq is greater. */
  readonly clearedHintSeq: number;
  /** hintSeq of the latest hint that did not name its objects; 0 before the first. */
  readonly fullHintSeq: number;
  /** Start of the request that the mirror reflects; null before the first. */
  readonly syncedAt: number | null;
  readonly lastReadAt: number | null;
  /** Time at which background work is due; null when only a read or a hint makes it due. */
  readonly dueAt: number | null;
  /** Number of consecutive failed pulls. */
  readonly failures: number;
  /** Remaining repetitions of a hinted pull that found nothing. */
  readonly repeatsLeft: number;
  /** Longest time between two background polls, chosen by the latest pull; null before the first, and without polls. */
  readonly pollEveryMs: number | null;
  /** End of a pull that found a change which no push had announced; null for none. A push may still be on its way. */
  readonly unannouncedAt: number | null;
  /** End of the account's cool-down (see `coolDown`); 0 before the first. */
  readonly notBefore: number;
}

/** A failed pull, without any text of the provider. */
export interface PullFailure {
  /** Code of the public error. */
  readonly code: string;
  /** End of the pull. */
  readonly at: number;
}

/** A collection's schedule, as a list shows it. */
export interface ScheduleRow extends ScheduleState {
  /** Null for the calendar list. */
  readonly calendarId: string | null;
  /** Since when the provider has not listed the calendar; null while it does. */
  readonly missingSince: number | null;
  /** The latest failure; null after a success. */
  readonly lastFailure: PullFailure | null;
}

/** Changes that a pull leaves in its collection's schedule. */
export interface FinishedPull {
  readonly syncedAt?: number;
  readonly clearedHintSeq?: number;
  readonly failures: number;
  readonly lastFailure?: PullFailure | null;
  readonly repeatsLeft?: number;
  readonly dueAt: number | null;
  /**
   * Present time of the clock that dueAt and syncedAt are by. dueAt is as far from the storage's own; a stored syncedAt that is
   * later than this does not stay. @default dueAt is by the storage's clock, and the later syncedAt stays
   */
  readonly now?: number;
  /**
   * pollEveryMs and unannouncedAt. `readEveryMs` is the interval that the pull had read: one that `tightenPolls` has
   * shortened since stays, and dueAt is at most that far from now, by the storage's clock.
   */
  readonly polls?: {
    readonly everyMs: number | null;
    readonly readEveryMs: number | null;
    readonly unannouncedAt: number | null;
  };
}

/** An account whose lease has been claimed, to pull what is due of it. */
export interface DueAccount {
  readonly applicationId: string;
  readonly accountId: string;
  /** Of its lease. */
  readonly epoch: number;
  readonly collections: readonly CollectionKey[];
  /** The latest pull of each of the collections failed. */
  readonly isFailing: boolean;
}

/**
 * Schedules of collections. A collection of an account that does not exist has none: changes of it have no effect, and a hint
 * returns 0. dueAt is never before the account's `notBefore`.
 */
export interface ScheduleStore {
  /** Returns the state, all zero or null for a collection without a schedule. */
  get(key: CollectionKey): Promise<ScheduleState>;
  /** Lists the schedules of an account: the calendar list first, then calendars ascending by id. */
  list(key: Pick<CollectionKey, 'applicationId' | 'accountId'>): Promise<readonly ScheduleRow[]>;
  /**
   * Raises hintSeq by one and makes the collection due now. Returns the new hintSeq. `isNamed`: every object that it is about
   * is on the re-read list; otherwise fullHintSeq becomes the new hintSeq too.
   */
  hint(key: CollectionKey, options?: { readonly isNamed: boolean }): Promise<number>;
  /** Sets lastReadAt, unless it is later already. */
  noteRead(key: CollectionKey, at: number): Promise<void>;
  /**
   * Sets dueAt to `at`, unless it is earlier already.
   * @param now present time of the clock that `at` was computed by: dueAt is as far from the storage's own. @default the storage's own
   */
  dueBy(key: CollectionKey, at: number, now?: number): Promise<void>;
  /** Notes that the provider no longer lists the calendar, since the earliest time noted, and makes it not due. */
  noteMissing(key: CollectionKey, at: number): Promise<void>;
  /** Reverts `noteMissing`, if noted: the calendar is listed again. */
  noteFound(key: CollectionKey): Promise<void>;
  /** Lists the account's calendars noted as missing, ascending by id. */
  listMissing(
    key: Pick<CollectionKey, 'applicationId' | 'accountId'>,
  ): Promise<readonly { readonly calendarId: string; readonly since: number }[]>;
  /**
   * Records the end of a pull: syncedAt and clearedHintSeq (never lowered, but see `FinishedPull.now`), failures and the next dueAt. A hint above the given
   * clearedHintSeq arrived during the pull and keeps dueAt at now; a failed pull gives none, and its dueAt holds.
   * repeatsLeft, polls and lastFailure are unchanged when they are not given. Without effect on a collection that has neither
   * a schedule nor a mirror, as one that was removed during its pull.
   * @param lease of the pull. Without effect when it was lost: its new holder records an outcome of its own
   */
  finish(key: CollectionKey, result: FinishedPull, lease?: HeldLease): Promise<void>;
  /**
   * Shortens longer intervals of the accounts of an OAuth client to `everyMs`. Polls that are due later than that move
   * closer in proportion, so that they stay spread; cool-downs hold. Up to `limit` accounts with ids above `after`, in the
   * order of their ids. Returns the last one's id; undefined when no further account is left.
   */
  tightenPolls(input: {
    readonly providerConfigId: string;
    readonly everyMs: number;
    readonly limit: number;
    readonly after?: string;
  }): Promise<string | undefined>;
  /**
   * Starts the account's cool-down, or extends it, to `forMs` from now by the storage's clock; never shortens it. It holds for
   * all collections of the account, including those added later, and survives the process: none is due before its end.
   */
  coolDown(account: Pick<CollectionKey, 'applicationId' | 'accountId'>, forMs: number): Promise<void>;
  /**
   * Claims up to `limit` ACTIVE accounts with due collections: their leases `account:{id}` for ttlMs. Of one database those
   * due first; the due collections of each earliest first. More may be due when it returns fewer.
   * @param options soundOnly: leaves those alone that are failing. @default false
   */
  claimDueAccounts(
    ttlMs: number,
    limit: number,
    options?: { readonly soundOnly: boolean },
  ): Promise<readonly DueAccount[]>;
  /**
   * Returns the earliest dueAt of all ACTIVE accounts, for waking up in time; null when none is scheduled. A claimed account
   * counts from the end of its lease.
   */
  nextDueAt(): Promise<number | null>;
}

/** A push channel, or the poll that replaces one. */
export interface ChannelRow {
  /** Our id; sent to Google as the channel id. */
  readonly id: string;
  readonly applicationId: string;
  readonly accountId: string;
  readonly calendarId: string | null;
  readonly providerType: string;
  readonly kind: 'push' | 'poll';
  /** The provider's id, null until it has answered. `poll_…` for polls. */
  readonly providerChannelId: string | null;
  readonly resourceId: string | null;
  /** SHA-256 in hex of the channel's token: shows under which secret it was issued. Empty for polls. */
  readonly tokenHash: string;
  /** Public address that the provider notifies; empty for polls. */
  readonly address: string;
  readonly expiresAt: number;
  /** Time at which upkeep is due. */
  readonly renewAt: number;
  readonly createdAt: number;
}

export interface ChannelStore {
  insert(row: ChannelRow): Promise<void>;
  /** Lists the channels of a collection, newest first. */
  list(key: CollectionKey): Promise<readonly ChannelRow[]>;
  /** Finds channels by id across tenants, for notifications; in any order, by one statement. */
  findMany(channelIds: readonly string[]): Promise<readonly ChannelRow[]>;
  update(
    applicationId: string,
    id: string,
    patch: Partial<Pick<ChannelRow, 'kind' | 'providerChannelId' | 'resourceId' | 'address' | 'expiresAt' | 'renewAt'>>,
  ): Promise<boolean>;
  delete(applicationId: string, id: string): Promise<void>;
  /**
   * Claims channels whose renewAt has passed, earliest first, by moving it to `now + holdMs`, so that no other process claims
   * them meanwhile. A holder that needs longer calls `extendHold`.
   */
  claimRenewals(input: { readonly holdMs: number; readonly limit: number }): Promise<readonly ChannelRow[]>;
  /** Moves the channels that still have the given renewAt to `now + holdMs`, and returns that time. */
  extendHold(held: readonly Pick<ChannelRow, 'id' | 'renewAt'>[], holdMs: number): Promise<number>;
  /**
   * Sets renewAt to now for the provider's channels with another address: the public URL has changed, or a poll may become a
   * push. Returns their number.
   */
  dueUnlessAddress(providerType: string, address: string): Promise<number>;
  /** Returns the earliest renewAt, for waking up in time; null without any channel. */
  nextRenewalAt(): Promise<number | null>;
}
