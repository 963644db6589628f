import type { CollectionKey, ItemVersion } from './mirror-store.ts';

export type IntentKind = 'create' | 'update' | 'delete' | 'respond' | 'series-edit';

/** A write at a provider, recorded before its first call so that a crash leaves a trace. */
export interface IntentRow {
  /** 32 random lower-case hexadecimal digits: also the request id by which a repeated create finds the first result. */
  readonly id: string;
  /** The calendar whose events are written to, or the calendar list (`calendarId: null`) when a calendar is created. */
  readonly key: CollectionKey;
  readonly kind: IntentKind;
  /** Groups that it changes, held until it ends. Empty for a create: its group is not known yet. */
  readonly groupIds: readonly string[];
  /**
   * Also holds items without a live version against commits that belong to no intent, so that a pull shows a new object
   * only when it is complete.
   */
  readonly holdsNewItems: boolean;
  /** JSON-serialisable: everything that a process needs to take over an abandoned intent. No secrets. */
  readonly data: unknown;
  /** The caller's key for repetitions, unique within the application (of whatever scope its text names), and a hash of what was asked for. */
  readonly idempotency: { readonly key: string; readonly bodyHash: string } | null;
  readonly createdAt: number;
}

/** An intent as its holder refers to it. A commit that names it is part of its work. */
export interface IntentRef {
  readonly applicationId: string;
  readonly id: string;
  /** Raised by every claim: a holder with another epoch has lost the intent. */
  readonly epoch: number;
}

export interface StoredIntent extends IntentRow {
  readonly epoch: number;
  /**
   * `held`: a process works on it. `abandoned`: open, and its lease has run out or was given up. `lapsed`: over without a
   * known result, kept for its idempotency key. `done`: over, with the `result` of its last commit.
   */
  readonly state: 'held' | 'abandoned' | 'lapsed' | 'done';
  /** Set exactly when it is done: JSON as committed, and the collection's revision afterwards. */
  readonly result: { readonly value: unknown; readonly revision: number } | null;
}

/** An intent that the caller has claimed. */
export interface ClaimedIntent {
  readonly intent: StoredIntent;
  /** `writeCount` of the collection when it was claimed: `Commit.basedOn` of the commits of its work. */
  readonly basedOn: number;
}

/** Groups as an intent found them: they stay so until a commit of the intent, or another process's claim, changes them. */
export interface HeldGroups {
  /** State of the collection at that moment. */
  readonly revision: number;
  readonly timeZone: string;
  /** Present items of the groups that it holds, ascending by groupId, then itemId. */
  readonly items: readonly ItemVersion[];
}

export type IntentBegun =
  | ({ readonly kind: 'begun'; readonly held: HeldGroups } & ClaimedIntent)
  /** Another open intent holds one of the groups: that one. */
  | { readonly kind: 'group-held'; readonly by: StoredIntent }
  /** The application has used the idempotency key before: that intent. */
  | { readonly kind: 'key-used'; readonly by: StoredIntent };

/**
 * Stores writes that are under way at providers. An open intent holds its groups: of concurrent ones exactly one begins, and a commit
 * without it (see `Commit.intent`) does not touch them. It is worked on under a lease as `LeaseStore` says; one whose
 * lease has run out holds its groups still, until another process claims and ends it.
 */
export interface IntentStore {
  /**
   * Records the intent and leases it to the caller with epoch 1. Of callers with one idempotency key, or with a common
   * group in one collection, at most one begins. Ordered with the collection's commits: one that comes later sees the hold.
   * @throws KalendsError NotFound when there is no such collection
   */
  begin(row: IntentRow, ttlMs: number): Promise<IntentBegun>;
  /** Takes over an abandoned intent, or opens a lapsed one again (which holds nothing); undefined when it is held, done or unknown. */
  claim(applicationId: string, id: string, ttlMs: number): Promise<ClaimedIntent | undefined>;
  /**
   * Takes over an abandoned intent of any ACTIVE account that is not cooling down (see `ScheduleStore.coolDown`) whose time
   * for another attempt has come, the longest abandoned first.
   */
  claimAbandoned(ttlMs: number): Promise<ClaimedIntent | undefined>;
  /** Extends the leases that are still the caller's, expired ones too; leaves the others alone. */
  renew(refs: readonly IntentRef[], ttlMs: number): Promise<void>;
  /**
   * Replaces `data` (a step of the journal is done, or about to be) and holds further groups.
   * @throws KalendsError Conflict when the intent was lost or has ended, or a group is held by another one
   */
  record(
    ref: IntentRef,
    change: { readonly data: unknown; readonly groupIds?: readonly string[]; readonly holdsNewItems?: boolean },
  ): Promise<void>;
  /**
   * Gives the lease up without ending the intent: it is abandoned, and claimAbandoned passes it over for `retryInMs`. False,
   * and without effect, when it was lost or has ended.
   */
  abandon(ref: IntentRef, retryInMs: number): Promise<boolean>;
  /**
   * Ends the intent without a commit. Its groups are free; its idempotency key is free too, or with `keepMs` it lapses and
   * is kept for so long. Of an intent without a key nothing is kept. False when it was lost or had ended.
   */
  end(ref: IntentRef, outcome?: { readonly keepMs: number }): Promise<boolean>;
  /** Returns when `claimAbandoned` may find an intent next; null when none is open. */
  nextAbandonedAt(): Promise<number | null>;
  /** Removes up to `limit` lapsed and done intents whose time is over; resolves with their number. */
  purge(limit: number): Promise<number>;
}
