import type { Booking, CalendarEvent, Hold } from '../model/index.ts';
import type { HoldReach, HoldRow } from '../ports/index.ts';
import { shownSlot } from './zoned-slot.ts';

function shownParticipants({ participants }: HoldRow) {
  return participants.map(({ accountId, calendarIds }) => ({
    endUserAccountId: accountId,
    calendarIds: [...calendarIds],
  }));
}

/** Shows a hold that is not being released. */
export function viewHold(row: HoldRow, token: string): Hold {
  const { state } = row;
  return {
    id: row.id,
    status: (row.isTaken || state === 'booked') && state !== 'releasing' ? state : 'expired',
    ...shownSlot(row),
    participants: shownParticipants(row),
    expiresAt: new Date(row.takenUntil).toISOString(),
    createdAt: new Date(row.createdAt).toISOString(),
    assignment: assignmentOf(row),
    bookingToken: state === 'booked' ? token : null,
  };
}

function assignmentOf({ pool, participants: [chosen] }: HoldRow): Hold['assignment'] {
  return pool === null || chosen === undefined ? null : { pool, endUserAccountId: chosen.accountId };
}

export function viewBooking(row: HoldRow, token: string, event: CalendarEvent | null): Booking {
  const { accountId, calendarId } = placeOf(row.participants[0]);
  return {
    token,
    holdId: row.id,
    ...shownSlot(row),
    participants: shownParticipants(row),
    endUserAccountId: accountId,
    calendarId,
    event,
    participantEvents: bookedEvents(row).map((booked) => ({
      endUserAccountId: booked.accountId,
      calendarId: booked.calendarId,
      eventId: booked.eventId,
    })),
  };
}

/** An event of a booking. */
export interface BookedEvent extends Place {
  readonly eventId: string;
}

/** Returns the events of a booking, that of the organizer first. */
export function bookedEvents({ participants }: HoldRow): readonly BookedEvent[] {
  return participants.flatMap((participant) =>
    participant.eventId === null ? [] : [{ ...placeOf(participant), eventId: participant.eventId }],
  );
}

/** Calendar of an event. */
export interface Place {
  readonly accountId: string;
  readonly calendarId: string;
}

/** Returns where the event of a participant is written. */
export function placeOf(participant: HoldRow['participants'][number] | undefined): Place {
  return { accountId: participant?.accountId ?? '', calendarId: participant?.calendarIds[0] ?? '' };
}

/** Returns where a hold has events that reach so far. */
export function placesOf({ participants }: HoldRow, reach: HoldReach | null): readonly Place[] {
  if (reach === null) return [];
  return participants.slice(0, reach === 'each' ? participants.length : 1).map(placeOf);
}
