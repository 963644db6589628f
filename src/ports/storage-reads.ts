import type { AccountRow } from './storage-accounts.ts';
import type { CollectionState } from './storage-mirror.ts';
import type { ScheduleState } from './storage-sync.ts';

/** What is known before events of an account are read. */
export interface ReadStart {
  readonly account: AccountRow;
  /** Of the calendars that were asked for those whose events have a collection, in no order. */
  readonly calendars: readonly CalendarStart[];
}

/** A calendar's mirror, as `mirror.find`, `schedule.get` and `channels.list` would tell of it. */
export interface CalendarStart {
  readonly calendarId: string;
  /** Whether the account's calendar list has been mirrored as a whole, and has the calendar. */
  readonly isListed: boolean;
  readonly state: CollectionState;
  readonly schedule: ScheduleState;
  /** When the last of the push channels that the provider has confirmed ends; null: there is none. */
  readonly pushUntil: number | null;
}

/** Looks ahead for readers: what they would ask for one by one, at once. */
export interface ReadStore {
  /** Everything as of one moment; undefined when the application has no such account. At most 250 calendars. */
  start(applicationId: string, accountId: string, calendarIds: readonly string[]): Promise<ReadStart | undefined>;
}
