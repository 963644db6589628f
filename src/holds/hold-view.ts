import type { Booking, CalendarEvent, Hold } from '../model/index.ts';
import type { HoldRow } from '../ports/index.ts';
import { shownSlot } from './slot-check.ts';

function shownParticipants({ participants }: HoldRow) {
  return participants.map(({ accountId, calendarIds }) => ({
    endUserAccountId: accountId,
    calendarIds: [...calendarIds],
  }));
}

export function viewHold(row: HoldRow): Hold {
  return {
    id: row.id,
    status: row.isTaken || row.state === 'booked' ? row.state : 'expired',
    ...shownSlot(row),
    participants: shownParticipants(row),
    expiresAt: new Date(row.takenUntil).toISOString(),
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

export function viewBooking(row: HoldRow, token: string, event: CalendarEvent | null): Booking {
  const { accountId, calendarId } = organizerOf(row);
  return {
    token,
    holdId: row.id,
    ...shownSlot(row),
    participants: shownParticipants(row),
    endUserAccountId: accountId,
    calendarId,
    event,
  };
}

/** Returns where the event of a hold is written. */
export function organizerOf({ participants }: HoldRow): { readonly accountId: string; readonly calendarId: string } {
  const [organizer] = participants;
  return { accountId: organizer?.accountId ?? '', calendarId: organizer?.calendarIds[0] ?? '' };
}
