import { ProviderError } from 'kalends/ports';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

const BEHIND_MS = 10_000;
const COOL_DOWN_MS = 60_000;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('a process whose clock is behind pulls as soon as a cool-down is over by the clock of the storage', async () => {
  const world = await syncWorld();
  world.fake.put(CALENDAR, fakeEvent('a'));
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  const { clock, storage, fake } = world;
  const peer = world.peer({ ...clock, now: () => clock.now() - BEHIND_MS });
  const stopping = new AbortController();
  const running = peer.pulls.run(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await running;
    await world.close();
  });
  await storage.schedule.coolDown(KEY, COOL_DOWN_MS);
  await storage.schedule.dueBy(KEY, clock.now());
  const pulls = () => fake.calls.filter((call) => call === 'events.pull').length;
  const before = pulls();
  for (let passed = 0; passed < COOL_DOWN_MS; passed += 1_000) {
    expect(pulls()).toBe(before);
    await clock.advance(1_000);
    for (let i = 0; i < 6; i++) await turn();
  }
  // By its own clock, it would claim the calendar and leave it, again and again.
  await clock.advance(BEHIND_MS / 2);
  for (let i = 0; i < 40; i++) await turn();
  expect(pulls()).toBe(before + 1);
});

describe('polls keep their pace by the clock of the storage', () => {
  /** Runs the background work of a process with such a clock for so long, and returns the pulls of the calendar. */
  async function pullsBy(world: SyncWorld, aheadMs: number, forMs: number): Promise<number> {
    const { clock, fake } = world;
    const peer = world.peer({ ...clock, now: () => clock.now() + aheadMs });
    await peer.events.list(CALLER, ACCOUNT, CALENDAR, {});
    const stopping = new AbortController();
    const running = peer.pulls.run(stopping.signal);
    const pulls = () => fake.calls.filter((call) => call === 'events.pull').length;
    const before = pulls();
    for (let passed = 0; passed < forMs; passed += 1_000) {
      await clock.advance(1_000);
      for (let i = 0; i < 10; i++) await turn();
    }
    stopping.abort();
    await running;
    return pulls() - before;
  }

  // Without push, 2 minutes apart and a quarter more or less.
  test.each([-600_000, -170_000, 0, 170_000, 600_000])('in a process that is ahead of it by %i ms', async (aheadMs) => {
    const world = await syncWorld();
    onTestFinished(() => world.close());
    world.fake.put(CALENDAR, fakeEvent('a'));
    const pulls = await pullsBy(world, aheadMs, 1_200_000);
    expect(pulls).toBeGreaterThanOrEqual(7);
    expect(pulls).toBeLessThanOrEqual(14);
  });

  test.each([-170_000, 0, 170_000])('after a failure, in a process that is ahead of it by %i ms', async (aheadMs) => {
    const world = await syncWorld();
    onTestFinished(() => world.close());
    const { clock, storage, fake } = world;
    const peer = world.peer({ ...clock, now: () => clock.now() + aheadMs });
    await peer.events.list(CALLER, ACCOUNT, CALENDAR, {});
    fake.switches.fail = (call) => (call === 'events.pull' ? new ProviderError('unavailable', 'down') : undefined);
    await expect(peer.mirror.pull(world.account, CALENDAR)).rejects.toThrow();
    const { failures, dueAt } = await storage.schedule.get(KEY);
    expect(failures).toBe(1);
    expect(dueAt).toBeGreaterThanOrEqual(clock.now() + 8_000);
    expect(dueAt).toBeLessThanOrEqual(clock.now() + 12_000);
  });
});
