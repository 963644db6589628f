import type { ConnectedAccount } from '../accounts/account-access.ts';
import type { CollectionKey, CollectionState, Commit, EventChange, ProviderCalendar } from '../ports/index.ts';
import type { WakeUp } from '../runtime/index.ts';
import type { OwnWriteOptions } from './own-writes.ts';

/** A collection that may be read, as of its present revision. */
export interface MirrorSnapshot {
  readonly key: CollectionKey;
  readonly state: CollectionState;
  /** Start of the provider request that it reflects, epoch ms. */
  readonly syncedAt: number;
}

/** Calendars of one account that are about to be read. */
export interface MirrorReading {
  readonly account: ConnectedAccount;
  /** As `openEvents`, for one of the calendars that were named. */
  open(calendarId: string): Promise<MirrorSnapshot>;
}

/** The mirror as other rooms see it: fresh enough to read, told of our own writes, pulled in the background. */
export interface Mirror {
  /** The account's calendar list, fresh within the budget. @throws KalendsError CalendarSyncing, or the provider's failure while there is no complete mirror */
  openCalendars(account: ConnectedAccount): Promise<MirrorSnapshot>;
  /** A calendar's events, fresh within the budget. @throws KalendsError NotFound when the account has no such calendar, CalendarSyncing */
  openEvents(account: ConnectedAccount, calendarId: string): Promise<MirrorSnapshot>;
  /**
   * What calendars are read through: what is to be known of the account and of each of them is looked up at once.
   * @throws KalendsError NotFound, or InvalidRefreshToken (409) when the account is EXPIRED
   */
  startReading(applicationId: string, accountId: string, calendarIds: readonly string[]): Promise<MirrorReading>;
  /** The calendar; forces one pull of the list before it says undefined. */
  findCalendar(account: ConnectedAccount, calendarId: string): Promise<ProviderCalendar | undefined>;
  /** Pulls a collection now, with requests that start after this call (single-flight across processes); resolves when it is in. */
  pull(account: ConnectedAccount, calendarId: string | null): Promise<void>;
  /**
   * Mirrors the answer to our own write, with its messages, in one transaction (several of at most 500 items for a
   * longer series). What was written after `basedOn`, the revision noted before the request, is read again instead.
   * Resolves with the revision afterwards.
   */
  applyEvents(
    key: CollectionKey,
    changes: readonly EventChange[],
    basedOn: number,
    mappingVersion: number,
    options?: OwnWriteOptions,
  ): Promise<number>;
  /** Has these items read again soon, and by the next reader: nobody knows what has become of them. */
  lookAgain(key: CollectionKey, itemIds: readonly string[]): Promise<void>;
  /**
   * Mirrors calendars that we created or changed, and deletions. A deleted calendar loses the mirror of its events. What
   * was written after `basedOn`, the revision of the list noted before the request, stays, and the list is read again.
   * Resolves with the list's revision afterwards.
   */
  applyCalendars(
    key: CollectionKey,
    change: { readonly calendar: ProviderCalendar } | { readonly deletedId: string },
    basedOn: number,
    mappingVersion: number,
    intent?: Commit['intent'],
  ): Promise<number>;
  /** Works through what is due until the signal aborts, which also ends every pull in flight. */
  run(signal: AbortSignal): Promise<void>;
  /** Ends every pull in flight and waits for them. Idempotent. */
  close(): Promise<void>;
}

/** How the mirror and the other loops wake each other within one process. The engine makes it and hands it to both. */
export interface MirrorSignals {
  /** Waited on by `run`; notified after a hint, so that a push is pulled at once instead of at the next poll. */
  readonly due: WakeUp;
  /** Called after a commit that enqueued messages, so that they are delivered at once. */
  enqueued(): void;
}
