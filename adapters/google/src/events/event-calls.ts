import type { ProviderSession } from 'kalends/ports';
import { mapInTurns } from 'kalends/runtime';
import type { SendUpdates } from '../options.ts';
import type { GoogleClient, GoogleRequest } from '../transport/google-client.ts';
import { uncheckedEventList, type WireEvent, type WireEventList, wireEvent } from './event-wire.ts';
import type { WireBody } from './event-writing.ts';

export type ListQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** Event methods of the API, for one account and calendar at a time. */
export interface EventCalls {
  list(session: ProviderSession, calendarId: string, query: ListQuery): AsyncIterable<WireEventList>;
  /** Lists the instances of a series whose original start is this one, cancelled ones included. */
  listInstances(
    session: ProviderSession,
    calendarId: string,
    seriesId: string,
    originalStart: string,
  ): Promise<readonly WireEvent[]>;
  get(session: ProviderSession, calendarId: string, eventId: string): Promise<WireEvent>;
  /** Creates an event. A body with an id may be sent twice: the second insert is refused as a duplicate. */
  insert(session: ProviderSession, calendarId: string, body: WireBody): Promise<WireEvent>;
  patch(
    session: ProviderSession,
    calendarId: string,
    eventId: string,
    body: WireBody,
    ifMatch: string | undefined,
  ): Promise<WireEvent>;
  delete(session: ProviderSession, calendarId: string, eventId: string, ifMatch: string | undefined): Promise<void>;
}

export function createEventCalls(client: GoogleClient, sendUpdates: SendUpdates): EventCalls {
  const pathOf = (calendarId: string, ...rest: readonly string[]) => ['calendars', calendarId, 'events', ...rest];
  // Without the version Google ignores conference data silently.
  const writeQuery = { sendUpdates, conferenceDataVersion: 1 };

  /** Reads a page. It may have thousands of events, which are checked in turns of the event loop. */
  async function callList(session: ProviderSession, request: GoogleRequest): Promise<WireEventList> {
    const page = await client.call(session, request, uncheckedEventList);
    const items = await mapInTurns(page.items ?? [], (item, index) => client.check(item, wireEvent, ['items', index]));
    return { ...page, items };
  }

  return {
    async *list(session, calendarId, query) {
      for (let pageToken: string | undefined; ; ) {
        const request = { method: 'GET', path: pathOf(calendarId), query: { ...query, pageToken } } as const;
        const page = await callList(session, request);
        yield page;
        if (page.nextPageToken == null) return;
        pageToken = page.nextPageToken;
      }
    },
    async listInstances(session, calendarId, seriesId, originalStart) {
      const path = pathOf(calendarId, seriesId, 'instances');
      const query = { originalStart, showDeleted: true };
      return (await callList(session, { method: 'GET', path, query })).items;
    },
    get: (session, calendarId, eventId) =>
      client.call(session, { method: 'GET', path: pathOf(calendarId, eventId) }, wireEvent),
    insert: (session, calendarId, body) =>
      client.call(
        session,
        {
          method: 'POST',
          path: pathOf(calendarId),
          query: writeQuery,
          body,
          effect: body['id'] === undefined ? 'twice' : 'same',
        },
        wireEvent,
      ),
    patch: (session, calendarId, eventId, body, ifMatch) =>
      client.call(
        session,
        { method: 'PATCH', path: pathOf(calendarId, eventId), query: writeQuery, body, ifMatch },
        wireEvent,
      ),
    delete: (session, calendarId, eventId, ifMatch) =>
      client.send(session, {
        method: 'DELETE',
        path: pathOf(calendarId, eventId),
        query: { sendUpdates },
        ifMatch,
      }),
  };
}
