import { badRequest } from '../api/google-error.ts';
import type { Attendee, Json } from '../api/wire.ts';
import { sameAddress } from '../google-context.ts';
import type { EventFields } from '../google-state.ts';
import { readAttendees } from './attendee-input.ts';

/**
 * Expands a patch with `attendeesOmitted: true` to the current guest list with only the calendar's own answer
 * changed, and without the comment. A caller who is not on the list is added to it.
 * @throws GoogleError 400 when the list names no entry of the calendar's own
 */
export function spellOutOmittedAttendees(before: EventFields, body: Json, calendarId: string): Json {
  if (body['attendeesOmitted'] !== true) return body;
  const { attendeesOmitted: _omitted, attendees, ...rest } = body;
  const sent = readAttendees(attendees);
  if (sent === undefined) return rest;
  const own = sent.find((attendee) => sameAddress(attendee.email, calendarId));
  if (own === undefined) throw badRequest('Only the own response can be changed when attendees are omitted.');
  return { ...rest, attendees: withAnswer(before.attendees ?? [], own.email, own.responseStatus) };
}

/** Returns the guest list of a write. Google takes `resource` only when it adds a guest, and ignores later changes of it. */
export function withKeptResources(
  before: readonly Attendee[] | undefined,
  after: readonly Attendee[] | undefined,
): Attendee[] | undefined {
  return after?.map((guest) => {
    const present = before?.find((other) => sameAddress(other.email, guest.email));
    if (present === undefined) return guest;
    const { resource: _, ...rest } = guest;
    return present.resource === true ? { ...rest, resource: true } : rest;
  });
}

/** Returns the guest list with one answer changed, or that guest added. */
export function withAnswer(attendees: readonly Attendee[], email: string, responseStatus: string): Attendee[] {
  if (!attendees.some((attendee) => sameAddress(attendee.email, email))) {
    return [...attendees, { email, responseStatus }];
  }
  return attendees.map((attendee) => (sameAddress(attendee.email, email) ? { ...attendee, responseStatus } : attendee));
}
