import { type ManualClock, manualClock, seededRandom } from '@kalends/conformance';
import { google } from '@kalends/google';
import { createHandler } from '@kalends/http';
import { createEngine } from 'kalends';
import { type LeaseStore, type Storage, StorageUnavailableError } from 'kalends/ports';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newDatabase, STORAGES, type StorageName } from '../storages/new-database.ts';
import { storageAt } from '../storages/storage-at.ts';

interface Process {
  readonly ask: (key: string) => Promise<Response>;
}

interface Limit {
  readonly perSecond: number;
  readonly burst: number;
}

/** Engines on one database whose handlers share a limit; counts the writes that the limit makes. */
async function processesOn(storageName: StorageName, { processes, ...limit }: Limit & { readonly processes: number }) {
  const database = await newDatabase(storageName);
  const clock = manualClock();
  const counted = { writes: 0 };
  const storages: Storage[] = [];
  const keys: string[] = [];
  const all: Process[] = [];
  for (let process = 0; process < processes; process++) {
    const storage = await storageAt(database, clock);
    const secret = Buffer.alloc(32, 7).toString('base64');
    const engine = createEngine({ storage, providers: { PROVIDER_A: google() }, secret, clock });
    await engine.start({ background: false });
    onTestFinished(() => engine.stop());
    storages.push(storage);
    if (keys.length === 0) {
      const { id } = await engine.applications.create({ name: 'Test', redirectUrls: [] });
      for (const name of ['One', 'Two']) {
        keys.push((await engine.apiKeys.create(id, { name, expiresAt: null })).key);
      }
    }
    const sharedBy: Pick<LeaseStore, 'takeCalls'> = {
      takeCalls(name, budget) {
        counted.writes += 1;
        return storage.leases.takeCalls(name, budget);
      },
    };
    const handler = createHandler(engine, { rateLimit: { ...limit, sharedBy }, clock });
    const ask = (key: string) =>
      handler(new Request('http://kalends.test/v1/endUserAccounts', { headers: { 'x-api-key': key } }));
    all.push({ ask });
  }
  return { clock, counted, processes: all, keys: keys as [string, string], storages };
}

/** Sends each process `requests()` requests every 20 ms for a while; resolves with the times of those that were let through. */
async function play(
  { clock, processes }: { readonly clock: ManualClock; readonly processes: readonly Process[] },
  key: string,
  { forMs, requests }: { readonly forMs: number; readonly requests: () => number },
): Promise<readonly number[]> {
  const passed: number[] = [];
  for (const start = clock.now(); clock.now() - start < forMs; await clock.advance(20)) {
    const sent = processes.flatMap(({ ask }) => Array.from({ length: requests() }, () => ask(key)));
    for (const { status } of await Promise.all(sent)) {
      expect([200, 429]).toContain(status);
      if (status === 200) passed.push(clock.now());
    }
  }
  return passed;
}

/** The most by which any window has let more through than its limit, by every pair of requests. */
function mostBeyond(passed: readonly number[], { perSecond, burst }: Limit): number {
  let most = Number.NEGATIVE_INFINITY;
  passed.forEach((to, last) => {
    for (let first = 0; first <= last; first++) {
      const seconds = (to - passed[first]!) / 1000;
      most = Math.max(most, last - first + 1 - (burst + perSecond * seconds));
    }
  });
  return most;
}

describe.each(STORAGES)('processes on one database, %s', (storageName) => {
  it.each([
    { perSecond: 40, burst: 80 },
    { perSecond: 2, burst: 3 },
    { perSecond: 1, burst: 1 },
    { perSecond: 0.5, burst: 40 },
  ])('let $burst requests through at once and $perSecond a second, in any window', async (limit) => {
    const world = await processesOn(storageName, { ...limit, processes: 3 });
    const random = seededRandom(limit.burst);
    const draw = (most: number) => (random.bytes(1)[0] ?? 0) % (most + 1);
    const passed: number[] = [];
    // Floods, quiet times, and traffic near the limit, so that slices are used up, expire and are taken anew.
    for (const [forMs, most] of [
      [1_000, 4],
      [700, 0],
      [1_000, 1],
      [300, 8],
      [1_500, 2],
    ] as const) {
      passed.push(...(await play(world, world.keys[0], { forMs, requests: () => draw(most) })));
    }
    expect(mostBeyond(passed, limit)).toBeLessThanOrEqual(1e-9);
    // Nine tenths of the burst, and what comes back in 3 of the 4.5 seconds.
    expect(passed.length).toBeGreaterThanOrEqual(Math.floor(0.9 * limit.burst + 3 * limit.perSecond * 0.7));
  });

  it('let a flood through at the rate, with a few writes a second', async () => {
    const limit = { perSecond: 100, burst: 200 };
    const world = await processesOn(storageName, { ...limit, processes: 3 });
    const passed = await play(world, world.keys[0], { forMs: 3_000, requests: () => 2 });
    expect(mostBeyond(passed, limit)).toBeLessThanOrEqual(1e-9);
    expect(passed.length).toBeGreaterThanOrEqual(180 + 0.9 * 3 * 100);
    // 900 requests of three processes in three seconds.
    expect(world.counted.writes).toBeLessThan(3 * 3 * 12);
  });

  it('refuse next to nothing of a key that stays below its limit on each of them', async () => {
    const world = await processesOn(storageName, { perSecond: 100, burst: 100, processes: 4 });
    let turn = 0;
    // 50 requests a second, one after another at each process.
    const passed = await play(world, world.keys[0], {
      forMs: 4_000,
      requests: () => (turn++ % 4 === (turn >> 2) % 4 ? 1 : 0),
    });
    expect(passed).toHaveLength(200);
  });

  it('count each key by itself', async () => {
    const { processes, keys } = await processesOn(storageName, { perSecond: 1, burst: 1, processes: 2 });
    const statusOf = async (process: number, key: string) => (await processes[process]!.ask(key)).status;
    expect([await statusOf(0, keys[0]), await statusOf(1, keys[0])]).toEqual([200, 429]);
    expect([await statusOf(1, keys[1]), await statusOf(0, keys[1])]).toEqual([200, 429]);
  });
});

it('tells what all processes have left, and when to come again', async () => {
  const { processes, keys, clock } = await processesOn('sqlite', { perSecond: 2, burst: 4, processes: 2 });
  const first = await processes[0]!.ask(keys[0]);
  // One of the burst may lie in slices.
  expect(first.headers.get('ratelimit-policy')).toBe('"api-key";q=3;w=2');
  expect(first.headers.get('ratelimit')).toBe('"api-key";r=2;t=1');
  const other = await processes[1]!.ask(keys[0]);
  expect(other.headers.get('ratelimit')).toBe('"api-key";r=1;t=1');
  await processes[1]!.ask(keys[0]);
  const refused = await processes[0]!.ask(keys[0]);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(refused.headers.get('ratelimit')).toBe('"api-key";r=0;t=2');
  await clock.advance(500);
  expect((await processes[0]!.ask(keys[0])).status).toBe(200);
});

it('limits each process by itself while the storage cannot be written, and together again afterwards', async () => {
  const { clock, processes, keys, storages } = await processesOn('sqlite', { perSecond: 1, burst: 2, processes: 2 });
  const database = storages[0]!.leases;
  const takeCalls = database.takeCalls;
  const failing = { isDown: true };
  for (const { leases } of storages) {
    Object.assign(leases, {
      takeCalls: async (...given: Parameters<LeaseStore['takeCalls']>) => {
        if (failing.isDown) throw new StorageUnavailableError('the disk is full', undefined);
        return takeCalls(...given);
      },
    });
  }
  const statuses = async () => Promise.all(processes.map(async ({ ask }) => (await ask(keys[0])).status));
  expect([await statuses(), await statuses(), await statuses()]).toEqual([
    [200, 200],
    [200, 200],
    [429, 429],
  ]);
  failing.isDown = false;
  await clock.advance(1_000);
  expect((await statuses()).toSorted()).toEqual([200, 429]);
});

it.each([
  [{ perSecond: 0, burst: 1 }, 'rateLimit.perSecond: must be a number above 0'],
  [{ perSecond: 1, burst: 0.5 }, 'rateLimit.burst: must be at least 1'],
  [{ perSecond: 0.001, burst: 1_000 }, 'rateLimit.burst: must be at most what perSecond gives in a day'],
])('refuses the limit %o', async (limit, message) => {
  await expect(processesOn('sqlite', { ...limit, processes: 1 })).rejects.toThrow(message);
});
