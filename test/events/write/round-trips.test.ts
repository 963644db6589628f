import { expect, onTestFinished, test } from 'vitest';
import { subscriptionRow } from '../../../adapters/conformance/src/storage/world.ts';
import { startCountingProxy } from '../../../adapters/postgres/test/server/counting-proxy.ts';
import { fakeEvent } from '../../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, syncWorld } from '../../mirror/sync-world.ts';
import { newDatabase } from '../../storages/new-database.ts';

/** A calendar that was read lately, on a PostgreSQL whose round trips are counted. */
async function countedWorld() {
  const proxy = await startCountingProxy(await newDatabase('postgres'));
  onTestFinished(() => proxy.close());
  const world = await syncWorld({}, 1, proxy.url);
  onTestFinished(() => world.close());
  world.fake.put(CALENDAR, fakeEvent('other'));
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  return {
    ...world,
    /** Round trips of a work that is done three times; announcements, which go out by themselves, may add to one of them. */
    async tripsOf(work: (time: number) => Promise<unknown>) {
      const trips: number[] = [];
      for (let time = 0; time < 3; time += 1) {
        const before = proxy.roundTrips();
        await work(time);
        trips.push(proxy.roundTrips() - before);
      }
      return Math.min(...trips);
    },
  };
}

const TIMES = {
  start: { dateTime: '2026-11-23T10:00:00', timeZone: 'UTC' },
  end: { dateTime: '2026-11-23T11:00:00', timeZone: 'UTC' },
};

// It looks up account, calendar and event; begins the intent; locks and reads what the commit depends on; commits.
const TRIPS = 4;

test('a write of an event takes four round trips to PostgreSQL', async () => {
  const { events, tripsOf } = await countedWorld();
  const ids: string[] = [];
  const create = async (request: { readonly idempotencyKey?: string }) => {
    const { id, title } = await events.create(CALLER, ACCOUNT, CALENDAR, { title: 'New', ...TIMES }, request);
    expect(title).toBe('New');
    ids.push(id);
  };
  const update = async (title: string) => {
    expect((await events.update(CALLER, ACCOUNT, CALENDAR, ids[0] ?? '', { title })).title).toBe(title);
  };
  expect(await tripsOf(() => create({}))).toBe(TRIPS);
  expect(await tripsOf((time) => create({ idempotencyKey: `key ${time}` }))).toBe(TRIPS);
  expect(await tripsOf((time) => update(`Changed ${time}`))).toBe(TRIPS);
  expect(await tripsOf(() => events.delete(CALLER, ACCOUNT, CALENDAR, ids.pop() ?? ''))).toBe(TRIPS);
  const { data } = await events.list(CALLER, ACCOUNT, CALENDAR, {});
  expect(data.map(({ title }) => title).sort()).toEqual(['Changed 2', 'New', 'New', 'other']);
});

test('its messages to any number of subscriptions take one more', async () => {
  const { events, storage, tripsOf } = await countedWorld();
  const create = () => events.create(CALLER, ACCOUNT, CALENDAR, { title: 'New', ...TIMES });
  for (const [index, detail] of (['change', 'change', 'record', 'record'] as const).entries()) {
    await storage.subscriptions.insert(subscriptionRow({ id: `sub_${index}`, detail }));
  }
  expect(await tripsOf(create)).toBe(TRIPS + 1);
});
