import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeEvent, newYork } from '../../mirror/fake-events.ts';
import { fakeCalendar } from '../../mirror/fake-provider.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../../mirror/sync-world.ts';

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
  for (const id of ['a', 'b', 'c']) world.fake.put(CALENDAR, fakeEvent(id, newYork('2026-03-04', '12:00', '13:00')));
});
afterEach(() => world.close());

const list = (query = {}) => world.events.list(CALLER, ACCOUNT, CALENDAR, query);
const march = {
  startDateTime: '2026-03-01T00:00:00',
  endDateTime: '2026-04-01T00:00:00',
  timeZone: 'America/New_York',
};
const pull = () => world.mirror.pull(world.account, CALENDAR);

describe('a sync token', () => {
  test('remembers filters, also those that are otherwise required', async () => {
    const { nextSyncToken } = await list({ ...march, expandRecurrences: 'true', search: 'a' });
    world.fake.put(CALENDAR, fakeEvent('a', { ...newYork('2026-03-05', '12:00', '13:00'), title: 'a moved' }));
    world.fake.put(CALENDAR, fakeEvent('b', { title: 'b moved' }));
    await pull();
    const page = await list({ syncToken: nextSyncToken! });
    expect(page.data.map(({ id }) => id)).toEqual(['a']);
  });

  test('remembers the longest filters there are', async () => {
    const metadataFilters = JSON.stringify({ key: 'ä'.repeat(8_180) });
    const { nextSyncToken } = await list({ metadataFilters, search: 'é'.repeat(1_024) });
    expect((await list({ syncToken: nextSyncToken! })).data).toEqual([]);
  });

  test('accepts the same filters, however the instants are written, and what is no filter', async () => {
    const { nextSyncToken: syncToken } = await list({ ...march, search: 'a', isAllDay: 'false' });
    await list({ syncToken: syncToken!, ...march, search: 'a', isAllDay: 'false' });
    await list({ syncToken: syncToken!, startDateTime: '2026-03-01T05:00:00Z' });
    await list({ syncToken: syncToken!, startDateTime: '2026-03-01T00:00:00' });
    await list({ syncToken: syncToken!, limit: '7', timeZone: 'UTC' });
  });

  test.each([
    [{ startDateTime: '2026-03-02T00:00:00' }, 'startDateTime'],
    [{ endDateTime: '2026-04-02T00:00:00' }, 'endDateTime'],
    [{ search: 'b' }, 'search'],
    [{ expandRecurrences: 'true' }, 'expandRecurrences'],
    [{ isAllDay: 'true' }, 'isAllDay'],
    [{ isCancelled: 'true' }, 'isCancelled'],
    [{ metadataFilters: '{"a":"b"}' }, 'metadataFilters'],
    [{ updatedAfter: '2026-03-01T00:00:00Z' }, 'updatedAfter'],
  ])('refuses other filters: %j', async (query, path) => {
    const { nextSyncToken } = await list({ ...march, search: 'a' });
    await expect(list({ syncToken: nextSyncToken!, ...query })).rejects.toMatchObject({
      code: 'SyncTokenMismatch',
      status: 400,
      details: [{ path }],
    });
  });

  test('refuses an order without expansion', async () => {
    const { nextSyncToken } = await list();
    await expect(list({ syncToken: nextSyncToken!, orderBy: 'startDateTime' })).rejects.toMatchObject({
      details: [{ path: 'orderBy' }],
    });
  });

  test('altered by one character, or of another kind, is 400', async () => {
    const { nextSyncToken: token } = await list();
    const altered = `${token!.slice(0, 20)}${token![20] === 'A' ? 'B' : 'A'}${token!.slice(21)}`;
    const { nextPageToken } = await list({ limit: '1' });
    for (const syncToken of [altered, 'nonsense', nextPageToken!]) {
      await expect(list({ syncToken })).rejects.toMatchObject({ code: 'InvalidSyncToken', status: 400 });
    }
    await expect(list({ pageToken: token! })).rejects.toMatchObject({ code: 'InvalidPageToken', status: 400 });
  });

  test('belongs to its calendar, and to its event', async () => {
    world.fake.putCalendar(fakeCalendar('cal_2'));
    const { nextSyncToken: syncToken } = await list({ ...march, expandRecurrences: 'true' });
    await expect(world.events.list(CALLER, ACCOUNT, 'cal_2', { syncToken: syncToken! })).rejects.toMatchObject({
      code: 'InvalidSyncToken',
    });
    await expect(
      world.events.listOccurrences(CALLER, ACCOUNT, CALENDAR, 'a', { syncToken: syncToken! }),
    ).rejects.toMatchObject({ code: 'SyncTokenMismatch', details: [{ path: 'eventId' }] });
  });

  test('lives thirty days', async () => {
    const { nextSyncToken: syncToken } = await list();
    await world.clock.advance(30 * 86_400_000 - 1);
    await list({ syncToken: syncToken! });
    await world.clock.advance(1);
    await expect(list({ syncToken: syncToken! })).rejects.toMatchObject({ code: 'SyncTokenExpired', status: 410 });
  });

  test('whose revision was purged is 410', async () => {
    const { nextSyncToken: syncToken } = await list();
    world.fake.put(CALENDAR, fakeEvent('a', { title: 'changed' }));
    await pull();
    await world.clock.advance(1_000);
    await world.storage.mirror.purge({ before: world.clock.now() + 1, limit: 100 });
    await expect(list({ syncToken: syncToken! })).rejects.toMatchObject({ code: 'SyncTokenExpired' });
  });

  test('of another history with the same revisions is 410', async () => {
    const { nextSyncToken: syncToken } = await list();
    const other = await syncWorld({}, 99);
    // The same secrets and the same numbers, as after a restored backup, but another life.
    for (const id of ['x', 'y']) other.fake.put(CALENDAR, fakeEvent(id));
    await other.events.list(CALLER, ACCOUNT, CALENDAR, {});
    other.fake.put(CALENDAR, fakeEvent('z'));
    await other.mirror.pull(other.account, CALENDAR);
    const state = await other.storage.mirror.find(KEY);
    expect(state!.revision).toBeGreaterThan(1);
    const answer = other.events.list(CALLER, ACCOUNT, CALENDAR, { syncToken: syncToken! });
    await expect(answer).rejects.toMatchObject({ code: 'SyncTokenExpired' });
    await other.close();
  });

  test('from before a new mapping brings the records that it maps otherwise', async () => {
    world.fake.put(CALENDAR, fakeEvent('b', { title: 'under the old mapping' }));
    await pull();
    const { data, nextSyncToken: syncToken } = await list();
    expect(data).toContainEqual(expect.objectContaining({ id: 'b', title: 'under the old mapping' }));
    Object.assign(world.fake.provider, { mappingVersion: 2 });
    world.fake.put(CALENDAR, fakeEvent('b', { title: 'under the new mapping' }));
    await pull();
    const changes = await list({ syncToken: syncToken! });
    expect(changes.data).toEqual([expect.objectContaining({ id: 'b', title: 'under the new mapping' })]);
    const again = await list({ syncToken: changes.nextSyncToken! });
    expect(again.data).toEqual([]);
  });
});

describe('a page token', () => {
  test('reads on in the snapshot that the first page was taken from', async () => {
    const first = await list({ limit: '1' });
    world.fake.remove(CALENDAR, 'b');
    await pull();
    world.fake.put(CALENDAR, fakeEvent('aa'));
    await pull();
    const second = await list({ pageToken: first.nextPageToken!, limit: '10' });
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    const sync = await list({ syncToken: second.nextSyncToken! });
    expect(sync.data).toEqual([
      { id: 'b', isCancelled: true, isDeleted: true },
      expect.objectContaining({ id: 'aa', title: 'aa' }),
    ]);
  });

  test('of a sync result goes on to its end', async () => {
    const { nextSyncToken: syncToken } = await list();
    for (const id of ['a', 'b', 'c']) world.fake.put(CALENDAR, fakeEvent(id, { title: `${id} changed` }));
    await pull();
    const first = await list({ syncToken: syncToken!, limit: '2' });
    expect(first.data).toHaveLength(2);
    const second = await list({ syncToken: syncToken!, pageToken: first.nextPageToken! });
    expect(second.data.map(({ id }) => id)).toEqual(['c']);
    expect(second.nextPageToken).toBeUndefined();
  });

  test('refuses other filters and another sync token', async () => {
    const { nextPageToken } = await list({ limit: '1', search: 'a' });
    expect(nextPageToken).toBeUndefined();
    const { nextPageToken: pageToken, nextSyncToken } = await list({ limit: '1' });
    expect(nextSyncToken).toBeUndefined();
    await expect(list({ pageToken: pageToken!, search: 'a' })).rejects.toMatchObject({
      code: 'InvalidPageToken',
      details: [{ path: 'search' }],
    });
    const { nextSyncToken: syncToken } = await list();
    await expect(list({ pageToken: pageToken!, syncToken: syncToken! })).rejects.toMatchObject({
      code: 'InvalidPageToken',
      details: [{ path: 'syncToken' }],
    });
  });
});

describe('the token of a page that is printed again', () => {
  const print = async (query = {}): Promise<Awaited<ReturnType<typeof list>>> => {
    const { json } = await world.events.listJson(CALLER, ACCOUNT, CALENDAR, query);
    return JSON.parse(Buffer.from(json).toString());
  };

  test.each([
    ['with a page behind it', { limit: '2' }, 'nextPageToken'],
    ['that is the last', { limit: '3' }, 'nextSyncToken'],
  ] as const)('%s is given out again for a minute, then issued anew', async (_name, query, field) => {
    for (let round = 0; round < 3; round++) await print(query);
    const first = await print(query);
    expect(await print(query)).toEqual(first);
    await world.clock.advance(61_000);
    const second = await print(query);
    expect(second).toEqual({ ...first, [field]: expect.any(String) });
    expect(second[field]).not.toBe(first[field]);
    expect(await print(query)).toEqual(second);
    await world.clock.advance(30 * 86_400_000 - 1_000);
    const next = field === 'nextPageToken' ? { pageToken: second[field]! } : { syncToken: second[field]! };
    expect(await list(next)).toBeDefined();
  });
});

describe("a change of the calendar's zone", () => {
  test('tells all-day events anew and leaves the others', async () => {
    world.fake.put(
      CALENDAR,
      fakeEvent('holiday', {
        isAllDay: true,
        start: { dateTime: '2026-03-05T00:00:00', timeZone: '' },
        end: { dateTime: '2026-03-06T00:00:00', timeZone: '' },
      }),
    );
    const { nextSyncToken: syncToken } = await list();
    world.fake.switches.pageZone = 'Europe/Berlin';
    await pull();
    const page = await list({ syncToken: syncToken! });
    expect(page.data).toEqual([
      expect.objectContaining({ id: 'holiday', start: { dateTime: '2026-03-05T00:00:00', timeZone: 'Europe/Berlin' } }),
    ]);
  });
});

describe('occurrences of one event', () => {
  const occurrences = (id: string, query = {}) =>
    world.events.listOccurrences(CALLER, ACCOUNT, CALENDAR, id, { ...march, ...query });
  beforeEach(() =>
    world.fake.put(
      CALENDAR,
      fakeEvent('s', { ...newYork('2026-03-02', '09:00', '10:00'), recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }),
    ),
  );

  test('are listed, ordered, paged and synced', async () => {
    const page = await occurrences('s', { orderBy: 'startDateTime', limit: '2' });
    expect(page.data.map(({ id }) => id)).toEqual(['s_20260302T140000Z', 's_20260303T140000Z']);
    const next = { pageToken: page.nextPageToken! };
    const last = await world.events.listOccurrences(CALLER, ACCOUNT, CALENDAR, 's', next);
    expect(last.data.map(({ id }) => id)).toEqual(['s_20260304T140000Z']);
    await world.events.delete(CALLER, ACCOUNT, CALENDAR, 's_20260303T140000Z');
    world.fake.put(CALENDAR, fakeEvent('a', { title: 'elsewhere' }));
    const sync = { syncToken: last.nextSyncToken! };
    const changes = await world.events.listOccurrences(CALLER, ACCOUNT, CALENDAR, 's', sync);
    expect(changes.data).toEqual([
      {
        id: 's_20260303T140000Z',
        isCancelled: true,
        isDeleted: true,
        recurringEventId: 's',
        originalStart: { dateTime: '2026-03-03T09:00:00-05:00', timeZone: 'America/New_York' },
      },
    ]);
    await world.events.delete(CALLER, ACCOUNT, CALENDAR, 's');
    const gone = await world.events.listOccurrences(CALLER, ACCOUNT, CALENDAR, 's', sync);
    expect(gone.data.map((record) => 'isDeleted' in record)).toEqual([true, true, true]);
  });

  test('need a window and a known event', async () => {
    await expect(world.events.listOccurrences(CALLER, ACCOUNT, CALENDAR, 's', {})).rejects.toMatchObject({
      details: [
        { path: 'startDateTime', message: 'is required' },
        { path: 'endDateTime', message: 'is required' },
      ],
    });
    await expect(occurrences('none')).rejects.toMatchObject({ code: 'NotFound' });
    expect((await occurrences('a')).data.map(({ id }) => id)).toEqual(['a']);
  });
});
