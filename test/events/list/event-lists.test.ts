import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { allDay, cancelledSlot, fakeEvent, fakeException, newYork } from '../../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../../mirror/sync-world.ts';

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
});
afterEach(() => world.close());

const list = (query = {}) => world.events.list(CALLER, ACCOUNT, CALENDAR, query);
const ids = (page: { readonly data: readonly { readonly id: string }[] }) => page.data.map(({ id }) => id).sort();
const slot = (iso: string) => ({ kind: 'instant', startMs: Date.parse(iso) }) as const;

/** Mondays at nine from 2 March: moved on the 9th, cancelled on the 16th. */
function seedSeries() {
  world.fake.put(
    CALENDAR,
    fakeEvent('weekly', {
      ...newYork('2026-03-02', '09:00', '10:00'),
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4'],
    }),
  );
  world.fake.put(
    CALENDAR,
    fakeException('x-moved', 'weekly', slot('2026-03-09T13:00:00Z'), newYork('2026-03-10', '15:00', '16:00', '-04:00')),
  );
  world.fake.put(CALENDAR, cancelledSlot('weekly', slot('2026-03-16T13:00:00Z'), 'x-cancelled'));
}

describe('an unexpanded list', () => {
  test('holds single events, masters, exceptions and cancelled occurrences', async () => {
    seedSeries();
    world.fake.put(CALENDAR, fakeEvent('single', newYork('2026-03-04', '12:00', '13:00')));
    const page = await list();
    expect(ids(page)).toEqual(['single', 'weekly', 'weekly_20260309T130000Z', 'weekly_20260316T130000Z']);
    expect(page.nextPageToken).toBeUndefined();
    const cancelled = page.data.find(({ id }) => id === 'weekly_20260316T130000Z');
    expect(cancelled).toMatchObject({
      title: 'weekly',
      isCancelled: true,
      isException: true,
      isRecurring: false,
      recurrence: null,
      recurringEventId: 'weekly',
      start: { dateTime: '2026-03-16T09:00:00-04:00', timeZone: 'America/New_York' },
      originalStart: { dateTime: '2026-03-16T09:00:00-04:00', timeZone: 'America/New_York' },
    });
    expect(cancelled).not.toHaveProperty('isDeleted');
    expect(page.data.find(({ id }) => id === 'weekly')).toMatchObject({ isRecurring: true, isException: false });
  });

  test('drops cancelled ones when isCancelled is false', async () => {
    seedSeries();
    expect(ids(await list({ isCancelled: 'false' }))).toEqual(['weekly', 'weekly_20260309T130000Z']);
  });

  test('has a master whose occurrence lies in the window', async () => {
    seedSeries();
    const window = { startDateTime: '2026-03-23T00:00:00Z', endDateTime: '2026-03-24T00:00:00Z' };
    expect(ids(await list(window))).toEqual(['weekly']);
    const empty = { startDateTime: '2026-03-16T00:00:00Z', endDateTime: '2026-03-17T00:00:00Z', isCancelled: 'false' };
    expect(ids(await list(empty as never))).toEqual([]);
  });

  test('compares both ends of the window by containment, equality included', async () => {
    world.fake.put(CALENDAR, fakeEvent('single', newYork('2026-03-04', '12:00', '13:00')));
    const exact = { startDateTime: '2026-03-04T12:00:00-05:00', endDateTime: '2026-03-04T13:00:00-05:00' };
    expect(ids(await list(exact))).toEqual(['single']);
    expect(ids(await list({ ...exact, startDateTime: '2026-03-04T12:00:01-05:00' }))).toEqual([]);
    expect(ids(await list({ startDateTime: '2026-03-04T12:00:00', endDateTime: '2026-03-04T13:00:00' }))).toEqual([
      'single',
    ]);
    expect(
      ids(
        await list({
          startDateTime: '2026-03-04T18:00:00',
          timeZone: 'Europe/Berlin',
          endDateTime: '2026-03-04T19:00:00',
        }),
      ),
    ).toEqual(['single']);
  });

  test('filters by title, properties, all-day and change time', async () => {
    world.fake.put(CALENDAR, fakeEvent('a', { title: 'Über plan', publicExtendedProperties: { room: '4' } }));
    world.fake.put(
      CALENDAR,
      fakeEvent('b', { ...allDay('2026-03-05', '2026-03-06'), privateExtendedProperties: { k: 'v' } }),
    );
    world.fake.put(CALENDAR, fakeEvent('c', { updatedAt: '2026-02-01T00:00:00.000Z' }));
    expect(ids(await list({ search: 'über' }))).toEqual(['a']);
    expect(ids(await list({ metadataFilters: '{"room":"4"}' }))).toEqual(['a']);
    expect(ids(await list({ metadataFilters: '{"k":"v"}' }))).toEqual(['b']);
    expect(ids(await list({ isAllDay: 'true' }))).toEqual(['b']);
    expect(ids(await list({ updatedAfter: '2026-01-15T00:00:00Z' }))).toEqual(['c']);
  });
});

describe('an expanded list', () => {
  const march = {
    expandRecurrences: 'true',
    startDateTime: '2026-03-01T00:00:00Z',
    endDateTime: '2026-04-01T00:00:00Z',
  };
  const listMarch = (query = {}) => list({ ...march, ...query } as never);

  test('has occurrences instead of masters, exceptions where they were moved to, no cancelled ones', async () => {
    seedSeries();
    const page = await listMarch({ orderBy: 'startDateTime' });
    expect(page.data.map((event) => [event.id, 'start' in event && event.start.dateTime])).toEqual([
      ['weekly_20260302T140000Z', '2026-03-02T09:00:00-05:00'],
      ['weekly_20260309T130000Z', '2026-03-10T15:00:00-04:00'],
      ['weekly_20260323T130000Z', '2026-03-23T09:00:00-04:00'],
    ]);
    expect(page.data[0]).toMatchObject({
      isException: true,
      isRecurring: false,
      recurrence: null,
      recurringEventId: 'weekly',
    });
    expect(ids(await listMarch({ isCancelled: 'true' }))).toContain('weekly_20260316T130000Z');
  });

  test("shows another zone and leaves all-day events in the calendar's", async () => {
    seedSeries();
    world.fake.put(
      CALENDAR,
      fakeEvent('holiday', { ...allDay('2026-03-05', '2026-03-06'), recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'] }),
    );
    const page = await listMarch({ timeZone: 'Europe/Berlin', orderBy: 'startDateTime' });
    expect(page.data[0]).toMatchObject({
      start: { dateTime: '2026-03-02T15:00:00+01:00', timeZone: 'Europe/Berlin' },
      originalStart: { dateTime: '2026-03-02T15:00:00+01:00', timeZone: 'Europe/Berlin' },
    });
    expect(page.data[1]).toMatchObject({
      id: 'holiday_20260305',
      isAllDay: true,
      start: { dateTime: '2026-03-05T00:00:00', timeZone: 'America/New_York' },
      end: { dateTime: '2026-03-06T00:00:00', timeZone: 'America/New_York' },
      originalStart: { date: '2026-03-05' },
    });
  });

  test('caps a series of seconds at 50,000 occurrences of the window', async () => {
    const seconds = { ...newYork('2026-01-01', '09:00', '09:00'), recurrence: ['RRULE:FREQ=SECONDLY'] };
    world.fake.put(CALENDAR, fakeEvent('dense', seconds));
    const at = (ms: number) => new Date(Date.UTC(2026, 2, 1) + ms).toISOString();
    const ends = async (from: number) =>
      (await listMarch({ startDateTime: at(0), orderBy: 'startDateTime', limit: '1000', endDateTime: at(from) })).data;
    expect(await ends(10_000)).toHaveLength(11);
    const busy = await world.freeBusy.query(CALLER, ACCOUNT, {
      startDateTime: at(0),
      endDateTime: at(300 * 86_400_000),
      timeZone: 'UTC',
      calendarIds: [CALENDAR],
    });
    expect(busy).toHaveLength(1);
    let count = 0;
    let page = await listMarch({ startDateTime: at(0), limit: '1000' });
    for (; page.nextPageToken !== undefined; page = await list({ pageToken: page.nextPageToken })) {
      count += page.data.length;
    }
    expect(count + page.data.length).toBe(50_000);
  });

  test('pages by one in every order without losing or repeating anything', async () => {
    seedSeries();
    world.fake.put(CALENDAR, fakeEvent('a', newYork('2026-03-02', '09:00', '09:30')));
    world.fake.put(
      CALENDAR,
      fakeEvent('z', { ...newYork('2026-03-30', '09:00', '09:30'), updatedAt: '2026-01-02T00:00:00.000Z' }),
    );
    for (const [id, updatedAt] of [
      ['untold', ''],
      ['b', '2026-01-03T00:00:00.000Z'],
      ['y', ''],
    ] as const) {
      world.fake.put(CALENDAR, fakeEvent(id, { ...newYork('2026-03-29', '09:00', '09:30'), updatedAt }));
    }
    for (const orderBy of [undefined, 'startDateTime', 'updatedDateTime']) {
      const whole = await listMarch(orderBy === undefined ? {} : { orderBy });
      const seen: string[] = [];
      let page = await listMarch({ limit: '1', ...(orderBy === undefined ? {} : { orderBy }) });
      for (;;) {
        expect(page.data).toHaveLength(1);
        seen.push(...page.data.map(({ id }) => id));
        if (page.nextPageToken === undefined) break;
        expect(page.nextSyncToken).toBeUndefined();
        page = await list({ pageToken: page.nextPageToken });
      }
      expect(seen).toEqual(whole.data.map(({ id }) => id));
      // Those without a time of change come first.
      if (orderBy === 'updatedDateTime') expect(seen.slice(0, 2)).toEqual(['untold', 'y']);
    }
  });

  test.each([
    [{ expandRecurrences: 'true', startDateTime: '2026-03-01' }, 'endDateTime'],
    [{ ...march, endDateTime: '2031-03-08T00:00:00Z' }, 'endDateTime'],
    [{ ...march, endDateTime: '2026-02-01T00:00:00Z' }, 'endDateTime'],
    [{ ...march, endDateTime: 'soon' }, 'endDateTime'],
    [{ orderBy: 'startDateTime' }, 'orderBy'],
    [{ timeZone: '+02:00' }, 'timeZone'],
    [{ metadataFilters: '{"a":1}' }, 'metadataFilters'],
    [{ limit: '1001' }, 'limit'],
    [{ limit: '5', pageSize: '6' }, 'pageSize'],
    [{ scope: 'this' }, 'scope'],
  ])('refuses %j naming %s', async (query, path) => {
    await expect(list(query as never)).rejects.toMatchObject({ code: 'InvalidRequest', details: [{ path }] });
  });

  test('names both ends of a window that is wanted', async () => {
    const details = [{ path: 'startDateTime' }, { path: 'endDateTime' }];
    await expect(list({ expandRecurrences: 'true' })).rejects.toMatchObject({ code: 'InvalidRequest', details });
  });
});
