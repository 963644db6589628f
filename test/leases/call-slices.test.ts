import { type ManualClock, manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import { createEngine, type Engine } from 'kalends';
import type { Fetch, Storage } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CallSlices, createCallSlices } from '../../src/leases/call-slices.ts';
import { createSimulatedWorld, engineOptionsOn } from '../simulation/world.ts';

let clock: ManualClock;
let storage: Storage;
let processes: readonly CallSlices[];
beforeEach(async () => {
  clock = manualClock();
  storage = sqlite({ path: ':memory:', clock });
  await storage.open();
  processes = [1, 2, 3].map(() => createCallSlices({ leases: storage.leases, clock }));
});
afterEach(() => storage.close());

const turns = async () => {
  for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** Asks for `calls` in turns of the processes; resolves with the times at which they were allowed, and the refusals. */
async function ask(calls: number, perMinute: number, isBackground: boolean, forMs: number) {
  const allowedAt: number[] = [];
  const refused: unknown[] = [];
  for (let call = 0; call < calls; call++) {
    processes[call % processes.length]!.take('prv_1', perMinute, isBackground, undefined).then(
      () => allowedAt.push(clock.now()),
      (error) => refused.push(error),
    );
  }
  const start = clock.now();
  for (let passed = 0; passed <= forMs; passed += 500) {
    await turns();
    await clock.advance(500);
  }
  await turns();
  return { allowedAt: allowedAt.map((at) => at - start), refused };
}

describe('the calls of one client', () => {
  test('are shared by processes: a burst, then a minute’s budget a minute', async () => {
    const { allowedAt, refused } = await ask(100, 60, true, 55_000);
    const within = (ms: number) => allowedAt.filter((at) => at <= ms).length;
    expect(within(30_000)).toBeGreaterThan(25);
    expect(within(30_000)).toBeLessThanOrEqual(36);
    expect(within(55_000)).toBeLessThanOrEqual(61);
    expect(refused).toEqual([]);
  });

  test('are refused with Retry-After when the wait would be too long', async () => {
    const { allowedAt, refused } = await ask(40, 60, false, 8_000);
    expect(allowedAt.length).toBeGreaterThanOrEqual(6);
    expect(allowedAt.length).toBeLessThanOrEqual(12);
    expect(refused).toHaveLength(40 - allowedAt.length);
    expect(refused[0]).toMatchObject({ reason: 'rate-limited', retryAfterMs: expect.any(Number) });
  });

  test('leave half of a burst to the foreground', async () => {
    const background = ask(50, 60, true, 0);
    expect((await background).allowedAt).toHaveLength(3);
    const foreground = await ask(3, 60, false, 0);
    expect(foreground.allowedAt).toHaveLength(3);
  });
});

test.each(['google', 'microsoft'] as const)('two engines on a budget keep to it together at %s', {
  timeout: 120_000,
}, async (provider) => {
  const world = await createSimulatedWorld({ provider, seed: 1 });
  const providerBudgets = { PROVIDER_A: 60, PROVIDER_B: 60 };
  const calls: number[] = [];
  const counted: Fetch = async (input, init) => {
    const { url } = new Request(input, init);
    if (!/token$|certs$|keys$/.test(url)) calls.push(world.time.now());
    return await world.reach(input, init);
  };
  const engines: readonly Engine[] = [2, 3].map((seed) =>
    createEngine({
      ...engineOptionsOn({ storage: world.storage, fetch: counted, clock: world.time, seed }),
      providerBudgets,
    }),
  );
  try {
    const caller = { applicationId: world.applicationId };
    await Promise.all(engines.map((engine) => world.time.until(engine.start())));
    const [calendarId] = world.person.calendarIds;
    const read = (engine: Engine) => engine.events.list(caller, world.accountId, calendarId, {}).catch(() => undefined);
    for (let minute = 0; minute < 5; minute++) {
      const reads = Array.from({ length: 40 }, (_, index) => {
        const title = `e${minute}-${index}`;
        const body = { title, start: { dateTime: '2026-03-10T09:00:00', timeZone: 'Europe/Berlin' } };
        const engine = engines[index % 2]!;
        return engine.events.create(caller, world.accountId, calendarId, body).catch(() => read(engine));
      });
      await world.time.pass(60_000);
      await world.time.until(Promise.allSettled(reads));
    }
    const inMinuteFrom = (at: number) => calls.filter((each) => each >= at && each < at + 60_000).length;
    expect(calls.length).toBeGreaterThan(120);
    expect(Math.max(...calls.map(inMinuteFrom))).toBeLessThanOrEqual(72);
  } finally {
    for (const engine of engines) await world.time.until(engine.stop());
    await world.close();
  }
});
