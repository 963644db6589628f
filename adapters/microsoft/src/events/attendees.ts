import type { EventAttendee, ResponseStatus } from 'kalends/model';
import { type EventPatch, ProviderError, type ProviderEvent } from 'kalends/ports';
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

/** Attendees of an event. Graph gives them no id, so the address serves; a name that only repeats it is none. */
export function readAttendees(
  wire: Pick<WireEvent, 'attendees' | 'organizer' | 'isOrganizer' | 'responseStatus'>,
  ownAddress?: string,
): EventAttendee[] {
  // On an attendee's copy only the organizer's server keeps the list up to date.
  const own = wire.isOrganizer === false ? fold(ownAddress) : '';
  const organizer = fold(wire.organizer?.emailAddress?.address);
  return (wire.attendees ?? []).map((attendee) => {
    const email = attendee.emailAddress?.address ?? '';
    const name = attendee.emailAddress?.name ?? '';
    const isOwn = own !== '' && fold(email) === own;
    const isOrganizer = organizer !== '' && fold(email) === organizer;
    return {
      id: fold(email),
      name: fold(name) === fold(email) ? '' : name,
      email,
      responseStatus: isOrganizer
        ? 'accepted'
        : readResponse((isOwn ? wire.responseStatus : attendee.status)?.response),
    };
  });
}

/** Who is optional or a resource, by address; the others are required. */
export function readAttendeeKinds(attendees: WireEvent['attendees']): ProviderEvent['attendeeKinds'] {
  const kinds = (attendees ?? []).flatMap(({ type, emailAddress }): [string, 'optional' | 'resource'][] =>
    type === 'optional' || type === 'resource' ? [[fold(emailAddress?.address), type]] : [],
  );
  return kinds.length === 0 ? undefined : Object.fromEntries(kinds);
}

type AttendeeInput = NonNullable<EventPatch['attendees']>[number];

/**
 * The list of attendees to write; undefined when it says nothing new, for everybody on it is mailed. Graph replaces it
 * whole, so those who stay are sent as they stand, with kind and answer: an answer is the attendee's own, and what a
 * client read of it may be old.
 * @throws ProviderError unsupported for an answer given on behalf of somebody newly invited
 */
export function writeAttendees(
  attendees: readonly AttendeeInput[],
  before: WireEvent | null,
  ownAddress: string | undefined,
): readonly unknown[] | undefined {
  const current = before?.attendees ?? [];
  const known = new Map(current.map((attendee) => [fold(attendee.emailAddress?.address), attendee]));
  const next = attendees.map((input) => {
    const attendee = known.get(fold(input.email));
    if (attendee !== undefined) return stays(input, attendee);
    checkUnanswered(input, ownAddress);
    const { email: address, name, kind: type = 'required' } = input;
    return { emailAddress: { address, ...(name ? { name } : {}) }, type };
  });
  const isSame = next.length === current.length && next.every((attendee, at) => attendee === current[at]);
  return isSame ? undefined : next;
}

function stays({ name, kind }: AttendeeInput, current: WireAttendee): WireAttendee {
  const isOfKind = kind === undefined || kind === (current.type ?? 'required');
  const attendee = isOfKind ? current : { ...current, type: kind };
  const isRenamed = name !== undefined && (name ?? '') !== (current.emailAddress?.name ?? '');
  const isAddress = fold(current.emailAddress?.name) === fold(current.emailAddress?.address);
  if (!isRenamed || (!name && isAddress)) return attendee;
  const { address } = current.emailAddress ?? {};
  return { ...attendee, emailAddress: { address, ...(name ? { name } : {}) } };
}

/** Whoever organizes an event has accepted it. */
function checkUnanswered({ email, responseStatus }: AttendeeInput, ownAddress: string | undefined): void {
  if (responseStatus === undefined || responseStatus === 'needsAction') return;
  if (responseStatus === 'accepted' && fold(email) === fold(ownAddress)) return;
  throw new ProviderError('unsupported', 'only the attendee can answer the invitation', { field: 'attendees' });
}

function fold(text: string | null | undefined): string {
  return (text ?? '').toLowerCase();
}
