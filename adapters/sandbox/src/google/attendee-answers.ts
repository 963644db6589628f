import { readAttendees } from './attendee-input.ts';
import { sameAddress } from './google-context.ts';
import { badRequest } from './google-error.ts';
import type { EventFields } from './google-state.ts';
import type { Attendee, Json } from './wire.ts';

/**
 * Spells out a patch with `attendeesOmitted: true`: the present guest list with only the calendar's own answer
 * changed, a comment ignored. Somebody who is not on the list is added by it.
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

/** The guest list with one answer changed, or that guest added. */
export function withAnswer(attendees: readonly Attendee[], email: string, responseStatus: string): Attendee[] {
  if (!attendees.some((attendee) => sameAddress(attendee.email, email))) {
    return [...attendees, { email, responseStatus }];
  }
  return attendees.map((attendee) => (sameAddress(attendee.email, email) ? { ...attendee, responseStatus } : attendee));
}
