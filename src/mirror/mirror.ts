import type { ConnectedAccount } from '../accounts/index.ts';
import type {
  CalendarContext,
  CollectionKey,
  CollectionState,
  Commit,
  EventChange,
  ItemVersion,
  ProviderCalendar,
} from '../ports/index.ts';
import type { CalendarOutcome, OwnWriteOptions, WriteReached } from './own-writes.ts';

/** A collection to read, as of its present revision. */
export interface MirrorSnapshot {
  readonly key: CollectionKey;
  readonly state: CollectionState;
  /** Start of the provider request that the state reflects, epoch ms. */
  readonly syncedAt: number;
  /** Longest time between two background polls; null without polls. */
  readonly pollEveryMs: number | null;
}

/** Opens calendars of one account for a read. */
export interface MirrorReading {
  readonly account: ConnectedAccount;
  /** Opens a calendar as `Mirror.openEvents` does; faster for the calendars named to `startReading`. */
  open(calendarId: string): Promise<MirrorSnapshot>;
}

/** A calendar to write to, and what is known of the events that the write is about. */
export interface MirrorWriting {
  readonly account: ConnectedAccount;
  readonly snapshot: MirrorSnapshot;
  readonly calendar: ProviderCalendar;
  /** Present items of the groups that have one of the ids, or an item with one; undefined after a pull: look them up. */
  readonly items: readonly ItemVersion[] | undefined;
}

/** The mirror as services use it: opens recent collections for reads, and applies the answers to our own writes. */
export interface Mirror {
  /**
   * Opens the account's calendar list, pulled first if it is too old.
   * @throws KalendsError CalendarSyncing, or the provider's failure while there is no complete mirror
   */
  openCalendars(account: ConnectedAccount): Promise<MirrorSnapshot>;
  /**
   * Opens a calendar's events, pulled first if they are too old.
   * @throws KalendsError NotFound when the account has no such calendar, CalendarSyncing
   */
  openEvents(account: ConnectedAccount, calendarId: string): Promise<MirrorSnapshot>;
  /**
   * Starts a read of several calendars, with one look-up for the account and all of them.
   * @throws KalendsError NotFound, or InvalidRefreshToken (409) when the account is EXPIRED
   */
  startReading(applicationId: string, accountId: string, calendarIds: readonly string[]): Promise<MirrorReading>;
  /**
   * Starts a write to a calendar's events, with one look-up for all that it begins with; the calendar is opened as `openEvents` does.
   * @param ids of events that the write is about, and of their series
   * @throws KalendsError as startReading and openEvents
   */
  startWriting(key: CollectionKey & { readonly calendarId: string }, ids: readonly string[]): Promise<MirrorWriting>;
  /** Finds a calendar. Pulls the list once before it returns undefined. */
  findCalendar(account: ConnectedAccount, calendarId: string): Promise<ProviderCalendar | undefined>;
  /** Pulls a collection with requests that start after this call (single-flight across processes). Resolves when it is mirrored. */
  pull(account: ConnectedAccount, calendarId: string | null): Promise<void>;
  /**
   * Mirrors the answer to our own write, with its messages, in one transaction (several for a longer
   * series). Items written after `basedOn`, the write count noted before the request, are re-read instead.
   */
  applyEvents(
    key: CollectionKey,
    changes: readonly EventChange[],
    basedOn: number,
    mappingVersion: number,
    options?: OwnWriteOptions,
  ): Promise<WriteReached>;
  /** Puts items whose state at the provider is unknown on the re-read list, and makes a pull of the whole collection due. */
  requestReread(key: CollectionKey, itemIds: readonly string[]): Promise<void>;
  /**
   * Mirrors a calendar that we created, changed or deleted. A deletion removes the mirror of its events. One whose answer cannot
   * be read is set aside. A calendar written after `basedOn`, the list's write count noted before the request, stays as it is, and the list is re-read. Returns the
   * list's new revision.
   */
  applyCalendars(
    key: CollectionKey,
    outcome: CalendarOutcome,
    basedOn: number,
    mappingVersion: number,
    intent?: Commit['intent'],
  ): Promise<number>;
}

/** The pulls that the mirror needs. `pull/` implements them. */
export interface MirrorPulls {
  /**
   * Opens a collection once it is complete and recent enough for reads, or as it is when the wait ends. `known` saves the
   * look-ups of schedule and state.
   * @throws KalendsError CalendarSyncing, or the provider's failure while there is no complete mirror
   */
  open(account: ConnectedAccount, key: CollectionKey, known?: CalendarContext): Promise<Omit<MirrorSnapshot, 'key'>>;
  /** Pulls with requests that start after this call (single-flight across processes). @throws the public error */
  pull(account: ConnectedAccount, key: CollectionKey): Promise<void>;
}
