import { invalid, KalendsError } from '../../errors.ts';
import {
  type CalendarEvent,
  type EventCreate,
  type EventUpdate,
  eventAttendeeInput,
  type ResponseStatus,
} from '../../model/index.ts';
import type { EventPatch } from '../../ports/index.ts';

type Attendees = NonNullable<EventPatch['attendees']>;
type Input = NonNullable<EventCreate['attendees']>;

/** Changes that the list of attendees in a body asks for. */
export interface AttendeesRequest {
  /** The list to write; undefined when the event has it already. */
  readonly attendees: Attendees | null | undefined;
  /** The answer that the list gives for the account, where it is another one than the present, and where it says so. */
  readonly own:
    | {
        readonly response: ResponseStatus;
        /** The answer that the list shows for the account now. */
        readonly present: ResponseStatus;
        readonly path: string;
      }
    | undefined;
}

/**
 * Returns the attendees of a new event. Responses belong to the attendees: there is none yet but the organizer's.
 * @throws KalendsError InvalidRequest, UnsupportedByProvider
 */
export function readNewAttendees(input: EventCreate['attendees'], ownEmail: string): Attendees | null {
  for (const [index, { email, responseStatus }] of (input ?? []).entries()) {
    const isOwn = fold(email) === fold(ownEmail);
    if (responseStatus === undefined || responseStatus === 'needsAction') continue;
    if (!isOwn || responseStatus !== 'accepted') throw notTheirs(answerPath(index));
  }
  return listOf(input);
}

/**
 * Returns the attendees of an update. Remaining guests keep their responses; the account's own may be given here.
 * `needsAction` asks for nothing. A provider's address of a guest who is there may be none of RFC 5322.
 * @throws KalendsError InvalidRequest, UnsupportedByProvider
 */
export function readAttendees(
  input: NonNullable<EventUpdate['attendees']> | null,
  shown: CalendarEvent['attendees'],
  ownEmail: string,
): AttendeesRequest {
  const present = new Map(shown.map((attendee) => [fold(attendee.email), attendee]));
  let own: AttendeesRequest['own'];
  for (const [index, { email, responseStatus }] of (input ?? []).entries()) {
    const now = present.get(fold(email));
    if (now === undefined && !eventAttendeeInput.shape.email.safeParse(email).success) {
      throw invalid(`attendees.${index}.email`, 'must be an e-mail address');
    }
    // `needsAction` asks for nothing, so that a list read before a guest responded is accepted.
    if (responseStatus === undefined || responseStatus === 'needsAction') continue;
    if (responseStatus === now?.responseStatus) continue;
    const path = answerPath(index);
    if (now === undefined || fold(email) !== fold(ownEmail)) throw notTheirs(path);
    own = { response: responseStatus, present: now.responseStatus, path };
  }
  const attendees = listOf(input);
  return { attendees: isSameList(attendees ?? [], present) ? undefined : attendees, own };
}

/** Leaves responses out: a guest may have responded since the list was read. */
function listOf(input: Input | null | undefined): Attendees | null {
  if (input === undefined || input === null) return null;
  const emails = new Set<string>();
  return input.map(({ email, name, kind }, index) => {
    if (email !== '' && emails.has(fold(email))) throw invalid(`attendees.${index}.email`, 'must not be there twice');
    emails.add(fold(email));
    return { email, ...(name === undefined ? {} : { name }), ...(kind === undefined ? {} : { kind }) };
  });
}

function isSameList(wanted: Attendees, present: ReadonlyMap<string, CalendarEvent['attendees'][number]>): boolean {
  return (
    wanted.length === present.size &&
    wanted.every(({ email, name, kind }) => {
      const now = present.get(fold(email));
      if (now === undefined || (kind !== undefined && kind !== now.kind)) return false;
      return name === undefined || (name ?? '') === now.name;
    })
  );
}

function answerPath(index: number): string {
  return `attendees.${index}.responseStatus`;
}

function notTheirs(path: string): KalendsError {
  const message = 'is the attendee’s own to give and cannot be set to another value';
  return new KalendsError('UnsupportedByProvider', `${path}: ${message}`, { details: [{ path, message }] });
}

function fold(email: string): string {
  return email.toLowerCase();
}
