import { manualClock, waitlessClock } from '@kalends/conformance';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readOptions } from '../../src/options.ts';
import { createGraphClient, type GraphClient } from '../../src/transport/graph-client.ts';
import { type HandMade, type LocalGraph, localGraph, type SeenRequest, tokenSession } from '../local-graph.ts';

let server: LocalGraph;
afterEach(() => server.close());

const anything = z.unknown();
const ok: HandMade = { status: 200, body: { fine: true } };
const failure = (status: number, code: string, headers: Record<string, string> = {}): HandMade => ({
  status,
  headers,
  body: { error: { code, message: 'said Graph' } },
});

async function client(answer: (request: SeenRequest) => HandMade | Promise<HandMade>): Promise<GraphClient> {
  server = await localGraph(answer);
  const clock = waitlessClock(() => Date.UTC(2026, 0, 5, 12));
  return createGraphClient(readOptions({ graphUrl: `${server.url}/v1.0/`, clock, random }));
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

describe('refusals', () => {
  test('503 with Retry-After was not carried out, so any call is sent again', async () => {
    const graph = await client(inTurn(failure(503, 'ErrorServerBusy', { 'retry-after': '1' }), ok));
    await graph.command(tokenSession(), { method: 'POST', path: 'me/events/1/accept', body: {} });
    expect(server.seen).toHaveLength(2);
  });

  test('a POST is not repeated after a broken gateway, a read is', async () => {
    const graph = await client(() => failure(504, 'ErrorServerBusy'));
    const command = graph.command(tokenSession(), { method: 'POST', path: 'me/events/1/accept', body: {} });
    await expect(command).rejects.toMatchObject({ reason: 'timeout', status: 504 });
    expect(server.seen).toHaveLength(1);
    await expect(graph.call(tokenSession(), { method: 'GET', path: 'me' }, anything)).rejects.toMatchObject({
      reason: 'timeout',
    });
    expect(server.seen).toHaveLength(5);
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

test('four calls at a time and ten thousand in ten minutes, on any clock', () => {
  const graphs = { concurrency: 4, callsPerInterval: 10_000, intervalMs: 600_000 };
  expect(readOptions({}).limits).toMatchObject(graphs);
  expect(readOptions({ clock: manualClock() }).limits).toMatchObject(graphs);
});

test('options that cannot work are refused', () => {
  expect(() => readOptions({ graphUrl: 'ftp://x' })).toThrow('graphUrl');
  expect(() => readOptions({ loginUrl: 'nothing' })).toThrow('loginUrl');
  expect(() => readOptions({ window: { futureMs: 1900 * 86_400_000 } })).toThrow('window');
});
