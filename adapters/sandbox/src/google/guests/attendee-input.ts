import { badRequest } from '../api/google-error.ts';
import { isObject, readBoolean, readChoice, readString } from '../api/json.ts';
import type { Attendee, Json } from '../api/wire.ts';
import { sameAddress } from '../google-context.ts';

const RESPONSES = ['needsAction', 'declined', 'tentative', 'accepted'] as const;
const ADDRESS = /^[^\s@]+@[^\s@]+$/;

/**
 * Reads an attendee list; an absent response is reset to `needsAction`. `self` and `organizer` are not
 * read: they depend on the copy that is shown.
 * @throws GoogleError 400
 */
export function readAttendees(value: unknown): Attendee[] | undefined {
  if (value == null) return undefined;
  if (!Array.isArray(value)) throw badRequest('Invalid value for: attendees');
  const attendees: Attendee[] = [];
  for (const item of value) {
    const attendee = readAttendee(item);
    if (attendees.some((other) => sameAddress(other.email, attendee.email))) continue;
    attendees.push(attendee);
  }
  if (attendees.length === 0) return undefined;
  return attendees;
}

function readAttendee(item: unknown): Attendee {
  if (!isObject(item)) throw badRequest('Invalid value for: attendees');
  const email = readString(item, 'email');
  if (email === undefined || !ADDRESS.test(email)) throw badRequest('Invalid attendee email.');
  return {
    email,
    responseStatus: readChoice(item, 'responseStatus', RESPONSES) ?? 'needsAction',
    ...optionalParts(item),
  };
}

function optionalParts(item: Json): Partial<Attendee> {
  const displayName = readString(item, 'displayName');
  const comment = readString(item, 'comment');
  const guests = item['additionalGuests'];
  return {
    ...(displayName === undefined ? {} : { displayName }),
    ...(readBoolean(item, 'optional') ? { optional: true } : {}),
    ...(readBoolean(item, 'resource') ? { resource: true } : {}),
    ...(comment === undefined || comment === '' ? {} : { comment }),
    ...(typeof guests === 'number' && guests > 0 ? { additionalGuests: guests } : {}),
  };
}
