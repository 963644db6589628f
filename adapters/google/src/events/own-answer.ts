import type { ResponseStatus } from 'kalends/model';
import { type CalendarRef, ProviderError, type ProviderSession } from 'kalends/ports';
import { unsupported } from '../transport/google-failure.ts';
import { ownEntry, readResponse, unwritableList, withOwnResponse } from './attendees.ts';
import type { EventCalls, WriteCondition } from './event-calls.ts';
import type { WireEvent } from './event-wire.ts';
import type { Written } from './write-results.ts';

/**
 * Sets the account's own answer alone: with `attendeesOmitted` Google keeps the other guests' answers, concurrent ones too.
 * @throws ProviderError not-found, or forbidden for the organizer and for an account that is not invited
 */
export async function answer(
  calls: EventCalls,
  session: ProviderSession,
  calendar: CalendarRef,
  input: {
    readonly id: string;
    readonly fresh: WireEvent | undefined;
    readonly response: ResponseStatus;
    readonly comment: string | null | undefined;
  } & WriteCondition,
): Promise<Written> {
  const { id, fresh, response, comment, ...condition } = input;
  const own = fresh === undefined ? undefined : ownEntry(fresh);
  if (fresh === undefined || fresh.status === 'cancelled') {
    throw new ProviderError('not-found', 'the event has been cancelled');
  }
  if (fresh.organizer?.self === true || own?.organizer === true) {
    throw new ProviderError('forbidden', 'the organizer of an event does not answer its invitation');
  }
  // Google would add the account as a guest without an invitation.
  if (own?.email == null) throw new ProviderError('forbidden', 'the account is not invited to this event');
  // The own entry is that of the calendar: on another person's calendar it is theirs.
  if (calendar.isShared && own.email.toLowerCase() !== session.email.toLowerCase()) {
    throw new ProviderError('forbidden', 'on this calendar another address than that of the account is invited');
  }
  const isSaid = comment === undefined || (comment ?? '') === (own.comment ?? '');
  if (readResponse(own.responseStatus) === response && isSaid) return { wire: fresh, isWritten: false };
  const body = isSaid
    ? { attendeesOmitted: true, attendees: [{ email: own.email, responseStatus: response }] }
    : { attendees: listWithComment(fresh, response, comment ?? null) };
  return { wire: await calls.patch(session, calendar.id, id, body, condition), isWritten: true };
}

/** Returns the whole list: Google ignores a comment beside `attendeesOmitted`. */
function listWithComment(fresh: WireEvent, response: ResponseStatus, comment: string | null) {
  const reason = unwritableList(fresh);
  if (reason !== undefined) throw unsupported('comment', reason);
  return withOwnResponse(fresh, response, comment);
}
