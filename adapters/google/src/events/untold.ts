import type { Untold } from 'kalends/ports';
import { writeAttendees } from './attendees.ts';
import type { WireAttendee, WireEvent } from './event-wire.ts';
import type { WireBody } from './event-writing.ts';

/** Comments and companions of guests, by their addresses in lower case. */
type Guests = Readonly<Record<string, Pick<WireAttendee, 'comment' | 'additionalGuests'>>>;

/** Returns the parts of an event that no write of fields repeats. */
export function readUntold({ source, anyoneCanAddSelf, eventLabelId, attendees }: WireEvent): Untold {
  const guests = (attendees ?? []).flatMap(({ email, comment, additionalGuests }): [string, Guests[string]][] =>
    comment || additionalGuests ? [[fold(email), { comment, additionalGuests }]] : [],
  );
  return {
    ...(source == null ? {} : { source }),
    ...(anyoneCanAddSelf === true ? { anyoneCanAddSelf } : {}),
    ...(eventLabelId ? { eventLabelId } : {}),
    ...(guests.length === 0 ? {} : { guests: Object.fromEntries(guests) }),
  };
}

/** Whether the parts are some of the guest list, which Google replaces whole. */
export function isOfGuests(untold: Untold | undefined): boolean {
  return untold?.['guests'] !== undefined;
}

/**
 * Returns the parts that a series goes on with in a new one, whose guest list is merged into that of the series. Another colour
 * replaces its label: Google ignores colours beside one.
 */
export function untoldOfContinued(series: WireEvent, body: WireBody): Untold {
  const { guests: _, eventLabelId, ...parts } = readUntold(series);
  const isRecoloured = (body['colorId'] ?? null) !== (series.colorId ?? null);
  return eventLabelId === undefined || isRecoloured ? parts : { ...parts, eventLabelId };
}

/** Adds the parts to a body: those of guests to its list, or to the present one. */
export function withUntold(given: WireBody, untold: Untold = {}, fresh?: WireEvent): WireBody {
  const { guests, eventLabelId, ...parts } = untold;
  const body = withLabel(given, eventLabelId);
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

/** Adds a label, or takes it off where it is null: a colour does that too, and would be ignored beside a label. */
function withLabel(body: WireBody, eventLabelId: unknown): WireBody {
  if (eventLabelId === undefined || (eventLabelId === null && body['colorId'] != null)) return body;
  return { ...body, eventLabelId: eventLabelId ?? '' };
}

function fold(email: string | null | undefined): string {
  return (email ?? '').toLowerCase();
}
