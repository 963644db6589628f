import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { json as jsonOf } from 'node:stream/consumers';
import { createGunzip, gzipSync } from 'node:zlib';
import { createDocsPage, createHandler, type Handler } from '@kalends/http';
import { expressMiddleware } from '@kalends/http/express';
import { fastifyPlugin } from '@kalends/http/fastify';
import { nodeListener } from '@kalends/http/node';
import express5 from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ADMIN_TOKEN, adminOf } from './admin-world.ts';
import { createWorld, type Json, type World } from './world.ts';

let world: World;
let account: { accountId: string; calendarId: string };
beforeAll(async () => {
  world = await createWorld();
  account = await world.connect('microsoft');
});
afterAll(() => world.close());

const open: { close(): unknown }[] = [];
afterAll(async () => {
  for (const server of open) await server.close();
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Must hold of every mount. */
async function probe(base: string) {
  const headers = { 'x-api-key': world.apiKey };
  const json = { ...headers, 'content-type': 'application/json' };
  const events = `${base}/v1/events/${account.accountId}/${encodeURIComponent(account.calendarId)}`;

  const body = JSON.stringify({ title: 'Größe ✓', start: { dateTime: '2026-03-02T09:00:00Z' } });
  const created = await fetch(events, { method: 'POST', headers: json, body });
  expect(created.status).toBe(201);
  const event: Json = await created.json();
  expect(event.title).toBe('Größe ✓');
  expect(created.headers.get('etag')).toBe(event.etag);

  const read = await fetch(`${events}/${encodeURIComponent(event.id)}`, { headers });
  expect(((await read.json()) as Json).id).toBe(event.id);
  const unknown = await fetch(`${events}/${encodeURIComponent(`a/b#c?d%e${'x'.repeat(300)}`)}`, { headers });
  expect(unknown.status).toBe(404);
  const removed = await fetch(`${events}/${encodeURIComponent(event.id)}`, { method: 'DELETE', headers });
  expect(await removed.json()).toEqual({ success: true });

  const emptyBody = await fetch(events, { method: 'POST', headers: json, body: '' });
  expect(emptyBody.status).toBe(400);
  const noKey = await fetch(`${base}/v1/endUserAccounts`);
  expect(noKey.status).toBe(401);
  expect(noKey.headers.get('content-type')).toBe('application/problem+json');

  const redirect = await fetch(`${base}/v1/oauth/authorize/${world.applicationId}/provider_a`, { redirect: 'manual' });
  expect(redirect.status).toBe(302);
  expect(redirect.headers.getSetCookie()).toHaveLength(1);

  const document: Json = await (await fetch(`${base}/v1/openapi.json`)).json();
  expect(document.openapi).toBe('3.1.0');
}

/** A body that is too large is refused in our words, and does not keep the server from closing. */
async function probeLargeBody(base: string) {
  const refused = await fetch(`${base}/v1/endUserAccounts`, {
    method: 'POST',
    headers: { 'x-api-key': world.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'x'.repeat(300_000) }),
  });
  expect(refused.status).toBe(413);
  expect(((await refused.json()) as Json).code).toBe('PayloadTooLarge');
}

/** The administration beside the interface, through a mount of its own at the same place. */
async function probeAdministration(base: string) {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
  const listed: Json = await (await fetch(`${base}/admin/v1/applications`, { headers })).json();
  expect(listed.data[0].id).toBe(world.applicationId);
  const keys = `${base}/admin/v1/applications/${world.applicationId}/apiKeys`;
  const body = JSON.stringify({ name: 'Größe ✓', expiresAt: '1d' });
  const created = await fetch(keys, { method: 'POST', headers, body });
  expect(created.status).toBe(201);
  const { apiKey }: Json = await created.json();
  expect(apiKey.name).toBe('Größe ✓');
  expect((await fetch(`${keys}/${apiKey.id}`, { method: 'DELETE', headers })).status).toBe(200);
  const stranger = await fetch(keys, { headers: { 'x-api-key': world.apiKey } });
  expect(stranger.status).toBe(401);
  expect(stranger.headers.get('content-type')).toBe('application/problem+json');
  expect((await fetch(`${base}/v1/endUserAccounts`, { headers })).status).toBe(401);
}

/** The page of the interface, through a mount of its own at the same place. */
async function probeDocsPage(base: string) {
  const page = await fetch(`${base}/docs`);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const script = await fetch(`${base}/docs/start.js`);
  expect(await script.text()).toContain('../v1/openapi.json');
  expect((await fetch(`${base}/docs`, { method: 'POST' })).status).toBe(405);
}

async function probeHostRoutes(base: string) {
  expect(await (await fetch(`${base}/v1/mine`)).text()).toBe('mine');
  expect(await (await fetch(`${base}/docs/mine`)).text()).toBe('mine');
  expect((await fetch(`${base}/v1/nobody`)).status).toBe(404);
}

it('node:http', async () => {
  await probe(await listen(createServer(nodeListener(world.handler) as RequestListener)));
  const admin = nodeListener(adminOf(world).handler) as RequestListener;
  const api = nodeListener(world.handler) as RequestListener;
  const docs = nodeListener(createDocsPage()) as RequestListener;
  const all: RequestListener = (request, response) =>
    (request.url?.startsWith('/admin/') ? admin : request.url?.startsWith('/docs') ? docs : api)(request, response);
  const base = await listen(createServer(all));
  await probeAdministration(base);
  await probeDocsPage(base);
});

describe.each([
  ['Express 4', express4],
  ['Express 5', express5],
])('%s', (_name, express) => {
  it.each([
    ['at the root', '', false],
    ['at the root, after express.json()', '', true],
    ['under a prefix', '/calendar', false],
    ['under a prefix, after express.json()', '/calendar', true],
  ])('%s', async (_title, prefix, afterParsers) => {
    const app = express();
    if (afterParsers) app.use(express.json());
    if (prefix === '') app.use(expressMiddleware(world.handler));
    else app.use(prefix, expressMiddleware(world.handler));
    app.use(prefix === '' ? '/' : prefix, expressMiddleware(adminOf(world).handler));
    app.use(prefix === '' ? '/' : prefix, expressMiddleware(createDocsPage()));
    app.get(`${prefix}/v1/mine`, (_request, response) => {
      response.send('mine');
    });
    app.get(`${prefix}/docs/mine`, (_request, response) => {
      response.send('mine');
    });
    const base = `${await listen(createServer(app))}${prefix}`;
    await probe(base);
    // After a parser of Express it is Express that refuses the body.
    if (!afterParsers) await probeLargeBody(base);
    await probeAdministration(base);
    await probeDocsPage(base);
    await probeHostRoutes(base);
  });
});

it.each([
  ['Express 4', express4],
  ['Express 5', express5],
])('%s: a form that express.urlencoded() has read is a form again', async (_name, express) => {
  const echo: Handler = Object.assign(async (request: Request) => new Response(await request.text()), {
    root: '/v1',
    matches: () => true,
  });
  const app = express()
    .use(express.urlencoded({ extended: true }))
    .use(expressMiddleware(echo));
  const base = await listen(createServer(app));
  const body = new URLSearchParams({ state: 'a b', password: 'é&=+%' });
  expect(await (await fetch(`${base}/v1/form`, { method: 'POST', body })).text()).toBe(body.toString());
});

it.each([
  ['Express 4', express4],
  ['Express 5', express5],
])("%s: cookies of the host and the answer's are both set", async (_name, express) => {
  const app = express().use((_request, response, next) => {
    response.cookie('host', '1').cookie('theme', 'dark');
    next();
  });
  app.use('/calendar', expressMiddleware(world.handler));
  const base = `${await listen(createServer(app))}/calendar`;
  const begun = await fetch(`${base}/v1/oauth/authorize/${world.applicationId}/provider_a`, { redirect: 'manual' });
  const names = begun.headers.getSetCookie().map((cookie) => cookie.split('=')[0] ?? '');
  expect([begun.status, names.sort()]).toEqual([302, ['host', expect.stringContaining('kalends'), 'theme']]);
  const listed = await fetch(`${base}/v1/endUserAccounts`, { headers: { 'x-api-key': world.apiKey } });
  expect(listed.headers.getSetCookie()).toHaveLength(2);
});

describe.each<[string, () => Promise<string>]>([
  [
    'Fastify 5 over HTTP/2',
    async () => {
      const app = fastify({ http2: true });
      await app.register(fastifyPlugin, { prefix: '/calendar', handler: world.handler });
      open.push(app);
      return await app.listen({ port: 0, host: '127.0.0.1' });
    },
  ],
  [
    'node:http2',
    async () => {
      const handler = createHandler(world.engine, { basePath: '/calendar' });
      const server = createHttp2Server(nodeListener(handler));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      open.push({ close: () => new Promise((resolve) => server.close(resolve)) });
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
  ],
])('%s', (_name, start) => {
  const path = '/calendar/v1/endUserAccounts';

  it('answers', async () => {
    const session = connect(await start());
    onTestFinished(() => session.close());
    const stream = session.request({ ':path': path, 'x-api-key': world.apiKey });
    const [headers] = await once(stream, 'response');
    expect(headers[':status']).toBe(200);
    expect(await jsonOf(stream)).toHaveProperty('data');
  });

  it.each([300_000, 2_000_000])('refuses a body of %d bytes, and ends its stream', async (bytes) => {
    const session = connect(await start());
    for (let round = 0; round < 3; round += 1) {
      const headers = {
        ':path': path,
        ':method': 'POST',
        'x-api-key': world.apiKey,
        'content-type': 'application/json',
      };
      const stream = session.request(headers);
      const closed = once(stream, 'close');
      stream.end('x'.repeat(bytes));
      const [{ ':status': status }] = await once(stream, 'response');
      expect([status, (await jsonOf(stream)) as Json]).toMatchObject([413, { code: 'PayloadTooLarge' }]);
      await closed;
      expect(stream.rstCode).toBe(0);
    }
    // Waits for every stream.
    await new Promise<void>((resolve) => session.close(resolve));
  });
});

describe('Fastify 5', () => {
  it.each([
    ['at the root', ''],
    ['under a prefix', '/calendar'],
  ])('%s', async (_title, prefix) => {
    const app = fastify();
    await app.register(fastifyPlugin, { prefix, handler: world.handler });
    await app.register(fastifyPlugin, { prefix, handler: adminOf(world).handler });
    await app.register(fastifyPlugin, { prefix, handler: createDocsPage() });
    for (const path of ['/v1', '/v1/mine', '/docs/mine']) app.get(`${prefix}${path}`, async () => 'mine');
    app.post('/echo', async (request) => request.body);
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    open.push(app);
    await probe(`${address}${prefix}`);
    await probeLargeBody(`${address}${prefix}`);
    await probeAdministration(`${address}${prefix}`);
    await probeDocsPage(`${address}${prefix}`);
    await probeHostRoutes(`${address}${prefix}`);
    const headers = { 'content-type': 'application/json' };
    const echo = await fetch(`${address}/echo`, { method: 'POST', headers, body: '{"a":1}' });
    expect(await echo.json()).toEqual({ a: 1 });
  });
});

describe('Fastify 5, under prefixes that are not in URLs as they are written', () => {
  it.each([
    ['with a slash at its end', '/calendar/', '/calendar'],
    ['a slash', '/', ''],
    ['with a parameter', '/:tenant/calendar', '/acme-and-sons/calendar'],
    ['with letters that URLs encode', '/größe', '/gr%C3%B6%C3%9Fe'],
    ['in a URL that encodes more than it has to', '/calendar', '/c%61lendar'],
  ])('%s', async (_title, prefix, path) => {
    const app = fastify();
    await app.register(fastifyPlugin, { prefix, handler: world.handler });
    await app.register(fastifyPlugin, { prefix, handler: createDocsPage() });
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    open.push(app);
    await probe(`${address}${path}`);
    await probeDocsPage(`${address}${path}`);
  });
});

it("Fastify 5: what a hook of the host refuses is answered by the host's error handler", async () => {
  const app = fastify();
  app.addHook('onRequest', async () => Promise.reject(new Error('closed')));
  app.setErrorHandler((error: Error, _request, reply) => reply.code(403).send(error.message));
  await app.register(fastifyPlugin, { prefix: '/calendar', handler: world.handler });
  const { statusCode, body } = await app.inject('/calendar/v1/endUserAccounts');
  expect([statusCode, body]).toEqual([403, 'closed']);
  await app.close();
});

it.each<[string, () => Promise<string>]>([
  ['Express 4', () => listen(createServer(express4().use(express4.json(), expressMiddleware(world.handler))))],
  ['Express 5', () => listen(createServer(express5().use(express5.json(), expressMiddleware(world.handler))))],
  [
    'Fastify 5',
    async () => {
      const app = fastify();
      app.addHook('preParsing', async (_request, _reply, payload) => payload.pipe(createGunzip()));
      await app.register(fastifyPlugin, { handler: world.handler });
      open.push(app);
      return await app.listen({ port: 0, host: '127.0.0.1' });
    },
  ],
])('%s: a body that the host has decoded is taken, though its Content-Encoding is left', async (_name, start) => {
  const path = `/v1/events/${account.accountId}/${encodeURIComponent(account.calendarId)}`;
  const created = await fetch(`${await start()}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': world.apiKey, 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync('{"title":"Zipped","start":{"dateTime":"2026-03-02T09:00:00Z"}}'),
  });
  expect([created.status, ((await created.json()) as Json).title]).toEqual([201, 'Zipped']);
});
