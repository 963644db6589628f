import type { Untold } from 'kalends/ports';
import { writeAttendees } from './attendees.ts';
import type { WireAttendee, WireEvent } from './event-wire.ts';
import type { WireBody } from './event-writing.ts';

/** Comments and companions of guests, by their addresses in lower case. */
type Guests = Readonly<Record<string, Pick<WireAttendee, 'comment' | 'additionalGuests'>>>;

/** Returns the parts of an event that no write of fields repeats. */
export function readUntold({ source, anyoneCanAddSelf, attendees }: WireEvent): Untold {
  const guests = (attendees ?? []).flatMap(({ email, comment, additionalGuests }): [string, Guests[string]][] =>
    comment || additionalGuests ? [[fold(email), { comment, additionalGuests }]] : [],
  );
  return {
    ...(source == null ? {} : { source }),
    ...(anyoneCanAddSelf === true ? { anyoneCanAddSelf } : {}),
    ...(guests.length === 0 ? {} : { guests: Object.fromEntries(guests) }),
  };
}

/** Whether the parts are some of the guest list, which Google replaces whole. */
export function isOfGuests(untold: Untold | undefined): boolean {
  return untold?.['guests'] !== undefined;
}

/** Adds the parts to a body: those of guests to its list, or to the present one. */
export function withUntold(body: WireBody, untold: Untold = {}, fresh?: WireEvent): WireBody {
  const { guests, ...parts } = untold;
  if (!isOfGuests(untold)) return { ...body, ...parts };
  const present = (fresh?.attendees ?? []).map(({ email }) => ({ email: email ?? '' }));
  const list = (body['attendees'] ?? writeAttendees(present, fresh)) as readonly WireAttendee[];
  const told = new Map(Object.entries((guests ?? {}) as Guests));
  const attendees = list.map(({ comment: _, additionalGuests: __, ...guest }) => ({
    ...guest,
    ...told.get(fold(guest.email)),
  }));
  return { ...body, ...parts, attendees };
}

function fold(email: string | null | undefined): string {
  return (email ?? '').toLowerCase();
}
