import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readPageByGroup } from '../../../src/events/list/page-by-group.ts';
import { readPageByStart, readPageByUpdate } from '../../../src/events/list/page-by-order.ts';
import type { PageLimit } from '../../../src/events/list/page-size.ts';
import { type RecordChange, readSyncPage } from '../../../src/events/list/sync-page.ts';
import { createAnswerReader } from '../../../src/events/read/answer-reader.ts';
import type { EventRecord } from '../../../src/events/read/group-records.ts';
import { allDay, cancelledSlot, fakeEvent, fakeException, newYork } from '../../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../../mirror/sync-world.ts';

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
});
afterEach(() => world.close());

const march = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-03-03T00:00:00Z' };
const list = (query = {}) => world.events.list(CALLER, ACCOUNT, CALENDAR, query);
const pull = () => world.mirror.pull(world.account, CALENDAR);

function putHourly(location: string) {
  const times = newYork('2026-02-01', '09:00', '09:30');
  world.fake.put(CALENDAR, fakeEvent('hourly', { ...times, recurrence: ['RRULE:FREQ=HOURLY'], location }));
}

describe('a page of large records', () => {
  const large = 'x'.repeat(1_000_000);

  /** Follows the pages from a query on. */
  async function follow(query: Record<string, string>) {
    const ids: string[] = [];
    const sizes: number[] = [];
    for (let token: Record<string, string> = query; ; ) {
      const page = await list({ ...token, limit: '1000' });
      for (const { id } of page.data) ids.push(id);
      sizes.push(JSON.stringify(page).length);
      if (page.nextPageToken === undefined) return { ids, sizes, syncToken: page.nextSyncToken ?? '' };
      token = { pageToken: page.nextPageToken };
    }
  }

  test.each<Record<string, string>>([
    {},
    { orderBy: 'startDateTime' },
    { orderBy: 'updatedDateTime' },
  ])('ends early: %o', async (order) => {
    putHourly(large);
    const { ids, sizes } = await follow({ ...march, ...order, expandRecurrences: 'true' });
    expect(new Set(ids).size).toBe(48);
    expect(ids).toHaveLength(48);
    expect(sizes).toHaveLength(6);
    expect(Math.max(...sizes)).toBeLessThan(9_000_000);
  });

  test('ends early in a sync result as well', async () => {
    putHourly('');
    const { syncToken } = await follow({ ...march, expandRecurrences: 'true' });
    putHourly(large);
    await pull();
    const { ids, sizes } = await follow({ syncToken });
    expect(new Set(ids).size).toBe(48);
    expect(ids).toHaveLength(48);
    expect(Math.max(...sizes)).toBeLessThan(9_000_000);
  });

  test('has the records of a series of many dates, which occurrences do not repeat', async () => {
    const times = newYork('2026-03-01', '09:00', '09:30');
    const days = Array.from({ length: 20_000 }, (_, day) => new Date(Date.UTC(2030, 0, 1 + day)));
    const dates = days.map((day) => `${day.toISOString().slice(0, 10).replaceAll('-', '')}T090000`);
    const recurrence = ['RRULE:FREQ=HOURLY', `EXDATE;TZID=America/New_York:${dates.join(',')}`];
    world.fake.put(CALENDAR, fakeEvent('hourly', { ...times, recurrence }));
    const { ids, sizes } = await follow({ ...march, expandRecurrences: 'true' });
    expect([ids.length, sizes.length]).toEqual([34, 1]);
  });
});

describe('pages of a few characters are parts of the whole answer', () => {
  const filters = { expand: true, from: Date.parse('2026-03-01T00:00Z'), to: Date.parse('2026-03-12T00:00Z') } as const;
  const whole: PageLimit = { records: 10_000, characters: Number.POSITIVE_INFINITY };
  const bounds = [1, 700, 1_500, 4_000, 20_000];
  const idsOf = (records: readonly EventRecord[]) => records.map(({ id }) => id);

  function seed(title: string) {
    const daily = { recurrence: ['RRULE:FREQ=DAILY;COUNT=9'] };
    const slot = (day: string) => ({ kind: 'instant', startMs: Date.parse(`${day}T14:00:00Z`) }) as const;
    world.fake.put(CALENDAR, fakeEvent('a', { ...newYork('2026-03-04', '12:00', '13:00'), title }));
    world.fake.put(CALENDAR, fakeEvent('b', { ...newYork('2026-03-02', '09:00', '10:00'), ...daily, title }));
    world.fake.put(
      CALENDAR,
      fakeException('b-moved', 'b', slot('2026-03-03'), newYork('2026-03-05', '15:00', '16:00')),
    );
    world.fake.put(CALENDAR, cancelledSlot('b', slot('2026-03-04'), 'b-gone'));
    world.fake.put(CALENDAR, fakeEvent('c', { ...allDay('2026-03-03', '2026-03-04'), ...daily, title }));
    for (let i = 0; i < 5; i++) world.fake.put(CALENDAR, fakeEvent(`d${i}`, { title: title.repeat(i + 1) }));
  }

  async function reader() {
    const { revision = 0, timeZone = 'UTC' } = (await world.storage.mirror.find(KEY)) ?? {};
    return createAnswerReader(world.storage.mirror, KEY, revision, timeZone);
  }

  /** Takes page after page, each with a record at least. */
  async function takeAll<Found, Position>(
    read: (
      position: Position | undefined,
    ) => Promise<{ readonly found: readonly Found[]; readonly next: Position | undefined }>,
  ) {
    const all: Found[] = [];
    const counts: number[] = [];
    for (let position: Position | undefined; ; ) {
      const { found, next } = await read(position);
      all.push(...found);
      counts.push(found.length);
      if (next === undefined) return { all, counts };
      expect(found.length).toBeGreaterThan(0);
      position = JSON.parse(JSON.stringify(next)) as Position;
    }
  }

  const orders = { group: readPageByGroup, start: readPageByStart, update: readPageByUpdate };

  test.each(Object.keys(orders) as (keyof typeof orders)[])('by %s', async (order) => {
    seed('A title of some length');
    await list();
    const answer = await reader();
    const read = orders[order] as typeof readPageByGroup;
    const expected = idsOf((await read(answer, filters, whole, undefined)).records);
    expect(expected.length).toBeGreaterThan(20);
    for (const characters of bounds) {
      for (const records of [3, 1_000]) {
        const { all, counts } = await takeAll(async (position: Parameters<typeof read>[3]) => {
          const { records: found, next } = await read(answer, filters, { records, characters }, position);
          return { found, next };
        });
        expect(idsOf(all)).toEqual(expected);
        expect(Math.max(...counts)).toBeLessThanOrEqual(records);
        if (characters === 1) expect(Math.max(...counts)).toBe(1);
      }
    }
  });

  test('of a sync result', async () => {
    seed('A title of some length');
    await list();
    const since = await reader();
    seed('Another title');
    world.fake.remove(CALENDAR, 'd1');
    await pull();
    const until = await reader();
    const read = (limit: PageLimit, position: Parameters<typeof readSyncPage>[2]['position']) =>
      readSyncPage(world.storage.mirror, KEY, { since, until, filters, limit, position });
    const namesOf = (changes: readonly RecordChange[]) => changes.map(({ kind, record }) => `${kind} ${record.id}`);
    const expected = namesOf((await read(whole, undefined)).changes);
    expect(expected).toContain('gone d1');
    for (const characters of bounds) {
      const { all } = await takeAll(async (position: Parameters<typeof read>[1]) => {
        const { changes, next } = await read({ records: 1_000, characters }, position);
        return { found: changes, next };
      });
      expect(namesOf(all)).toEqual(expected);
    }
  });
});
