import { createAdminHandler } from '@kalends/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ADMIN_TOKEN,
  type Admin,
  type AdminRequest,
  adminOf,
  documentOf,
  type Operation,
  operationsOf,
  stateOf,
} from './admin-world.ts';
import { movableClock } from './movable-clock.ts';
import { body, type Connected, checkProblem, expectProblem } from './steps.ts';
import { createWorld, type Json, type World } from './world.ts';

const METRICS_TOKEN = 'mtr_0123456789abcdef';

let world: World;
let admin: Admin;
let account: Connected;
let receiverId: string;
let operations: readonly Operation[];
beforeAll(async () => {
  world = await createWorld();
  admin = adminOf(world, { token: ADMIN_TOKEN, failureLimit: false });
  account = await world.connect('google');
  const endpoint = { webhookUrl: 'http://127.0.0.1:49999/hook' };
  receiverId = body(await world.call('POST', '/v1/webhookEndpoints', { body: endpoint }), 201).webhookEndpointId;
  operations = operationsOf(await documentOf(admin));
});
afterAll(() => world.close());

/** Everything but the administrator's token, by name. */
const STRANGERS: Readonly<Record<string, () => AdminRequest>> = {
  nothing: () => ({ token: null }),
  'an empty token': () => ({ token: '' }),
  'a wrong token': () => ({ token: 'adm_0123456789abcdeF' }),
  'the beginning of the token': () => ({ token: ADMIN_TOKEN.slice(0, -1) }),
  'more than the token': () => ({ token: `${ADMIN_TOKEN}x` }),
  'an overlong token': () => ({ token: ADMIN_TOKEN.repeat(500) }),
  'the token of the metrics': () => ({ token: METRICS_TOKEN }),
  'an API key as the token': () => ({ token: world.apiKey }),
  'an API key as x-api-key': () => ({ token: null, headers: { 'x-api-key': world.apiKey } }),
  'the token as x-api-key': () => ({ token: null, headers: { 'x-api-key': ADMIN_TOKEN } }),
  'the token without a scheme': () => ({ token: null, headers: { authorization: ADMIN_TOKEN } }),
  'the token under another scheme': () => ({ token: null, headers: { authorization: `Basic ${ADMIN_TOKEN}` } }),
  'two tokens': () => ({ token: null, headers: { authorization: `Bearer x, Bearer ${ADMIN_TOKEN}` } }),
};

/** A request of an operation that would succeed, or at least find its object. */
function requestOf({ path, operation }: Operation): { readonly path: string; readonly body: unknown } {
  const values: Readonly<Record<string, string>> = {
    app: world.applicationId,
    provider: 'provider_a',
    account: account.accountId,
    receiver: receiverId,
  };
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? 'some');
  return { path: filled, body: operation.requestBody === undefined ? undefined : { name: 'Stolen', expiresAt: null } };
}

describe.each(Object.entries(STRANGERS))('with %s', (_name, stranger) => {
  it('every operation, and the description, is 401 and changes nothing', async () => {
    const before = await stateOf(admin);
    expect(operations.length).toBeGreaterThanOrEqual(28);
    const description: Operation = { method: 'GET', path: '/openapi.json', operation: {} };
    const statuses: Record<string, number> = {};
    for (const operation of [...operations, description]) {
      const { path, body: sent } = requestOf(operation);
      for (const method of operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]) {
        const answer = await admin.call(method, path, { ...stranger(), body: method === 'HEAD' ? undefined : sent });
        statuses[`${method} ${path}`] = answer.status;
        expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="kalends"');
        expect(answer.headers.get('cache-control')).toBe('no-store');
        if (method === 'HEAD') continue;
        checkProblem(answer);
        expect(answer.body.code).toBe('Unauthorized');
        expect(answer.body.details).toBeUndefined();
      }
    }
    expect(Object.entries(statuses).filter(([, status]) => status !== 401)).toEqual([]);
    expect(await stateOf(admin)).toEqual(before);
  });
});

describe('the token', () => {
  it('opens every operation', async () => {
    for (const operation of operations.filter(({ method }) => method === 'GET')) {
      const { path } = requestOf(operation);
      expect(`${path} ${(await admin.call('GET', path)).status}`).toBe(`${path} 200`);
    }
    const headers = { authorization: `bearer ${ADMIN_TOKEN}` };
    expect((await admin.call('GET', '/applications', { token: null, headers })).status).toBe(200);
  });

  it('opens nothing under /v1', async () => {
    const { body: document } = await world.call('GET', '/v1/openapi.json', { key: null });
    const closed = Object.entries<Json>(document.paths).filter(([, item]) => item.get?.security?.length > 0);
    expect(closed.length).toBeGreaterThan(8);
    for (const [path] of closed) {
      const filled = path.replace(/\{\w+\}/g, account.accountId);
      const bearer = await world.call('GET', filled, {
        key: null,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      });
      expectProblem(bearer, 401, 'InvalidApiKey');
      expectProblem(await world.call('GET', filled, { key: ADMIN_TOKEN }), 401, 'InvalidApiKey');
    }
  });

  it.each([
    ['short', 'must have at least 16 characters'],
    ['with spaces in between', 'must be printable ASCII without spaces'],
    ['schlüssel-schlüssel', 'must be printable ASCII without spaces'],
  ])('may not be %j', (token, rule) => {
    expect(() => createAdminHandler(world.engine, { token })).toThrow(`token: ${rule}`);
  });
});

describe('authorize', () => {
  it('decides by the request, and may be asynchronous', async () => {
    const named = adminOf(world, {
      authorize: async ({ headers }) => (headers.get('cookie') === 'session=ops' ? { id: 'ops' } : undefined),
    });
    const withCookie = (cookie: string) => named.call('GET', '/applications', { token: null, headers: { cookie } });
    body(await withCookie('session=ops'));
    expectProblem(await withCookie('session=other'), 401, 'Unauthorized');
    expectProblem(await named.call('GET', '/applications'), 401, 'Unauthorized');
  });

  it.each([undefined, null, false, true, '', 'ops', 0, 1])('refuses when it returns %j', async (returned) => {
    const lax = adminOf(world, { authorize: () => returned as unknown as undefined });
    expectProblem(await lax.call('GET', '/applications'), 401, 'Unauthorized');
  });

  it('refuses when it fails', async () => {
    const failing = adminOf(world, { authorize: () => Promise.reject(new Error('sessions are away')) });
    const answer = await failing.call('DELETE', `/applications/${world.applicationId}`);
    expectProblem(answer, 500, 'InternalError');
    expect(answer.body.detail).not.toContain('sessions');
    expect(body(await admin.call('GET', `/applications/${world.applicationId}`)).status).toBe('ACTIVE');
  });

  it('is given, or a token is, and not both', () => {
    const rule = 'needs exactly one of authorize and token';
    expect(() => createAdminHandler(world.engine, {})).toThrow(rule);
    expect(() => createAdminHandler(world.engine, { token: ADMIN_TOKEN, authorize: () => ({}) })).toThrow(rule);
  });
});

describe('failures', () => {
  it('are limited per address, and stop neither other addresses nor the administrator', async () => {
    const clock = movableClock();
    const limited = adminOf(world, { token: ADMIN_TOKEN, clock, failureLimit: { perSecond: 1, burst: 3 } });
    const from = (address: string, token: string) => limited.call('GET', '/applications', { token, address });
    body(await from('203.0.113.1', ADMIN_TOKEN));
    for (let guess = 0; guess < 3; guess += 1) {
      expectProblem(await from('203.0.113.1', `guess-${guess}-0123456789`), 401, 'Unauthorized');
    }
    const refused = await from('203.0.113.1', 'guess-4-0123456789');
    expectProblem(refused, 429, 'RateLimited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    body(await from('203.0.113.1', ADMIN_TOKEN));
    expectProblem(await from('203.0.113.2', 'guess-5-0123456789'), 401, 'Unauthorized');
    clock.pass(1_000);
    expectProblem(await from('203.0.113.1', 'guess-6-0123456789'), 401, 'Unauthorized');
  });

  it('of people whom the host has not signed in stop no one whom it has', async () => {
    const authorize = ({ headers }: Request) => (headers.get('cookie') === 'session=ops' ? { id: 'ops' } : undefined);
    const limited = adminOf(world, { authorize, failureLimit: { perSecond: 1, burst: 3 } });
    const from = (cookie: string) =>
      limited.call('GET', '/applications', { token: null, headers: { cookie }, address: '203.0.113.1' });
    for (let time = 0; time < 5; time += 1) expectProblem(await from('session=ended'), 401, 'Unauthorized');
    body(await from('session=ops'));
  });

  it('of an administrator are not counted', async () => {
    const limited = adminOf(world, { token: ADMIN_TOKEN, failureLimit: { perSecond: 1, burst: 1 } });
    for (let time = 0; time < 3; time += 1) {
      const answer = await limited.call('GET', '/applications/app_unknown', { address: '203.0.113.3' });
      expectProblem(answer, 404, 'NotFound');
    }
  });
});
