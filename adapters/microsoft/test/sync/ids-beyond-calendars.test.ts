import type { CalendarRef, EventChange, EventTarget, ProviderEvent, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADA, BEN, collect, createHarness, graphEvent, type Harness } from '../harness.ts';

/* An immutable id outlives a move to another folder. This Graph answers it wherever the item is, the deleted items included. */

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;
let isSearchRefused = false;

const EVENT = /\/calendars\/[^/]+\/events\/([^/?]+)(?:\?|$)/;

/** Answers a read of a deleted event with what was last read of it, and its deletion as Exchange does. */
function keepingFetch(): typeof fetch {
  const texts = new Map<string, string>();
  return async (input, init) => {
    const url = decodeURIComponent(String(input)).replaceAll('+', ' ');
    if (isSearchRefused && url.includes('lastModifiedDateTime ge')) {
      return Response.json({ error: { code: 'ErrorInvalidRequest' } }, { status: 400 });
    }
    const response = await fetch(input, init);
    const id = EVENT.exec(url)?.[1];
    if (id === undefined) return response;
    if (init?.method === 'DELETE' && response.status === 404) {
      return Response.json({ error: { code: 'ErrorCannotDeleteObject' } }, { status: 403 });
    }
    if (init?.method !== 'GET' || !url.includes('subject')) return response;
    if (response.status === 404 && texts.has(id)) return new Response(texts.get(id), { status: 200 });
    if (response.ok) texts.set(id, await response.clone().text());
    return response;
  };
}

beforeEach(async () => {
  isSearchRefused = false;
  harness = await createHarness({ fetch: keepingFetch() });
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
});
afterEach(() => harness.close());

const SERIES = {
  recurrence: {
    pattern: { type: 'daily', interval: 1 },
    range: { type: 'numbered', startDate: '2026-01-10', numberOfOccurrences: 3 },
  },
};
const post = (event: object): Promise<{ readonly id: string }> => harness.graph(ADA, 'POST', 'me/events', event);
const pull = (token: string | null) => collect(harness.provider.events.pull(session, calendar, token));
/** Reads an event, so that the answer is known when it has gone. */
const get = (id: string, mustBeListed = false) => harness.provider.events.get(session, calendar, id, { mustBeListed });

async function postAndRead(event: object): Promise<string> {
  const { id } = await post(event);
  await get(id);
  harness.sandbox.clock.advance(1_000);
  return id;
}

const deletedIds = (changes: readonly EventChange[]): readonly string[] =>
  changes.flatMap((change) => (change.kind === 'deleted' ? [change.providerEventId] : []));

test.each([
  ['a single event', {}],
  ['a series', SERIES],
])('%s that a person deletes is gone, though its id still answers', async (_name, more) => {
  const id = await postAndRead(graphEvent('gone', '2026-01-10T09:00:00', more));
  const { token } = await pull(null);
  await harness.graph(ADA, 'DELETE', `me/events/${id}`);
  const { changes } = await pull(token);
  expect(deletedIds(changes)).toContain(id);
  expect(changes.filter(({ kind }) => kind !== 'deleted')).toEqual([]);
});

test.each([
  false,
  true,
])('a read that must be listed asks the list, where it cannot be searched (%s) the whole of it', async (isRefused) => {
  isSearchRefused = isRefused;
  const gone = await postAndRead(graphEvent('gone', '2026-01-10T09:00:00'));
  const kept = await postAndRead(graphEvent('kept', '2026-01-10T09:00:00', SERIES));
  await harness.graph(ADA, 'DELETE', `me/events/${gone}`);
  expect(await get(gone)).toMatchObject([{ kind: 'event' }]);
  expect(await get(gone, true)).toEqual([{ kind: 'deleted', providerEventId: gone }]);
  expect(await get(kept, true)).toMatchObject([{ kind: 'series' }]);
});

test('an event that moves out of the window of the feed is still there', async () => {
  const id = await postAndRead(graphEvent('wanderer', '2026-01-10T09:00:00'));
  const { token } = await pull(null);
  await harness.graph(ADA, 'PATCH', `me/events/${id}`, graphEvent('wanderer', '2040-01-10T09:00:00'));
  const { changes } = await pull(token);
  expect(changes).toMatchObject([{ kind: 'event', event: { providerEventId: id } }]);
});

test('a declined invitation is kept, though its id still answers', async () => {
  const ben = await harness.session(BEN);
  const bens = await harness.primary(BEN);
  const attendees = [{ emailAddress: { address: BEN }, type: 'required' }];
  await post(graphEvent('invited', '2026-01-10T09:00:00', { attendees }));
  const { changes } = await collect(harness.provider.events.pull(ben, bens, null));
  const [change] = changes;
  if (change?.kind !== 'event') throw new Error('no event');
  const { event: current } = change;
  await harness.provider.events.get(ben, bens, current.providerEventId);
  const target: EventTarget = { kind: 'event', providerEventId: current.providerEventId, current };
  const [declined] = await harness.provider.events.respond(ben, bens, target, 'declined', {});
  expect(declined).toMatchObject({ kind: 'event', event: { isKeptLocally: true } });
});

test('a deletion of what is among the deleted items already is one, and no other refusal is', async () => {
  const id = await postAndRead(graphEvent('gone', '2026-01-10T09:00:00'));
  const [change] = await get(id);
  if (change?.kind !== 'event') throw new Error('no event');
  const target: EventTarget = { kind: 'event', providerEventId: id, current: change.event as ProviderEvent };
  const remove = () => harness.provider.events.delete(session, calendar, target, {});
  harness.sandbox.faults.arm({
    provider: 'microsoft',
    method: 'DELETE',
    path: '/v1.0/me/calendars/[^/]+/events/[^/]+',
    kind: 'answer',
    status: 403,
    body: '{"error":{"code":"ErrorCannotDeleteObject"}}',
    times: 1,
  });
  await expect(remove()).rejects.toMatchObject({ reason: 'forbidden' });
  await harness.graph(ADA, 'DELETE', `me/events/${id}`);
  expect(await remove()).toEqual([{ kind: 'deleted', providerEventId: id }]);
});
