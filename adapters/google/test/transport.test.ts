import { type GoogleOptions, google } from '@kalends/google';
import { manualClock, seededRandom } from 'kalends/conformance';
import { ProviderError, type ProviderSession } from 'kalends/ports';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { failureOf, primaryOf } from './harness.ts';
import { type ReplayedAnswer, startReplay } from './replay-server.ts';

const EVENT = JSON.stringify({
  id: 'e1',
  etag: '"1"',
  status: 'confirmed',
  iCalUID: 'e1@google.com',
  start: { dateTime: '2026-03-02T09:00:00Z' },
  end: { dateTime: '2026-03-02T10:00:00Z' },
});
const ok: ReplayedAnswer = { status: 200, body: EVENT };
const refused = (status: number, reason: string, headers: Record<string, string> = {}): ReplayedAnswer => ({
  status,
  headers,
  body: JSON.stringify({ error: { code: status, message: reason, errors: [{ domain: 'global', reason }] } }),
});

let close: (() => Promise<void>) | undefined;

afterEach(async () => {
  vi.useRealTimers();
  await close?.();
  close = undefined;
});

async function start(answers: readonly ReplayedAnswer[], options: GoogleOptions = {}) {
  const server = await startReplay(answers);
  close = server.close;
  const waits: number[] = [];
  const provider = google({
    baseUrl: server.url,
    clock: {
      now: () => Date.UTC(2026, 2, 2),
      sleep: async (ms) => {
        waits.push(ms);
      },
    },
    random: seededRandom(1),
    ...options,
  });
  return { provider, seen: server.seen, waits };
}

const tokens: (string | undefined)[] = [];
function session(extra: Partial<ProviderSession> = {}): ProviderSession {
  tokens.length = 0;
  return {
    accountId: 'acc_1',
    email: 'me@example.com',
    accessToken: async (stale) => {
      tokens.push(stale);
      return stale === undefined ? 'first' : 'second';
    },
    ...extra,
  };
}

const calendar = primaryOf('me@example.com');
const get = (provider: ReturnType<typeof google>, by = session()) => provider.events.get(by, calendar, 'e1');
const insert = ({ calendars }: ReturnType<typeof google>) =>
  calendars.create(session(), { name: 'Work', timeZone: 'UTC' });

describe('requests', () => {
  test('carry the token, and ids are encoded', async () => {
    const { provider, seen } = await start([ok]);
    await provider.events.get(session(), { ...calendar, id: 'a#b@c/d' }, 'e 1');
    expect(seen[0]).toMatchObject({
      method: 'GET',
      url: '/calendar/v3/calendars/a%23b%40c%2Fd/events/e%201',
      headers: { authorization: 'Bearer first' },
    });
  });

  test('a refused token is refreshed once', async () => {
    const { provider, seen } = await start([refused(401, 'authError'), ok]);
    await get(provider);
    expect(tokens).toEqual([undefined, 'first']);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
  });

  test('refused again it is unauthorized', async () => {
    const { provider, seen } = await start([refused(401, 'authError')]);
    expect(await failureOf(get(provider))).toMatchObject({ reason: 'unauthorized', status: 401 });
    expect(seen).toHaveLength(2);
  });

  test('a dead grant comes through as it is', async () => {
    const { provider } = await start([ok]);
    const dead = session({
      accessToken: async () => {
        throw new ProviderError('invalid-grant', 'dead');
      },
    });
    expect(await failureOf(get(provider, dead))).toMatchObject({ reason: 'invalid-grant' });
  });
});

describe('repetitions', () => {
  test.each([
    ['403 rateLimitExceeded', refused(403, 'rateLimitExceeded')],
    ['403 userRateLimitExceeded', refused(403, 'userRateLimitExceeded')],
    ['429', { status: 429 }],
    ['500', { status: 500, body: '<html>oops</html>' }],
    ['503', refused(503, 'backendError')],
    ['a broken connection', { status: 0, reset: true }],
  ] as [string, ReplayedAnswer][])('after %s, with growing waits', async (_name, answer) => {
    const { provider, seen, waits } = await start([answer, answer, ok]);
    await get(provider);
    expect(seen).toHaveLength(3);
    expect(waits[0]).toBeGreaterThanOrEqual(125);
    expect(waits[0]).toBeLessThanOrEqual(250);
    expect(waits[1]).toBeGreaterThanOrEqual(250);
    expect(waits[1]).toBeLessThanOrEqual(500);
  });

  test('end after three', async () => {
    const { provider, seen } = await start([{ status: 503 }]);
    expect(await failureOf(get(provider))).toMatchObject({ reason: 'unavailable', status: 503 });
    expect(seen).toHaveLength(4);
  });

  test('a short Retry-After is waited for, a long one handed on', async () => {
    const short = await start([refused(429, 'rateLimitExceeded', { 'retry-after': '2' }), ok]);
    await get(short.provider);
    expect(short.waits).toEqual([2000]);
    await close?.();
    const long = await start([refused(403, 'rateLimitExceeded', { 'retry-after': '30' }), ok]);
    expect(await failureOf(get(long.provider))).toMatchObject({ reason: 'rate-limited', retryAfterMs: 30_000 });
    expect(long.seen).toHaveLength(1);
  });

  test('Retry-After as a date', async () => {
    const date = new Date(Date.UTC(2026, 2, 2, 0, 1)).toUTCString();
    const { provider } = await start([refused(503, 'backendError', { 'retry-after': date })]);
    expect(await failureOf(get(provider))).toMatchObject({ retryAfterMs: 60_000 });
  });

  test('an exhausted quota is not tried again', async () => {
    const { provider, seen } = await start([refused(403, 'quotaExceeded')]);
    expect(await failureOf(get(provider))).toMatchObject({ reason: 'rate-limited', retryAfterMs: 60_000 });
    expect(seen).toHaveLength(1);
  });

  test('a POST that may have been carried out is not repeated, one that was throttled is', async () => {
    const lost = await start([{ status: 503 }]);
    expect(await failureOf(insert(lost.provider))).toMatchObject({ reason: 'unavailable' });
    expect(lost.seen).toHaveLength(1);
    await close?.();
    const throttled = await start([refused(403, 'rateLimitExceeded'), refused(400, 'invalid')]);
    expect(await failureOf(insert(throttled.provider))).toMatchObject({ reason: 'invalid' });
    expect(throttled.seen).toHaveLength(2);
  });

  test('silence is a timeout', async () => {
    const { provider, seen } = await start([{ status: 0, silent: true }], { limits: { timeoutMs: 50 } });
    expect(await failureOf(get(provider))).toMatchObject({ reason: 'timeout' });
    expect(seen).toHaveLength(1);
  });

  test('the caller may give up', async () => {
    const controller = new AbortController();
    const { provider, seen } = await start([{ status: 0, silent: true }]);
    const call = failureOf(get(provider, session({ signal: controller.signal })));
    while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await call).toMatchObject({ reason: 'unavailable' });
    expect(await failureOf(get(provider, session({ signal: controller.signal })))).toMatchObject({
      reason: 'unavailable',
    });
    expect(seen).toHaveLength(1);
  });

  test('a call that has ended has let go of the caller’s signal, which may live as long as the process', async () => {
    const given: (AbortSignal | null | undefined)[] = [];
    const noting = (input: string | URL, init?: RequestInit) => {
      given.push(init?.signal);
      return fetch(input, init);
    };
    const { provider } = await start([ok], { fetch: noting as GoogleOptions['fetch'] });
    const life = new AbortController();
    await get(provider, session({ signal: life.signal }));
    life.abort();
    expect(given.map((signal) => signal?.aborted)).toEqual([false]);
  });
});

describe('failures that are not Google’s', () => {
  test.each([
    ['a token that cannot be had now', new ProviderError('unavailable', 'no token')],
    ['a fault of ours', new TypeError('x is not a function')],
  ])('%s comes through as it is, at once', async (_name, error) => {
    const { provider, seen, waits } = await start([ok]);
    const broken = session({ accessToken: () => Promise.reject(error) });
    await expect(get(provider, broken)).rejects.toBe(error);
    expect([seen.length, waits.length]).toEqual([0, 0]);
  });

  test('the caller may give up while a repetition is waited for', async () => {
    const clock = manualClock();
    const { provider, seen } = await start([{ status: 503 }], { clock });
    const stop = new AbortController();
    const call = failureOf(get(provider, session({ signal: stop.signal })));
    while (clock.sleeping === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error('enough'));
    expect(await call).toMatchObject({ reason: 'unavailable', cause: { message: 'enough' } });
    expect(seen).toHaveLength(1);
    expect(clock.sleeping).toBe(0);
  });
});

describe('answers', () => {
  test.each([
    ['400 invalid', refused(400, 'invalid'), 'invalid'],
    ['400 timeRangeEmpty', refused(400, 'timeRangeEmpty'), 'invalid'],
    ['400 eventTypeRestriction', refused(400, 'eventTypeRestriction'), 'unsupported'],
    ['403 forbidden', refused(403, 'forbidden'), 'forbidden'],
    ['403 insufficientPermissions', refused(403, 'insufficientPermissions'), 'forbidden'],
    ['403 accessNotConfigured', refused(403, 'accessNotConfigured'), 'operator'],
    ['403 forbiddenForNonOrganizer', refused(403, 'forbiddenForNonOrganizer'), 'not-organizer'],
    [
      '403 SERVICE_DISABLED in the newer form',
      { status: 403, body: '{"error":{"code":403,"message":"off","details":[{},{"reason":"SERVICE_DISABLED"}]}}' },
      'operator',
    ],
    ['403 of a proxy', { status: 403, body: '<html>Forbidden</html>' }, 'forbidden'],
    ['412', refused(412, 'conditionNotMet'), 'precondition-failed'],
    ['410 fullSyncRequired', refused(410, 'fullSyncRequired'), 'sync-token-expired'],
    ['200 that is no JSON', { status: 200, body: '<html>' }, 'malformed'],
    ['200 of another shape', { status: 200, body: '{"id":1}' }, 'malformed'],
    ['an event without a start', { status: 200, body: '{"id":"e1"}' }, 'malformed'],
  ] as [string, ReplayedAnswer, string][])('%s', async (_name, answer, reason) => {
    const { provider } = await start([answer]);
    expect(await failureOf(get(provider))).toMatchObject({ reason });
  });

  test('never a token in a message', async () => {
    const { provider } = await start([refused(403, 'forbidden')]);
    expect((await failureOf(get(provider))).message).not.toContain('first');
  });
});

describe('limits', () => {
  test('so many calls at a time and mailbox, others do not wait', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { provider, seen } = await start([{ ...ok, after: gate }], { limits: { concurrency: 2 } });
    const calls = [1, 2, 3].map(() => get(provider));
    const other = get(provider, session({ accountId: 'acc_2' }));
    while (seen.length < 3) await new Promise((resolve) => setImmediate(resolve));
    open();
    await Promise.all([...calls, other]);
    expect(seen).toHaveLength(4);
  });

  test('so many calls in a minute and mailbox', async () => {
    // The pace is kept by the process's own time, whatever clock is injected.
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const { provider, seen } = await start([ok], { limits: { callsPerMinute: 2 } });
    await get(provider);
    await get(provider);
    const third = get(provider);
    await vi.advanceTimersByTimeAsync(59_999);
    await get(provider, session({ accountId: 'acc_2' }));
    expect(seen).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1);
    await third;
    expect(seen).toHaveLength(4);
  });

  test('a clock of one’s own is not held up by the pace', async () => {
    const provider = google({ clock: manualClock(), fetch: async () => new Response(EVENT) });
    for (let at = 0; at < 601; at += 1) await get(provider);
  });
});
