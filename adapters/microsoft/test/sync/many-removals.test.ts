import type { CalendarRef, EventChange, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADA, collect, createHarness, graphEvent, type Harness } from '../harness.ts';

/* A round of the feed that names many events as removed: a few lists decide for all of them. */

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;
/** URLs of requests, decoded. */
let urls: string[];
let isSearchRefused: boolean;
/** An event to delete when all pages of a list of tags have been read, and its text, by which its id still answers. */
let kept: { readonly id: string; readonly text: string } | undefined;

const LAST_TAGS = /\/events\?\$select=id&.*\$skip=100(?:&|$)/;

const countingFetch: typeof fetch = async (input, init) => {
  const url = decodeURIComponent(String(input)).replaceAll('+', ' ');
  urls.push(url);
  if (isSearchRefused && url.includes('lastModifiedDateTime ge')) {
    return Response.json({ error: { code: 'ErrorInvalidRequest' } }, { status: 400 });
  }
  const response = await fetch(input, init);
  if (kept === undefined) return response;
  if (LAST_TAGS.test(url) && !urls.slice(0, -1).some((earlier) => LAST_TAGS.test(earlier))) {
    await harness.graph(ADA, 'DELETE', `me/events/${kept.id}`);
  }
  return response.status === 404 && url.includes(`/events/${kept.id}?`) ? new Response(kept.text) : response;
};

beforeEach(async () => {
  urls = [];
  isSearchRefused = false;
  kept = undefined;
  // Pages of five events, and of twenty tags.
  harness = await createHarness({ fetch: countingFetch, limits: { pageSize: 5 } });
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
});
afterEach(() => harness.close());

/** Makes events a second apart. */
async function make(count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const { id } = await harness.graph(ADA, 'POST', 'me/events', graphEvent(`event ${at}`, '2026-01-10T09:00:00'));
    ids.push(id);
    harness.sandbox.clock.advance(1_000);
  }
  return ids;
}

/** Moves events out of the window of the feed. */
async function moveAway(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await harness.graph(ADA, 'PATCH', `me/events/${id}`, graphEvent('moved', '2040-01-10T09:00:00'));
  }
}

/** A poll that asks the feed alone. */
async function poll(token: string): Promise<readonly EventChange[]> {
  const knowledge = { tagsOf: async () => new Map(), async *listIds() {}, askedSince: 0 };
  urls = [];
  return (await collect(harness.provider.events.pull(session, calendar, token, knowledge))).changes;
}

const byId = (changes: readonly EventChange[]) =>
  new Map(
    changes.flatMap((change): [string, EventChange['kind']][] => {
      if (change.kind === 'event') return [[change.event.providerEventId, 'event']];
      return change.kind === 'deleted' ? [[change.providerEventId, 'deleted']] : [];
    }),
  );

test.each([
  ['that can be searched', false],
  ['that cannot be searched', true],
])('events that leave the window cost a read each in a mailbox %s', async (_name, isRefused) => {
  isSearchRefused = isRefused;
  const ids = await make(120);
  const { token } = await collect(harness.provider.events.pull(session, calendar, null));
  const moved = ids.slice(-30);
  await moveAway(moved);
  const changes = byId(await poll(token));
  expect(changes).toEqual(new Map(moved.map((id) => [id, 'event'])));
  const reads = urls.filter((url) => moved.some((id) => url.includes(`/events/${id}?`)));
  const lists = urls.filter((url) => url.includes('/events?'));
  const rounds = urls.filter((url) => url.includes('calendarView/delta'));
  // Two lists of six pages: the second shows that nothing was hidden from the first.
  expect([reads.length, lists.length]).toEqual([30, 12]);
  expect(urls).toHaveLength(reads.length + lists.length + rounds.length);
});

test('an event that is deleted between two lists is gone, though its id still answers', async () => {
  const ids = await make(120);
  const { token } = await collect(harness.provider.events.pull(session, calendar, null));
  const moved = ids.slice(-21);
  await moveAway(moved);
  const gone = moved[0]!;
  kept = { id: gone, text: JSON.stringify(await harness.graph(ADA, 'GET', `me/events/${gone}`)) };
  const changes = byId(await poll(token));
  expect(changes).toEqual(new Map(moved.map((id) => [id, id === gone ? 'deleted' : 'event'])));
});
