import type { EventAttendee, ResponseStatus } from 'kalends/model';
import { type EventPatch, ProviderError } from 'kalends/ports';
import type { WireAttendee, WireEvent } from './event-wire.ts';

/** Graph's answers in terms of the model. */
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

/** Maps attendees. Graph gives them no id: the address replaces it. A name equal to the address counts as none. */
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
      kind: attendee.type === 'optional' || attendee.type === 'resource' ? attendee.type : 'required',
    };
  });
}

type AttendeeInput = NonNullable<EventPatch['attendees']>[number];

/**
 * Returns the attendees to write; undefined when nothing changes, since Graph mails all of them. Graph replaces the list:
 * attendees who stay are sent with their present kind, answer and proposed time, since the client's copy of an answer may be old.
 * @throws ProviderError unsupported for an answer given on behalf of a new attendee
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

/** Returns the account's answer; the organizer has accepted. */
function checkUnanswered({ email, responseStatus }: AttendeeInput, ownAddress: string | undefined): void {
  if (responseStatus === undefined || responseStatus === 'needsAction') return;
  if (responseStatus === 'accepted' && fold(email) === fold(ownAddress)) return;
  throw new ProviderError('unsupported', 'only the attendee can answer the invitation', { field: 'attendees' });
}

function fold(text: string | null | undefined): string {
  return (text ?? '').toLowerCase();
}
