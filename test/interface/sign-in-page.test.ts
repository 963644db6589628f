import { createHandler, type Handler } from '@kalends/http';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import { expect, it, onTestFinished } from 'vitest';
import { basicProvider, openCalendarServer } from '../accounts/calendar-server.ts';
import type { Json } from './world.ts';

const RETURN = 'https://app.test/connected';

async function openWorld(place: Parameters<typeof basicProvider>[0] = {}, redirectUrl = RETURN) {
  const server = await openCalendarServer();
  const engine = createEngine({
    storage: sqlite({ path: ':memory:' }),
    providers: { DAV: basicProvider(place), FEED: basicProvider({ kinds: ['url'] }) },
    secret: Buffer.alloc(32, 7).toString('base64'),
    publicUrl: 'https://kalends.test/api',
  });
  await engine.start({ background: false });
  onTestFinished(() => engine.stop());
  const { id } = await engine.applications.create({ name: 'Tea & <Biscuits>', redirectUrls: [redirectUrl] });
  const handler: Handler = createHandler(engine, { publicUrl: 'https://kalends.test/api' });
  const ask = (url: string, init: RequestInit = {}, remoteAddress = '192.0.2.7') =>
    handler(new Request(new URL(url, 'https://kalends.test'), init), { remoteAddress });

  /** Begins a flow as a browser does, and resolves with the page it lands on. */
  const begin = async (query: Readonly<Record<string, string>> = {}, path = 'dav') => {
    const begun = await ask(`/api/v1/oauth/authorize/${id}/${path}?${new URLSearchParams(query)}`);
    expect(begun.status).toBe(302);
    const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const location = begun.headers.get('location') ?? '';
    const submit = (form: Readonly<Record<string, string>>, headers: object = { cookie }, address?: string) =>
      ask(
        location,
        {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', ...headers },
          body: new URLSearchParams({ state: new URL(location).searchParams.get('state') ?? '', ...form }).toString(),
        },
        address,
      );
    const show = (headers: object = { cookie }) => ask(location, { headers: { accept: 'text/html', ...headers } });
    return { begun, location, cookie, submit, show };
  };
  return { server, engine, ask, begin, caller: { applicationId: id } };
}

const back = (response: Response) => Object.fromEntries(new URL(response.headers.get('location') ?? '').searchParams);

it('asks for server, user and app password, and goes back to the application as OAuth does', async () => {
  const { server, begin, engine, caller } = await openWorld();
  const { begun, location, show, submit } = await begin({
    state: 'mine',
    externalId: 'p1',
    loginHint: 'ada@example.com',
  });
  expect(location).toMatch(/^https:\/\/kalends\.test\/api\/v1\/oauth\/signIn\/dav\?state=/);
  expect(begun.headers.getSetCookie()[0]).toMatch(/^__Host-.*; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
  const page = await show();
  expect([page.status, page.headers.get('cache-control'), page.headers.get('referrer-policy')]).toEqual([
    200,
    'no-store',
    'same-origin',
  ]);
  expect(page.headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self' https:; frame-ancestors 'none'",
  );
  const html = await page.text();
  expect(html).toContain('<strong>Tea &#38; &#60;Biscuits&#62;</strong>');
  expect(html).toMatch(/<input id="serverUrl"[^>]*autocomplete="url"/);
  expect(html).toMatch(/<input id="username"[^>]*autocomplete="username"[^>]*value="ada@example\.com"/);
  expect(html).toMatch(/<input id="password"[^>]*type="password"[^>]*autocomplete="current-password"[^>]*value=""/);
  expect(html).not.toContain('<script');

  const done = await submit({ serverUrl: server.url, username: 'ada', password: 'app-password' });
  expect(done.status).toBe(303);
  expect(done.headers.getSetCookie()[0]).toContain('Max-Age=0');
  const { endUserAccountId = '', ...rest } = back(done);
  expect(rest).toEqual({ state: 'mine' });
  expect(await engine.accounts.get(caller, endUserAccountId)).toMatchObject({
    email: 'ada@example.com',
    externalId: 'p1',
    status: 'ACTIVE',
    providerId: null,
  });
  const { data } = await engine.audit.list({ applicationId: caller.applicationId });
  expect(data[0]).toMatchObject({ action: 'account.connected', actor: { type: 'flow' } });
});

it('shows the page again with one sentence for every failure, never the password, until one works', async () => {
  const { server, begin, engine, caller } = await openWorld();
  const { submit } = await begin();
  const texts = [];
  for (const [serverUrl, password] of [
    [server.url, 'wrong "secret"'],
    ['http://127.0.0.1:9/', 'app-password'],
    ['https://169.254.169.254/', 'app-password'],
  ] as const) {
    const again = await submit({ serverUrl, username: '<ada>', password });
    expect(again.status).toBe(400);
    const html = await again.text();
    expect(html).not.toContain('secret');
    expect(html).toContain('value="&#60;ada&#62;"');
    texts.push(/<p class="error" role="alert">([^<]*)<\/p>/.exec(html)?.[1]);
  }
  expect(new Set(texts)).toEqual(new Set(['This did not work. Check what you have entered, and try again.']));
  const typed = await (await submit({ serverUrl: '', username: 'a:b', password: '' })).text();
  for (const name of ['serverUrl', 'username', 'password']) {
    expect(typed).toMatch(
      new RegExp(`<input id="${name}"[^>]*aria-describedby="${name}-hint ${name}-error" aria-invalid`),
    );
  }
  expect(typed).toContain('User name must not contain a colon.');
  expect((await engine.accounts.list(caller)).data).toEqual([]);
  const done = await submit({ serverUrl: server.url, username: 'ada', password: 'app-password' });
  expect(back(done)).toHaveProperty('endUserAccountId');
});

it('takes a state once, from the browser that began it, and no other form', async () => {
  const { server, begin, ask, engine, caller } = await openWorld();
  const form = { serverUrl: server.url, username: 'ada', password: 'app-password' };
  const mine = await begin();
  const theirs = await begin();
  for (const response of [
    await mine.submit(form, {}),
    await mine.submit(form, { cookie: theirs.cookie }),
    await mine.show({}),
    await mine.submit({ ...form, state: 'forged' }),
    await ask(mine.location.replace('/dav', '/feed'), { headers: { accept: 'text/html', cookie: mine.cookie } }),
  ]) {
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('start again');
  }
  expect(server.requests).toEqual([]);
  const json = { cookie: mine.cookie, 'content-type': 'application/json', accept: '*/*' };
  expect((await mine.submit(form, json)).status).toBe(415);

  expect((await mine.submit(form)).status).toBe(303);
  const again = await mine.submit(form);
  expect([again.status, again.headers.get('location')]).toEqual([400, null]);
  expect((await engine.accounts.list(caller)).data).toHaveLength(1);
});

it('goes back with access_denied when the person cancels, and with login_required for prompt=none', async () => {
  const { begin, ask, caller, server } = await openWorld();
  const { submit } = await begin({ state: 's' });
  const denied = await submit({ cancel: '1' });
  expect([denied.status, back(denied)]).toMatchObject([303, { error: 'access_denied', state: 's' }]);
  expect((await submit({ cancel: '1' })).status).toBe(400);
  const silent = await ask(`/api/v1/oauth/authorize/${caller.applicationId}/dav?prompt=none`);
  expect(back(silent)).toMatchObject({ error: 'login_required' });
  expect(server.requests).toEqual([]);
});

it('refuses another mailbox than loginHint names, and reconnects the same one under its id', async () => {
  const { server, begin } = await openWorld({ isVouching: false });
  server.users.set('eve', 'hers');
  const form = { serverUrl: server.url, username: 'ada', password: 'app-password' };
  const first = back(await (await begin()).submit(form));
  const other = await (await begin({ loginHint: 'ada@example.com' })).submit({
    ...form,
    username: 'eve',
    password: 'hers',
  });
  expect(back(other)).toMatchObject({ error: 'login_hint_mismatch' });
  server.users.set('ada', 'second');
  const again = await (await begin({ loginHint: 'ADA@example.com' })).submit({ ...form, password: 'second' });
  expect(back(again)).toEqual(first);
});

it('takes no address that a server of the person’s choosing claims for the one that loginHint names', async () => {
  const { server, begin, engine, caller } = await openWorld({ isVouching: false });
  const { submit } = await begin({ loginHint: 'ada@example.com' });
  const refused = back(await submit({ serverUrl: server.url, username: 'ada', password: 'app-password' }));
  expect(refused).toEqual({
    error: 'login_hint_mismatch',
    error_description: expect.stringContaining('does not vouch'),
  });
  expect((await engine.accounts.list(caller)).data).toEqual([]);
});

it('limits guesses by address, user name and host, whatever flow they come in', async () => {
  const { server, begin } = await openWorld();
  const guess = async (username: string, address: string) => {
    const { submit } = await begin();
    return submit({ serverUrl: server.url, username, password: 'guess' }, undefined, address);
  };
  for (let count = 0; count < 10; count += 1) expect((await guess(`user${count}`, '192.0.2.1')).status).toBe(400);
  const limited = await guess('another', '192.0.2.1');
  expect([limited.status, Number(limited.headers.get('retry-after'))]).toEqual([429, expect.closeTo(60, -1)]);
  expect(await limited.text()).toContain('Too many attempts have failed. Try again in a minute.');
  for (let count = 0; count < 5; count += 1) expect((await guess('ada', `192.0.2.${10 + count}`)).status).toBe(400);
  expect((await guess('ada', '192.0.2.99')).status).toBe(429);
  expect((await guess('eve', '192.0.2.99')).status).toBe(400);
});

it('hides the server of a provider that has one, and explains app-specific passwords', async () => {
  const { begin } = await openWorld({ serverUrl: 'https://caldav.icloud.com/' });
  const html = await (await (await begin()).show()).text();
  expect(html).not.toContain('id="serverUrl"');
  expect(html).toContain('Connect a calendar of caldav.icloud.com');
  expect(html).toContain('An app-specific password, made at account.apple.com');
});

it('asks for the address of a feed alone', async () => {
  const { begin, engine, caller } = await openWorld();
  const { show, submit } = await begin({}, 'feed');
  const html = await (await show()).text();
  expect(html.match(/<input id="\w+"/g)).toEqual(['<input id="serverUrl"']);
  const { endUserAccountId = '' } = back(await submit({ serverUrl: 'webcal://feeds.example/holidays.ics' }));
  expect(await engine.accounts.get(caller, endUserAccountId)).toMatchObject({ email: 'holidays.ics@feeds.example' });
});

it('lets the form lead to an application with a scheme of its own', async () => {
  const { begin } = await openWorld({}, 'http://localhost:3000/back');
  const page = await (await begin()).show();
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https: http:;");
});

it('is described as the page and the form that it is', async () => {
  const { ask, begin } = await openWorld();
  const { paths } = (await (await ask('/api/v1/openapi.json')).json()) as Json;
  const { get, post } = paths['/v1/oauth/signIn/{provider}'];
  const { show } = await begin();
  const page = await show();
  const [type] = page.headers.get('content-type')?.split(';') ?? [];
  expect(Object.keys(get.responses[page.status].content)).toEqual([type]);
  const { schema } = post.requestBody.content['application/x-www-form-urlencoded'];
  const names = [...(await page.text()).matchAll(/ name="(\w+)"/g)].map(([, name]) => name);
  expect(Object.keys(schema.properties)).toEqual(
    expect.arrayContaining(['state', 'serverUrl', 'username', 'password', 'cancel']),
  );
  expect(Object.keys(schema.properties).sort()).toEqual(
    [...new Set(names)].filter((name) => name !== 'viewport').sort(),
  );
});
