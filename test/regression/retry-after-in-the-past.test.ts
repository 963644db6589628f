import { seededRandom, waitlessClock } from '@kalends/conformance';
import { google } from '@kalends/google';
import { expect, it } from 'vitest';

it.each([
  '0',
  'Mon, 02 Mar 2026 08:59:00 GMT',
])('waits longer each time when Retry-After: %s allows the call at once', async (retryAfter) => {
  let now = Date.UTC(2026, 2, 2, 9);
  const waits: number[] = [];
  const clock = waitlessClock(
    () => now,
    (ms) => {
      waits.push(ms);
      now += ms;
    },
  );
  const fetch = async () => new Response('', { status: 429, headers: { 'retry-after': retryAfter } });
  const { authorization } = google({ fetch, clock, random: seededRandom(1) });
  await expect(authorization.identify('token')).rejects.toMatchObject({ reason: 'rate-limited' });
  const [first = 0, second = 0, third = 0] = waits;
  expect(first).toBeGreaterThanOrEqual(250);
  expect(second).toBeGreaterThan(first);
  expect(third).toBeGreaterThan(second);
});
