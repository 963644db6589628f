import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock } from '@kalends/conformance';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openConnection, rawRequest } from '../../../test/interface/raw-connection.ts';
import { createLogger } from '../src/logger.ts';
import { type Server, startServer } from '../src/serve/server.ts';
import { readSettings } from '../src/settings.ts';

let folder: string;
const running: Server[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kalends-connections-'));
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(
  env: Readonly<Record<string, string>>,
  { clock = manualClock(), logger = createLogger('silent') } = {},
) {
  const base = {
    KALENDS_DATABASE_URL: `sqlite:${join(folder, 'kalends.db')}`,
    KALENDS_SECRET: Buffer.alloc(32, 5).toString('base64'),
    KALENDS_PORT: '0',
    KALENDS_HOST: '127.0.0.1',
    KALENDS_LAME_DUCK_MS: '0',
  };
  const { settings } = readSettings([], { ...base, ...env });
  const server = await startServer('start', settings, logger, clock);
  running.push(server);
  return { server, url: `http://127.0.0.1:${server.port}` };
}

const ADMIN_TOKEN = 'admin-token-of-these-tests-0123456789';
const HALF = rawRequest('POST', '/api/v1/push/provider_b', { 'content-length': '100000' }, 'half');

it('refuses a body that does not arrive in time, and ends its connection', async () => {
  const lines: { readonly msg: string; readonly requestId?: string; readonly status?: number }[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const { url } = await start({ KALENDS_REQUEST_TIMEOUT_MS: '100' }, { logger });
  const connections = await Promise.all(Array.from({ length: 20 }, () => openConnection(url)));
  for (const { write } of connections) write(HALF);
  for (const { answer, ended, socket } of connections) {
    const { status, headers, text } = await answer();
    expect(status).toBe(408);
    expect(headers.get('content-type')).toBe('application/problem+json');
    const requestId = headers.get('x-request-id');
    const message = expect.stringContaining('all of it within 0.1 s');
    expect(JSON.parse(text)).toMatchObject({ code: 'InvalidRequest', requestId, message });
    expect(lines.filter((line) => line.requestId === requestId)).toMatchObject([
      { msg: 'request refused', status: 408 },
    ]);
    expect(await ended).toBe('end');
    socket.destroy();
  }
});

it('ends a connection whose answered request never becomes complete', async () => {
  const { url } = await start({ KALENDS_REQUEST_TIMEOUT_MS: '100' });
  const connection = await openConnection(url);
  connection.write(rawRequest('POST', '/api/v1/endUserAccounts', { 'content-length': '100000' }, 'half'));
  expect((await connection.answer()).status).toBe(401);
  expect(await connection.ended).not.toBe(undefined);
  await expect(connection.answer()).rejects.toThrow('the connection ended');
});

it('refuses headers that do not arrive in time', async () => {
  const { url } = await start({ KALENDS_HEADERS_TIMEOUT_MS: '100' });
  const connection = await openConnection(url);
  connection.write('GET /api/v1/openapi.json HTTP/1.1\r\nhost: kalends.test\r\n');
  expect((await connection.answer()).status).toBe(408);
  expect(await connection.ended).toBe('end');
});

it('takes no more connections than it is to', async () => {
  const { url } = await start({ KALENDS_HTTP_CONNECTIONS: '2' });
  const first = await openConnection(url);
  const second = await openConnection(url);
  for (const { write, answer } of [first, second]) {
    write(rawRequest('GET', '/healthz'));
    expect((await answer()).status).toBe(200);
  }
  const third = await openConnection(url);
  await third.ended;
  first.write(rawRequest('GET', '/healthz', { connection: 'close' }));
  expect((await first.answer()).status).toBe(200);
  await first.ended;
  // The server closes its own end a moment later than ours.
  for (;;) {
    const next = await openConnection(url);
    next.write(rawRequest('GET', '/healthz'));
    const status = await next.answer().then(
      (answer) => answer.status,
      () => undefined,
    );
    next.socket.destroy();
    if (status === 200) break;
  }
  second.socket.destroy();
});

it('refuses a request without Host in a problem document', async () => {
  const { url } = await start({});
  const connection = await openConnection(url);
  connection.write('GET /api/v1/openapi.json HTTP/1.1\r\n\r\n');
  const { status, headers } = await connection.answer();
  expect([status, headers.get('content-type')]).toEqual([400, 'application/problem+json']);
  connection.socket.destroy();
});

it.each([
  '/api/admin//../v1/applications',
  '/api/admin/x//%2e%2E/%2e./v1/applications',
  '/dashboard//../api/v1/endUserAccounts',
  'http://kalends.test/api//admin/v1/applications',
  '/api/v1/../admin/v1/applications',
  '/api/./admin/v1/applications?x',
  '/api/admin/v1/applications/..',
])('refuses %s, which a proxy may have read as another path', async (target) => {
  const { url } = await start({ KALENDS_ADMIN_TOKEN: ADMIN_TOKEN });
  const connection = await openConnection(url);
  connection.write(rawRequest('GET', target, { authorization: `Bearer ${ADMIN_TOKEN}` }));
  const { status, text } = await connection.answer();
  expect([status, JSON.parse(text)]).toMatchObject([400, { code: 'InvalidRequest' }]);
  connection.socket.destroy();
});

it.each([
  ['/healthz?next=//x/../y', 200],
  ['http://kalends.test/api/admin/v1/applications', 200],
  ['/api/v1/events/acc_1/https%3A%2F%2Fdav.example%2F..%2Fcalendar/.x', 401],
])('takes %s', async (target, expected) => {
  const { url } = await start({ KALENDS_ADMIN_TOKEN: ADMIN_TOKEN });
  const connection = await openConnection(url);
  connection.write(rawRequest('GET', target, { authorization: `Bearer ${ADMIN_TOKEN}` }));
  expect((await connection.answer()).status).toBe(expected);
  connection.socket.destroy();
});

it('says that it stops, and serves on until load balancers know', async () => {
  const clock = manualClock();
  const { server, url } = await start({ KALENDS_LAME_DUCK_MS: '5000' }, { clock });
  const kept = await openConnection(url);
  kept.write(rawRequest('GET', '/readyz'));
  expect((await kept.answer()).status).toBe(200);
  const stopped = server.stop();
  const fresh = await openConnection(url);
  fresh.write(rawRequest('GET', '/readyz'));
  expect((await fresh.answer()).status).toBe(503);
  kept.write(rawRequest('GET', '/api/v1/endUserAccounts'));
  const answer = await kept.answer();
  expect(answer.status).toBe(401);
  expect(answer.headers.get('connection')).toBe('close');
  expect(await kept.ended).toBe('end');
  await clock.advance(5_000);
  await stopped;
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

it('does not wait for agents that listen for changes of the tools', async () => {
  const { server, url } = await start({ KALENDS_ADMIN_TOKEN: ADMIN_TOKEN, KALENDS_DRAIN_MS: '60000' });
  const create = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/admin/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as { readonly id: string; readonly key: string };
  };
  const { id } = await create('applications', { name: 'Agents', redirectUrls: [] });
  const { key } = await create(`applications/${id}/apiKeys`, { name: 'Agent', expiresAt: null });
  const method = 'subscriptions/listen';
  const protocolVersion = '2026-07-28';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const listening = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocolVersion,
      'mcp-method': method,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method,
      params: { notifications: { toolsListChanged: true }, _meta: meta },
    }),
  });
  expect([listening.status, listening.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  await server.stop();
  const messages = [...(await listening.text()).matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? ''));
  expect(messages.at(-1)).toMatchObject({ id: 7, result: { resultType: 'complete' } });
});
