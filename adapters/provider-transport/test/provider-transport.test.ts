import { manualClock, seededRandom, waitlessClock } from '@kalends/conformance';
import { type Clock, ProviderError, type ProviderSession } from 'kalends/ports';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
  boundedFetch,
  createProviderTransport,
  type ProviderRequest,
  readTransportOptions,
  type TransportOptions,
} from '../src/index.ts';
import { type ReplayedAnswer, startReplay } from './replay-server.ts';

const START = Date.UTC(2026, 2, 2, 9);
const ok: ReplayedAnswer = { status: 200, body: '{"fine":true}' };
const answered = (status: number, headers: Readonly<Record<string, string>> = {}): ReplayedAnswer => ({
  status,
  headers,
});
const anything = z.unknown();

const REASONS: Readonly<Record<number, ProviderError['reason']>> = {
  401: 'unauthorized',
  412: 'precondition-failed',
  429: 'rate-limited',
  504: 'timeout',
};

interface Session extends ProviderSession {
  readonly asked: (string | undefined)[];
}

/** A session with the tokens t1, t2, …: another one each time the last is refused. */
function tokens(extra: Partial<ProviderSession> = {}): Session {
  const asked: (string | undefined)[] = [];
  return {
    accountId: 'acc_1',
    email: 'me@example.com',
    asked,
    accessToken: async (refused) => {
      asked.push(refused);
      return refused === undefined ? 't1' : `t${Number(refused.slice(1)) + 1}`;
    },
    ...extra,
  };
}

async function start(
  answers: Parameters<typeof startReplay>[0],
  options: Omit<TransportOptions, 'clock'> & { readonly clock?: Clock } = {},
) {
  const server = await startReplay(answers);
  onTestFinished(() => server.close());
  const waits: number[] = [];
  let now = START;
  const clock = waitlessClock(
    () => now,
    (ms) => {
      waits.push(ms);
      now += ms;
    },
  );
  const settings = readTransportOptions(
    'Somewhere',
    { clock, random: seededRandom(1), ...options },
    { concurrency: 4, callsPerInterval: 100, intervalMs: 60_000 },
  );
  const transport = createProviderTransport({
    settings,
    readFailure: ({ status }, retryAfterMs) => {
      const reason = REASONS[status] ?? (status >= 500 ? 'unavailable' : 'invalid');
      const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
      return new ProviderError(reason, `Somewhere answered ${status}`, { status, ...wait });
    },
  });
  const call = (request: Partial<ProviderRequest> = {}, session: ProviderSession = tokens()) =>
    transport.call(session, { method: 'GET', url: `${server.url}/path`, ...request }, anything);
  return { server, seen: server.seen, settings, transport, call, waits };
}

describe('requests', () => {
  test('carry the token, the condition and JSON', async () => {
    const { seen, call } = await start([ok]);
    await call({ method: 'PATCH', body: { a: 1 }, ifMatch: '"7"', headers: { prefer: 'x' } });
    expect(seen[0]).toMatchObject({
      method: 'PATCH',
      url: '/path',
      body: '{"a":1}',
      headers: { authorization: 'Bearer t1', 'if-match': '"7"', 'content-type': 'application/json', prefer: 'x' },
    });
  });

  test('ask for one fresh token per call', async () => {
    const { seen, call } = await start([answered(401)]);
    const session = tokens();
    await expect(call({ method: 'POST', body: {} }, session)).rejects.toMatchObject({ reason: 'unauthorized' });
    expect(session.asked).toEqual([undefined, 't1']);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
  });

  test('are not sent again with the token that was refused', async () => {
    const { seen, call } = await start([answered(401)]);
    const session = tokens({ accessToken: async () => 'only' });
    await expect(call({}, session)).rejects.toMatchObject({ reason: 'unauthorized' });
    expect(seen).toHaveLength(1);
  });

  test('follow no redirect', async () => {
    const { seen, call } = await start([answered(302, { location: '/elsewhere' })]);
    await expect(call()).rejects.toMatchObject({ status: 302 });
    expect(seen).toHaveLength(1);
  });

  test('ask for the budget before each attempt, and end with its refusal', async () => {
    const { seen, call } = await start([answered(503), ok]);
    const admitted: boolean[] = [];
    const admit = async (isBackground: boolean) => void admitted.push(isBackground);
    await call({}, tokens({ admit, isBackground: true }));
    expect(admitted).toEqual([true, true]);
    const spent = new ProviderError('rate-limited', 'no budget', { retryAfterMs: 1 });
    await expect(call({}, tokens({ admit: () => Promise.reject(spent) }))).rejects.toBe(spent);
    expect(seen).toHaveLength(2);
  });

  test.each([
    ['a token that cannot be had now', new ProviderError('unavailable', 'no token')],
    ['a dead grant', new ProviderError('invalid-grant', 'dead')],
    ['a fault of ours', new TypeError('x is not a function')],
  ])('reject with %s as it is, at once, for the first token and a fresh one', async (_name, error) => {
    const { seen, call, waits } = await start([answered(401)]);
    await expect(call({}, tokens({ accessToken: () => Promise.reject(error) }))).rejects.toBe(error);
    const once = (refused?: string) => (refused === undefined ? Promise.resolve('t1') : Promise.reject(error));
    await expect(call({}, tokens({ accessToken: once }))).rejects.toBe(error);
    expect([seen.length, waits.length]).toEqual([1, 0]);
  });
});

describe('the rule of repetition', () => {
  const PATCH = { method: 'PATCH', body: {} };
  const CONDITIONAL = { ...PATCH, ifMatch: '"1"' };
  const POST = { method: 'POST', body: {} };
  const WRITE_ONCE = { ...POST, effect: 'idempotent' } as const;
  const throttled = answered(429);
  const busy = answered(503, { 'retry-after': '1' });

  test.each([
    ['a read that was throttled', {}, throttled, 4],
    ['a creation that was throttled', POST, throttled, 4],
    ['a conditional write that was throttled', CONDITIONAL, throttled, 4],
    ['a creation that a busy server put off', POST, busy, 4],
    ['a read of a broken server', {}, answered(500), 4],
    ['a read behind a broken gateway', {}, answered(504), 4],
    ['a read over a broken connection', {}, 'reset', 4],
    ['an unconditional write of unknown outcome', PATCH, answered(502), 4],
    ['an unconditional write over a broken connection', PATCH, 'reset', 4],
    ['a creation with an id of ours', WRITE_ONCE, answered(500), 4],
    ['a creation of unknown outcome', POST, answered(500), 1],
    ['a creation over a broken connection', POST, 'reset', 1],
    ['a conditional write of unknown outcome', CONDITIONAL, answered(500), 1],
    ['a conditional write over a broken connection', CONDITIONAL, 'reset', 1],
    ['a conditional deletion of unknown outcome', { method: 'DELETE', ifMatch: '"1"' }, answered(504), 1],
    ['a refusal', {}, answered(400), 1],
    ['a condition that does not hold', CONDITIONAL, answered(412), 1],
  ] as [string, Partial<ProviderRequest>, ReplayedAnswer, number][])('%s', async (_name, request, answer, attempts) => {
    const { seen, call } = await start([answer]);
    await expect(call(request)).rejects.toBeInstanceOf(ProviderError);
    expect(seen).toHaveLength(attempts);
  });

  test.each([
    ['a read that timed out', {}, 2],
    ['a write that timed out', PATCH, 1],
    ['a creation with an id of ours that timed out', WRITE_ONCE, 1],
  ] as [string, Partial<ProviderRequest>, number][])('%s', async (_name, request, attempts) => {
    const clock = manualClock(START);
    const { server, call } = await start(['silent'], { clock, limits: { timeoutMs: 700 } });
    const outcome = expect(call(request)).rejects.toMatchObject({
      reason: 'timeout',
      message: expect.stringContaining('Somewhere'),
    });
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      await server.arrived(attempt);
      await clock.advance(699);
      expect(server.seen).toHaveLength(attempt);
      // The limit, and the wait before the repetition.
      await clock.advance(501);
    }
    await outcome;
    expect(server.seen).toHaveLength(attempts);
    expect(clock.sleeping).toBe(0);
  });

  test('a read that timed out is not repeated when its caller has given up by then', async () => {
    const clock = manualClock(START);
    const { server, call } = await start(['silent'], { clock, limits: { timeoutMs: 700 } });
    const deadline = new AbortController();
    const outcome = expect(call({}, tokens({ signal: deadline.signal }))).rejects.toMatchObject({
      reason: 'unavailable',
      message: 'the call was given up by its caller',
    });
    await server.arrived(1);
    await clock.advance(700);
    deadline.abort(new Error('enough'));
    await outcome;
    expect([server.seen.length, clock.sleeping]).toEqual([1, 0]);
  });

  test('waits double to a bound, half of them random', async () => {
    const { call, waits } = await start([answered(500)], { retry: { attempts: 6, maxDelayMs: 2_000 } });
    await expect(call()).rejects.toMatchObject({ status: 500 });
    const bounds = [500, 1_000, 2_000, 2_000, 2_000];
    expect(waits).toHaveLength(bounds.length);
    for (const [index, most] of bounds.entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(most / 2);
      expect(waits[index]).toBeLessThanOrEqual(most);
    }
  });
});

describe('throttling', () => {
  test('a short Retry-After is waited for, up to a tenth longer', async () => {
    const { seen, call, waits } = await start([answered(429, { 'retry-after': '2' }), ok]);
    await call();
    expect(seen).toHaveLength(2);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(2_000);
    expect(waits[0]).toBeLessThanOrEqual(2_200);
  });

  test.each([
    ['429 for seconds', 429, '120', 120_000],
    ['429 until a date', 429, new Date(START + 60_000).toUTCString(), 60_000],
  ])('a long Retry-After is told and pauses the mailbox: %s', async (_name, status, header, retryAfterMs) => {
    const clock = manualClock(START);
    const { seen, call } = await start([answered(status, { 'retry-after': header }), ok], { clock });
    await expect(call()).rejects.toMatchObject({ status, retryAfterMs });
    await expect(call()).rejects.toMatchObject({ reason: 'rate-limited', retryAfterMs });
    await call({}, tokens({ accountId: 'acc_2' }));
    expect(seen).toHaveLength(2);
    await clock.advance(retryAfterMs);
    await call();
  });

  test('a busy server pauses no mailbox: the next call is unavailable again, not throttled', async () => {
    const { seen, call } = await start([answered(503, { 'retry-after': '30' })]);
    for (const attempt of [1, 2]) {
      await expect(call()).rejects.toMatchObject({ reason: 'unavailable', retryAfterMs: 30_000 });
      expect(seen).toHaveLength(attempt);
    }
  });

  test('calls that wait behind a throttled one begin after it', async () => {
    const clock = manualClock(START);
    const { server, seen, call } = await start([answered(429), ok], { clock, limits: { concurrency: 1 } });
    const first = call();
    const second = call({ url: `${server.url}/second` });
    await server.arrived(1);
    while (clock.sleeping < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toHaveLength(1);
    await clock.advance(500);
    await Promise.all([first, second]);
    expect(seen).toHaveLength(3);
  });

  test.each(['-1', 'soon', ''])('a Retry-After of "%s" counts as none', async (value) => {
    const { seen, call } = await start([answered(429, { 'retry-after': value }), ok]);
    await call();
    expect(seen).toHaveLength(2);
  });
});

describe('the pace of a mailbox', () => {
  test('short waits for a turn are waited for, long ones refused at once', async () => {
    const clock = manualClock(START);
    const limits = { callsPerInterval: 2, intervalMs: 60_000 };
    const { server, seen, call } = await start([ok], { clock, limits });
    await call();
    await call();
    await expect(call()).rejects.toMatchObject({ reason: 'rate-limited', retryAfterMs: 60_000 });
    await clock.advance(55_000);
    const third = call();
    await call({}, tokens({ accountId: 'acc_2' }));
    expect(seen).toHaveLength(3);
    await clock.advance(5_000);
    await third;
    await server.arrived(4);
  });

  test('so many calls are in flight at a time and mailbox, others do not wait', async () => {
    const { server, call } = await start(['silent'], { limits: { concurrency: 2 } });
    const stop = new AbortController();
    const session = (accountId: string) => tokens({ accountId, signal: stop.signal });
    const calls = ['acc_1', 'acc_1', 'acc_1', 'acc_2'].map((id) =>
      call({ url: `${server.url}/${id}` }, session(id)).catch(({ reason }) => reason),
    );
    await server.arrived(3);
    expect(server.seen.map(({ url }) => url).sort()).toEqual(['/acc_1', '/acc_1', '/acc_2']);
    stop.abort();
    expect(await Promise.all(calls)).toEqual(Array(4).fill('unavailable'));
    expect(server.seen).toHaveLength(3);
  });
});

describe('a caller that gives up', () => {
  test('ends the request', async () => {
    const { server, call } = await start(['silent']);
    const stop = new AbortController();
    const outcome = call({}, tokens({ signal: stop.signal }));
    await server.arrived(1);
    stop.abort(new Error('enough'));
    await expect(outcome).rejects.toMatchObject({ reason: 'unavailable', cause: { message: 'enough' } });
    await expect(call({}, tokens({ signal: stop.signal }))).rejects.toMatchObject({ reason: 'unavailable' });
    expect(server.seen).toHaveLength(1);
  });

  test('ends the wait for a repetition', async () => {
    const clock = manualClock(START);
    const { seen, call } = await start([answered(503)], { clock });
    const stop = new AbortController();
    const outcome = call({}, tokens({ signal: stop.signal }));
    while (clock.sleeping === 0 || seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error('enough'));
    await expect(outcome).rejects.toMatchObject({ reason: 'unavailable', cause: { message: 'enough' } });
    expect([seen.length, clock.sleeping]).toEqual([1, 0]);
  });

  test('is let go of when the call has ended: its signal may live as long as the process', async () => {
    const given: (AbortSignal | null | undefined)[] = [];
    const noting: typeof fetch = (input, init) => {
      given.push(init?.signal);
      return fetch(input, init);
    };
    const { call } = await start([ok], { fetch: noting });
    const life = new AbortController();
    await call({}, tokens({ signal: life.signal }));
    life.abort();
    expect(given.map((signal) => signal?.aborted)).toEqual([false]);
  });
});

describe('answers', () => {
  test.each([
    ['no JSON', '<html>'],
    ['another shape', '{"value":"x"}'],
    ['nothing', ''],
  ])('a success with %s is malformed, naming the provider and no value', async (_name, body) => {
    const { server, transport } = await start([{ status: 200, body }]);
    const request = { method: 'GET', url: server.url };
    const call = transport.call(tokens(), request, z.object({ value: z.array(z.string()) }));
    await expect(call).rejects.toMatchObject({
      reason: 'malformed',
      message: expect.stringMatching(/Somewhere((?!x).)*$/),
    });
    await transport.send(tokens(), request);
  });

  test('a server that cannot be reached is unavailable', async () => {
    const { server, call } = await start([ok]);
    await server.close();
    await expect(call()).rejects.toMatchObject({ reason: 'unavailable', message: 'Somewhere could not be reached' });
  });

  test('a gzip bomb is read to the bound, after decompression', async () => {
    let read = 0;
    const counting: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      const count = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          read += chunk.byteLength;
          controller.enqueue(chunk);
        },
      });
      return new Response(response.body?.pipeThrough(count), response);
    };
    const bomb: ReplayedAnswer = { status: 200, body: ' '.repeat(100_000_000), gzip: true };
    const { seen, call } = await start([bomb], { fetch: counting, limits: { maxAnswerBytes: 1_000_000 } });
    await expect(call()).rejects.toMatchObject({
      reason: 'malformed',
      message: 'Somewhere answered with more than 1000000 bytes',
    });
    expect(seen).toHaveLength(1);
    expect(read).toBeLessThan(2_000_000);
  });
});

describe('boundedFetch', () => {
  test('resolves with the whole answer, its status and headers', async () => {
    const { server, settings } = await start([{ status: 201, body: 'made', headers: { 'x-a': 'b' } }, answered(204)]);
    const fetch = boundedFetch(settings);
    const response = await fetch(new URL(server.url), { method: 'POST', body: 'x' });
    expect([response.status, response.headers.get('x-a'), await response.text()]).toEqual([201, 'b', 'made']);
    expect((await fetch(server.url)).status).toBe(204);
    expect(server.seen[0]).toMatchObject({ method: 'POST', body: 'x' });
  });

  test('is bounded in time and size, and ends by its own signal', async () => {
    const clock = manualClock(START);
    const { server, settings } = await start(['silent', 'silent', { status: 200, body: '12345' }], {
      clock,
      limits: { timeoutMs: 100, maxAnswerBytes: 4 },
    });
    const fetch = boundedFetch(settings);
    const late = expect(fetch(server.url)).rejects.toMatchObject({ reason: 'timeout' });
    await server.arrived(1);
    await clock.advance(100);
    await late;
    const stop = new AbortController();
    const ended = expect(fetch(server.url, { signal: stop.signal })).rejects.toThrow('enough');
    await server.arrived(2);
    stop.abort(new Error('enough'));
    await ended;
    await expect(fetch(server.url)).rejects.toMatchObject({ reason: 'malformed' });
    expect(clock.sleeping).toBe(0);
  });
});
