import { createClient } from '@kalends/client';
import { paced } from '@kalends/client/paced';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

// p-throttle reads the real clock.
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function counting(requestsPerSecond?: number) {
  const begun: string[] = [];
  const fetch = async (url: string) => {
    begun.push(url.slice(url.lastIndexOf('/') + 1));
    return Response.json({});
  };
  const client = createClient({
    baseUrl: 'http://service.test/api',
    apiKey: 'k',
    fetch: requestsPerSecond === undefined ? fetch : paced(requestsPerSecond, fetch),
  });
  return { begun, get: (id: string) => client.accounts.get(id) };
}

test('no more requests than allowed begin in any second, in order, and every call is answered', async () => {
  const { begun, get } = counting(2);
  const calls = ['1', '2', '3', '4', '5'].map(get);
  await vi.advanceTimersByTimeAsync(999);
  expect(begun).toEqual(['1', '2']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun.length).toBeLessThanOrEqual(4);
  await vi.advanceTimersByTimeAsync(2_000);
  await Promise.all(calls);
  expect(begun).toEqual(['1', '2', '3', '4', '5']);
});

test('without it no request waits', async () => {
  const { begun, get } = counting();
  await Promise.all(Array.from({ length: 500 }, (_, id) => get(String(id))));
  expect(begun).toHaveLength(500);
});

test.each([0, -1, 0.5, Number.NaN])('a limit of %s is refused', (requestsPerSecond) => {
  expect(() => counting(requestsPerSecond)).toThrow('requestsPerSecond');
});
