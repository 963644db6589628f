import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { movableClock } from './movable-clock.ts';
import { calendarEvent, deletedEvent } from './shapes.ts';
import {
  body,
  type Connected,
  calendarsPath,
  eventsPath,
  expectProblem,
  query,
  readAll,
  withOneBitChanged,
} from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

const MINUTE_MS = 60_000;
const clock = movableClock();
let world: World;
beforeAll(async () => {
  world = await createWorld({ clock });
});
afterAll(() => world.close());

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;
const MARCH = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z' };
const EXPANDED = { ...MARCH, expandRecurrences: true };

describe.each(PROVIDERS)('pages and sync tokens of events of $providerType', ({ provider }) => {
  let account: Connected;
  beforeAll(async () => {
    account = await world.connect(provider);
  });
  let names = 0;
  /** A calendar of its own for each test. */
  beforeEach(async () => {
    names += 1;
    const fields = { name: `Sync ${names}`, timeZone: 'Europe/Berlin' };
    const created = body(await world.call('POST', calendarsPath(account.accountId), { body: fields }), 201);
    account = { ...account, calendarId: created.id };
  });
  const path = (id?: string) => eventsPath(account, id);
  const get = (parameters: Parameters = {}) => world.call('GET', `${path()}${query(parameters)}`);
  const all = (parameters: Parameters = {}) => readAll(world, path(), parameters);
  const create = async (title: string, day: number, fields: Readonly<Record<string, unknown>> = {}) => {
    const start = { dateTime: `2026-03-${String(day).padStart(2, '0')}T09:00:00` };
    return body(await world.call('POST', path(), { body: { title, start, ...fields } }), 201);
  };
  const put = async (id: string, sent: unknown) => body(await world.call('PUT', path(id), { body: sent }));
  const remove = async (id: string) => body(await world.call('DELETE', path(id)));
  const daily = (count: number) => ({ recurrence: [`RRULE:FREQ=DAILY;COUNT=${count}`] });

  /** The events of a client that applied every page, as the interface promises. */
  const applied = (held: readonly Json[], changes: readonly Json[]) => {
    const state = new Map(held.map((event) => [event.id, event]));
    for (const change of changes) {
      expect(change.isDeleted === true ? deletedEvent(change) : calendarEvent(change)).toBeUndefined();
      if (change.isDeleted) state.delete(change.id);
      else state.set(change.id, change);
    }
    return [...state.values()].sort(byId);
  };
  const byId = (a: Json, b: Json) => (a.id < b.id ? -1 : 1);

  it('pages are a snapshot: each event once, whatever happens meanwhile', async () => {
    for (let day = 1; day <= 5; day += 1) await create(`Day ${day}`, day);
    const whole = await all();
    const first = body(await get({ limit: 2 }));
    expect(first.data).toHaveLength(2);
    await create('Late', 9);
    await remove(whole.data[4].id);
    const second = body(await get({ pageToken: first.nextPageToken }));
    const third = body(await get({ pageToken: second.nextPageToken, limit: 1 }));
    expect([...first.data, ...second.data, ...third.data].sort(byId)).toEqual([...whole.data].sort(byId));
    expect(third).not.toHaveProperty('nextPageToken');
    const { data } = await all({ syncToken: third.nextSyncToken });
    expect(applied(whole.data, data)).toEqual([...(await all()).data].sort(byId));
    expect(body(await get({ pageSize: 2 })).data).toEqual(first.data.length === 2 ? expect.any(Array) : []);
  });

  it('limit and pageSize are one parameter: together only when equal', async () => {
    for (let day = 1; day <= 3; day += 1) await create(`Day ${day}`, day);
    expect(body(await get({ limit: 2 })).data).toHaveLength(2);
    expect(body(await get({ pageSize: 2 })).data).toHaveLength(2);
    expect(body(await get({ limit: 2, pageSize: 2 })).data).toHaveLength(2);
    expectProblem(await get({ limit: 2, pageSize: 1 }), 400, 'InvalidRequest');
  });

  it('a sync lists what changed once, in order of change', async () => {
    const [one, two, three] = [await create('One', 1), await create('Two', 2), await create('Three', 3)];
    const { nextSyncToken: syncToken } = await all();
    const four = await create('Four', 4);
    await put(one.id, { title: 'Uno' });
    await remove(two.id);
    await put(three.id, { title: 'Tres' });
    await put(one.id, { title: 'Eins' });
    const { data, nextSyncToken } = await all({ syncToken });
    expect(data.map(({ id }) => id)).toEqual([four.id, two.id, three.id, one.id]);
    expect(data[1]).toEqual({ id: two.id, isCancelled: true, isDeleted: true });
    expect(data[3].title).toBe('Eins');
    const paged = await all({ syncToken, limit: 1 });
    expect(paged.pages).toBe(4);
    expect(paged.data).toEqual(data);
    expect((await all({ syncToken: nextSyncToken })).data).toEqual([]);
    // A token is not used up.
    expect((await all({ syncToken })).data).toEqual(data);
  });

  it.each([
    ['everything', {}],
    ['a window', MARCH],
    ['an expanded window', EXPANDED],
    ['an ordered expanded window', { ...EXPANDED, orderBy: 'startDateTime' }],
    ['a search', { search: 'a' }],
    ['without the cancelled', { isCancelled: false }],
    ['all-day only', { isAllDay: true }],
    ['metadata', { metadataFilters: '{"team":"a"}' }],
  ])('the promise holds for %s', async (_what, filters) => {
    const metadata = { privateExtendedProperties: { team: 'a' } };
    const single = await create('Alpha', 5, metadata);
    const leaving = await create('Beta', 6, metadata);
    const series = await create('Standup a', 10, { ...daily(5), ...metadata });
    const before = await all(filters);
    await put(single.id, { title: 'Omega', privateExtendedProperties: { team: 'b' } });
    await put(leaving.id, { isAllDay: true, start: { dateTime: '2026-05-01' }, end: { dateTime: '2026-05-02' } });
    await put(`${series.id}_20260311T080000Z`, {
      title: 'Moved a',
      start: { dateTime: '2026-03-11T11:00:00' },
      end: { dateTime: '2026-03-11T12:00:00' },
    });
    await remove(`${series.id}_20260312T080000Z`);
    await create('Gamma', 20, metadata);
    const middle = await all({ syncToken: before.nextSyncToken });
    expect(applied(before.data, middle.data)).toEqual([...(await all(filters)).data].sort(byId));
    await put(series.id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] });
    await put(leaving.id, {
      isAllDay: false,
      start: { dateTime: '2026-03-06T09:00:00' },
      end: { dateTime: '2026-03-06T10:00:00' },
    });
    await remove(single.id);
    const last = await all({ syncToken: middle.nextSyncToken, limit: 1 });
    const fresh = [...(await all(filters)).data].sort(byId);
    expect(applied(applied(before.data, middle.data), last.data)).toEqual(fresh);
    const skipped = await all({ syncToken: before.nextSyncToken });
    expect(applied(before.data, skipped.data)).toEqual(fresh);
  });

  it('a deleted occurrence is told with its series and slot, and an expanded list drops it', async () => {
    const series = await create('Standup', 10, daily(3));
    const expanded = await all(EXPANDED);
    const unexpanded = await all();
    const id = `${series.id}_20260311T080000Z`;
    await remove(id);
    const dropped = (await all({ syncToken: expanded.nextSyncToken })).data;
    expect(dropped).toContainEqual({
      id,
      isCancelled: true,
      isDeleted: true,
      recurringEventId: series.id,
      originalStart: { dateTime: '2026-03-11T09:00:00+01:00', timeZone: 'Europe/Berlin' },
    });
    const kept = (await all({ syncToken: unexpanded.nextSyncToken })).data.find((event) => event.id === id);
    expect(calendarEvent(kept)).toBeUndefined();
    expect(kept).toMatchObject({ isCancelled: true, recurringEventId: series.id });
    expect(kept).not.toHaveProperty('isDeleted');
    expect(body(await world.call('GET', path(id)))).toEqual(kept);
    const restoring = await world.call('PUT', path(id), { body: { isCancelled: false } });
    expect(body(restoring).isCancelled).toBe(false);
    expect((await all(EXPANDED)).data).toHaveLength(3);
  });

  it('tells what was changed at the provider', async () => {
    const [kept, gone] = [await create('Kept', 5), await create('Gone', 6)];
    const { nextSyncToken: syncToken } = await all();
    const root = provider === 'google' ? `/calendars/${encodeURIComponent(account.calendarId)}/events` : '/me/events';
    const field = provider === 'google' ? 'summary' : 'subject';
    await world.atProvider(provider, account.email, 'PATCH', `${root}/${kept.id}`, { [field]: 'Renamed there' });
    await world.atProvider(provider, account.email, 'DELETE', `${root}/${gone.id}`);
    clock.pass(MINUTE_MS);
    const { data } = await all({ syncToken });
    expect(data).toHaveLength(2);
    expect(data).toContainEqual({ id: gone.id, isCancelled: true, isDeleted: true });
    expect(data.find(({ id }) => id === kept.id)).toMatchObject({ title: 'Renamed there' });
    expectProblem(await world.call('GET', path(gone.id)), 404, 'NotFound');
  });

  it('holds the promise over the death of the provider’s own sync token', async () => {
    const [kept, gone] = [await create('Kept', 5), await create('Gone', 6)];
    const before = await all();
    const root = provider === 'google' ? `/calendars/${encodeURIComponent(account.calendarId)}/events` : '/me/events';
    await world.atProvider(provider, account.email, 'DELETE', `${root}/${gone.id}`);
    const { controls } = world.sandbox[provider];
    (controls['expireSyncTokens'] ?? controls['expireDeltaTokens'])?.({});
    clock.pass(MINUTE_MS);
    const { data } = await all({ syncToken: before.nextSyncToken });
    expect(applied(before.data, data).map(({ id }) => id)).toEqual([kept.id]);
  });

  describe('tokens', () => {
    it('remember filters, required parameters included; equal ones may be sent again', async () => {
      for (let day = 1; day <= 3; day += 1) await create(`Day ${day}`, day);
      const series = await create('Series', 10, daily(3));
      const filters = { ...EXPANDED, search: 'day' };
      const page = body(await get({ ...filters, limit: 2 }));
      expect(body(await get({ pageToken: page.nextPageToken })).data).toHaveLength(1);
      expect(body(await get({ pageToken: page.nextPageToken, ...filters })).data).toHaveLength(1);
      const { nextSyncToken: syncToken } = await all(filters);
      await create('Day 4', 4);
      await create('Other', 4);
      expect((await all({ syncToken })).data.map(({ title }) => title)).toEqual(['Day 4']);
      expect((await all({ syncToken, ...filters })).data).toHaveLength(1);
      const occurrences = `${path(series.id)}/occurrences`;
      const one = await readAll(world, occurrences, MARCH);
      await remove(`${series.id}_20260311T080000Z`);
      expect((await readAll(world, occurrences, { syncToken: one.nextSyncToken })).data).toHaveLength(1);
    });

    it('are no filters: limit, pageSize, orderBy and the zone of display', async () => {
      for (let day = 1; day <= 3; day += 1) await create(`Day ${day}`, day);
      const page = body(await get({ ...EXPANDED, orderBy: 'startDateTime', limit: 1 }));
      const next = body(await get({ pageToken: page.nextPageToken, limit: 2, timeZone: 'Asia/Tokyo' }));
      expect(next.data.map(({ start }: Json) => start.timeZone)).toEqual(['Asia/Tokyo', 'Asia/Tokyo']);
      await create('Day 4', 4);
      const sent = { syncToken: next.nextSyncToken, timeZone: 'UTC', orderBy: 'updatedDateTime', limit: 7 };
      expect((await all(sent)).data[0].start.timeZone).toBe('UTC');
    });

    it.each([
      ['search', { search: 'x' }],
      ['startDateTime', { startDateTime: '2026-03-02T00:00:00Z' }],
      ['endDateTime', { endDateTime: '2026-03-31T00:00:00Z' }],
      ['expandRecurrences', { expandRecurrences: false }],
      ['isAllDay', { isAllDay: false }],
      ['isCancelled', { isCancelled: true }],
      ['metadataFilters', { metadataFilters: '{"a":"b"}' }],
      ['updatedAfter', { updatedAfter: '2026-01-01T00:00:00Z' }],
    ])('another %s beside a token is 400: SyncTokenMismatch beside a sync token', async (field, other) => {
      for (let day = 1; day <= 2; day += 1) await create(`Day ${day}`, day);
      const { nextSyncToken: syncToken } = await all(EXPANDED);
      expectProblem(await get({ syncToken, ...other }), 400, 'SyncTokenMismatch', field);
      const { nextPageToken: pageToken } = body(await get({ ...EXPANDED, limit: 1 }));
      expectProblem(await get({ pageToken, ...other }), 400, 'InvalidPageToken', field);
    });

    it('are refused when altered by one bit, of another kind, calendar or account', async () => {
      for (let day = 1; day <= 2; day += 1) await create(`Day ${day}`, day);
      const { nextSyncToken: syncToken } = await all();
      const { nextPageToken: pageToken } = body(await get({ limit: 1 }));
      for (const token of [syncToken, pageToken]) expect(encodeURIComponent(token)).toBe(token);
      for (const wrong of [withOneBitChanged(syncToken), 'nonsense', pageToken, 'x'.repeat(3_000)]) {
        expectProblem(await get({ syncToken: wrong }), 400, 'InvalidSyncToken', 'syncToken');
      }
      for (const wrong of [withOneBitChanged(pageToken), 'nonsense', syncToken]) {
        expectProblem(await get({ pageToken: wrong }), 400, 'InvalidPageToken', 'pageToken');
      }
      const primary = body(await world.call('GET', calendarsPath(account.accountId))).data.find(
        (c: Json) => c.isPrimary,
      );
      const elsewhere = [
        eventsPath({ ...account, calendarId: primary.id }),
        eventsPath(await world.connect(provider)),
        calendarsPath(account.accountId),
      ];
      for (const other of elsewhere) {
        expectProblem(await world.call('GET', `${other}${query({ syncToken })}`), 400, 'InvalidSyncToken', 'syncToken');
        expectProblem(await world.call('GET', `${other}${query({ pageToken })}`), 400, 'InvalidPageToken', 'pageToken');
      }
    });

    it('a syncToken beside a page token must be the one that began the pages', async () => {
      await create('One', 1);
      const { nextSyncToken: syncToken } = await all();
      for (let day = 2; day <= 3; day += 1) await create(`Day ${day}`, day);
      const other = (await all()).nextSyncToken;
      const { nextPageToken: pageToken } = body(await get({ syncToken, limit: 1 }));
      body(await get({ syncToken, pageToken }));
      expectProblem(await get({ syncToken: other, pageToken }), 400, 'InvalidPageToken');
      const { nextPageToken: ofFullList } = body(await get({ limit: 1 }));
      expectProblem(await get({ syncToken, pageToken: ofFullList }), 400, 'InvalidPageToken');
    });

    it('of 31 days ago are 410', async () => {
      const { nextSyncToken: syncToken } = await all();
      clock.pass(29 * 24 * 60 * MINUTE_MS);
      body(await get({ syncToken }));
      clock.pass(2 * 24 * 60 * MINUTE_MS);
      expectProblem(await get({ syncToken }), 410, 'SyncTokenExpired');
    });
  });
});
