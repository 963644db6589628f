import type { Caller } from '../engine-interface.ts';
import { KalendsError } from '../errors.ts';
import type { CalendarEvent } from '../model/index.ts';
import type { Clock, HeldSlot, HoldRow, HoldStore, Logger } from '../ports/index.ts';
import { describeError } from '../runtime/index.ts';
import type { HoldTarget } from './hold-events.ts';
import { begunFailure, foundOrNull, isRefusal } from './hold-failures.ts';
import { BOOKING_KEPT_MS, SETTLING_MS, writeMs } from './hold-times.ts';
import { type BookedEvent, bookedEvents } from './hold-view.ts';
import { timeOf } from './own-times.ts';
import { type MovesFrom, searchOf } from './slot-search.ts';
import { type EventTimes, isAt, timesIn } from './zoned-slot.ts';

/** Moves the events of bookings to slots that are taken already. */
export interface BookingMoves {
  /**
   * Moves the events of a booking to the slot of `next`, which replaces it, then the booking itself. Resolves with the organizer's event.
   * A refusal of any of them moves back the others and gives the slot free; any other failure leaves the rest to `finish`.
   */
  perform(caller: Caller, booking: HoldRow, next: HoldRow): Promise<CalendarEvent>;
  /** Finishes a move that its process has left, while its slot is taken or free to take, and undoes it otherwise. */
  finish(next: HoldRow): Promise<void>;
}

export interface BookingMovesDeps {
  readonly holds: HoldStore;
  readonly events: HoldTarget;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A move whose provider does not answer for so long is undone: it would take its slot for ever. */
const LONGEST_MOVE_MS = 3_600_000;

export function createBookingMoves({ holds, events, clock, logger }: BookingMovesDeps): BookingMoves {
  const write = (caller: Caller, { accountId, calendarId, eventId }: BookedEvent, times: EventTimes, mail: HoldRow) => {
    const { notifyAttendees } = mail;
    const request = notifyAttendees === null ? {} : { notifyAttendees };
    // A person may have made it an event of whole days.
    return events.update(caller, accountId, calendarId, eventId, { isAllDay: false, ...times }, request);
  };

  /** Moves events that are in the new slot back to where they were, and otherwise to the slot of the booking. */
  async function moveBack(caller: Caller, booking: HoldRow, next: HoldRow, movesFrom: MovesFrom = {}): Promise<void> {
    for (const booked of bookedEvents(booking)) {
      const { accountId, calendarId, eventId } = booked;
      try {
        const event = await foundOrNull(events.get(caller, accountId, calendarId, eventId));
        if (event === null || !isIn(event, next)) continue;
        await foundOrNull(write(caller, booked, movesFrom[accountId] ?? timesIn(booking), next));
      } catch (error) {
        if (!isRefusal(error)) throw error;
        logger.warn('an event could not be moved back', { holdId: booking.id, accountId, error: describeError(error) });
      }
    }
  }

  /** Undoes a move. A process that stood still meanwhile leaves alone what another one has finished. */
  async function undo(caller: Caller, booking: HoldRow, next: HoldRow): Promise<void> {
    const row = await holds.find(next.applicationId, booking.id);
    const current = row?.state === 'booked' ? row : booking;
    // After another move the events belong in its slot.
    const movesFrom = isAt(current, booking) ? searchOf(next).movesFrom : undefined;
    if (!isAt(current, next)) await moveBack(caller, current, next, movesFrom);
    await holds.remove(next.applicationId, next.id, { state: 'held' });
  }

  async function moveAll(caller: Caller, booking: HoldRow, next: HoldRow): Promise<CalendarEvent> {
    const [organized, ...copies] = bookedEvents(booking);
    if (organized === undefined) throw new KalendsError('NotFound', 'The booking has no event.');
    const event = await write(caller, organized, timesIn(next), next);
    // A copy that its participant has deleted stays deleted.
    for (const copy of copies) await foundOrNull(write(caller, copy, timesIn(next), next));
    return event;
  }

  async function perform(caller: Caller, booking: HoldRow, next: HoldRow): Promise<CalendarEvent> {
    let event: CalendarEvent;
    try {
      event = await moveAll(caller, booking, next);
    } catch (error) {
      if (isRefusal(error)) await undo(caller, booking, next);
      throw begunFailure(error);
    }
    const by = { by: next.id, ttlMs: SETTLING_MS, keptMs: BOOKING_KEPT_MS };
    if (await holds.replace(next.applicationId, booking.id, by)) return event;
    const row = await holds.find(next.applicationId, booking.id);
    if (row?.state === 'booked' && isAt(row, next)) return event;
    await undo(caller, booking, next);
    throw new KalendsError('Conflict', 'The booking was cancelled, or its slot taken, while its event was moved.');
  }

  return {
    perform,
    async finish(next) {
      const { applicationId, id } = next;
      const caller = { applicationId };
      const isLate = clock.now() - next.createdAt > LONGEST_MOVE_MS;
      const booking = await holds.find(applicationId, next.replaces ?? '');
      if (booking?.state !== 'booked') {
        await holds.remove(applicationId, id, { state: 'held' });
      } else if (!isLate && (await holds.extend(applicationId, id, { ttlMs: writeMs('each') }))) {
        await perform(caller, booking, next).catch((error: unknown) => {
          if (!isRefusal(error)) throw error;
          logger.warn('a move of a booking was refused', { holdId: booking.id, error: describeError(error) });
        });
      } else await undo(caller, booking, next);
    },
  };
}

const isIn = (event: CalendarEvent, slot: HeldSlot): boolean => isAt(timeOf(event), slot);
