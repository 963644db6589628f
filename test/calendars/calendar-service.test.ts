import type { CalendarCreate } from 'kalends/model';
import { ProviderError } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { allDay, fakeEvent } from '../mirror/fake-events.ts';
import { fakeCalendar } from '../mirror/fake-provider.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
});
afterEach(() => world.close());

const list = (query = {}) => world.calendars.list(CALLER, ACCOUNT, query);
const ids = (page: { readonly data: readonly { readonly id: string }[] }) => page.data.map(({ id }) => id);

describe('the list of calendars', () => {
  test('has the fields of the interface alone', async () => {
    const page = await list();
    const { providerTag: _, ...shown } = fakeCalendar(CALENDAR, { isPrimary: true });
    expect(page).toMatchObject({ data: [shown] });
    expect(page.data[0]).not.toHaveProperty('providerTag');
    expect(page.nextPageToken).toBeUndefined();
  });

  test('is paged as a snapshot and synced', async () => {
    for (let i = 0; i < 4; i++) world.fake.putCalendar(fakeCalendar(`d${i}`));
    const first = await list({ limit: '2' });
    expect(ids(first)).toEqual([CALENDAR, 'd0']);
    world.fake.removeCalendar('d1');
    world.fake.putCalendar(fakeCalendar('d3', { name: 'renamed' }));
    world.fake.putCalendar(fakeCalendar('e'));
    await world.mirror.pull(world.account, null);
    const second = await list({ pageToken: first.nextPageToken! });
    const third = await list({ pageToken: second.nextPageToken! });
    expect([...ids(second), ...ids(third)]).toEqual(['d1', 'd2', 'd3']);
    const sync = await list({ syncToken: third.nextSyncToken!, pageSize: '2' });
    const rest = await list({ pageToken: sync.nextPageToken!, syncToken: third.nextSyncToken! });
    expect([...sync.data, ...rest.data]).toEqual([
      { id: 'd1', isDeleted: true },
      expect.objectContaining({ id: 'd3', name: 'renamed' }),
      expect.objectContaining({ id: 'e' }),
    ]);
    expect((await list({ syncToken: rest.nextSyncToken! })).data).toEqual([]);
  });

  test('refuses tokens that are not its own', async () => {
    const { nextSyncToken } = await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
    await expect(list({ syncToken: nextSyncToken! })).rejects.toMatchObject({ code: 'InvalidSyncToken' });
    await expect(list({ pageToken: 'x' })).rejects.toMatchObject({ code: 'InvalidPageToken' });
    await expect(list({ limit: '0' })).rejects.toMatchObject({ details: [{ path: 'limit' }] });
    await expect(list({ search: 'x' })).rejects.toMatchObject({ details: [{ path: 'search' }] });
  });

  test('of another application is not found', async () => {
    await expect(world.calendars.list({ applicationId: 'app_2' }, ACCOUNT, {})).rejects.toMatchObject({
      code: 'NotFound',
    });
  });
});

describe('a calendar', () => {
  const get = (id: string) => world.calendars.get(CALLER, ACCOUNT, id);

  test('is created, read, changed and deleted', async () => {
    const created = await world.calendars.create(CALLER, ACCOUNT, {
      name: 'team',
      timeZone: 'W. Europe Standard Time',
      isPrimary: true,
    });
    expect(created).toMatchObject({ name: 'team', timeZone: 'Europe/Berlin', isPrimary: false });
    expect(await get(created.id)).toEqual(created);
    const changed = await world.calendars.update(CALLER, ACCOUNT, created.id, { ...created, name: 'crew' });
    expect(changed).toEqual({ ...created, name: 'crew' });
    expect(await get(created.id)).toEqual(changed);
    await world.calendars.delete(CALLER, ACCOUNT, created.id);
    await expect(get(created.id)).rejects.toMatchObject({ code: 'NotFound' });
    expect(ids(await list())).toEqual([CALENDAR]);
  });

  test('moves its all-day events with its zone', async () => {
    world.fake.put(CALENDAR, fakeEvent('holiday', allDay('2026-03-05', '2026-03-06')));
    const page = await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
    await world.calendars.update(CALLER, ACCOUNT, CALENDAR, { timeZone: 'Asia/Tokyo' });
    const sync = await world.events.list(CALLER, ACCOUNT, CALENDAR, { syncToken: page.nextSyncToken! });
    expect(sync.data).toMatchObject([{ id: 'holiday', start: { timeZone: 'Asia/Tokyo' } }]);
  });

  test.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(255) }, 'name'],
    [{ name: 'x', hexColor: 'red' }, 'hexColor'],
    [{ name: 'x', timeZone: 'GMT+1' }, 'timeZone'],
    [{ name: 'x', colour: 'red' }, 'colour'],
  ])('is not created from %j: names %s', async (body, path) => {
    await expect(world.calendars.create(CALLER, ACCOUNT, body as CalendarCreate)).rejects.toMatchObject({
      code: 'InvalidRequest',
      details: [{ path }],
    });
  });

  test('that is primary is not deleted; that is read-only is not changed', async () => {
    await expect(world.calendars.delete(CALLER, ACCOUNT, CALENDAR)).rejects.toMatchObject({
      code: 'Forbidden',
      status: 403,
    });
    world.fake.putCalendar(fakeCalendar('shared', { readOnly: true }));
    const shared = await get('shared');
    await expect(world.calendars.update(CALLER, ACCOUNT, 'shared', { name: 'x' })).rejects.toMatchObject({
      code: 'CalendarReadOnly',
    });
    expect(await world.calendars.update(CALLER, ACCOUNT, 'shared', shared)).toEqual(shared);
  });

  test('takes its mirror along when it goes', async () => {
    world.fake.putCalendar(fakeCalendar('cal_2'));
    await world.events.list(CALLER, ACCOUNT, 'cal_2', {});
    await world.calendars.delete(CALLER, ACCOUNT, 'cal_2');
    expect(
      await world.storage.mirror.find({ applicationId: 'app_1', accountId: ACCOUNT, calendarId: 'cal_2' }),
    ).toBeUndefined();
  });

  test('tells failures of the provider', async () => {
    await list();
    world.fake.switches.fail = () => new ProviderError('rate-limited', 'slow', { retryAfterMs: 9_000 });
    await expect(world.calendars.create(CALLER, ACCOUNT, { name: 'x' })).rejects.toMatchObject({
      code: 'RateLimited',
      retryAfterMs: 9_000,
    });
  });
});
