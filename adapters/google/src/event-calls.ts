import type { ProviderSession } from 'kalends/ports';
import { mapInTurns } from 'kalends/runtime';
import type { WireBody } from './event-body.ts';
import { type ApiRequest, checkAnswer, type Transport } from './transport.ts';
import { uncheckedEventList, type WireEvent, type WireEventList, wireEvent } from './wire.ts';

/** Whether guests get mail about a change. */
export type SendUpdates = 'all' | 'externalOnly' | 'none';

export type ListQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** The event methods of the API, for one account and calendar at a time. */
export interface EventCalls {
  list(session: ProviderSession, calendarId: string, query: ListQuery): AsyncIterable<WireEventList>;
  /** Instances of a series that began, by its rule, at `originalStart`; a cancelled one too. */
  listInstances(
    session: ProviderSession,
    calendarId: string,
    seriesId: string,
    originalStart: string,
  ): Promise<readonly WireEvent[]>;
  get(session: ProviderSession, calendarId: string, eventId: string): Promise<WireEvent>;
  /** Safe to repeat only when the body has an id. */
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

export function createEventCalls(transport: Transport, sendUpdates: SendUpdates): EventCalls {
  const pathOf = (calendarId: string, ...rest: readonly string[]) => ['calendars', calendarId, 'events', ...rest];
  // Without the version Google ignores conference data silently.
  const writeQuery = { sendUpdates, conferenceDataVersion: 1 };

  /** A page may have thousands of events: they are checked in turns of the event loop. */
  async function callList(session: ProviderSession, request: ApiRequest): Promise<WireEventList> {
    const page = await transport.call(session, request, uncheckedEventList);
    const items = await mapInTurns(page.items ?? [], (item, index) => checkAnswer(item, wireEvent, ['items', index]));
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
      transport.call(session, { method: 'GET', path: pathOf(calendarId, eventId) }, wireEvent),
    insert: (session, calendarId, body) =>
      transport.call(
        session,
        { method: 'POST', path: pathOf(calendarId), query: writeQuery, body, repeatable: body['id'] !== undefined },
        wireEvent,
      ),
    patch: (session, calendarId, eventId, body, ifMatch) =>
      transport.call(
        session,
        { method: 'PATCH', path: pathOf(calendarId, eventId), query: writeQuery, body, ifMatch },
        wireEvent,
      ),
    delete: (session, calendarId, eventId, ifMatch) =>
      transport.send(session, {
        method: 'DELETE',
        path: pathOf(calendarId, eventId),
        query: { sendUpdates },
        ifMatch,
      }),
  };
}
