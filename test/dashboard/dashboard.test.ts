import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { manualClock } from '@kalends/conformance';
import { createDashboard, type DashboardOptions } from '@kalends/dashboard';
import { expressMiddleware } from '@kalends/http/express';
import { createSandbox } from '@kalends/sandbox';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Json, type World } from '../interface/world.ts';

const TOKEN = 'adm_0123456789abcdef';
const OTHER_TOKEN = 'adm_fedcba9876543210';
const HOUR_MS = 3_600_000;

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { background: false });
});
afterAll(() => world.close());

/** A browser that shows a dashboard: it keeps the cookie, and sends the header of the page. */
function browse(options: Partial<DashboardOptions> = { token: TOKEN }) {
  const dashboard = createDashboard(world.engine, options as DashboardOptions);
  let cookie = '';
  const send = async (
    method: string,
    path: string,
    { body, headers = {}, address }: { body?: unknown; headers?: Record<string, string>; address?: string } = {},
  ) => {
    const response = await dashboard(
      new Request(`https://ops.test${path}`, {
        method,
        headers: {
          'x-kalends-dashboard': '1',
          ...(cookie === '' ? {} : { cookie }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      { remoteAddress: address },
    );
    const set = response.headers.get('set-cookie');
    if (set !== null) cookie = set.split(';')[0] ?? '';
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').includes('json');
    return {
      status: response.status,
      headers: response.headers,
      set,
      text,
      body: (isJson ? JSON.parse(text) : {}) as Json,
    };
  };
  return {
    dashboard,
    send,
    cookie: () => cookie,
    withCookie: (other: string) => {
      cookie = other;
    },
    signIn: (token = TOKEN, address?: string) =>
      send('POST', '/dashboard/session', { body: { token }, ...(address === undefined ? {} : { address }) }),
  };
}

const APPLICATIONS = '/dashboard/admin/v1/applications';

describe('a session', () => {
  it('is begun with the token, and opens the administration until it is ended', async () => {
    const { send, signIn, cookie, withCookie } = browse();
    expect((await send('GET', '/dashboard/session')).body).toMatchObject({ isSignedIn: false, providerTypes: [] });
    expect((await send('GET', APPLICATIONS)).status).toBe(401);

    expect((await signIn('adm_0123456789abcdeX')).status).toBe(401);
    const begun = await signIn();
    expect([begun.status, begun.set]).toEqual([204, expect.stringMatching(/^kalends_dashboard_[\w-]{8}=\S+; Path=\//)]);
    expect(begun.set?.split('; ').slice(1)).toEqual([
      'Path=/',
      'Max-Age=43200',
      'HttpOnly',
      'SameSite=Strict',
      'Secure',
    ]);
    expect(begun.set).not.toContain(TOKEN);
    expect((await send('GET', '/dashboard/session')).body).toMatchObject({
      isSignedIn: true,
      canSignIn: true,
      providerTypes: ['PROVIDER_A', 'PROVIDER_B'],
    });
    expect((await send('GET', APPLICATIONS)).status).toBe(200);

    const kept = cookie();
    expect((await send('DELETE', '/dashboard/session')).set).toContain('Max-Age=0');
    withCookie(kept);
    expect((await send('GET', APPLICATIONS)).status).toBe(401);
  });

  it('is not Secure over plain http, as on one’s own machine', async () => {
    const { send } = browse();
    const headers = { origin: 'http://127.0.0.1:4400' };
    expect((await send('POST', '/dashboard/session', { body: { token: TOKEN }, headers })).set).not.toContain('Secure');
  });

  it('is begun by a page that hides its address', async () => {
    const { send } = browse();
    const begun = await send('POST', '/dashboard/session', { body: { token: TOKEN }, headers: { origin: 'null' } });
    expect([begun.status, begun.set]).toEqual([204, expect.stringContaining('Secure')]);
  });

  it('reads no more of a body than a token needs', async () => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        if (pulled > 1_000) controller.close();
        else controller.enqueue(new Uint8Array(1_024));
      },
    });
    const headers = { 'x-kalends-dashboard': '1' };
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    const refused = await browse().dashboard(new Request('https://ops.test/dashboard/session', init));
    expect(refused.status).toBe(413);
    expect(pulled).toBeLessThan(10);
  });

  it('ends after twelve hours', async () => {
    let now = Date.now();
    const clock = { ...createClock(), now: () => now };
    const { send, signIn } = browse({ token: TOKEN, clock });
    await signIn();
    now += 12 * HOUR_MS - 1;
    expect((await send('GET', APPLICATIONS)).status).toBe(200);
    now += 1;
    expect((await send('GET', APPLICATIONS)).status).toBe(401);
  });

  it('ends its streams within 15 seconds of its own end', async () => {
    const clock = manualClock();
    const { dashboard, send, signIn, cookie } = browse({ token: TOKEN, clock });
    await signIn();
    const headers = { cookie: cookie() };
    const { body } = await dashboard(new Request('https://ops.test/dashboard/admin/v1/activity', { headers }));
    const stream = (body ?? expect.fail('no body')).pipeThrough(new TextDecoderStream()).getReader();
    expect((await stream.read()).value).toBe('retry: 2000\n\n');
    const beat = stream.read();
    await clock.advance(15_000);
    expect((await beat).value).toBe(': heartbeat\n\n');
    await send('DELETE', '/dashboard/session');
    const end = stream.read();
    await clock.advance(15_000);
    expect((await end).done).toBe(true);
  });

  it('is not refused for the failures of others at its address', async () => {
    const { dashboard, signIn, cookie } = browse();
    const address = '192.0.2.3';
    await signIn(TOKEN, address);
    const statusWith = async (headers: Record<string, string>) =>
      (await dashboard(new Request(`https://ops.test${APPLICATIONS}`, { headers }), { remoteAddress: address })).status;
    for (let count = 0; count < 101; count += 1) expect(await statusWith({})).toBe(401);
    expect(await statusWith({ cookie: cookie() })).toBe(200);
  });

  it('is known to each process of its token, and to none without it', async () => {
    const one = browse({ token: [TOKEN, OTHER_TOKEN] });
    await one.signIn();
    const statusAt = async (token: DashboardOptions['token']) => {
      const other = browse({ token } as DashboardOptions);
      other.withCookie(one.cookie());
      return (await other.send('GET', APPLICATIONS)).status;
    };
    expect(await statusAt([TOKEN, OTHER_TOKEN])).toBe(200);
    expect(await statusAt([OTHER_TOKEN, TOKEN])).toBe(200);
    expect(await statusAt([TOKEN])).toBe(200);
    expect(await statusAt([OTHER_TOKEN])).toBe(401);
  });

  it('is ended with those of the other admin tokens that the browser has', async () => {
    const { send, signIn, cookie, withCookie } = browse({ token: [TOKEN, OTHER_TOKEN] });
    const cookies: string[] = [];
    for (const token of [TOKEN, OTHER_TOKEN]) {
      await signIn(token);
      cookies.push(cookie());
    }
    withCookie(cookies.join('; '));
    await send('DELETE', '/dashboard/session');
    for (const each of cookies) {
      withCookie(each);
      expect((await send('GET', APPLICATIONS)).status).toBe(401);
    }
  });

  it.each([
    ['another id', (value: string) => value.replace(/=./, (start) => (start === '=A' ? '=B' : '=A'))],
    ['a later end', (value: string) => value.replace(/\.(\d+)\./, (_, until) => `.${Number(until) + 1}.`)],
    ['no signature', (value: string) => value.replace(/\.[^.]*$/, '.')],
  ])('is refused with %s', async (_title, change) => {
    const { send, signIn, cookie, withCookie } = browse();
    await signIn();
    withCookie(change(cookie()));
    expect((await send('GET', APPLICATIONS)).status).toBe(401);
  });

  it('is begun by a link once, within an hour', async () => {
    let now = Date.now();
    const { dashboard, send } = browse({ token: TOKEN, clock: { ...createClock(), now: () => now } });
    const codeOf = (link: string) => link.slice('https://ops.test/dashboard#code='.length);
    const link = dashboard.createSignInLink('https://ops.test');
    expect(link).toMatch(/^https:\/\/ops\.test\/dashboard#code=[\w-]{32}$/);
    const use = (code: string) => send('POST', '/dashboard/session', { body: { code } });
    expect((await use(codeOf(link))).status).toBe(204);
    expect(await use(codeOf(link))).toMatchObject({ status: 401, body: { code: 'Unauthorized' } });
    const late = codeOf(dashboard.createSignInLink('https://ops.test'));
    now += HOUR_MS;
    expect((await use(late)).status).toBe(401);
  });

  it('is tried ten times at once from an address, then once in ten seconds', async () => {
    let now = Date.now();
    const { signIn } = browse({ token: TOKEN, clock: { ...createClock(), now: () => now } });
    for (let count = 0; count < 10; count += 1) expect((await signIn('wrong', '192.0.2.1')).status).toBe(401);
    const refused = await signIn(TOKEN, '192.0.2.1');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    expect((await signIn(TOKEN, '192.0.2.2')).status).toBe(204);
    now += 10_000;
    expect((await signIn(TOKEN, '192.0.2.1')).status).toBe(204);
  });

  it.each([[{}], [{ token: 7 }], [{ token: TOKEN, code: 'x' }], [null]])('refuses the body %j', async (body) => {
    expect(await browse().send('POST', '/dashboard/session', { body })).toMatchObject({
      status: 400,
      body: { code: 'InvalidRequest' },
    });
  });
});

it('refuses TRACE: without a session as any other method, with one as not allowed', async () => {
  const errors: unknown[] = [];
  const ignore = () => undefined;
  const logger = { debug: ignore, info: ignore, warn: ignore, error: (...line: unknown[]) => void errors.push(line) };
  const { dashboard, signIn, cookie } = browse({ token: TOKEN, logger });
  await signIn();
  const trace = async (headers: Record<string, string>) => {
    const given = new Request(`https://ops.test${APPLICATIONS}`, {
      headers: { 'x-kalends-dashboard': '1', ...headers },
    });
    // As the mounts pass it on: `new Request` refuses it.
    return await dashboard(Object.defineProperty(given, 'method', { value: 'TRACE' }));
  };
  expect((await trace({})).status).toBe(401);
  const refused = await trace({ cookie: cookie() });
  expect([refused.status, ((await refused.json()) as Json).code]).toEqual([405, 'MethodNotAllowed']);
  expect(errors).toEqual([]);
});

describe('another site', () => {
  it.each<[string, Record<string, string>]>([
    ['cannot send the header of the page', { 'x-kalends-dashboard': '' }],
    ['is told by the browser', { 'sec-fetch-site': 'cross-site' }],
    ['is another host of the same site', { 'sec-fetch-site': 'same-site' }],
  ])('changes nothing: it %s', async (_title, headers) => {
    const { send, signIn } = browse();
    await signIn();
    const names = async () => (await send('GET', APPLICATIONS)).body.data.map(({ name }: Json) => name);
    const before = await names();
    const refused = await send('POST', APPLICATIONS, { body: { name: 'Forged' }, headers });
    expect([refused.status, refused.body.code]).toEqual([403, 'Forbidden']);
    expect(await names()).toEqual(before);
  });
});

describe('the interface of an application', () => {
  it('is open to a person who is signed in, for the application that the page names', async () => {
    const { send, signIn } = browse();
    const { accountId } = await world.connect('google');
    const path = `/dashboard/v1/endUserAccounts/${accountId}`;
    const headers = { 'x-kalends-application': world.applicationId };
    expect((await send('GET', path, { headers })).status).toBe(401);
    await signIn();
    expect((await send('GET', path, { headers })).body.id).toBe(accountId);
    expect((await send('GET', path)).status).toBe(404);
    const other = await world.engine.applications.create({ name: 'Other' });
    expect((await send('GET', path, { headers: { 'x-kalends-application': other.id } })).status).toBe(404);
    expect((await send('GET', `${path}/credentials`, { headers })).status).toBe(403);
  });

  it('is not open for an application that is being deleted', async () => {
    const { send, signIn } = browse();
    await signIn();
    const { id } = await world.engine.applications.create({ name: 'Ending' });
    const list = () => send('GET', '/dashboard/v1/endUserAccounts', { headers: { 'x-kalends-application': id } });
    expect((await list()).status).toBe(200);
    await world.engine.applications.delete(id);
    expect((await list()).status).toBe(404);
  });

  it('names the person in the audit log', async () => {
    const { send } = browse({ authorize: () => ({ id: 'mary@ops.example' }) });
    const { accountId } = await world.connect('microsoft');
    const headers = { 'x-kalends-application': world.applicationId };
    const path = `/dashboard/v1/endUserAccounts/${accountId}`;
    expect((await send('DELETE', path, { headers, address: '192.0.2.7' })).status).toBe(200);
    const { data } = await world.engine.audit.list({ target: accountId, action: 'account.deleted' });
    expect(data[0]?.actor).toEqual({ type: 'admin', id: 'mary@ops.example', address: '192.0.2.7' });
  });

  it('is closed to whom the host refuses', async () => {
    const { send } = browse({ authorize: () => undefined, signInUrl: '/login' });
    const headers = { 'x-kalends-application': world.applicationId };
    expect((await send('GET', '/dashboard/v1/endUserAccounts', { headers })).status).toBe(401);
    expect((await send('GET', APPLICATIONS)).status).toBe(401);
    expect((await send('GET', '/dashboard/session')).body).toMatchObject({
      isSignedIn: false,
      canSignIn: false,
      signInUrl: '/login',
    });
    expect((await send('POST', '/dashboard/session', { body: { token: TOKEN } })).status).toBe(409);
  });
});

it.each([undefined, null, false, true])('is closed in all its parts while the host answers %s', async (answer) => {
  const { send } = browse({ authorize: (() => answer) as never, demo: async () => new Response('inside') });
  for (const path of ['/sandbox/clock', '/admin/v1/applications', '/admin/v1/openapi.json', '/v1/openapi.json']) {
    expect((await send('GET', `/dashboard${path}`)).status).toBe(401);
  }
  expect((await send('GET', '/dashboard/session')).body).toMatchObject({ isSignedIn: false, providerTypes: [] });
});

it('asks the host once for a request, and logs a failure of its own', async () => {
  let asked = 0;
  const errors: unknown[] = [];
  const ignore = () => undefined;
  const logger = { debug: ignore, info: ignore, warn: ignore, error: (...line: unknown[]) => void errors.push(line) };
  const authorize = () => {
    asked += 1;
    if (asked === 2) throw new Error('the sessions are away');
    return { id: 'mary' };
  };
  const { send } = browse({ authorize, logger });
  expect([(await send('GET', APPLICATIONS)).status, asked]).toEqual([200, 1]);
  const failed = await send('GET', APPLICATIONS);
  expect(failed.status).toBe(500);
  const { requestId } = failed.body;
  expect(errors).toEqual([
    ['request failed', { requestId, status: 500, error: expect.stringContaining('the sessions are away') }],
  ]);
});

describe('the page', () => {
  it.each([
    ['/dashboard', './dashboard/'],
    ['/dashboard/', './dashboard/'],
    ['/dashboard/applications', './'],
    ['/dashboard/app_1/keys', '../'],
    ['/dashboard/app_1/accounts/acc_1', '../../'],
    ['/calendar/dashboard/app_1/keys', '../'],
  ])('%s has addresses of its own mount', async (path, base) => {
    const { send } = browse({ token: TOKEN, basePath: '/calendar' });
    const answer = await send('GET', path);
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("script-src 'self'; style-src 'self'");
    expect(policy).not.toContain('unsafe');
    const found = /<base href="([^"]*)"/.exec(answer.text)?.[1];
    const expected = path.endsWith('/') ? './' : base;
    expect([answer.status, found]).toEqual([200, expected]);
    const prefix = path.startsWith('/calendar') ? '/calendar' : '';
    expect(new URL(found ?? '', `https://ops.test${path}`).pathname).toBe(`${prefix}/dashboard/`);
  });

  it('has files that a browser keeps, zipped for those that take it', async () => {
    const { send } = browse();
    const { text } = await send('GET', '/dashboard');
    const [, script = ''] = /src="\.\/(files\/[^"]+\.js)"/.exec(text) ?? [];
    const plain = await send('GET', `/dashboard/${script}`);
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const zipped = await browse().dashboard(
      new Request(`https://ops.test/dashboard/${script}`, { headers: { 'accept-encoding': 'gzip, br' } }),
    );
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(Buffer.from(await zipped.arrayBuffer())).toString('utf8')).toBe(plain.text);
  });

  it('loads less than 100 kB at first', async () => {
    const { dashboard, send } = browse();
    const { text } = await send('GET', '/dashboard');
    const files = [...text.matchAll(/(?:src|href)="\.\/(files\/[^"]+)"/g)].map(([, file]) => file);
    expect(files.length).toBeGreaterThan(1);
    let bytes = text.length;
    for (const file of files) {
      const headers = { 'accept-encoding': 'gzip' };
      const answer = await dashboard(new Request(`https://ops.test/dashboard/${file}`, { headers }));
      bytes += (await answer.arrayBuffer()).byteLength;
    }
    expect(bytes).toBeLessThan(100_000);
  });

  it.each(['/dashboard/files/none.js', '/dashboard/files/..%2findex.html', '/elsewhere'])('has no %s', async (path) => {
    expect(await browse().send('GET', path)).toMatchObject({ status: 404, body: { code: 'NotFound' } });
  });

  it('is mounted in Express below a prefix, bodies included', async () => {
    const app = express();
    app.use('/ops', expressMiddleware(createDashboard(world.engine, { authorize: () => ({ id: 'mary' }) })));
    const server = createServer(app).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ops/dashboard`;
    try {
      expect(await (await fetch(`${url}/app_1/keys`)).text()).toContain('<base href="../"');
      const headers = { 'x-kalends-dashboard': '1', 'content-type': 'application/json' };
      const body = JSON.stringify({ name: 'By Express' });
      const created = await fetch(`${url}/admin/v1/applications`, { method: 'POST', headers, body });
      expect([created.status, ((await created.json()) as Json).name]).toEqual([201, 'By Express']);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

it.each<[string, Partial<DashboardOptions>, string]>([
  ['neither token nor authorize', {}, 'exactly one of authorize and token'],
  ['both', { token: TOKEN, authorize: () => ({}) }, 'exactly one of authorize and token'],
  ['a weak token', { token: 'short' }, 'token: must have at least 16 characters'],
  ['no tokens', { token: [] }, 'token: must have at least one token'],
  ['a path without its slash', { token: TOKEN, path: 'dashboard' }, 'path of the dashboard is "dashboard"'],
])('refuses %s', (_title, options, message) => {
  expect(() => createDashboard(world.engine, options as DashboardOptions)).toThrow(message);
});

function createClock() {
  const { clock } = createSandbox();
  return { now: () => clock.now(), sleep: async () => undefined };
}
