import { manualClock } from '@kalends/conformance';
import { createMailboxLimiter } from 'kalends/runtime';
import { expect, it } from 'vitest';

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
