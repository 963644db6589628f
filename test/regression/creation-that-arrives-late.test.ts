import { afterEach, expect, test } from 'vitest';
import { LEASE_MS } from '../../src/leases/index.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

let world: SyncWorld;
afterEach(() => world.close());

/** Does work of a background loop, for as long as no more than a second passes. */
async function aMoment(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const ending = new AbortController();
  const running = run(ending.signal);
  for (let at = 0; at < 10; at += 1) {
    await world.clock.advance(100);
    for (let turns = 0; turns < 20; turns += 1) await turn();
  }
  ending.abort(new Error('The moment is over.'));
  await world.clock.advance(0);
  await running;
}

// Nothing names what such a creation has made, and the pull that it asked for read named objects alone.
test('an event whose creation reached the provider after another process had settled it is mirrored at once', async () => {
  world = await syncWorld();
  const { clock, storage, fake, events, pulls } = world;
  // As at Microsoft: pulls after pushes read the named objects alone.
  Object.assign(fake.provider.events, { callsPerPull: 2 });
  await events.list(CALLER, ACCOUNT, CALENDAR, {});
  await storage.schedule.dueBy(KEY, clock.now());
  await aMoment(world.peer().pulls.run);
  const { renew } = storage.intents;
  const { create } = fake.provider.events;
  const createLate: typeof create = async (...order) => {
    // The writer stands still; another process finds nothing of it at the provider.
    storage.intents.renew = async () => {
      throw new Error('the process stands still');
    };
    await clock.advance(LEASE_MS + 1);
    await aMoment(world.peer().settleIntents);
    storage.intents.renew = renew;
    return await create(...order);
  };
  Object.assign(fake.provider.events, { create: createLate });
  const start = { dateTime: '2026-03-16T09:00:00Z' };
  const creation = events.create(CALLER, ACCOUNT, CALENDAR, { title: 'Late', start });
  await expect(creation).rejects.toMatchObject({ code: 'Conflict' });
  await aMoment(pulls.run);
  const { data } = await events.list(CALLER, ACCOUNT, CALENDAR, {});
  expect(data.map(({ title }) => title)).toEqual(['Late']);
});
