import type { AuditRow } from './audit-store.ts';
import type { HeldLease } from './sync-stores.ts';

/** `receiving`: the file is being read. `matching`: events with its UIDs are looked up. `applying`: its events are written. */
export type ImportState = 'receiving' | 'matching' | 'applying' | 'finished' | 'failed';

/** Outcome of the events of one UID. */
export type ImportItemState = 'waiting' | 'created' | 'updated' | 'unchanged' | 'refused';

/** A part of an import that was not taken over: the field, and the rule that it breaks. Never a value. */
export interface ImportProblem {
  readonly field: string;
  readonly rule: string;
}

/** An import of a file into a calendar. */
export interface ImportRow {
  readonly id: string;
  readonly applicationId: string;
  readonly accountId: string;
  readonly calendarId: string;
  readonly state: ImportState;
  /** Whether it only reports, and writes no event. */
  readonly isDryRun: boolean;
  /** The file's calendars without their events, as iCalendar text: time zones and the properties of the calendars. */
  readonly frame: string;
  /** Lines of the file that were passed over. */
  readonly problems: readonly ImportProblem[];
  /** Code of the error that ended it; null without one. */
  readonly errorCode: string | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

/** Names an import. */
export type ImportRef = Pick<ImportRow, 'applicationId' | 'accountId' | 'id'>;

/** An import that a process works on, under the lease of its name. */
export interface ImportHold extends ImportRef {
  readonly lease: HeldLease;
}

/** The components of one UID of a file. */
export interface ImportItem {
  /** Of one length, however long the UID is. */
  readonly uidKey: string;
  readonly uid: string;
  /** VEVENT components as iCalendar text. */
  readonly components: string;
}

/** An item to apply. */
export interface WaitingItem extends ImportItem {
  /** Whether the file has more of this UID than `ITEM_LENGTH`; the rest was left out. */
  readonly isTooLong: boolean;
  /** Id of the event with this UID in the calendar; null without one. */
  readonly eventId: string | null;
  /** Whether the import has begun to create its event: if a crash cuts that short, the event still counts as created. */
  readonly isBegun: boolean;
  /** How often it has failed. */
  readonly failures: number;
}

export interface ItemOutcome {
  readonly state: Exclude<ImportItemState, 'waiting'>;
  readonly problems: readonly ImportProblem[];
}

/** Most characters of the components of one UID. */
export const ITEM_LENGTH = 2_000_000;

/**
 * Stores imports under way, and the reports of those that are over. An import goes with its account. Calls with a hold
 * change nothing once the lease is another's. @throws KalendsError Conflict then
 */
export interface ImportStore {
  /** Resolves `running`, changing nothing, while an import of the calendar is not over; `unknown` for an account that is not the application's. */
  begin(row: ImportRow, audit?: AuditRow): Promise<'begun' | 'running' | 'unknown'>;
  /** Adds components to the items of their UIDs. No UID twice in one call. Without effect for an import that is gone. */
  addItems(hold: ImportHold, items: readonly ImportItem[]): Promise<void>;
  /** Changes an import that is not over. `dueInMs` is the time after which another process may look at it. Clears `due` when it is over. */
  change(
    hold: ImportHold,
    change: Partial<Pick<ImportRow, 'state' | 'frame' | 'problems' | 'errorCode' | 'finishedAt'>> & {
      readonly dueInMs?: number;
    },
  ): Promise<void>;
  find(ref: ImportRef): Promise<ImportRow | undefined>;
  /** Counts items by state; states without items are left out. */
  count(ref: ImportRef): Promise<Partial<Record<ImportItemState, number>>>;
  /** Items with problems, ascending by `uidKey`. */
  listProblems(
    ref: ImportRef,
    input: { readonly limit: number; readonly after?: string },
  ): Promise<readonly { readonly uidKey: string; readonly uid: string; readonly problems: readonly ImportProblem[] }[]>;
  /** Lists imports that are not over and due, the longest due first. One whose lease, `import:{accountId}:{id}`, is held is left out. */
  listDue(limit: number): Promise<readonly ImportRow[]>;
  /** Notes which events have UIDs of the file. A later match of an item replaces one before. */
  match(hold: ImportHold, events: readonly { readonly uidKey: string; readonly eventId: string }[]): Promise<void>;
  /** Notes that the import begins to create the event of an item that waits. Without effect for another. */
  beginItem(hold: ImportHold, uidKey: string): Promise<void>;
  /** Reads items that wait, those that failed least first, then ascending by `uidKey`. */
  nextItems(ref: ImportRef, limit: number): Promise<readonly WaitingItem[]>;
  /** Ends an item that waits: its components are removed. Without effect for another. */
  settleItem(hold: ImportHold, uidKey: string, outcome: ItemOutcome): Promise<void>;
  /** Counts a failure of an item that waits. */
  failItem(hold: ImportHold, uidKey: string): Promise<void>;
  /** Removes an import with its items. */
  discard(hold: ImportHold): Promise<void>;
  /** Removes up to `limit` imports that were over before `before`; resolves with their number. */
  purge(before: number, limit: number): Promise<number>;
}
