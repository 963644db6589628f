import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type Services, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

const HOUR_MS = 3_600_000;
/** Of a mirror without push. */
const FRESH_MS = 30_000;

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
  world.fake.put(CALENDAR, fakeEvent('a'));
});
afterEach(() => world.close());

const peer = (aheadMs: number) => world.peer({ ...world.clock, now: () => world.clock.now() + aheadMs });
const pulls = () => world.fake.calls.filter((call) => call === 'events.pull').length;
const idsBy = async ({ events }: Services) =>
  (await events.list(CALLER, ACCOUNT, CALENDAR, {})).data.map(({ id }) => id);

test('a pull asks the provider after the call, whatever another process whose clock is ahead has stored', async () => {
  await peer(20_000).mirror.pull(world.account, CALENDAR);
  await world.clock.advance(2_000);
  world.fake.put(CALENDAR, fakeEvent('b'));
  const before = pulls();
  await world.mirror.pull(world.account, CALENDAR);
  expect(pulls()).toBe(before + 1);
  expect(await idsBy(world)).toEqual(['a', 'b']);
});

test('reads do not take a mirror from the future for a fresh one', async () => {
  await peer(20_000).mirror.pull(world.account, CALENDAR);
  await world.clock.advance(2_000);
  world.fake.put(CALENDAR, fakeEvent('b'));
  expect((await world.events.get(CALLER, ACCOUNT, CALENDAR, 'b')).id).toBe('b');
  expect(await idsBy(world)).toEqual(['a', 'b']);
});

test('a process whose clock is set back pulls once, then as often as before', async () => {
  expect(await idsBy(world)).toEqual(['a']);
  const back = peer(-HOUR_MS);
  world.fake.put(CALENDAR, fakeEvent('b'));
  expect(await idsBy(back)).toEqual(['a', 'b']);
  expect((await world.storage.schedule.get(KEY)).syncedAt).toBe(world.clock.now() - HOUR_MS);
  const before = pulls();
  await idsBy(back);
  await world.clock.advance(FRESH_MS);
  await idsBy(back);
  expect(pulls()).toBe(before);
  await world.clock.advance(1);
  world.fake.put(CALENDAR, fakeEvent('c'));
  expect(await idsBy(back)).toEqual(['a', 'b', 'c']);
  expect(pulls()).toBe(before + 1);
});

test('processes with clocks apart show a change in time, without a pull for each read', async () => {
  const processes = [peer(-10_000), world, peer(10_000)];
  for (const process of processes) await idsBy(process);
  const before = pulls();
  for (let round = 0; round < 10; round += 1) {
    world.fake.put(CALENDAR, fakeEvent(`r${round}`));
    for (let second = 0; second < 30; second += 1) {
      for (const process of processes) await idsBy(process);
      await world.clock.advance(1_000);
    }
    await world.clock.advance(1);
    for (const process of processes) expect(await idsBy(process)).toContain(`r${round}`);
  }
  // 900 reads; one process alone would pull 10 times.
  expect(pulls() - before).toBeLessThanOrEqual(90);
});

test('of many processes that ask at once, one asks the provider after them all', async () => {
  await world.mirror.pull(world.account, CALENDAR);
  await world.clock.advance(1_000);
  world.fake.put(CALENDAR, fakeEvent('b'));
  // The provider takes half a second.
  world.fake.switches.beforeAnswer = () => world.clock.sleep(500);
  const before = pulls();
  const processes = Array.from({ length: 8 }, () => peer(0));
  let waiting = processes.length;
  const asked = processes.map(({ mirror }) => mirror.pull(world.account, CALENDAR).finally(() => (waiting -= 1)));
  for (let elapsed = 0; waiting > 0 && elapsed < 60_000; elapsed += 10) await world.clock.advance(10);
  await Promise.all(asked);
  // The first begins at the very instant of the calls: it may be taken for an earlier one.
  expect(pulls() - before).toBeLessThanOrEqual(2);
});

test('clocks that are a second apart cost reads no pull', async () => {
  const processes = [-1_000, -300, 0, 400, 1_000].map(peer);
  for (const process of processes) await idsBy(process);
  const before = pulls();
  for (let second = 0; second < 120; second += 1) {
    for (const process of processes) await idsBy(process);
    await world.clock.advance(1_000);
  }
  expect(pulls() - before).toBeLessThanOrEqual(5);
});
