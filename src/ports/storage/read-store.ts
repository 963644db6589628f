import type { AccountRow } from './account-store.ts';
import type { CollectionKey, CollectionState, ItemVersion } from './mirror-store.ts';
import type { ScheduleState } from './sync-stores.ts';

/** Everything that a read of an account's events begins with. */
export interface ReadContext {
  readonly account: AccountRow;
  /** The wanted calendars whose events have a collection, in no order. */
  readonly calendars: readonly CalendarContext[];
}

/** Everything that a write to a calendar's events begins with. */
export interface WriteContext extends ReadContext {
  /** The calendar's item in the account's list; undefined when it has none. */
  readonly listed: ItemVersion | undefined;
  /** Present items of the groups asked for, ascending by groupId, then itemId. Never older than the calendar's state. */
  readonly items: readonly ItemVersion[];
}

/** State of a calendar, as `mirror.find`, `schedule.get` and `channels.list` return it. */
export interface CalendarContext {
  readonly calendarId: string;
  /** Whether the account's calendar list has been mirrored as a whole, and has the calendar. */
  readonly isListed: boolean;
  readonly state: CollectionState;
  readonly schedule: ScheduleState;
  /** When the last of the push channels that the provider has confirmed ends; null: there is none. */
  readonly pushUntil: number | null;
}

/** Reads at once what would otherwise be read step by step: on a database server each step is a round trip. */
export interface ReadStore {
  /** Reads everything as of one moment; undefined when the application has no such account. At most 250 calendars. */
  start(applicationId: string, accountId: string, calendarIds: readonly string[]): Promise<ReadContext | undefined>;
  /**
   * Reads as `start` does for one calendar, with all present items of the groups that have one of these ids (at most 250) or an item
   * with one of them.
   */
  startWrite(
    key: CollectionKey & { readonly calendarId: string },
    ids: readonly string[],
  ): Promise<WriteContext | undefined>;
}
