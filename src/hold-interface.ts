import type { Caller } from './callers.ts';
import type { Booking, BookingMove, Hold, HoldConfirm, HoldCreate, NotifyAttendees } from './model/index.ts';

/** A write of a booking, which may send mail. */
export interface BookingWriteRequest {
  /** Recipients of the provider's mail about the write, as with events. */
  readonly notifyAttendees?: NotifyAttendees | undefined;
}

/** Slots that are taken for some minutes, while a person fills in a form. They keep no user of a provider from anything. */
export interface HoldService {
  /**
   * Takes a slot for all participants, if their calendars and all other holds leave it free. With `tentativeEvent` calendars show it
   * until the hold ends; when one of them cannot, nothing is held.
   * @throws KalendsError SlotTaken with the next free slots, NotFound for an account or a calendar, CalendarSyncing
   */
  create(caller: Caller, body: HoldCreate): Promise<Hold>;
  /** Returns a hold; an expired one for another day. */
  get(caller: Caller, holdId: string): Promise<Hold>;
  /** Releases a slot. @throws KalendsError Conflict for one that is being confirmed, or is booked */
  delete(caller: Caller, holdId: string): Promise<void>;
  /**
   * Writes the event of a hold to the organizer's calendar, or one to the calendar of each participant, if the slot still is free in all
   * calendars. Of several events all are written or none. A repetition with the same body resolves with the same booking, and writes
   * nothing twice. A refusal releases the slot.
   * @throws KalendsError SlotTaken with the next free slots, Conflict for an expired hold or another body, the provider's failure
   */
  confirm(caller: Caller, holdId: string, body: HoldConfirm, request?: BookingWriteRequest): Promise<Booking>;
}

/** Confirmed holds, by the token that their answers carry. @throws KalendsError NotFound, the same whatever is wrong with a token */
export interface BookingService {
  get(caller: Caller, token: string): Promise<Booking>;
  /**
   * Moves a booking and its events to another slot, if it is free for all participants; its own time is not in the way. A refusal by any
   * provider moves none.
   * @throws KalendsError SlotTaken with the next free slots, NotFound when the event has been deleted
   */
  move(caller: Caller, token: string, body: BookingMove, request?: BookingWriteRequest): Promise<Booking>;
  /** Deletes the events and ends the booking. A refusal of the organizer's provider leaves it as it is. */
  cancel(caller: Caller, token: string, request?: BookingWriteRequest): Promise<void>;
}
