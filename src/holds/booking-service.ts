import type { Caller } from '../engine-interface.ts';
import { KalendsError } from '../errors.ts';
import type { BookingService } from '../hold-interface.ts';
import { bookingMove, type CalendarEvent, eventNotifyQuery, parseInput } from '../model/index.ts';
import type { HeldSlot, HoldRow } from '../ports/index.ts';
import { createId } from '../runtime/index.ts';
import { readSlot } from './hold-input.ts';
import { BOOKING_KEPT_MS, foundOrNull, type HoldServiceDeps, isRefusal, SETTLING_MS } from './hold-service.ts';
import { organizerOf, viewBooking } from './hold-view.ts';
import { shownSlot } from './slot-check.ts';
import { takeSlot, WRITE_MS } from './slot-taking.ts';

/** Bookings: confirmed holds and their events, by token. */
export function createBookingService(deps: HoldServiceDeps): BookingService {
  const { holds, check, events, tokens, clock, random } = deps;

  async function find({ applicationId }: Caller, token: string): Promise<HoldRow> {
    const id = tokens.read(applicationId, token);
    const row = id === undefined ? undefined : await holds.find(applicationId, id);
    if (row?.state !== 'booked') throw noBooking();
    return row;
  }

  const readEvent = (caller: Caller, row: HoldRow) => {
    const { accountId, calendarId } = organizerOf(row);
    return foundOrNull(events.get(caller, accountId, calendarId, row.eventId ?? ''));
  };

  return {
    async get(caller, token) {
      const row = await find(caller, token);
      return viewBooking(row, tokens.create(caller.applicationId, row.id), await readEvent(caller, row));
    },

    async move(caller, token, body, query = {}) {
      const { notifyAttendees } = parseInput(eventNotifyQuery, query);
      const { pullFirst = false, ...asked } = parseInput(bookingMove, body);
      const slot = readSlot({ ...asked }, clock.now());
      const { applicationId } = caller;
      const row = await find(caller, token);
      const before = await readEvent(caller, row);
      if (before === null) throw new KalendsError('NotFound', 'The event of the booking has been deleted.');
      const next = {
        ...slot,
        id: createId(random, 'hld'),
        applicationId,
        participants: row.participants,
        replaces: row.id,
        createdAt: clock.now(),
      };
      await takeSlot({ check, holds }, next, { ttlMs: WRITE_MS, pullFirst, own: timeOf(before) });
      const { accountId, calendarId } = organizerOf(row);
      const { startDateTime, endDateTime, timeZone } = shownSlot(slot);
      const times = { start: { dateTime: startDateTime, timeZone }, end: { dateTime: endDateTime, timeZone } };
      let event: CalendarEvent;
      try {
        event = await events.update(caller, accountId, calendarId, before.id, times, { notifyAttendees });
      } catch (error) {
        if (isRefusal(error)) await holds.remove(applicationId, next.id, { state: 'held' });
        throw error;
      }
      const by = { by: next.id, ttlMs: SETTLING_MS, keptMs: BOOKING_KEPT_MS };
      if (!(await holds.replace(applicationId, row.id, by))) {
        throw new KalendsError('Conflict', 'The booking was cancelled, or its slot taken, while its event was moved.');
      }
      return viewBooking({ ...row, ...slot }, tokens.create(applicationId, row.id), event);
    },

    async cancel(caller, token, query = {}) {
      const { notifyAttendees } = parseInput(eventNotifyQuery, query);
      const row = await find(caller, token);
      const { accountId, calendarId } = organizerOf(row);
      // Without an event there is nothing left to delete: an earlier attempt did, or a person.
      await foundOrNull(events.delete(caller, accountId, calendarId, row.eventId ?? '', { notifyAttendees }));
      if (!(await holds.remove(caller.applicationId, row.id, { state: 'booked' }))) throw noBooking();
    },
  };
}

function timeOf({ start, end }: CalendarEvent): HeldSlot {
  return { startMs: Date.parse(start.dateTime), endMs: Date.parse(end.dateTime) };
}

const noBooking = () => new KalendsError('NotFound', 'There is no such booking.');
