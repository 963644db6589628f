import { expect, onTestFinished, test } from 'vitest';
import { startCountingProxy } from '../../adapters/postgres/test/server/counting-proxy.ts';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, syncWorld } from '../mirror/sync-world.ts';
import { newDatabase } from '../storages/new-database.ts';

test('a pull takes three round trips to PostgreSQL when it finds nothing, and few more with a change', async () => {
  const proxy = await startCountingProxy(await newDatabase('postgres'));
  onTestFinished(() => proxy.close());
  const world = await syncWorld({}, 1, proxy.url);
  onTestFinished(() => world.close());
  world.fake.put(CALENDAR, fakeEvent('a'));
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  const pull = async () => {
    const before = proxy.roundTrips();
    await world.mirror.pull(world.account, CALENDAR);
    return proxy.roundTrips() - before;
  };
  await pull();
  // It looks for the calendar, begins and ends.
  expect(await pull()).toBe(3);
  world.fake.put(CALENDAR, fakeEvent('a', { title: 'Changed' }));
  // It reads what is there, commits, and looks for objects that are to be read again.
  expect(await pull()).toBeLessThanOrEqual(12);
});

test('the bookkeeping of reads, hints and leases takes one round trip each', async () => {
  const proxy = await startCountingProxy(await newDatabase('postgres'));
  onTestFinished(() => proxy.close());
  const world = await syncWorld({}, 1, proxy.url);
  onTestFinished(() => world.close());
  const { schedule, leases, intents, outbox } = world.storage;
  const lease = await leases.claim('lease', 1_000);
  const works: readonly (() => Promise<unknown>)[] = [
    () => schedule.noteRead(KEY, 1),
    () => schedule.dueBy(KEY, 1),
    () => schedule.hint(KEY),
    () => schedule.noteMissing(KEY, 1),
    () => schedule.coolDown(KEY, 1),
    () => leases.renew([{ name: 'lease', epoch: lease?.epoch ?? 0 }], 1_000),
    () => leases.release('lease', lease?.epoch ?? 0),
    () => intents.renew([{ applicationId: 'app_1', id: 'none', epoch: 1 }], 1_000),
    () => intents.abandon({ applicationId: 'app_1', id: 'none', epoch: 1 }, 1_000),
    () => outbox.renew([{ targetId: 'none', epoch: 1 }], 1_000),
  ];
  for (const work of works) {
    const trips: number[] = [];
    // The first announcement, which goes out by itself, opens a connection and finds out its channel beside the work.
    for (let times = 0; times < 5; times += 1) {
      const before = proxy.roundTrips();
      await work();
      trips.push(proxy.roundTrips() - before);
    }
    expect(Math.min(...trips), String(work)).toBe(1);
  }
});
