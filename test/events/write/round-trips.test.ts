import { expect, onTestFinished, test } from 'vitest';
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
    async tripsOf(work: () => Promise<unknown>) {
      const before = proxy.roundTrips();
      await work();
      return proxy.roundTrips() - before;
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
  const create = async (idempotencyKey?: string) => {
    const { id, title } = await events.create(
      CALLER,
      ACCOUNT,
      CALENDAR,
      { title: 'New', ...TIMES },
      idempotencyKey === undefined ? {} : { idempotencyKey },
    );
    expect(title).toBe('New');
    ids.push(id);
  };
  const update = async (id: string, title: string) => {
    expect((await events.update(CALLER, ACCOUNT, CALENDAR, id, { title })).title).toBe(title);
    return id;
  };
  await create();
  expect(await tripsOf(() => create())).toBe(TRIPS);
  expect(await tripsOf(() => create('key'))).toBe(TRIPS);
  const [first = '', second = ''] = ids;
  expect(await tripsOf(() => update(first, 'Changed'))).toBe(TRIPS);
  // Nothing of the write before is read again.
  expect(await tripsOf(() => update(first, 'Changed once more'))).toBe(TRIPS);
  expect(await tripsOf(() => events.delete(CALLER, ACCOUNT, CALENDAR, second))).toBe(TRIPS);
  const { data } = await events.list(CALLER, ACCOUNT, CALENDAR, {});
  expect(data.map(({ title }) => title)).toEqual(expect.arrayContaining(['Changed once more', 'New', 'other']));
  expect(data).toHaveLength(3);
});
