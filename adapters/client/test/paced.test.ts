import { createClient, TimeoutError } from '@kalends/client';
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
  return { begun, client, get: (id: string) => client.accounts.get(id) };
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

test('a call that waits for its turn does not time out, and its time counts from there', async () => {
  const begun: number[] = [];
  const fetch = async (_url: string, { signal }: RequestInit) => {
    begun.push(Date.now());
    if (begun.length < 4) return Response.json({});
    return await new Promise<Response>((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason)),
    );
  };
  const client = createClient({
    baseUrl: 'http://service.test/api',
    apiKey: 'k',
    fetch: paced(1, fetch),
    timeoutMs: 500,
  });
  const startedAt = Date.now();
  const calls = ['1', '2', '3', '4'].map((id) => client.accounts.get(id, { retries: 0 }));
  const results = Promise.allSettled(calls);
  await vi.advanceTimersByTimeAsync(3_499);
  expect(begun.map((at) => at - startedAt)).toEqual([0, 1_000, 2_000, 3_000]);
  await vi.advanceTimersByTimeAsync(1);
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
  await expect(calls[3]).rejects.toBeInstanceOf(TimeoutError);
});

test('an aborted call ends at once, and its turn goes to the next one', async () => {
  const { begun, client, get } = counting(1);
  const given = new AbortController();
  const first = get('1');
  const left = ['2', '3', '4'].map((id) => client.accounts.get(id, { signal: given.signal }));
  const ends = Promise.allSettled([first, ...left]);
  await vi.advanceTimersByTimeAsync(500);
  given.abort('no longer wanted');
  // No time passes.
  await Promise.all(left.map((call) => expect(call).rejects.toBe('no longer wanted')));
  const next = get('5');
  await vi.advanceTimersByTimeAsync(500);
  await next;
  await ends;
  expect(begun).toEqual(['1', '5']);
});

test('used as a plain fetch, it waits as well, and ends with its signal', async () => {
  const { begun } = counting();
  const fetch = paced(1, async (url) => {
    begun.push(url);
    return Response.json({});
  });
  const given = new AbortController();
  const first = fetch('1', {});
  const second = fetch('2', { signal: given.signal });
  given.abort('left');
  await expect(second).rejects.toBe('left');
  await first;
  expect(begun).toEqual(['1']);
});

test('without it no request waits', async () => {
  const { begun, get } = counting();
  await Promise.all(Array.from({ length: 500 }, (_, id) => get(String(id))));
  expect(begun).toHaveLength(500);
});

test.each([0, -1, 0.5, Number.NaN])('a limit of %s is refused', (requestsPerSecond) => {
  expect(() => counting(requestsPerSecond)).toThrow('requestsPerSecond');
});
