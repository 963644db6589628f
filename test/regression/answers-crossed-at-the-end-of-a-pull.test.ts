import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';
import { gate } from './intercepted-world.ts';

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
});
afterEach(() => world.close());

test('what a pull brought while our write held it does not wait for the next poll', async () => {
  world.fake.put(CALENDAR, fakeEvent('a'));
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  const [heard, answered] = [gate(), gate()];
  world.fake.switches.beforeAnswer = async (call) => {
    if (call !== 'events.update') return;
    world.fake.put(CALENDAR, fakeEvent('a', { title: 'theirs' }));
    heard.open();
    await answered.opened;
  };
  const writing = world.events.update(CALLER, ACCOUNT, CALENDAR, 'a', { title: 'ours' });
  await heard.opened;
  const { pulls } = world.storage;
  const { end } = pulls;
  Object.assign(pulls, {
    end: async (...outcome: Parameters<typeof end>) => {
      Object.assign(pulls, { end });
      answered.open();
      expect(await writing).toMatchObject({ title: 'ours' });
      return await end(...outcome);
    },
  });
  await world.mirror.pull(world.account, CALENDAR);
  const { data } = await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  expect(data).toMatchObject([{ id: 'a', title: 'theirs' }]);
});
