import type { CalendarRef, EventChange, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADA, collect, createHarness, graphEvent, type Harness } from '../harness.ts';

/* Graph pages by position: what is deleted on a page that was read moves the rest by one, and the next page begins behind it. */

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;
/** Ids to delete when the page that a pattern finds has been read, in this order. */
let deletions: { readonly behind: RegExp; readonly ids: readonly string[] }[];

const deletingFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const url = decodeURIComponent(String(input)).replaceAll('+', ' ');
  const [next] = deletions;
  if (next?.behind.test(url)) {
    deletions.shift();
    for (const id of next.ids) await harness.graph(ADA, 'DELETE', `me/events/${id}`);
  }
  return response;
};

beforeEach(async () => {
  deletions = [];
  // Pages of two events, and of eight tags.
  harness = await createHarness({ fetch: deletingFetch, limits: { pageSize: 2 } });
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
});
afterEach(() => harness.close());

const EVENTS = /\/events\?.*\$top=2&.*\$skip=8(?:&|$)/;
const TAGS = /\/events\?\$select=id&\$top=8/;

/** Makes events two minutes apart, so that no search for recent changes shows the earlier ones. */
async function make(count: number, start = '2026-01-10T09:00:00'): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const { id } = await harness.graph(ADA, 'POST', 'me/events', graphEvent(`event ${at}`, start));
    ids.push(id);
    harness.sandbox.clock.advance(120_000);
  }
  return ids;
}

const pull = (token: string | null) => collect(harness.provider.events.pull(session, calendar, token));
const idsOf = (changes: readonly EventChange[], kind: EventChange['kind']): readonly string[] =>
  changes
    .flatMap((change) => {
      if (change.kind !== kind) return [];
      if (change.kind === 'event') return [change.event.providerEventId];
      return change.kind === 'deleted' ? [change.providerEventId] : [];
    })
    .sort();

test.each([
  ['in the window of the feed', '2026-01-10T09:00:00'],
  ['outside of it', '2015-01-10T09:00:00'],
])('a first pull loses no event %s when others are deleted during it', async (_name, start) => {
  const ids = await make(20, start);
  // The first two hide the eleventh and the twelfth; the third hides the eleventh in the list of ids as well.
  deletions = [
    { behind: EVENTS, ids: ids.slice(0, 2) },
    { behind: TAGS, ids: ids.slice(2, 3) },
  ];
  const { changes, token } = await pull(null);
  const later = await pull(token);
  expect(deletions).toEqual([]);
  expect([...new Set([...idsOf(changes, 'event'), ...idsOf(later.changes, 'event')])].sort()).toEqual([...ids].sort());
});

test.each([
  ['first', 0],
  ['last', 3],
])('a gap in the %s list of what is left deletes no event that only left the window', async (_name, pagesBefore) => {
  const ids = await make(44);
  const { token } = await pull(null);
  const gone = ids.slice(20);
  const left = ids.slice(0, 20);
  const wanderer = left[8]!;
  await harness.graph(ADA, 'PATCH', `me/events/${wanderer}`, graphEvent('wanderer', '2040-01-10T09:00:00'));
  for (const id of gone) await harness.graph(ADA, 'DELETE', `me/events/${id}`);
  const nothing = { behind: TAGS, ids: [] };
  deletions = [...Array(pagesBefore).fill(nothing), { behind: TAGS, ids: left.slice(0, 1) }];
  // A poll that asks the feed alone.
  const knowledge = { tagsOf: async () => new Map(), async *listIds() {}, askedSince: 0 };
  const { changes } = await collect(harness.provider.events.pull(session, calendar, token, knowledge));
  expect(deletions).toEqual([]);
  expect(idsOf(changes, 'event')).toEqual([wanderer]);
  expect(idsOf(changes, 'deleted')).toEqual([...gone].sort());
});
