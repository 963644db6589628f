import { type CalendarEvent, createClient, memoryStore } from '@kalends/client';
import { describe, expect, it } from 'vitest';

const WINDOW = { startDateTime: '2026-03-01T00:00:00', endDateTime: '2026-04-01T00:00:00' };

/** A service that accepts the tokens it has given out until they expire. */
function createService() {
  const asked: string[] = [];
  let [number, oldest] = [0, 1];
  const client = createClient({
    baseUrl: 'http://service.test',
    apiKey: 'k',
    fetch: async (url) => {
      const { searchParams } = new URL(url);
      asked.push(`${searchParams}`);
      const syncToken = searchParams.get('syncToken');
      if (syncToken !== null && !/^t\d+$/.test(syncToken)) {
        return Response.json({ code: 'InvalidSyncToken' }, { status: 400 });
      }
      if (syncToken !== null && Number(syncToken.slice(1)) < oldest) {
        return Response.json({ code: 'SyncTokenExpired' }, { status: 410 });
      }
      number += 1;
      return Response.json({ data: [], nextSyncToken: `t${number}` });
    },
  });
  return {
    ...client,
    asked,
    expireTokens() {
      oldest = number + 1;
    },
  };
}

describe('a token alone', () => {
  it('lists the same list anew once it has expired', async () => {
    const { events, asked, expireTokens } = createService();
    const list = { search: 'a&b?', ...WINDOW, timeZone: 'Asia/Tokyo', digest: true, limit: 5 };
    let { syncToken } = await events.sync('a', 'c', list);
    ({ syncToken } = await events.sync('a', 'c', { syncToken, limit: 7 }));
    expireTokens();
    const anew = await events.sync('a', 'c', { syncToken, limit: 7, verify: true });
    expect(anew.isFull).toBe(true);
    expireTokens();
    await events.sync('a', 'c', { syncToken: anew.syncToken });
    const same = { timeZone: 'Asia/Tokyo', digest: true, ...WINDOW, search: 'a&b?' };
    expect(asked.map((search) => Object.fromEntries(new URLSearchParams(search)))).toEqual(
      [
        { ...list },
        { syncToken: 't1', limit: 7 },
        { syncToken: 't2', limit: 7, verify: true },
        { ...same, limit: 7 },
        { syncToken: 't3' },
        same,
      ].map((query) => Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))),
    );
  });

  it('of a list without filters lists everything anew', async () => {
    const { events, calendars, asked, expireTokens } = createService();
    const [first, ofCalendars] = [await events.sync('a', 'c'), await calendars.sync('a')];
    const second = await events.sync('a', 'c', { syncToken: first.syncToken });
    expireTokens();
    for (const syncToken of [second.syncToken, 'undefined?']) {
      expect(await events.sync('a', 'c', { syncToken })).toMatchObject({ isFull: true });
    }
    expect(await calendars.sync('a', { syncToken: ofCalendars.syncToken })).toMatchObject({ isFull: true });
    expect(asked.slice(2)).toEqual(['syncToken=t1', 'syncToken=t3', '', 'syncToken=undefined', '', 'syncToken=t2', '']);
  });

  it('that does not tell its list fails with the error of the service', async () => {
    const { events, asked, expireTokens } = createService();
    const page = await events.list('a', 'c', { search: 'x' }).page();
    const changes = await events.sync('a', 'c', { syncToken: page.nextSyncToken });
    expect(changes).toMatchObject({ isFull: false });
    expireTokens();
    for (const query of [{}, { limit: 5, timeZone: 'UTC', digest: true }]) {
      await expect(events.sync('a', 'c', { ...query, syncToken: changes.syncToken })).rejects.toMatchObject({
        code: 'SyncTokenExpired',
        status: 410,
      });
    }
    await expect(events.sync('a', 'c', { syncToken: 'elsewhere' })).rejects.toMatchObject({ code: 'InvalidSyncToken' });
    expect(asked).toHaveLength(5);
    const anew = await events.sync('a', 'c', { syncToken: changes.syncToken, search: 'x' });
    expect(anew).toMatchObject({ isFull: true });
    expect(asked.at(-1)).toBe('search=x');
  });

  it('of calendars, which have no filters, need not tell its list', async () => {
    const { calendars, asked, expireTokens } = createService();
    const { nextSyncToken } = await calendars.list('a').page();
    expireTokens();
    expect(await calendars.sync('a', { syncToken: nextSyncToken })).toMatchObject({ isFull: true });
    expect(asked).toEqual(['', 'syncToken=t1', '']);
  });
});

it('filters beside a token count in place of its own when it has expired', async () => {
  const { events, asked, expireTokens } = createService();
  const { syncToken } = await events.sync('a', 'c', { search: 'x', ...WINDOW });
  expireTokens();
  await events.sync('a', 'c', { syncToken, search: 'y', startDateTime: undefined, timeZone: 'UTC' });
  expect(asked.slice(1)).toEqual([
    'search=y&timeZone=UTC&syncToken=t1',
    String(
      new URLSearchParams({
        endDateTime: WINDOW.endDateTime,
        search: 'y',
        startDateTime: WINDOW.startDateTime,
      }),
    ),
  ]);
});

it.each([
  ['without an offset stay those of its zone', '2026-03-02T00:00:00', {}, undefined],
  ['of a zone stay those of its zone', '2026-03-02T00:00:00', { timeZone: 'Asia/Tokyo' }, 'Asia/Tokyo'],
  ['that are days stay those of its zone', '2026-03-02', { timeZone: 'Asia/Tokyo' }, 'Asia/Tokyo'],
  ['with an offset are shown in the zone that is sent', '2026-03-02T00:00:00+09:00', { timeZone: 'Asia/Tokyo' }, 'UTC'],
  ['that are none are shown in the zone that is sent', undefined, { timeZone: 'Asia/Tokyo' }, 'UTC'],
])('times of a list %s when its token has expired', async (_what, updatedAfter, zone, listed) => {
  const { events, asked, expireTokens } = createService();
  let { syncToken } = await events.sync('a', 'c', { search: 'x', updatedAfter, ...zone });
  for (const query of [{}, { search: 'x', updatedAfter }]) {
    expireTokens();
    ({ syncToken } = await events.sync('a', 'c', { ...query, syncToken, timeZone: 'UTC' }));
    const last = new URLSearchParams(asked.at(-1));
    expect([last.get('timeZone') ?? undefined, last.get('updatedAfter') ?? undefined]).toEqual([listed, updatedAfter]);
  }
});

it.each([
  ['search', 'search=y&timeZone=UTC'],
  ['digest', 'endDateTime=e&search=y&startDateTime=s'],
])('a query that contradicts a token in %s is listed by %s', async (path, listed) => {
  const asked: string[] = [];
  const { events } = createClient({
    baseUrl: 'http://service.test',
    apiKey: 'k',
    fetch: async (url) => {
      asked.push(new URL(url).search.slice(1));
      if (!url.includes('syncToken')) return Response.json({ data: [], nextSyncToken: 't' });
      return Response.json({ code: 'SyncTokenMismatch', details: [{ path, message: 'differs' }] }, { status: 400 });
    },
  });
  const syncToken = 't?endDateTime=e&search=x&startDateTime=s';
  expect(await events.sync('a', 'c', { syncToken, search: 'y', timeZone: 'UTC' })).toMatchObject({ isFull: true });
  expect(asked.slice(1)).toEqual([listed]);
});

it('a copy goes on from the result of a sync with its filters', async () => {
  const { events, asked } = createService();
  const store = memoryStore<CalendarEvent>();
  const { syncToken } = await events.sync('a', 'c', { search: 'x', digest: true, timeZone: 'UTC' });
  store.apply({ isFull: true, records: [], deletedIds: [], since: undefined, syncToken });
  expect(await events.syncInto(store, 'a', 'c', { search: 'x' })).toMatchObject({ isFull: false });
  expect(await events.syncInto(store, 'a', 'c')).toMatchObject({ isFull: true });
  expect(asked.slice(1)).toEqual(['search=x&syncToken=t1', '']);
});
