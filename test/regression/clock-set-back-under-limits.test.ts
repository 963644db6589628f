import { manualClock } from '@kalends/conformance';
import { createHandler } from '@kalends/http';
import { sqlite } from '@kalends/sqlite';
import type { Clock, Storage } from 'kalends/ports';
import { createMailboxLimiter } from 'kalends/runtime';
import { expect, it, onTestFinished } from 'vitest';
import { createWorld } from '../interface/world.ts';

const DAY_MS = 86_400_000;

function limiterOnClock() {
  const clock = manualClock();
  let behindMs = 0;
  const limiter = createMailboxLimiter({
    clock: { now: () => clock.now() - behindMs, sleep: clock.sleep },
    concurrency: 4,
    callsPerInterval: 2,
    intervalMs: 60_000,
    longestWaitMs: 10_000,
  });
  return {
    clock,
    limiter,
    call: () => limiter.run('a', undefined, async () => 'done'),
    setBack: () => {
      behindMs = DAY_MS;
    },
  };
}

it('does not refuse the calls of a busy mailbox until a clock that was set back has caught up', async () => {
  const { clock, call, setBack } = limiterOnClock();
  await call();
  await clock.advance(20_000);
  await call();
  setBack();
  await expect(call()).rejects.toMatchObject({ reason: 'rate-limited', retryAfterMs: 40_000 });
  await clock.advance(40_000);
  expect(await call()).toBe('done');
  await expect(call()).rejects.toMatchObject({ reason: 'rate-limited', retryAfterMs: 20_000 });
});

it('pauses a mailbox no longer when the clock is set back', async () => {
  const { clock, limiter, call, setBack } = limiterOnClock();
  limiter.pause('a', 5_000);
  setBack();
  const paused = call();
  await clock.advance(5_000);
  expect(await paused).toBe('done');
  limiter.pause('a', 20_000);
  await expect(call()).rejects.toMatchObject({ reason: 'rate-limited', retryAfterMs: 20_000 });
});

it('does not refuse the requests of an API key for as long as the clock was set back', async () => {
  const clock = manualClock();
  let behindMs = 0;
  const skewed = { now: () => clock.now() - behindMs, sleep: clock.sleep };
  const world = await createWorld();
  onTestFinished(() => world.close());
  const rateLimit = { perSecond: 1, burst: 1 };
  const handlers = [rateLimit, { ...rateLimit, sharedBy: await leasesOf(clock) }].map((limit) =>
    createHandler(world.engine, { rateLimit: limit, failureLimit: { perSecond: 1, burst: 2 }, clock: skewed }),
  );
  const ask = (key = world.apiKey) =>
    Promise.all(
      handlers.map(async (handler) => {
        const request = new Request('http://kalends.test/v1/endUserAccounts', { headers: { 'x-api-key': key } });
        return (await handler(request, { remoteAddress: '192.0.2.1' })).status;
      }),
    );
  await ask('wrong');
  expect([await ask(), await ask()]).toEqual([
    [200, 200],
    [429, 429],
  ]);
  behindMs = DAY_MS;
  await ask();
  await clock.advance(1_000);
  expect(await ask()).toEqual([200, 200]);
  expect(await ask('wrong')).toEqual([401, 401]);
});

async function leasesOf(clock: Clock): Promise<Storage['leases']> {
  const storage = sqlite({ path: ':memory:', clock });
  await storage.open();
  onTestFinished(() => storage.close());
  return storage.leases;
}
