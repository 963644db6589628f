import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { google, googleEndpoints } from '@kalends/google';
import { createAdminHandler, createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { sqlite } from '@kalends/sqlite';
import type { Logger, Provider, Storage } from 'kalends/ports';
import { StorageUnavailableError } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN } from './admin-world.ts';
import { createWorld, PROVIDERS, type World } from './world.ts';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The error that every call of the storage meets, undefined for none. */
let storageFault: Error | undefined;
let pushFault: Error | undefined;
let log: Line[];
let world: World;
let send: (method: string, path: string, headers?: Record<string, string>, body?: string) => Promise<Response>;

/** The storage, whose stores fail while there is a fault. */
function faulty(storage: Storage): Storage {
  const wrap = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...input: readonly unknown[]) =>
          storageFault === undefined ? value.apply(target, input) : Promise.reject(storageFault);
      },
    });
  const stores = Object.entries(storage).map(([name, part]) => [name, typeof part === 'object' ? wrap(part) : part]);
  return Object.fromEntries(stores) as Storage;
}

function withPushFault(provider: Provider): Provider {
  const receive: Provider['push']['receive'] = async (request) => {
    if (pushFault !== undefined) throw pushFault;
    return await provider.push.receive(request);
  };
  return { ...provider, push: { ...provider.push, receive } };
}

beforeEach(async () => {
  [storageFault, pushFault, log] = [undefined, undefined, []];
  const opened: { sandbox?: World['sandbox'] } = {};
  const fetch = async (input: string | URL | Request, init?: RequestInit) =>
    opened.sandbox?.fetch(new Request(input, init)) ?? Response.error();
  world = await createWorld({
    storage: faulty(sqlite({ path: ':memory:' })),
    providers: {
      PROVIDER_A: google({ ...googleEndpoints('http://sandbox.test/google'), fetch }),
      PROVIDER_B: withPushFault(microsoft({ ...microsoftEndpoints('http://sandbox.test/microsoft'), fetch })),
    },
  });
  opened.sandbox = world.sandbox;
  const writer =
    (level: string) =>
    (message: string, fields: object = {}) =>
      void log.push({ level, message, fields: { ...fields } });
  const logger: Logger = { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
  const handlers = [
    createAdminHandler(world.engine, { token: ADMIN_TOKEN, logger }),
    createHandler(world.engine, { logger }),
  ];
  send = async (method, path, headers = {}, body) => {
    const handler = handlers.find(({ root }) => path.startsWith(`${root}/`)) ?? expect.fail(`no handler of ${path}`);
    const request = new Request(`http://kalends.test${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    return await handler(request);
  };
});
afterEach(() => world.close());

const KEYED = () => ({ 'x-api-key': world.apiKey });
const ADMIN = { authorization: `Bearer ${ADMIN_TOKEN}` };

/** Expects exactly one line, which has the answer's request id and names the cause. */
async function expectOneLine(answer: Response, expected: { level: string; route: string; cause: RegExp }) {
  const requestId = answer.headers.get('x-request-id');
  const text = await answer.text();
  const lines = log.filter(({ fields }) => fields['requestId'] === requestId);
  expect(lines.map(({ level, message }) => [level, message])).toEqual([[expected.level, 'request failed']]);
  expect(lines[0]?.fields).toMatchObject({ status: answer.status, route: expected.route });
  expect(String(lines[0]?.fields['error'])).toMatch(expected.cause);
  return text;
}

describe.each([
  ['an unexpected error', () => new TypeError('planted fault'), 500, /TypeError: planted fault[\s\S]*at /],
  [
    'an outage',
    () => new StorageUnavailableError('planted outage', new Error('ECONNREFUSED')),
    503,
    /planted outage; caused by .*ECONNREFUSED/s,
  ],
])('%s of the database', (_name, fault, status, cause) => {
  it.each([
    ['GET', '/v1/endUserAccounts', '/v1/endUserAccounts', KEYED],
    ['GET', '/v1/endUserAccounts', '/v1/endUserAccounts', () => ({ 'x-api-key': 'kal_live_wrong' })],
    ['GET', '/v1/oauth/authorize/app_1/provider_a', '/v1/oauth/authorize/{app_id}/{provider}', () => ({})],
    [
      'GET',
      '/v1/oauth/authorize/app_1/provider_a',
      '/v1/oauth/authorize/{app_id}/{provider}',
      () => ({ accept: 'text/html' }),
    ],
    ['GET', '/admin/v1/applications', '/admin/v1/applications', () => ADMIN],
    ['DELETE', '/admin/v1/applications/app_1', '/admin/v1/applications/{app}', () => ADMIN],
  ])('%s %s is logged once', async (method, path, route, headers) => {
    storageFault = fault();
    const answer = await send(method, path, headers());
    expect(answer.status).toBe(status);
    const text = await expectOneLine(answer, { level: 'error', route, cause });
    expect(text).not.toContain('planted');
  });
});

it('the callback of a flow is logged once, as a page and as a document', async () => {
  for (const accept of ['text/html', '*/*']) {
    const path = `/v1/oauth/authorize/${world.applicationId}/provider_a?redirectUrl=https%3A%2F%2Fapp.test%2Fconnected`;
    const begun = await send('GET', path);
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const cookie = begun.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    storageFault = new TypeError('planted fault');
    const answer = await send('GET', `/v1/oauth/callback/provider_a?code=c&state=${encodeURIComponent(state)}`, {
      accept,
      cookie,
    });
    storageFault = undefined;
    expect(answer.status).toBe(500);
    await expectOneLine(answer, {
      level: 'error',
      route: '/v1/oauth/callback/{provider}',
      cause: /TypeError: planted fault/,
    });
  }
});

it('a push that fails is logged once', async () => {
  pushFault = new TypeError('planted fault');
  const answer = await send('POST', '/v1/push/provider_b', { 'content-type': 'application/json' }, '{"value":[]}');
  expect(answer.status).toBe(500);
  await expectOneLine(answer, { level: 'error', route: '/v1/push/{provider}', cause: /TypeError: planted fault/ });
});

it.each(PROVIDERS)("a failure of $provider is a warning, with the provider's reason", async ({ provider }) => {
  const { accountId, calendarId } = await world.connect(provider);
  const path = `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
  expect((await send('GET', path, KEYED())).status).toBe(200);
  world.sandbox.faults.arm({
    provider,
    method: 'POST',
    path: '.*/events',
    kind: 'answer',
    status: 503,
    headers: { 'retry-after': '300' },
    body: '<html>',
  });
  const body = JSON.stringify({ title: 'x', start: { dateTime: '2026-03-02T09:00:00Z' } });
  const answer = await send('POST', path, { ...KEYED(), 'content-type': 'application/json' }, body);
  expect(answer.status).toBe(503);
  const cause = /ProviderUnavailable: .*; caused by \w+ unavailable: /;
  await expectOneLine(answer, { level: 'warn', route: '/v1/events/{endUserAccountId}/{calendarId}', cause });
});

it('a handler that throws is logged once, with the id of its answer', async () => {
  const lines: Line[] = [];
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (message, fields = {}) => void lines.push({ level: 'error', message, fields }),
  };
  const server = createServer(nodeListener(() => Promise.reject(new TypeError('planted fault')), { logger }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await new Promise((resolve) => server.close(resolve).closeAllConnections());
  expect(answer.status).toBe(500);
  expect(lines).toMatchObject([
    { message: 'request failed', fields: { requestId: answer.headers.get('x-request-id') } },
  ]);
  expect(String(lines[0]?.fields['error'])).toContain('TypeError: planted fault');
});
