import type { EventPage } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
  world.fake.put(CALENDAR, fakeEvent('a'));
  world.fake.put(CALENDAR, fakeEvent('b'));
  await titles();
});
afterEach(() => world.close());

const titles = async () => {
  const { data } = await world.events.list(CALLER, ACCOUNT, CALENDAR, { limit: 1_000 });
  return data.map((event) => 'title' in event && event.title).sort();
};

/** Pulls two pages; both are read before the first is handed over, and `b` is written here after that. */
async function pullBehindAWrite(second: Pick<EventPage, 'isAskedAhead'>): Promise<void> {
  Object.assign(world.fake.provider.events, {
    async *pull(): AsyncGenerator<EventPage> {
      const [a, b] = ['a', 'b'].map((id) => ({ kind: 'event', event: fakeEvent(id) }) as const);
      await world.events.update(CALLER, ACCOUNT, CALENDAR, 'b', { title: 'written here' });
      yield { changes: [a!], full: false };
      yield { changes: [b!], full: false, ...second };
      yield { changes: [], full: false, nextToken: 'next' };
    },
  });
  await world.mirror.pull(world.account, CALENDAR);
}

test('a page that was asked for with the one before it undoes no later write', async () => {
  const before = await titles();
  await pullBehindAWrite({ isAskedAhead: true });
  expect(await titles()).toEqual([before[0], 'written here']);
});

test('a page that was asked for after the one before it has the newer state', async () => {
  const before = await titles();
  await pullBehindAWrite({});
  expect(await titles()).toEqual(before);
});
