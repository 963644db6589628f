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

/** A slot to take for all participants, at least one. The first one's first calendar is to have the event. */
export interface NewHold extends HeldSlot {
  readonly id: string;
  readonly applicationId: string;
  /** In this order; each account once. */
  readonly participants: readonly HoldParticipant[];
  /** Zone in which the slot was asked for. */
  readonly timeZone: string;
  /** The hold of a booking that is to move to this slot; its own slot is not in the way. */
  readonly replaces: string | null;
  readonly createdAt: number;
}

/**
 * `held`: until it expires, or is confirmed. `confirming`: its event is being written, or was when the process died. `booked`:
 * the event is written.
 */
export type HoldState = 'held' | 'confirming' | 'booked';

export interface HoldRow extends NewHold {
  /** Those of deleted accounts are not among them. */
  readonly participants: readonly HoldParticipant[];
  readonly state: HoldState;
  /** The slot is taken until then, by the storage's clock, epoch ms. */
  readonly takenUntil: number;
  /** Whether it still is. */
  readonly isTaken: boolean;
  /** Raised by every confirmation that begins. */
  readonly epoch: number;
  /** Hash of what the confirmation writes; null before the first. */
  readonly bodyHash: string | null;
  /** Set exactly when it is booked. */
  readonly eventId: string | null;
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
  /** `isRepeat`: an earlier confirmation may have written the event, or still be at it. */
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
 */
export interface HoldStore {
  /**
   * Takes the slot until `ttlMs` from now, if no other hold takes a part of it for any of the accounts, and no mirror has
   * moved since. Serialized with all other calls for the same accounts. The row is kept for `keptMs` after that.
   */
  take(
    hold: NewHold,
    input: { readonly seen: readonly SeenCalendar[]; readonly ttlMs: number; readonly keptMs: number },
  ): Promise<HoldTaken>;
  find(applicationId: string, id: string): Promise<HoldRow | undefined>;
  /**
   * Begins a confirmation: the slot stays taken for `ttlMs` from now at least. Repeats one that was left, also after its time,
   * while nothing else takes the slot. Undefined when there is no such hold.
   */
  beginConfirmation(
    applicationId: string,
    id: string,
    input: { readonly bodyHash: string; readonly ttlMs: number; readonly keptMs: number },
  ): Promise<ConfirmationBegun | undefined>;
  /**
   * Ends a confirmation whose event is written: the slot stays taken for `ttlMs` from now, until the mirrors of all participants
   * show the event. Undefined, and without effect, when there is no such confirmation, or its time was over and others have
   * taken a part of the slot. Of a booked hold: that one.
   */
  book(
    applicationId: string,
    id: string,
    input: { readonly eventId: string; readonly ttlMs: number; readonly keptMs: number },
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
  /** Removes a hold in this state, and with this epoch if one is given. False when there is none. */
  remove(
    applicationId: string,
    id: string,
    expected: { readonly state: HoldState; readonly epoch?: number },
  ): Promise<boolean>;
  /** Lists time of the accounts that is taken now and meets [from, to), in any order. */
  listTaken(applicationId: string, accountIds: readonly string[], window: HeldSlot): Promise<readonly TakenSlot[]>;
  /** Removes up to `limit` holds that need not be kept any longer; resolves with their number. */
  purge(limit: number): Promise<number>;
}
