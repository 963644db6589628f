import type { EventAttendee, ResponseStatus } from 'kalends/model';
import type { EventPatch } from 'kalends/ports';
import { unsupported } from './errors.ts';
import type { WireAttendee, WireEvent } from './wire.ts';

type AttendeeInput = NonNullable<EventPatch['attendees']>[number];

const RESPONSES: ReadonlySet<string> = new Set(['needsAction', 'declined', 'tentative', 'accepted']);

/** Maps attendees. Google rarely gives a guest an id: the address in lower case stands in. */
export function readAttendees(wire: WireEvent['attendees']): EventAttendee[] {
  return (wire ?? []).map((attendee) => ({
    id: attendee.id ?? fold(attendee.email),
    name: attendee.displayName ?? '',
    email: attendee.email ?? '',
    responseStatus: readResponse(attendee.responseStatus),
  }));
}

export function readResponse(status: string | null | undefined): ResponseStatus {
  return status != null && RESPONSES.has(status) ? (status as ResponseStatus) : 'needsAction';
}

/** The account's own answer: that of its entry in the list; an organizer without an entry has accepted. */
export function readOwnResponse(wire: Pick<WireEvent, 'attendees' | 'organizer'>): ResponseStatus | undefined {
  const own = ownEntry(wire);
  if (own !== undefined) return readResponse(own.responseStatus);
  return wire.organizer?.self === true ? 'accepted' : undefined;
}

/** The account's own entry among the attendees. */
export function ownEntry(wire: Pick<WireEvent, 'attendees'>): WireAttendee | undefined {
  return wire.attendees?.find((attendee) => attendee.self === true);
}

/**
 * The whole attendee list of a body. Google replaces the list, so that guests who stay keep the answer, comment and
 * kind they have now; only the account's own answer may be changed here.
 * @throws ProviderError unsupported when Google shows only part of the list, which a write would then cut
 */
export function writeAttendees(
  wanted: readonly AttendeeInput[] | null,
  current: Pick<WireEvent, 'attendees' | 'attendeesOmitted'> | undefined,
): readonly Readonly<Record<string, unknown>>[] {
  if (current?.attendeesOmitted === true) {
    throw unsupported('attendees', 'Google shows only part of the guest list of this event');
  }
  const byEmail = new Map((current?.attendees ?? []).map((attendee) => [fold(attendee.email), attendee]));
  return (wanted ?? []).map((input) => mergeAttendee(input, byEmail.get(fold(input.email))));
}

function mergeAttendee(input: AttendeeInput, current: WireAttendee | undefined): Readonly<Record<string, unknown>> {
  const name = input.name === undefined ? current?.displayName : input.name;
  const response =
    current === undefined || (current.self === true && input.responseStatus !== undefined)
      ? input.responseStatus
      : current.responseStatus;
  const entry = {
    email: current?.email ?? input.email,
    displayName: name,
    responseStatus: response,
    optional: current?.optional,
    resource: current?.resource,
    comment: current?.comment,
    additionalGuests: current?.additionalGuests,
  };
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value != null && value !== ''));
}

function fold(email: string | null | undefined): string {
  return (email ?? '').toLowerCase();
}
