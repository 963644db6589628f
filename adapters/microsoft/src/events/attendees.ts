import type { EventAttendee, ResponseStatus } from 'kalends/model';
import { type EventPatch, ProviderError } from 'kalends/ports';
import type { WireAttendee, WireEvent } from './event-wire.ts';

/** Graph's answers in neutral words. */
export function readResponse(response: string | null | undefined): ResponseStatus {
  switch (response) {
    case 'accepted':
    case 'organizer':
      return 'accepted';
    case 'tentativelyAccepted':
      return 'tentative';
    case 'declined':
      return 'declined';
    default:
      return 'needsAction';
  }
}

/** Attendees of an event. Graph gives them no id, so the address serves. */
export function readAttendees(attendees: readonly WireAttendee[] | null | undefined): EventAttendee[] {
  return (attendees ?? []).map((attendee) => {
    const email = attendee.emailAddress?.address ?? '';
    return {
      id: email.toLowerCase(),
      name: attendee.emailAddress?.name ?? '',
      email,
      responseStatus: readResponse(attendee.status?.response),
    };
  });
}

/**
 * The list of attendees to write. Graph replaces it whole, so those who stay are sent as they stand, with kind and answer.
 * @throws ProviderError unsupported for an answer given on behalf of somebody else
 */
export function writeAttendees(attendees: NonNullable<EventPatch['attendees']>, before: WireEvent | null): unknown[] {
  const known = new Map(
    (before?.attendees ?? []).map((attendee) => [attendee.emailAddress?.address?.toLowerCase(), attendee]),
  );
  return attendees.map(({ email, name, responseStatus }) => {
    const current = known.get(email.toLowerCase());
    if (responseStatus !== undefined && responseStatus !== readResponse(current?.status?.response)) {
      throw new ProviderError('unsupported', 'Graph lets only the attendee answer', { field: 'attendees' });
    }
    const shownName = name ?? current?.emailAddress?.name ?? undefined;
    return {
      emailAddress: { address: email, ...(shownName ? { name: shownName } : {}) },
      type: current?.type ?? 'required',
      ...(current?.status?.response ? { status: current.status } : {}),
    };
  });
}
