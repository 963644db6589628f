import { type CalendarPage, ProviderError, type ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listKeyOf } from '../../src/mirror/index.ts';
import { fakeEvent, fakeException, newYork } from '../mirror/fake-events.ts';
import { fakeCalendar } from '../mirror/fake-provider.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

const LIST = listKeyOf(KEY);
const DAY_MS = 86_400_000;

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
  world.fake.put(CALENDAR, fakeEvent('a'));
  await titles();
});
afterEach(() => world.close());

const titles = async () => {
  const { data } = await world.events.list(CALLER, ACCOUNT, CALENDAR, { limit: 1_000 });
  return data.map((event) => 'title' in event && event.title).sort();
};
const calendars = async () => (await world.calendars.list(CALLER, ACCOUNT, {})).data.map(({ id }) => id).sort();
const pull = () => world.mirror.pull(world.account, CALENDAR);
const pullList = () => world.mirror.pull(world.account, null);
const count = (call: string) => world.fake.calls.filter((each) => each === call).length;

/** Changes the pages of the calendar list on their way. */
function answerList(change: (page: CalendarPage) => CalendarPage) {
  const { calendars } = world.fake.provider;
  const { pull: pullCalendars } = calendars;
  Object.assign(calendars, {
    async *pull(...args: Parameters<typeof pullCalendars>) {
      for await (const page of pullCalendars(...args)) yield change(page);
    },
  });
}

describe('a pull of events', () => {
  test('enqueues messages for changes, none for the first pull nor for an unchanged calendar', async () => {
    expect(world.enqueued()).toBe(0);
    await pull();
    expect(world.enqueued()).toBe(0);
    world.fake.put(CALENDAR, fakeEvent('b'));
    await pull();
    expect(world.enqueued()).toBe(1);
  });

  test('takes the zone of the calendar list where its pages name none', async () => {
    world.fake.putCalendar(fakeCalendar(CALENDAR, { isPrimary: true, timeZone: 'Asia/Tokyo' }));
    await pullList();
    await pull();
    expect((await world.storage.mirror.find(KEY))?.timeZone).toBe('Asia/Tokyo');
    const { revision } = (await world.storage.mirror.find(KEY)) ?? {};
    await pull();
    expect((await world.storage.mirror.find(KEY))?.revision).toBe(revision);
  });

  test('of a calendar that is not listed is refused', async () => {
    await expect(world.mirror.pull(world.account, 'none')).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('is aborted when the pulls are closed', async () => {
    let signal: AbortSignal | undefined;
    const { events } = world.fake.provider;
    Object.assign(events, {
      async *pull(session: ProviderSession) {
        signal = session.signal;
        await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal?.reason)));
      },
    });
    const pulling = expect(pull()).rejects.toThrow();
    for (let i = 0; i < 50 && signal === undefined; i++) await world.clock.advance(0);
    expect(signal?.aborted).toBe(false);
    const closed = world.pulls.close();
    expect(signal?.aborted).toBe(true);
    await Promise.all([pulling, closed]);
  });
});

describe('a full pull of events', () => {
  test('ends its sweep', async () => {
    expect(await world.storage.mirror.endSweep(KEY, 1)).toBe(false);
    const { generation } = await world.storage.mirror.startSweep(KEY);
    expect(generation).toBe(2);
    expect(await world.storage.mirror.endSweep(KEY, generation)).toBe(true);
  });

  test('removes every event that is gone, however many', async () => {
    for (let i = 0; i < 205; i++) world.fake.put(CALENDAR, fakeEvent(`gone${i}`));
    world.fake.switches.pageSize = 1_000;
    await pull();
    expect(await titles()).toHaveLength(206);
    world.fake.events(CALENDAR).clear();
    world.fake.put(CALENDAR, fakeEvent('a'));
    world.fake.expireTokens();
    await pull();
    expect(await titles()).toEqual(['a']);
    expect(count('events.get')).toBe(205);
  });

  test('confirms no event that it listed', async () => {
    world.fake.expireTokens();
    await pull();
    expect(count('events.get')).toBe(0);
  });

  test('that ends without a resume point fails, and is repeated', async () => {
    const { provider } = world.fake;
    const { pull: pullEvents } = provider.events;
    Object.assign(provider.events, {
      async *pull(...args: Parameters<typeof pullEvents>) {
        for await (const { nextToken: _, ...page } of pullEvents(...args)) yield page;
      },
    });
    await expect(pull()).rejects.toMatchObject({ cause: { reason: 'malformed' } });
    Object.assign(provider.events, { pull: pullEvents });
    world.fake.put(CALENDAR, fakeEvent('b'));
    await pull();
    expect(await titles()).toEqual(['a', 'b']);
  });

  test('of a calendar that the provider no longer knows has the list read again', async () => {
    await world.storage.schedule.finish(LIST, { failures: 0, dueAt: null });
    world.fake.switches.fail = (call) =>
      call === 'events.pull' ? new ProviderError('not-found', 'no such calendar') : undefined;
    await expect(pull()).rejects.toMatchObject({ cause: { reason: 'not-found' } });
    expect((await world.storage.schedule.get(LIST)).dueAt).toBe(world.clock.now());
  });

  test('that fails otherwise leaves the list alone', async () => {
    await world.storage.schedule.finish(LIST, { failures: 0, dueAt: null });
    world.fake.switches.fail = (call) =>
      call === 'events.pull' ? new ProviderError('unavailable', 'down') : undefined;
    await expect(pull()).rejects.toMatchObject({ cause: { reason: 'unavailable' } });
    expect((await world.storage.schedule.get(LIST)).dueAt).toBeNull();
    const { failures, dueAt } = await world.storage.schedule.get(KEY);
    expect(failures).toBe(1);
    expect(dueAt).toBeGreaterThan(world.clock.now());
  });

  test('forgets the dead token before it begins', async () => {
    world.fake.expireTokens();
    let asked = 0;
    world.fake.switches.fail = (call) =>
      call === 'events.pull' && ++asked === 2 ? new ProviderError('unavailable', 'down') : undefined;
    await expect(pull()).rejects.toMatchObject({ cause: { reason: 'unavailable' } });
    expect(await world.storage.mirror.findProviderToken(KEY)).toBeNull();
  });

  test('goes on beyond many events that the provider has but did not list', async () => {
    const hidden = Array.from({ length: 205 }, (_, index) => `hidden${index}`);
    for (const id of hidden) world.fake.put(CALENDAR, fakeEvent(id));
    await pull();
    for (const id of hidden) world.fake.switches.hidden.add(id);
    world.fake.expireTokens();
    let asked = 0;
    world.fake.switches.fail = (call) =>
      call === 'events.get' && ++asked > hidden.length ? new ProviderError('unavailable', 'asked again') : undefined;
    await pull();
    expect(await titles()).toHaveLength(206);
  });

  test('confirms a series that is gone once, not its exceptions', async () => {
    const at = newYork('2026-03-02', '09:00', '10:00');
    world.fake.put(CALENDAR, fakeEvent('s', { ...at, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] }));
    for (const day of [3, 4]) {
      const slot = { kind: 'instant', startMs: Date.UTC(2026, 2, day, 14) } as const;
      world.fake.put(CALENDAR, fakeException(`x${day}`, 's', slot));
    }
    await pull();
    world.fake.remove(CALENDAR, 's');
    world.fake.expireTokens();
    await pull();
    expect(await titles()).toEqual(['a']);
    expect(count('events.get')).toBe(1);
  });

  test('that finds nothing but local-only records counts as empty', async () => {
    world.fake.put(CALENDAR, fakeEvent('kept', {}, { isKeptLocally: true }));
    await pull();
    world.fake.events(CALENDAR).delete('kept');
    world.fake.expireTokens();
    await world.storage.schedule.hint(KEY);
    await pull();
    expect(await titles()).toEqual(['a', 'kept']);
    expect((await world.storage.schedule.get(KEY)).repeatsLeft).toBe(2);
  });
});

describe('a re-read', () => {
  test('keeps a local-only exception whose series is unknown', async () => {
    const slot = { kind: 'instant', startMs: Date.UTC(2026, 2, 3, 14) } as const;
    world.fake.put(CALENDAR, { ...fakeException('x', 's', slot, { title: 'kept' }), isKeptLocally: true });
    await pull();
    world.fake.events(CALENDAR).delete('x');
    await world.storage.mirror.addRereads(KEY, ['s_20260303T140000Z']);
    await pull();
    expect(count('events.get')).toBe(1);
    expect(await world.storage.mirror.listRereads(KEY, 9)).toEqual([]);
    expect(await world.storage.mirror.findItem(KEY, 's_20260303T140000Z')).toBeDefined();
  });
});

describe('a pull of a calendar that is not listed', () => {
  const OTHER = { ...KEY, calendarId: 'other' };

  test('has its deletion settled by the list, and counts as no failure', async () => {
    await world.storage.schedule.finish(LIST, { failures: 0, dueAt: null });
    await expect(world.pulls.pull(world.account, OTHER)).rejects.toMatchObject({ code: 'NotFound' });
    expect((await world.storage.schedule.get(LIST)).dueAt).toBe(world.clock.now());
    expect(await world.storage.schedule.listMissing(LIST)).toMatchObject([{ calendarId: 'other' }]);
    expect(await world.storage.schedule.get(OTHER)).toMatchObject({ failures: 0, dueAt: null });
  });

  test('proves nothing before the first list is complete', async () => {
    const empty = await syncWorld();
    try {
      const pulling = empty.pulls.pull(empty.account, OTHER);
      await expect(pulling).rejects.toMatchObject({ cause: { reason: 'not-found' } });
      expect((await empty.storage.schedule.get(LIST)).dueAt).toBe(empty.clock.now());
      expect(await empty.storage.schedule.listMissing(LIST)).toEqual([]);
    } finally {
      await empty.close();
    }
  });
});

describe('a pull of the calendar list', () => {
  test('is incremental until it is a day old, and ends its sweep', async () => {
    expect(await world.storage.mirror.endSweep(LIST, 1)).toBe(false);
    world.fake.calendars.set('silent', fakeCalendar('silent'));
    await world.clock.advance(DAY_MS - 1);
    await pullList();
    expect(await calendars()).toEqual([CALENDAR]);
    await world.clock.advance(1);
    await pullList();
    expect(await calendars()).toEqual([CALENDAR, 'silent']);
    expect(count('calendars.exists')).toBe(0);
    expect(await world.storage.mirror.endSweep(LIST, 2)).toBe(false);
  });

  test('begins anew when its token has expired, and fails with any other error', async () => {
    const { provider } = world.fake;
    const { pull: pullCalendars } = provider.calendars;
    const failWith = (reason: ProviderError['reason']) =>
      Object.assign(provider.calendars, {
        pull(session: Parameters<typeof pullCalendars>[0], token: string | null) {
          if (token !== null) throw new ProviderError(reason, 'refused');
          return pullCalendars(session, token);
        },
      });
    failWith('unavailable');
    await expect(pullList()).rejects.toMatchObject({ cause: { reason: 'unavailable' } });
    failWith('sync-token-expired');
    world.fake.putCalendar(fakeCalendar('new'));
    await pullList();
    expect(await calendars()).toEqual([CALENDAR, 'new']);
  });

  test('removes a calendar for good ten minutes after it was missed, not before', async () => {
    world.fake.putCalendar(fakeCalendar('shared'));
    await pullList();
    const key = { ...KEY, calendarId: 'shared' };
    await world.mirror.pull(world.account, 'shared');
    world.fake.removeCalendar('shared');
    await pullList();
    expect(await calendars()).toEqual([CALENDAR]);
    await world.clock.advance(599_999);
    await pullList();
    expect(await world.storage.mirror.find(key)).toBeDefined();
    await world.clock.advance(1);
    await pullList();
    expect(await world.storage.mirror.find(key)).toBeUndefined();
  });

  test('is due again when the missing calendar may be removed', async () => {
    world.fake.putCalendar(fakeCalendar('shared'));
    await pullList();
    world.fake.removeCalendar('shared');
    await pullList();
    const missedAt = world.clock.now();
    expect((await world.storage.schedule.get(LIST)).dueAt).toBe(missedAt + 600_000);
    await world.clock.advance(400_000);
    await pullList();
    expect((await world.storage.schedule.get(LIST)).dueAt).toBe(missedAt + 600_000);
    answerList((page) => ({ ...page, full: false }));
    await world.clock.advance(300_000);
    await pullList();
    expect((await world.storage.schedule.get(LIST)).dueAt).toBe(world.clock.now() + 600_000);
  });

  test('polls a calendar again that was missing, was found by a GET and is listed again', async () => {
    const key = { ...KEY, calendarId: 'shared' };
    const shared = fakeCalendar('shared');
    world.fake.putCalendar(shared);
    await pullList();
    await world.events.list(CALLER, ACCOUNT, 'shared', {});
    world.fake.removeCalendar('shared');
    await pullList();
    Object.assign(world.fake.provider.calendars, { exists: async () => true });
    await world.clock.advance(600_000);
    await pullList();
    expect(await world.storage.schedule.listMissing(LIST)).toEqual([]);
    expect((await world.storage.schedule.get(key)).dueAt).toBeNull();
    world.fake.putCalendar(shared);
    await pullList();
    expect((await world.storage.schedule.get(key)).dueAt).toBe(world.clock.now());
    expect(await world.storage.mirror.findProviderToken(key)).toBeNull();
    expect(await world.storage.schedule.listMissing(LIST)).toEqual([]);
  });

  test('takes a calendar back that was never pulled', async () => {
    const shared = fakeCalendar('shared');
    world.fake.putCalendar(shared);
    await pullList();
    world.fake.removeCalendar('shared');
    await pullList();
    world.fake.putCalendar(shared);
    await pullList();
    expect(await calendars()).toEqual([CALENDAR, 'shared']);
  });

  test('removes nothing unless the provider says that the list is complete', async () => {
    world.fake.putCalendar(fakeCalendar('shared'));
    await pullList();
    answerList((page) => ({ ...page, full: !page.full }));
    world.fake.calendars.delete('shared');
    await pullList();
    await world.clock.advance(DAY_MS);
    await pullList();
    expect(await calendars()).toEqual([CALENDAR, 'shared']);
    expect(count('calendars.exists')).toBe(0);
  });

  test('that ends without a resume point fails', async () => {
    answerList(({ nextToken: _, ...page }) => page);
    await expect(pullList()).rejects.toMatchObject({ cause: { reason: 'malformed' } });
  });

  test('removes every calendar that is gone, however many', async () => {
    for (let i = 0; i < 210; i++) world.fake.putCalendar(fakeCalendar(`gone${i}`));
    await pullList();
    for (let i = 0; i < 210; i++) world.fake.calendars.delete(`gone${i}`);
    world.fake.calls.length = 0;
    await world.clock.advance(DAY_MS);
    await pullList();
    expect(await calendars()).toEqual([CALENDAR]);
    expect(count('calendars.exists')).toBe(210);
  });
});
