import { expect, onTestFinished, test } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, syncWorld } from '../mirror/sync-world.ts';

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
