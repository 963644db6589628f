import type { EventAttendee, ResponseStatus } from 'kalends/model';
import { type EventPatch, ProviderError } from 'kalends/ports';
import { unsupported } from '../transport/google-failure.ts';
import type { WireAttendee, WireEvent } from './event-wire.ts';

type AttendeeInput = NonNullable<EventPatch['attendees']>[number];

const RESPONSES: ReadonlySet<string> = new Set(['needsAction', 'declined', 'tentative', 'accepted']);

/** Returns why the guest list of an event cannot be written, which Google replaces whole; undefined when it can be. */
export function unwritableList({ attendees, attendeesOmitted }: Pick<WireEvent, 'attendees' | 'attendeesOmitted'>) {
  if (attendeesOmitted === true) return 'Google shows only part of the guest list of this event';
  if (attendees?.some(({ email }) => !email)) return 'Google shows no e-mail address of some guests of this event';
  return undefined;
}

/** Maps attendees. Google rarely gives a guest an id: the address in lower case replaces it. */
export function readAttendees(wire: WireEvent['attendees']): EventAttendee[] {
  return (wire ?? []).map((attendee) => ({
    id: attendee.id ?? fold(attendee.email),
    name: attendee.displayName ?? '',
    email: attendee.email ?? '',
    responseStatus: readResponse(attendee.responseStatus),
    kind: kindOf(attendee),
    ...(attendee.comment ? { comment: attendee.comment } : {}),
  }));
}

function kindOf({ optional, resource }: WireAttendee): EventAttendee['kind'] {
  if (resource === true) return 'resource';
  return optional === true ? 'optional' : 'required';
}

export function readResponse(status: string | null | undefined): ResponseStatus {
  return status != null && RESPONSES.has(status) ? (status as ResponseStatus) : 'needsAction';
}

/** Returns the account's own answer, that of its entry in the list; an organizer without an entry has accepted. */
export function readOwnResponse(wire: Pick<WireEvent, 'attendees' | 'organizer'>): ResponseStatus | undefined {
  const own = ownEntry(wire);
  if (own !== undefined) return readResponse(own.responseStatus);
  return wire.organizer?.self === true ? 'accepted' : undefined;
}

/** Returns the account's own entry among the attendees. */
export function ownEntry(wire: Pick<WireEvent, 'attendees'>): WireAttendee | undefined {
  return wire.attendees?.find((attendee) => attendee.self === true);
}

/**
 * Returns the whole attendee list of a body. Google replaces the list: guests who stay are sent with their present answer,
 * comment and kind. The patch may change the account's own answer alone, or with `keepsAnswers` every answer.
 * @throws ProviderError unsupported when Google does not show the whole list, which a write would truncate; not-organizer
 * when a guest removes others, which Google would do on the guest's copy alone
 */
export function writeAttendees(
  wanted: readonly AttendeeInput[] | null,
  current: WireEvent | undefined,
  keepsAnswers = false,
): readonly Readonly<Record<string, unknown>>[] {
  const reason = current && unwritableList(current);
  if (reason !== undefined) throw unsupported('attendees', reason);
  if (current !== undefined) requireList(wanted ?? [], current);
  const byEmail = new Map((current?.attendees ?? []).map((attendee) => [fold(attendee.email), attendee]));
  return (wanted ?? []).map((input) => mergeAttendee(input, byEmail.get(fold(input.email)), keepsAnswers));
}

function requireList(wanted: readonly AttendeeInput[], current: WireEvent): void {
  if (current.organizer?.self === true || current.guestsCanModify === true) return;
  const kept = new Set(wanted.map(({ email }) => fold(email)));
  const keepsAll = (current.attendees ?? []).every(({ email }) => kept.has(fold(email)));
  if (keepsAll && current.guestsCanInviteOthers !== false) return;
  throw new ProviderError('not-organizer', 'only the organizer can take guests off the list', { field: 'attendees' });
}

/** Returns the attendees with the account's own response and comment changed; null removes the comment. */
export function withOwnResponse(
  wire: Pick<WireEvent, 'attendees'>,
  responseStatus: ResponseStatus,
  comment: string | null,
): readonly Readonly<Record<string, unknown>>[] {
  return (wire.attendees ?? []).map((attendee) => ({
    ...mergeAttendee({ email: attendee.email ?? '' }, attendee, false),
    ...(attendee.self === true ? { responseStatus, comment: comment ?? '' } : {}),
  }));
}

function mergeAttendee(
  input: AttendeeInput,
  current: WireAttendee | undefined,
  keepsAnswers: boolean,
): Readonly<Record<string, unknown>> {
  if (!keepsAnswers) requireKind(input, current);
  const name = input.name === undefined ? current?.displayName : input.name;
  const response =
    current === undefined || ((keepsAnswers || current.self === true) && input.responseStatus !== undefined)
      ? input.responseStatus
      : current.responseStatus;
  const entry = {
    email: current?.email ?? input.email,
    displayName: name,
    responseStatus: response,
    optional: input.kind === undefined ? current?.optional : input.kind === 'optional' || undefined,
    resource: input.kind === undefined ? current?.resource : input.kind === 'resource' || undefined,
    comment: current?.comment,
    additionalGuests: current?.additionalGuests,
  };
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value != null && value !== ''));
}

/** Google takes `resource` only when it adds a guest, and ignores later changes of it. @throws ProviderError unsupported */
function requireKind({ kind }: AttendeeInput, current: WireAttendee | undefined): void {
  if (current === undefined || kind === undefined) return;
  if ((kind === 'resource') === (current.resource === true)) return;
  throw unsupported('attendees', 'Google takes the kind resource for new attendees only, and keeps it');
}

function fold(email: string | null | undefined): string {
  return (email ?? '').toLowerCase();
}
