import type { ResponseStatus } from 'kalends/model';
import { type EventChange, type EventTarget, ProviderError, type ProviderEvent } from 'kalends/ports';
import { GraphFailure } from '../transport/graph-failure.ts';
import { readResponse } from './attendees.ts';
import type { EventStore } from './event-store.ts';
import type { WireEvent } from './event-wire.ts';

const ACTIONS = { accepted: 'accept', tentative: 'tentativelyAccept', declined: 'decline' } as const;

/** An answer as its caller wants it sent. */
export interface AnswerOptions {
  /** Whether the organizer is told. */
  readonly isSent: boolean;
  readonly comment?: string | null | undefined;
}

/** @throws ProviderError unsupported for a comment that would not be sent */
function answerBody({ isSent, comment }: AnswerOptions, isRequested: boolean): object {
  const sendResponse = isSent && isRequested;
  if (!comment) return { sendResponse };
  if (sendResponse) return { sendResponse, comment };
  const rule = isSent ? 'the organizer has not asked for answers' : 'the answer is not sent to the organizer';
  throw new ProviderError('unsupported', rule, { field: 'comment' });
}

/**
 * Gives the account's own answer; returns false when it is the present one and nothing was done.
 * @throws ProviderError forbidden for the organizer, unsupported for taking an answer back
 */
export async function sendResponse(
  store: EventStore,
  wire: WireEvent,
  response: ResponseStatus,
  answer: AnswerOptions,
): Promise<boolean> {
  if (wire.isOrganizer !== false) {
    throw new ProviderError('forbidden', 'the organizer cannot answer the own invitation');
  }
  if (response === 'needsAction') {
    if (readResponse(wire.responseStatus?.response) === 'needsAction') return false;
    throw new ProviderError('unsupported', 'an answer cannot be taken back at Graph', { field: 'responseStatus' });
  }
  const action = ACTIONS[response];
  try {
    await store.act(wire.id, action, answerBody(answer, wire.responseRequested !== false));
  } catch (error) {
    // The organizer may have switched answers off since; Graph then accepts only an unsent one.
    const isUnwanted = error instanceof GraphFailure && /hasn.t requested a response/i.test(error.detail);
    if (isUnwanted) await store.act(wire.id, action, answerBody(answer, false));
    else if (error instanceof GraphFailure && /organizer/i.test(error.detail)) {
      throw new ProviderError('forbidden', 'the organizer cannot answer the own invitation', { cause: error });
    } else if (!(await wasTaken(store, wire.id, response, error))) throw error;
  }
  return true;
}

/**
 * Answers a declined event. It is among the deleted items under the same id, and another answer moves it back into the
 * calendar. @throws ProviderError unsupported once Exchange has removed it
 */
export async function answerPutAway(
  store: EventStore,
  id: string,
  response: 'accepted' | 'tentative',
  answer: AnswerOptions,
): Promise<void> {
  try {
    await store.actAnywhere(id, ACTIONS[response], answerBody(answer, true));
  } catch (error) {
    if (error instanceof GraphFailure && /hasn.t requested a response/i.test(error.detail)) {
      return store.actAnywhere(id, ACTIONS[response], answerBody(answer, false));
    }
    if (ProviderError.isInstance(error) && error.reason === 'not-found') throw putAway(error);
    throw error;
  }
}

export function putAway(cause?: unknown): ProviderError {
  return new ProviderError('unsupported', 'Exchange has put the declined event away', {
    field: 'responseStatus',
    cause,
  });
}

/** Returns true when an answer of unknown outcome arrived. Sending it again would mail the organizer twice. */
async function wasTaken(store: EventStore, id: string, response: ResponseStatus, error: unknown): Promise<boolean> {
  const isUnknown = ProviderError.isInstance(error) && (error.reason === 'timeout' || error.reason === 'unavailable');
  if (!isUnknown) return false;
  const after = await store.find(id);
  if (after === undefined) return response === 'declined';
  return readResponse(after.responseStatus?.response) === response;
}

/**
 * Returns the record of a declined event: Exchange moves it to the deleted items, out of every list, and only this record is
 * left.
 */
function declinedRecord(event: ProviderEvent, ownAddress: string): ProviderEvent {
  const own = ownAddress.toLowerCase();
  const content = event.content && {
    ...event.content,
    myResponseStatus: 'declined' as const,
    attendees: event.content.attendees.map((attendee) =>
      attendee.email.toLowerCase() === own ? { ...attendee, responseStatus: 'declined' as const } : attendee,
    ),
  };
  return { ...event, content, isKeptLocally: true };
}

/** Returns the result of a decline: the record of the declined event, merged into the provider's present state. */
export function afterDecline(
  target: EventTarget,
  before: EventChange,
  now: EventChange,
  ownAddress: string,
): EventChange {
  if (target.kind === 'occurrence') {
    if (now.kind !== 'series') return now;
    const { recurrenceId } = target;
    const isSlot = (event: ProviderEvent): boolean =>
      JSON.stringify(event.recurrenceId) === JSON.stringify(recurrenceId);
    const record = declinedRecord({ ...target.current, seriesId: target.seriesId, recurrenceId }, ownAddress);
    const others = now.exceptions.filter((event) => !isSlot(event));
    const stub = now.exceptions.find(isSlot);
    const providerEventId = target.current.providerEventId || stub?.providerEventId || '';
    return { ...now, exceptions: [...others, { ...record, providerEventId }] };
  }
  // Some mailboxes keep declined events; the provider's state wins then.
  if (now.kind !== 'deleted') return now;
  if (before.kind === 'series') return { ...before, master: declinedRecord(before.master, ownAddress) };
  return before.kind === 'event' ? { ...before, event: declinedRecord(before.event, ownAddress) } : now;
}
