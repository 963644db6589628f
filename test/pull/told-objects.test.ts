import { sqlite } from '@kalends/sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventsPath } from '../interface/steps.ts';
import { createWorld } from '../interface/world.ts';
import { fakeEvent, fakeException, newYork } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

const AT_NINE = newYork('2026-03-02', '09:00', '10:00');
const SLOT = { kind: 'instant', startMs: Date.parse('2026-03-04T14:00:00Z') } as const;

describe('an object on the re-read list', () => {
  let world: SyncWorld;
  beforeEach(async () => {
    world = await syncWorld();
    world.fake.put(CALENDAR, fakeEvent('single'));
    world.fake.put(CALENDAR, fakeEvent('series', { recurrence: ['RRULE:FREQ=DAILY;COUNT=9'], ...AT_NINE }));
    await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  });
  afterEach(() => world.close());

  const name = (...ids: readonly string[]) => world.storage.mirror.addRereads(KEY, ids);
  const left = () => world.storage.mirror.listRereads(KEY, 10);
  /** Pulls, and says how many objects were asked for beside the feed. */
  async function pull(): Promise<number> {
    world.fake.calls.length = 0;
    await world.mirror.pull(world.account, CALENDAR);
    return world.fake.calls.filter((call) => call === 'events.get').length;
  }

  test('is not asked for when the feed tells it', async () => {
    world.fake.put(CALENDAR, fakeEvent('single', { title: 'new' }));
    await name('single');
    expect(await pull()).toBe(0);
    expect(await left()).toEqual([]);
  });

  test('is not asked for when the feed tells its whole series, of which it may be an exception', async () => {
    world.fake.switches.wholeSeries = true;
    world.fake.put(CALENDAR, fakeException('x', 'series', SLOT, { title: 'new', ...AT_NINE }));
    await name('x', 'series');
    expect(await pull()).toBe(0);
    expect(await left()).toEqual([]);
  });

  test('is asked for when the feed does not tell it', async () => {
    await name('single');
    expect(await pull()).toBe(1);
    expect(await left()).toEqual([]);
  });

  test('is asked for when the feed tells a master without its exceptions', async () => {
    const moved = newYork('2026-03-02', '10:00', '11:00');
    world.fake.put(CALENDAR, fakeEvent('series', { recurrence: ['RRULE:FREQ=DAILY;COUNT=9'], ...moved }));
    await name('series');
    expect(await pull()).toBe(1);
  });

  test('is asked for when it was named while the feed was on its way', async () => {
    world.fake.put(CALENDAR, fakeEvent('single', { title: 'new' }));
    world.fake.switches.beforeAnswer = async (call) => {
      if (call === 'events.pull') await name('single');
    };
    expect(await pull()).toBe(1);
  });
});

test('a series that a notification names is fetched once', async () => {
  const storage = sqlite({ path: ':memory:' });
  const world = await createWorld({ storage });
  try {
    const place = await world.connect('microsoft');
    const at = (time: string) => ({ dateTime: `2026-04-06T${time}:00`, timeZone: 'America/New_York' });
    const series = { title: 'a', start: at('09:00'), end: at('10:00'), recurrence: ['RRULE:FREQ=WEEKLY;COUNT=20'] };
    const { body: master } = await world.call('POST', eventsPath(place), { body: series });
    const key = { applicationId: world.applicationId, accountId: place.accountId, calendarId: place.calendarId };
    const pull = () => world.call('GET', eventsPath(place, 'nothing'));
    await pull();
    await world.atProvider('microsoft', place.email, 'PATCH', `/me/events/${master.id}`, { subject: 'b' });
    await storage.mirror.addRereads(key, [master.id]);
    world.sandbox.requests.clear();
    await pull();
    const fetched = world.sandbox.requests
      .list()
      .filter(({ path }) => path.endsWith(`/events/${encodeURIComponent(master.id)}`));
    expect(fetched).toHaveLength(1);
    expect((await world.call('GET', eventsPath(place, master.id))).body.title).toBe('b');
  } finally {
    await world.close();
  }
});
