import type { ResponseStatus } from 'kalends/model';
import { type EventChange, type EventTarget, ProviderError, type ProviderEvent } from 'kalends/ports';
import { GraphFailure } from '../transport/graph-failure.ts';
import { readResponse } from './attendees.ts';
import type { EventStore } from './event-store.ts';
import type { WireEvent } from './event-wire.ts';

const ACTIONS = { accepted: 'accept', tentative: 'tentativelyAccept', declined: 'decline' } as const;

/**
 * Sends the account's own answer; false when it is given already and nothing was sent.
 * @throws ProviderError forbidden for the organizer, unsupported for taking an answer back
 */
export async function sendResponse(store: EventStore, wire: WireEvent, response: ResponseStatus): Promise<boolean> {
  if (wire.isOrganizer !== false) {
    throw new ProviderError('forbidden', 'the organizer cannot answer the own invitation');
  }
  if (response === 'needsAction') {
    if (readResponse(wire.responseStatus?.response) === 'needsAction') return false;
    throw new ProviderError('unsupported', 'an answer cannot be taken back at Graph', { field: 'responseStatus' });
  }
  const action = ACTIONS[response];
  try {
    await store.act(wire.id, action, { sendResponse: wire.responseRequested !== false });
  } catch (error) {
    // The organizer may have switched answers off since; then only an unsent one is taken.
    const isUnwanted = error instanceof GraphFailure && /hasn.t requested a response/i.test(error.detail);
    if (isUnwanted) await store.act(wire.id, action, { sendResponse: false });
    else if (error instanceof GraphFailure && /organizer/i.test(error.detail)) {
      throw new ProviderError('forbidden', 'the organizer cannot answer the own invitation', { cause: error });
    } else if (!(await wasTaken(store, wire.id, response, error))) throw error;
  }
  return true;
}

/**
 * Answers an event that was declined, and so lies among the deleted items, where its id still names it: another answer takes
 * it back into the calendar. @throws ProviderError unsupported once Exchange has removed it
 */
export async function answerPutAway(store: EventStore, id: string, response: 'accepted' | 'tentative'): Promise<void> {
  try {
    await store.actAnywhere(id, ACTIONS[response], { sendResponse: true });
  } catch (error) {
    if (error instanceof GraphFailure && /hasn.t requested a response/i.test(error.detail)) {
      return store.actAnywhere(id, ACTIONS[response], { sendResponse: false });
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

/** Whether an answer whose outcome is unknown has been taken after all. Sending it again would mail the organizer twice. */
async function wasTaken(store: EventStore, id: string, response: ResponseStatus, error: unknown): Promise<boolean> {
  const isUnknown = ProviderError.isInstance(error) && (error.reason === 'timeout' || error.reason === 'unavailable');
  if (!isUnknown) return false;
  const after = await store.find(id);
  if (after === undefined) return response === 'declined';
  return readResponse(after.responseStatus?.response) === response;
}

/**
 * A declined event as it is to be remembered: Exchange moves it to the deleted items, out of every list, so that this
 * record is all that is left of it.
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

/** The answer to a decline: what was declined as its record, laid into the state that the provider shows now. */
export function afterDecline(
  target: EventTarget,
  before: EventChange,
  now: EventChange,
  ownAddress: string,
): EventChange {
  if (target.kind === 'occurrence') {
    if (now.kind !== 'series') return now;
    const { originalStart } = target;
    const isSlot = (event: ProviderEvent): boolean =>
      JSON.stringify(event.originalStart) === JSON.stringify(originalStart);
    const record = declinedRecord({ ...target.current, seriesId: target.seriesId, originalStart }, ownAddress);
    const others = now.exceptions.filter((event) => !isSlot(event));
    const stub = now.exceptions.find(isSlot);
    const providerEventId = target.current.providerEventId || stub?.providerEventId || '';
    return { ...now, exceptions: [...others, { ...record, providerEventId }] };
  }
  // Some mailboxes keep declined events; then the provider's own word counts.
  if (now.kind !== 'deleted') return now;
  if (before.kind === 'series') return { ...before, master: declinedRecord(before.master, ownAddress) };
  return before.kind === 'event' ? { ...before, event: declinedRecord(before.event, ownAddress) } : now;
}
