import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
});
afterEach(() => world.close());

test('a late answer to our write does not undo a change at the provider that a pull has seen', async () => {
  const before = world.fake.put(CALENDAR, fakeEvent('a', { title: 'theirs' }));
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  world.fake.switches.beforeAnswer = async (call) => {
    if (call !== 'events.update') return;
    world.fake.switches.beforeAnswer = undefined;
    world.fake.put(CALENDAR, before);
    await world.mirror.pull(world.account, CALENDAR);
  };
  await world.events.update(CALLER, ACCOUNT, CALENDAR, 'a', { title: 'ours' });
  const { data } = await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  expect(data).toMatchObject([{ id: 'a', title: 'theirs' }]);
});
