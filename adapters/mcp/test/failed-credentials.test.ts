import type { McpHandler, McpHandlerOptions } from '@kalends/mcp';
import { systemClock } from 'kalends/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMcpWorld, type McpWorld } from './mcp-world.ts';

const RESOURCE = 'https://calendar.example.com/mcp';
const ATTACKER = '192.0.2.9';

let world: McpWorld;
beforeAll(async () => {
  world = await createMcpWorld();
});
afterAll(() => world.close());

/** A handler whose clock stands still: no failure is forgotten, and no answer. */
function handlerOf(options: McpHandlerOptions = {}): McpHandler {
  const now = world.clock.now();
  return world.handler({ clock: { ...systemClock, now: () => now }, ...options });
}

async function statusOf(handler: McpHandler, headers: Record<string, string>, remoteAddress: string | undefined) {
  const response = await handler(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    }),
    { remoteAddress },
  );
  await response.text();
  return { status: response.status, retryAfter: response.headers.get('retry-after') };
}

/** An authorization server that knows one token, and counts what it is asked. */
function introspecting(options: McpHandlerOptions = {}) {
  const asked: string[] = [];
  const load = { now: 0, most: 0 };
  const fetch = async (_url: string | URL | Request, init?: RequestInit) => {
    const token = new URLSearchParams(String(init?.body)).get('token') ?? '';
    asked.push(token);
    load.now += 1;
    load.most = Math.max(load.most, load.now);
    await new Promise((resolve) => setImmediate(resolve));
    load.now -= 1;
    const active = { active: true, aud: RESOURCE, sub: 'user-1', scope: 'calendars.write' };
    return Response.json(token === 'good' ? active : { active: false });
  };
  const handler = handlerOf({
    oauth: {
      issuer: 'https://login.example.com',
      resource: RESOURCE,
      application: { id: world.applicationId },
      introspection: { url: 'https://login.example.com/introspect', clientId: 'calendars', clientSecret: 'hush' },
      fetch,
    },
    ...options,
  });
  const bearer = (token: string, from = ATTACKER) => statusOf(handler, { authorization: `Bearer ${token}` }, from);
  return { asked, load, bearer };
}

it('an address that sends wrong keys is refused from the hundredth on, and its good keys are not', async () => {
  const handler = handlerOf();
  const good = { authorization: `Bearer ${world.apiKey}` };
  expect((await statusOf(handler, good, ATTACKER)).status).toBe(200);
  for (let i = 0; i < 50; i++) {
    expect((await statusOf(handler, { 'x-api-key': `kal_live_${i}` }, ATTACKER)).status).toBe(401);
    expect((await statusOf(handler, { authorization: `Bearer kal_live_${i}` }, ATTACKER)).status).toBe(401);
  }
  expect(await statusOf(handler, { 'x-api-key': 'kal_live_x' }, ATTACKER)).toEqual({ status: 429, retryAfter: '1' });
  expect((await statusOf(handler, good, ATTACKER)).status).toBe(200);
  // A request without a credential is how a client finds the authorization server.
  expect((await statusOf(handler, {}, ATTACKER)).status).toBe(401);
  expect((await statusOf(handler, { 'x-api-key': 'kal_live_x' }, '192.0.2.10')).status).toBe(401);
});

it('failures without an address, behind an unknown proxy or without a limit are not counted', async () => {
  const handler = handlerOf();
  const limitless = handlerOf({ failureLimit: false });
  for (let i = 0; i < 110; i++) {
    const wrong = { 'x-api-key': `kal_live_${i}` };
    expect((await statusOf(handler, wrong, undefined)).status).toBe(401);
    expect((await statusOf(handler, { ...wrong, 'x-forwarded-for': '192.0.2.1' }, '127.0.0.1')).status).toBe(401);
    expect((await statusOf(limitless, wrong, ATTACKER)).status).toBe(401);
  }
});

it('a trusted proxy tells the address', async () => {
  const handler = handlerOf({ trustProxy: 1, failureLimit: { perSecond: 1, burst: 1 } });
  const wrong = (client: string) =>
    statusOf(handler, { 'x-api-key': 'kal_live_x', 'x-forwarded-for': client }, '127.0.0.1');
  expect((await wrong('192.0.2.1')).status).toBe(401);
  expect((await wrong('192.0.2.1')).status).toBe(429);
  expect((await wrong('192.0.2.2')).status).toBe(401);
});

it('forged tokens that arrive together are few requests to the authorization server', async () => {
  const { asked, load, bearer } = introspecting();
  const answers = await Promise.all(Array.from({ length: 1_000 }, (_, i) => bearer(`forged${i}`)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(asked.length).toBeLessThan(120);
  expect(load.most).toBeLessThanOrEqual(16);
  expect(refused.length).toBe(1_000 - asked.length);
});

it('forged tokens evict no answer about a good one', async () => {
  const { asked, bearer } = introspecting({ failureLimit: false });
  expect((await bearer('good')).status).toBe(200);
  for (let i = 0; i < 1_100; i++) expect((await bearer(`forged${i}`)).status).toBe(401);
  expect((await bearer('good')).status).toBe(200);
  expect((await bearer('forged1099')).status).toBe(401);
  expect(asked).toHaveLength(1_101);
});
