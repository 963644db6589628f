import { checkListed, checkObject } from '@kalends/provider-transport';
import type { ProviderSession } from 'kalends/ports';
import { mapInTurns } from 'kalends/runtime';
import type { z } from 'zod';
import type { SendUpdates } from '../options.ts';
import type { GoogleClient, GoogleRequest } from '../transport/google-client.ts';
import { readPage } from '../transport/google-failure.ts';
import {
  type ListedEvent,
  uncheckedEvent,
  uncheckedEventList,
  type WireEvent,
  type WireEventList,
  wireCancelled,
  wireEvent,
} from './event-wire.ts';
import type { WireBody } from './event-writing.ts';

export type ListQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** Google's largest page. */
export const LARGEST_PAGE = 2500;

/** Event methods of the API, for one account and calendar at a time. */
export interface EventCalls {
  list(session: ProviderSession, calendarId: string, query: ListQuery): AsyncIterable<WireEventList>;
  /** Lists the instances of a series, cancelled ones included: all, or those that are now between two instants. */
  listInstances(
    session: ProviderSession,
    calendarId: string,
    seriesId: string,
    window?: { readonly timeMin: string; readonly timeMax: string },
  ): AsyncIterable<WireEventList>;
  get(session: ProviderSession, calendarId: string, eventId: string): Promise<WireEvent>;
  /** Creates an event. A body with an id may be sent twice: the second insert is refused as a duplicate. */
  insert(session: ProviderSession, calendarId: string, body: WireBody, sendUpdates: SendUpdates): Promise<WireEvent>;
  /** Creates the account's own copy of an event that has a UID, or writes the copy again. Guests get no mail, and no copies. */
  import(session: ProviderSession, calendarId: string, body: WireBody): Promise<WireEvent>;
  patch(
    session: ProviderSession,
    calendarId: string,
    eventId: string,
    body: WireBody,
    condition: WriteCondition,
  ): Promise<WireEvent>;
  delete(session: ProviderSession, calendarId: string, eventId: string, condition: WriteCondition): Promise<void>;
}

/** Tag that must still match, and the guests who get mail. */
export interface WriteCondition {
  readonly ifMatch: string | undefined;
  readonly sendUpdates: SendUpdates;
}

export function createEventCalls(client: GoogleClient): EventCalls {
  const pathOf = (calendarId: string, ...rest: readonly string[]) => ['calendars', calendarId, 'events', ...rest];
  // Without the versions Google ignores conference data and labels silently; with that of labels it ignores colours.
  const versionsOf = (body: WireBody) => ({
    conferenceDataVersion: 1,
    eventLabelVersion: body['eventLabelId'] === undefined ? undefined : 1,
  });

  /** Reads a page. It may have thousands of events, which are checked in turns of the event loop. */
  async function callList(session: ProviderSession, request: GoogleRequest): Promise<WireEventList> {
    const page = await client.call(session, request, uncheckedEventList);
    return { ...page, items: await mapInTurns(page.items ?? [], checkEvent) };
  }

  /** @throws ProviderError unreadable when this one event is not as documented */
  async function callEvent(session: ProviderSession, request: GoogleRequest): Promise<WireEvent> {
    const event = await client.call(session, request, uncheckedEvent);
    return checkObject(event, schemaOf(event));
  }

  async function* listPages(session: ProviderSession, path: readonly string[], query: ListQuery) {
    for (let pageToken: string | undefined; ; ) {
      const request = { method: 'GET', path, query: { ...query, pageToken } } as const;
      const page = await readPage(pageToken, () => callList(session, request));
      yield page;
      if (page.nextPageToken == null) return;
      pageToken = page.nextPageToken;
    }
  }

  return {
    list: (session, calendarId, query) => listPages(session, pathOf(calendarId), query),
    listInstances(session, calendarId, seriesId, window) {
      const query = { ...window, showDeleted: true, maxResults: LARGEST_PAGE };
      return listPages(session, pathOf(calendarId, seriesId, 'instances'), query);
    },
    get: (session, calendarId, eventId) => callEvent(session, { method: 'GET', path: pathOf(calendarId, eventId) }),
    insert: (session, calendarId, body, sendUpdates) =>
      callEvent(session, {
        method: 'POST',
        path: pathOf(calendarId),
        query: { sendUpdates, ...versionsOf(body) },
        body,
        effect: body['id'] === undefined ? 'harmful' : 'idempotent',
      }),
    import: (session, calendarId, body) =>
      callEvent(session, {
        method: 'POST',
        path: pathOf(calendarId, 'import'),
        query: versionsOf(body),
        body,
        effect: 'idempotent',
      }),
    patch: (session, calendarId, eventId, body, { ifMatch, sendUpdates }) =>
      callEvent(session, {
        method: 'PATCH',
        path: pathOf(calendarId, eventId),
        query: { sendUpdates, ...versionsOf(body) },
        body,
        ifMatch,
      }),
    delete: (session, calendarId, eventId, { ifMatch, sendUpdates }) =>
      client.send(session, {
        method: 'DELETE',
        path: pathOf(calendarId, eventId),
        query: { sendUpdates },
        ifMatch,
      }),
  };
}

function schemaOf(event: unknown): z.ZodType<WireEvent> {
  const isCancelled = typeof event === 'object' && event !== null && 'status' in event && event.status === 'cancelled';
  return isCancelled ? wireCancelled : wireEvent;
}

function checkEvent(event: unknown): ListedEvent {
  return checkListed(event, schemaOf(event), 'recurringEventId');
}
