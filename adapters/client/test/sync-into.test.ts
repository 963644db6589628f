import { ApiError, type CalendarEvent, createClient, memoryStore } from '@kalends/client';
import { expect, it } from 'vitest';

/** A service whose list has one event more with each request; requests wait until they are let through. */
function createService() {
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  let isFailing = false;
  const answer = (url: string): Response => {
    if (isFailing) return Response.json({ code: 'Forbidden' }, { status: 403 });
    const { search } = new URL(url);
    const number = asked.push(search);
    return Response.json({ data: [{ id: `e${number}` }], nextSyncToken: `t${number}` });
  };
  const client = createClient({
    baseUrl: 'http://service.test',
    apiKey: 'k',
    retries: 0,
    fetch: (url) => new Promise((resolve) => waiting.push(() => resolve(answer(url)))),
  });
  return {
    events: client.events,
    asked,
    waiting,
    fail: (fails: boolean) => {
      isFailing = fails;
    },
    /** Lets requests through until the calls have ended. */
    async settle<Result>(calls: readonly Promise<Result>[]) {
      let isDone = false;
      const all = Promise.allSettled(calls).finally(() => {
        isDone = true;
      });
      while (!isDone) {
        waiting.shift()?.();
        await turn();
      }
      return await all;
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const idsOf = (store: { records: ReadonlyMap<string, unknown> }) => [...store.records.keys()];

it('reads once for the calls of one store that come before the request', async () => {
  const { events, asked, settle } = createService();
  const store = memoryStore<CalendarEvent>();
  const results = await settle(Array.from({ length: 40 }, () => events.syncInto(store, 'a', 'c')));
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['fulfilled']));
  expect([asked, idsOf(store)]).toEqual([[''], ['e1']]);
});

it('reads once more for the calls that come while a request is under way', async () => {
  const { events, asked, settle, waiting } = createService();
  const store = memoryStore<CalendarEvent>();
  const first = events.syncInto(store, 'a', 'c');
  while (waiting.length === 0) await turn();
  const later = Array.from({ length: 39 }, () => events.syncInto(store, 'a', 'c'));
  await settle([first, ...later]);
  expect(asked).toEqual(['', '?syncToken=t1']);
  expect((await later[38])?.records).toEqual([{ id: 'e2' }]);
  expect(idsOf(store)).toEqual(['e1', 'e2']);
});

it('reads apart for calls with other queries and for other stores', async () => {
  const { events, asked, settle } = createService();
  const [one, other] = [memoryStore<CalendarEvent>(), memoryStore<CalendarEvent>()];
  await settle([
    events.syncInto(one, 'a', 'c'),
    events.syncInto(one, 'a', 'c', { search: 'x' }),
    events.syncInto(other, 'a', 'c'),
  ]);
  expect(asked.toSorted()).toEqual(['', '', '?search=x']);
});

it('goes on after a call that failed', async () => {
  const { events, fail, settle, waiting } = createService();
  const store = memoryStore<CalendarEvent>();
  fail(true);
  const failing = events.syncInto(store, 'a', 'c');
  while (waiting.length === 0) await turn();
  const following = events.syncInto(store, 'a', 'c');
  expect(await settle([failing])).toMatchObject([{ status: 'rejected', reason: expect.any(ApiError) }]);
  fail(false);
  expect(await settle([following])).toMatchObject([{ status: 'fulfilled', value: { isFull: true } }]);
});

it('ends a call whose signal is aborted while it waits for another one', async () => {
  const { events, asked, settle, waiting } = createService();
  const store = memoryStore<CalendarEvent>();
  const running = events.syncInto(store, 'a', 'c');
  while (waiting.length === 0) await turn();
  const controller = new AbortController();
  const aborted = events.syncInto(store, 'a', 'c', {}, { signal: controller.signal });
  const last = events.syncInto(store, 'a', 'c');
  const reason = new Error('the user went away');
  controller.abort(reason);
  await expect(aborted).rejects.toBe(reason);
  expect([waiting.length, asked]).toEqual([1, []]);
  await settle([running, last]);
  expect(asked).toEqual(['', '?syncToken=t1']);
});
