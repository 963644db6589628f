import { ProviderError } from 'kalends/ports';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { readOptions } from '../src/options.ts';
import { createGraphClient, type GraphClient } from '../src/transport/graph-client.ts';
import {
  type HandMade,
  type LocalGraph,
  localGraph,
  notingClock,
  type SeenRequest,
  tokenSession,
} from './local-graph.ts';

let server: LocalGraph;
let waits: number[] = [];
afterEach(() => {
  vi.useRealTimers();
  return server.close();
});

const anything = z.unknown();
const ok: HandMade = { status: 200, body: { fine: true } };
const failure = (status: number, code: string, headers: Record<string, string> = {}): HandMade => ({
  status,
  headers,
  body: { error: { code, message: 'said Graph' } },
});

async function client(
  answer: (request: SeenRequest) => HandMade | Promise<HandMade>,
  limits: { concurrency?: number; requestsPerTenMinutes?: number } = {},
): Promise<GraphClient> {
  server = await localGraph(answer);
  waits = [];
  const clock = notingClock(waits, (ms) => ms === 30_000);
  return createGraphClient(readOptions({ graphUrl: `${server.url}/v1.0/`, clock, limits, random }));
}
const random = { bytes: (length: number) => new Uint8Array(length), fraction: () => 0.5 };

/** Answers these in turn, the last one for ever. */
function inTurn(...answers: HandMade[]): () => HandMade {
  let at = 0;
  return () => answers[Math.min(at++, answers.length - 1)]!;
}

test('a call carries token, immutable ids and preferences, and keeps dollars and spaces in the query', async () => {
  const graph = await client(() => ok);
  await graph.call(
    tokenSession(),
    { method: 'GET', path: 'me/events', query: { $filter: "id eq 'a+b'" }, prefer: ['odata.maxpagesize=5'] },
    anything,
  );
  expect(server.seen[0]).toMatchObject({
    url: '/v1.0/me/events?$filter=id%20eq%20%27a%2Bb%27',
    headers: {
      authorization: 'Bearer t1',
      prefer: 'IdType="ImmutableId", odata.maxpagesize=5',
      accept: 'application/json',
    },
  });
});

test('one refresh after a 401, and no second', async () => {
  const session = tokenSession();
  const graph = await client(({ headers }) =>
    headers.authorization === 'Bearer t2' ? ok : failure(401, 'InvalidAuthenticationToken'),
  );
  await graph.call(session, { method: 'POST', path: 'me/events', body: {} }, anything);
  expect(session.asked).toEqual([undefined, 't1']);
  await server.close();
  const strict = await client(() => failure(401, 'InvalidAuthenticationToken'));
  await expect(strict.call(tokenSession(), { method: 'GET', path: 'me' }, anything)).rejects.toMatchObject({
    reason: 'unauthorized',
  });
  expect(server.seen).toHaveLength(2);
});

describe('repetition', () => {
  test('Retry-After is honoured for any method when it is short', async () => {
    const throttled = failure(429, 'ApplicationThrottled', { 'retry-after': '2' });
    const graph = await client(inTurn(throttled, throttled, ok));
    await graph.call(tokenSession(), { method: 'POST', path: 'me/events', body: {} }, anything);
    expect(server.seen).toHaveLength(3);
    expect(waits).toEqual([2100, 2100]);
  });

  test('a long Retry-After is told, not waited for, and holds the next calls of the mailbox back', async () => {
    const graph = await client(inTurn(failure(429, 'TooManyRequests', { 'retry-after': '120' }), ok));
    const session = tokenSession();
    const call = () => graph.call(session, { method: 'GET', path: 'me' }, anything);
    await expect(call()).rejects.toMatchObject({ reason: 'rate-limited', retryAfterMs: 120_000, status: 429 });
    await expect(call()).rejects.toMatchObject({ reason: 'rate-limited', retryAfterMs: 120_000 });
    expect(server.seen).toHaveLength(1);
    await expect(graph.call(tokenSession('acc_2'), { method: 'GET', path: 'me' }, anything)).resolves.toBeDefined();
  });

  test('503 and 504 are tried again where that is safe, so often and no more', async () => {
    for (const status of [503, 504, 500]) {
      const graph = await client(() => failure(status, 'ErrorServerBusy'));
      const reason = status === 504 ? 'timeout' : 'unavailable';
      await expect(graph.call(tokenSession(), { method: 'GET', path: 'me' }, anything)).rejects.toMatchObject({
        reason,
        status,
      });
      expect(server.seen).toHaveLength(4);
      expect(waits).toEqual([375, 750, 1500]);
      server.seen.length = 0;
      await graph.command(tokenSession(), { method: 'POST', path: 'me/events/1/accept', body: {} }).catch(() => 0);
      expect(server.seen).toHaveLength(1);
      await graph
        .command(tokenSession(), { method: 'PATCH', path: 'me/events/1', body: {}, ifMatch: 'x' })
        .catch(() => 0);
      expect(server.seen).toHaveLength(2);
      await server.close();
    }
    server = await localGraph(() => ok);
  });

  test('503 with Retry-After was not carried out, so any call is sent again', async () => {
    const graph = await client(inTurn(failure(503, 'ErrorServerBusy', { 'retry-after': '1' }), ok));
    await graph.command(tokenSession(), { method: 'POST', path: 'me/events/1/accept', body: {} });
    expect(waits).toEqual([1050]);
  });

  test('nothing permanent is tried again', async () => {
    const cases: readonly (readonly [number, string, string])[] = [
      [400, 'ErrorInvalidRequest', 'invalid'],
      [400, 'ErrorInvalidIdMalformed', 'not-found'],
      [400, 'syncStateNotFound', 'sync-token-expired'],
      [403, 'ErrorAccessDenied', 'forbidden'],
      [404, 'ErrorItemNotFound', 'not-found'],
      [404, 'MailboxNotEnabledForRESTAPI', 'forbidden'],
      [404, 'ErrorInvalidUser', 'forbidden'],
      [404, 'ResyncRequired', 'sync-token-expired'],
      [409, 'ErrorFolderExists', 'conflict'],
      [409, 'ErrorIrresolvableConflict', 'precondition-failed'],
      [410, 'SyncStateInvalid', 'sync-token-expired'],
      [410, 'anything', 'sync-token-expired'],
      [412, 'ErrorIrresolvableConflict', 'precondition-failed'],
      [302, '', 'malformed'],
    ];
    for (const [status, code, reason] of cases) {
      const graph = await client(() => failure(status, code, status === 302 ? { location: 'http://else.test/' } : {}));
      const call = graph.call(tokenSession(), { method: 'GET', path: 'me' }, anything);
      await expect(call, `${status} ${code}`).rejects.toMatchObject({ reason, status });
      expect(server.seen).toHaveLength(1);
      await server.close();
    }
    server = await localGraph(() => ok);
  });
});

test('HTML answers: an error is an outage, never a missing item; a success is malformed', async () => {
  const html = (status: number): HandMade => ({
    status,
    headers: { 'content-type': 'text/html' },
    body: '<h1>no</h1>',
  });
  for (const [status, reason] of [
    [404, 'unavailable'],
    [502, 'unavailable'],
    [403, 'forbidden'],
    [200, 'malformed'],
  ] as const) {
    const graph = await client(() => html(status));
    await expect(graph.call(tokenSession(), { method: 'GET', path: 'me' }, z.object({}))).rejects.toMatchObject({
      reason,
    });
    await server.close();
  }
  const graph = await client(() => ({ status: 200, body: { value: 'x' } }));
  await expect(
    graph.call(tokenSession(), { method: 'GET', path: 'me' }, z.object({ value: z.array(z.string()) })),
  ).rejects.toMatchObject({ reason: 'malformed', message: expect.stringContaining('value') });
});

test('a call that is not answered ends in a timeout; a given-up one at once', async () => {
  server = await localGraph(() => 'hang');
  const real = { now: () => 0, sleep: notingClock([], () => true).sleep };
  const clock = {
    ...real,
    sleep: (ms: number, signal?: AbortSignal) => (ms === 20 ? Promise.resolve() : real.sleep(ms, signal)),
  };
  const limited = createGraphClient(
    readOptions({ graphUrl: server.url, clock, limits: { timeoutMs: 20 }, retry: { attempts: 1 }, random }),
  );
  await expect(limited.call(tokenSession(), { method: 'GET', path: 'me' }, anything)).rejects.toMatchObject({
    reason: 'timeout',
  });
  const patient = createGraphClient(readOptions({ graphUrl: server.url, clock: real, random }));
  const controller = new AbortController();
  const call = patient.call({ ...tokenSession(), signal: controller.signal }, { method: 'GET', path: 'me' }, anything);
  setImmediate(() => controller.abort());
  await expect(call).rejects.toMatchObject({ reason: 'unavailable' });
});

test('a call that has ended has let go of the caller’s signal, which may live as long as the process', async () => {
  server = await localGraph(() => ok);
  const given: (AbortSignal | null | undefined)[] = [];
  const noting: typeof fetch = (input, init) => {
    given.push(init?.signal);
    return fetch(input, init);
  };
  const graph = createGraphClient(readOptions({ graphUrl: server.url, fetch: noting, random }));
  const life = new AbortController();
  await graph.call({ ...tokenSession(), signal: life.signal }, { method: 'GET', path: 'me' }, anything);
  life.abort();
  expect(given.map((signal) => signal?.aborted)).toEqual([false]);
});

test.each([
  ['a token that cannot be had now', new ProviderError('unavailable', 'no token')],
  ['a fault of ours', new TypeError('x is not a function')],
])('%s comes through as it is, at once, for the first token and a fresh one', async (_name, error) => {
  const graph = await client(() => failure(401, 'InvalidAuthenticationToken'));
  const none = { ...tokenSession(), accessToken: () => Promise.reject(error) };
  await expect(graph.call(none, { method: 'GET', path: 'me' }, anything)).rejects.toBe(error);
  const once = {
    ...tokenSession(),
    accessToken: (refused?: string) => (refused === undefined ? Promise.resolve('t1') : Promise.reject(error)),
  };
  await expect(graph.call(once, { method: 'GET', path: 'me' }, anything)).rejects.toBe(error);
  expect(server.seen).toHaveLength(1);
  expect(waits).toEqual([]);
});

test('a call that is given up while a repetition is waited for', async () => {
  server = await localGraph(() => failure(503, 'ErrorServerBusy'));
  const stop = new AbortController();
  const endless = notingClock([], () => true);
  const clock = {
    ...endless,
    sleep(ms: number, signal?: AbortSignal) {
      if (ms === 375) setImmediate(() => stop.abort(new Error('enough')));
      return endless.sleep(ms, signal);
    },
  };
  const graph = createGraphClient(readOptions({ graphUrl: server.url, clock, random }));
  const call = graph.call({ ...tokenSession(), signal: stop.signal }, { method: 'GET', path: 'me' }, anything);
  await expect(call).rejects.toMatchObject({ reason: 'unavailable' });
  expect(server.seen).toHaveLength(1);
});

test('a server that cannot be reached is unavailable', async () => {
  const graph = await client(() => ok);
  await server.close();
  await expect(graph.call(tokenSession(), { method: 'GET', path: 'me' }, anything)).rejects.toMatchObject({
    reason: 'unavailable',
  });
  server = await localGraph(() => ok);
});

test('a token goes nowhere but below the root', async () => {
  const graph = await client(() => ok);
  expect(graph.pathOfLink(`${server.url}/v1.0/me/events?$skiptoken=a%2Fb`)).toBe('me/events?$skiptoken=a%2Fb');
  for (const link of [
    'https://evil.test/v1.0/me',
    `${server.url}/beta/me`,
    `${server.url}/v1.0/../beta/me`,
    `${server.url.replace('http://', 'http://user:pass@')}/v1.0/me`,
    `${server.url}.evil.test/v1.0/me`,
    '/v1.0/me',
    'javascript:alert(1)',
  ]) {
    expect(() => graph.pathOfLink(link), link).toThrow(expect.objectContaining({ reason: 'malformed' }));
  }
  const call = graph.call(tokenSession(), { method: 'GET', path: '../../admin' }, anything);
  await expect(call).rejects.toMatchObject({ reason: 'malformed' });
  expect(server.seen).toEqual([]);
});

test('at most four at a time for a mailbox, whatever the others do', async () => {
  let active = 0;
  let most = 0;
  let answered = 0;
  let gates: (() => void)[] = [];
  // Answers come in groups, so that as many requests as are allowed meet at the server.
  const graph = await client(async () => {
    active += 1;
    most = Math.max(most, active);
    await new Promise<void>((resolve) => {
      gates.push(resolve);
      if (gates.length < Math.min(4, 12 - answered)) return;
      answered += gates.length;
      for (const open of gates) setImmediate(open);
      gates = [];
    });
    active -= 1;
    return ok;
  });
  const session = tokenSession();
  await Promise.all(Array.from({ length: 12 }, () => graph.call(session, { method: 'GET', path: 'me' }, anything)));
  expect(most).toBe(4);
  expect(server.seen).toHaveLength(12);
});

test('a mailbox that used up its ten minutes waits a little, or is told to come back', async () => {
  // The pace is kept by the process's own time, whatever clock is injected.
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const graph = await client(() => ok, { requestsPerTenMinutes: 2 });
  const session = tokenSession();
  const call = () => graph.call(session, { method: 'GET', path: 'me' }, anything);
  await call();
  await call();
  await expect(call()).rejects.toMatchObject({ reason: 'rate-limited', retryAfterMs: 600_000 });
  await vi.advanceTimersByTimeAsync(594_000);
  const waiting = call();
  await vi.advanceTimersByTimeAsync(5_999);
  await graph.call(tokenSession('acc_2'), { method: 'GET', path: 'me' }, anything);
  expect(server.seen).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(1);
  await waiting;
  expect(server.seen).toHaveLength(4);
  expect(waits).toEqual([]);
});

test('ten thousand requests in ten minutes by the system clock; one’s own is not held up', () => {
  expect(readOptions({}).limits.requestsPerTenMinutes).toBe(10_000);
  const clock = notingClock([], () => false);
  expect(readOptions({ clock }).limits.requestsPerTenMinutes).toBe(Number.POSITIVE_INFINITY);
});

test('options that cannot work are refused', () => {
  expect(() => readOptions({ graphUrl: 'ftp://x' })).toThrow('graphUrl');
  expect(() => readOptions({ loginUrl: 'nothing' })).toThrow('loginUrl');
  expect(() => readOptions({ window: { futureMs: 1900 * 86_400_000 } })).toThrow('window');
});
