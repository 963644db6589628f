import { ProviderError, StorageUnavailableError } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

let world: SyncWorld;
let stop: () => Promise<void>;
beforeEach(async () => {
  world = await syncWorld();
  world.fake.put(CALENDAR, fakeEvent('a'));
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  const stopping = new AbortController();
  const running = world.pulls.run(stopping.signal);
  stop = async () => {
    stopping.abort();
    await running;
  };
});
afterEach(async () => {
  await stop();
  await world.close();
});

const pulls = () => world.fake.calls.filter((call) => call === 'events.pull').length;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Lets virtual time pass, leaving the worker room after each second. */
async function pass(ms: number) {
  for (let left = ms; left > 0; left -= 1_000) {
    await world.clock.advance(Math.min(left, 1_000));
    for (let i = 0; i < 4; i++) await turn();
  }
}

describe('the background worker', () => {
  test('polls a calendar that was read recently, and stops an hour after the last read', async () => {
    await pass(400_000);
    expect(pulls()).toBeGreaterThanOrEqual(3);
    await pass(3_600_000);
    const before = pulls();
    await pass(600_000);
    expect(pulls()).toBe(before);
  });

  test('pulls at once after a hint', async () => {
    world.fake.put(CALENDAR, fakeEvent('b'));
    await world.storage.schedule.hint(KEY);
    world.due.notify();
    for (let i = 0; i < 100 && pulls() < 2; i++) await turn();
    expect(pulls()).toBe(2);
  });

  test('backs off from a provider that is down, and catches up', async () => {
    world.fake.switches.fail = () => new ProviderError('unavailable', 'down');
    await pass(1_200_000);
    const failed = pulls();
    expect(failed).toBeLessThan(12);
    expect((await world.storage.schedule.get(KEY)).failures).toBeGreaterThan(3);
    world.fake.switches.fail = undefined;
    await pass(1_200_000);
    expect(await world.storage.schedule.get(KEY)).toMatchObject({ failures: 0 });
  });

  test.each([
    ['in years', 999_999_999_000],
    ['without end', Number.POSITIVE_INFINITY],
  ])('comes back after an hour at the latest to a provider that asks to be left alone %s', async (_name, retryAfterMs) => {
    world.fake.switches.fail = () => new ProviderError('rate-limited', 'later', { retryAfterMs });
    world.due.notify();
    await pass(400_000);
    const { failures, dueAt, notBefore } = await world.storage.schedule.get(KEY);
    expect(failures).toBe(1);
    for (const at of [dueAt, notBefore]) expect(at).toBeLessThanOrEqual(world.clock.now() + 3_600_000);
    world.fake.switches.fail = undefined;
    await world.clock.advance(3_600_000);
    const before = pulls();
    await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
    expect(pulls()).toBeGreaterThan(before);
  });

  test('survives a storage outage while releasing an account, which others claim when the lease expires', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    const release = vi.spyOn(world.storage.leases, 'release');
    release.mockRejectedValue(new StorageUnavailableError('away', undefined));
    world.fake.put(CALENDAR, fakeEvent('b'));
    await pass(400_000);
    expect(release).toHaveBeenCalled();
    release.mockRestore();
    const before = pulls();
    await pass(400_000);
    process.off('unhandledRejection', note);
    expect(pulls()).toBeGreaterThan(before);
    expect(unhandled).toEqual([]);
  });

  test('sets an unusable account aside', async () => {
    world.setStatus('EXPIRED');
    const before = world.fake.calls.length;
    await pass(600_000);
    expect(world.fake.calls.length).toBe(before);
    expect((await world.storage.schedule.get(KEY)).failures).toBeGreaterThan(3);
  });

  test('purges old versions every ten minutes', async () => {
    const purge = vi.spyOn(world.storage.mirror, 'purge');
    await pass(599_000);
    expect(purge).not.toHaveBeenCalled();
    await pass(10_000);
    expect(purge).toHaveBeenCalledTimes(1);
    await pass(590_000);
    expect(purge).toHaveBeenCalledTimes(1);
    purge.mockResolvedValueOnce(1_000).mockResolvedValueOnce(1_000);
    await pass(20_000);
    expect(purge).toHaveBeenCalledTimes(4);
    const lifetimeMs = 30 * 86_400_000;
    expect(purge).toHaveBeenLastCalledWith({
      before: expect.closeTo(world.clock.now() - lifetimeMs, -5),
      limit: 1_000,
    });
  });

  test('waits for the pulls in flight before it ends', async () => {
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      world.fake.switches.beforeAnswer = () => {
        resolve();
        return new Promise((arrive) => {
          answer = arrive;
        });
      };
    });
    await world.storage.schedule.hint(KEY);
    world.due.notify();
    await asked;
    let isOver = false;
    const stopped = stop().then(() => {
      isOver = true;
    });
    for (let i = 0; i < 20; i++) await turn();
    expect(isOver).toBe(false);
    answer();
    await stopped;
  });
});
