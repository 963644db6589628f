import type { ProviderSession } from 'kalends/ports';
import { mapInTurns } from 'kalends/runtime';
import type { SendUpdates } from '../options.ts';
import type { GoogleClient, GoogleRequest } from '../transport/google-client.ts';
import { uncheckedEventList, type WireEvent, type WireEventList, wireEvent } from './event-wire.ts';
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
  // Without the version Google ignores conference data silently.
  const writeQuery = (sendUpdates: SendUpdates) => ({ sendUpdates, conferenceDataVersion: 1 });

  /** Reads a page. It may have thousands of events, which are checked in turns of the event loop. */
  async function callList(session: ProviderSession, request: GoogleRequest): Promise<WireEventList> {
    const page = await client.call(session, request, uncheckedEventList);
    const items = await mapInTurns(page.items ?? [], (item, index) => client.check(item, wireEvent, ['items', index]));
    return { ...page, items };
  }

  async function* listPages(session: ProviderSession, path: readonly string[], query: ListQuery) {
    for (let pageToken: string | undefined; ; ) {
      const page = await callList(session, { method: 'GET', path, query: { ...query, pageToken } });
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
    get: (session, calendarId, eventId) =>
      client.call(session, { method: 'GET', path: pathOf(calendarId, eventId) }, wireEvent),
    insert: (session, calendarId, body, sendUpdates) =>
      client.call(
        session,
        {
          method: 'POST',
          path: pathOf(calendarId),
          query: writeQuery(sendUpdates),
          body,
          effect: body['id'] === undefined ? 'harmful' : 'idempotent',
        },
        wireEvent,
      ),
    patch: (session, calendarId, eventId, body, { ifMatch, sendUpdates }) =>
      client.call(
        session,
        { method: 'PATCH', path: pathOf(calendarId, eventId), query: writeQuery(sendUpdates), body, ifMatch },
        wireEvent,
      ),
    delete: (session, calendarId, eventId, { ifMatch, sendUpdates }) =>
      client.send(session, {
        method: 'DELETE',
        path: pathOf(calendarId, eventId),
        query: { sendUpdates },
        ifMatch,
      }),
  };
}
