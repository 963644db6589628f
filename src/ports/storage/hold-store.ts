import type { NotifyAttendees } from '../../model/index.ts';

/** Length of time, as instants: epoch ms, the end exclusive. */
export interface HeldSlot {
  readonly startMs: number;
  readonly endMs: number;
}

/** An account whose time a hold takes, and its calendars that were asked whether it is free. */
export interface HoldParticipant {
  readonly accountId: string;
  readonly calendarIds: readonly string[];
}

/** Calendars that get an event: the organizer's, or the first of each participant's. */
export type HoldReach = 'organizer' | 'each';

/** A slot to take for all participants, at least one unless one is chosen. The first one organizes. */
export interface NewHold extends HeldSlot {
  readonly id: string;
  readonly applicationId: string;
  /** In this order; each account once. */
  readonly participants: readonly HoldParticipant[];
  /** Zone in which the slot was asked for. */
  readonly timeZone: string;
  /** The hold of a booking that is to move to this slot; its own slot is not in the way. */
  readonly replaces: string | null;
  /** Calendars that are to show the slot while it is held; null when none. */
  readonly tentative: HoldReach | null;
  /** By which other slots are sought, and from where a booking moves; JSON, kept as it is. */
  readonly search: unknown;
  /** Recipients of mail about the writes of its events; null for the provider's default. */
  readonly notifyAttendees: NotifyAttendees | null;
  readonly createdAt: number;
}

/**
 * `held`: until it expires, or is confirmed. `confirming`: its events are being written, or were when the process died. `booked`:
 * they are written. `releasing`: it takes nothing, and its events are being removed.
 */
export type HoldState = 'held' | 'confirming' | 'booked' | 'releasing';

/** An account that a hold may be assigned to, and its share of the assignments. */
export interface Candidate extends HoldParticipant {
  readonly weight: number;
}

/** A choice of one of several accounts, by what a pool of the application has counted. */
export interface AssignmentOrder {
  readonly pool: string;
  /** Assignments before this instant are not counted; null counts all. */
  readonly sinceMs: number | null;
  /** Each account once, none of them a participant already. */
  readonly candidates: readonly Candidate[];
}

/** Assignments of an account in a pool. */
export interface AssignmentCount {
  readonly accountId: string;
  readonly assignments: number;
  readonly lastAssignedMs: number;
}

export interface HoldRow extends NewHold {
  /** Those of deleted accounts are not among them. `eventId` is set once the hold is booked, for those who have an event. */
  readonly participants: readonly (HoldParticipant & { readonly eventId: string | null })[];
  /** The pool in which its first participant was chosen; null for a hold without a choice. */
  readonly pool: string | null;
  readonly state: HoldState;
  /** The slot is taken until then, by the storage's clock, epoch ms. */
  readonly takenUntil: number;
  /** Whether it still is. */
  readonly isTaken: boolean;
  /** Raised by every confirmation that begins. */
  readonly epoch: number;
  /** Hash of what the confirmation writes; null before the first. */
  readonly bodyHash: string | null;
  /** Calendars that the confirmation writes to; null before the first. */
  readonly writeTo: HoldReach | null;
}

/** Revision of a calendar's mirror that a check for free time has read, or one before it. */
export interface SeenCalendar {
  readonly accountId: string;
  readonly calendarId: string;
  readonly revision: number;
}

export type HoldTaken =
  | { readonly kind: 'taken'; readonly hold: HoldRow }
  /** Other holds take a part of the slot. */
  | { readonly kind: 'in-way' }
  /** A mirror has another revision: check again. */
  | { readonly kind: 'moved' }
  /** Another hold that is still taken replaces the same one. */
  | { readonly kind: 'replacing' }
  /** One of the accounts is not the application's. */
  | { readonly kind: 'no-account' };

export type ConfirmationBegun =
  /** `isRepeat`: an earlier confirmation may have written events, or still be at it. */
  | { readonly kind: 'begun'; readonly hold: HoldRow; readonly isRepeat: boolean }
  | { readonly kind: 'booked'; readonly hold: HoldRow }
  /** An earlier confirmation writes something else. */
  | { readonly kind: 'other-body' }
  | { readonly kind: 'expired' }
  /** A confirmation that was left has expired, and others have taken a part of the slot since. */
  | { readonly kind: 'in-way' };

/** Time of an account that a hold takes. */
export interface TakenSlot extends HeldSlot {
  readonly holdId: string;
  readonly accountId: string;
}

/**
 * Stores slots that are taken for accounts until an instant of the storage's clock. A row whose time is over takes nothing: nothing
 * has to remove it. Of overlapping slots with a common account at most one is taken at any time. The deletion of an account
 * removes what it organizes, and takes it out of all other holds, in the same transaction.
 *
 * A row is *due* when work on its events is to be done, or was left. It is kept until then, whatever its time is.
 */
export interface HoldStore {
  /**
   * Takes the slot until `ttlMs` from now, if no other hold takes a part of it for any of the accounts, and no mirror has
   * moved since. Serialized with all other calls for the same accounts. The row is kept for `keptMs` after that, and due in
   * `dueInMs` unless that is null. Of a booking that moves, earlier moves whose time is over are removed.
   *
   * With `assign`, one candidate whom no other hold keeps from the slot is chosen, before the participants: the first whom `hostLine`
   * of `kalends/availability` names by what the pool has counted. The choice is recorded in the same transaction, and no other
   * choice among any of the candidates is made meanwhile. `in-way` when no candidate is left.
   */
  take(
    hold: NewHold,
    input: {
      readonly seen: readonly SeenCalendar[];
      readonly ttlMs: number;
      readonly keptMs: number;
      readonly dueInMs: number | null;
      readonly assign?: AssignmentOrder | undefined;
    },
  ): Promise<HoldTaken>;
  find(applicationId: string, id: string): Promise<HoldRow | undefined>;
  /**
   * Begins a confirmation: the slot stays taken for `ttlMs` from now at least, and the row is due then. Repeats one that was left,
   * also after its time, while nothing else takes the slot. Undefined when there is no such hold.
   */
  beginConfirmation(
    applicationId: string,
    id: string,
    input: {
      readonly bodyHash: string;
      readonly writeTo: HoldReach;
      readonly notifyAttendees: NotifyAttendees | null;
      readonly ttlMs: number;
      readonly keptMs: number;
    },
  ): Promise<ConfirmationBegun | undefined>;
  /**
   * Ends a confirmation whose events are written, by the accounts that have them: the slot stays taken for `ttlMs` from now, until the
   * mirrors of all participants show it. Undefined, and without effect, when there is no such confirmation, or its time was over and
   * others have taken a part of the slot. Of a booked hold: that one. The row is due at once if it has tentative events, else no more.
   */
  book(
    applicationId: string,
    id: string,
    input: {
      readonly eventIds: Readonly<Record<string, string>>;
      readonly ttlMs: number;
      readonly keptMs: number;
    },
  ): Promise<HoldRow | undefined>;
  /**
   * Moves a booked hold to the slot of another that replaces it, and removes that. False, and without effect, unless both are
   * there and the other's slot is still taken, or free to take.
   */
  replace(
    applicationId: string,
    id: string,
    input: { readonly by: string; readonly ttlMs: number; readonly keptMs: number },
  ): Promise<boolean>;
  /** Takes the slot of a `held` row until `ttlMs` from now at least. False, and without effect, when others have taken a part of it. */
  extend(applicationId: string, id: string, input: { readonly ttlMs: number }): Promise<boolean>;
  /**
   * Gives the slot of a hold in this state, and with this epoch if one is given, free, and marks it `releasing`, due in `dueInMs`.
   * With `notifyAttendees` or `tentative` they are set too. False when there is no such hold.
   */
  release(
    applicationId: string,
    id: string,
    expected: {
      readonly state: HoldState;
      readonly epoch?: number;
      readonly dueInMs: number;
      readonly notifyAttendees?: NotifyAttendees | null;
      readonly tentative?: HoldReach;
    },
  ): Promise<boolean>;
  /** Makes a `releasing` hold whose events stand `booked` again. It takes no time any more. False when there is none. */
  restore(applicationId: string, id: string): Promise<boolean>;
  /** Makes a row due in `dueInMs`, or with null when its time is over, unless it is not due at all. */
  postpone(applicationId: string, id: string, dueInMs: number | null): Promise<void>;
  /** Ends the work on a hold in this state and of this epoch: it has no tentative events, and is not due. False when there is none. */
  settle(
    applicationId: string,
    id: string,
    expected: { readonly state: HoldState; readonly epoch: number },
  ): Promise<boolean>;
  /** Lists holds of all applications that are due, those first that have been longest, up to `limit`. */
  listDue(limit: number): Promise<readonly HoldRow[]>;
  /** Removes a hold in this state, and with this epoch if one is given. False when there is none. */
  remove(
    applicationId: string,
    id: string,
    expected: { readonly state: HoldState; readonly epoch?: number },
  ): Promise<boolean>;
  /** Lists time of the accounts that is taken now and meets [from, to), in any order. */
  listTaken(applicationId: string, accountIds: readonly string[], window: HeldSlot): Promise<readonly TakenSlot[]>;
  /**
   * Counts the assignments of accounts in a pool: those of bookings, also when their holds are not kept any more, and those of holds
   * that are taken now. Accounts without any are not listed.
   */
  countAssigned(
    applicationId: string,
    pool: string,
    input: { readonly accountIds: readonly string[]; readonly sinceMs: number | null },
  ): Promise<readonly AssignmentCount[]>;
  /** Removes up to `limit` holds that need not be kept any longer; resolves with their number. */
  purge(limit: number): Promise<number>;
}
