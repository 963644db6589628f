import { expect, onTestFinished, test } from 'vitest';
import { startCountingProxy } from '../../adapters/postgres/test/server/counting-proxy.ts';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, syncWorld } from '../mirror/sync-world.ts';
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
