import { createHandler } from '@kalends/http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BASE_URL, createWorld, PROVIDERS, type World } from './world.ts';

const VICTIM = 'victim@corp.example';
const ATTACKER = 'attacker@evil.example';

let world: World;
beforeEach(async () => {
  world = await createWorld();
  for (const { provider } of PROVIDERS) {
    for (const email of [VICTIM, ATTACKER]) world.sandbox[provider].addMailbox({ email, name: 'P', timeZone: 'UTC' });
  }
});
afterEach(() => world.close());

interface Leg {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly location: URL;
}

const NOWHERE = new URL('about:blank');

async function visit(url: URL | string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Leg> {
  const { pathname, search } = new URL(url, BASE_URL);
  const target = `http://kalends.test${pathname.replace('/api/', '/')}${search}`;
  const response = await world.handler(new Request(target, { method, headers }));
  const location = response.headers.get('location');
  return {
    status: response.status,
    headers: response.headers,
    text: await response.text(),
    location: location === null ? NOWHERE : new URL(location),
  };
}

const cookiesOf = ({ headers }: Leg) => ({
  cookie: headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; '),
});

const accounts = async () => (await world.call('GET', '/v1/endUserAccounts')).body.data;

describe.each(PROVIDERS)('against the flow of $providerType', ({ provider, providerType }) => {
  const path = providerType.toLowerCase();
  const begin = (search = '', headers: Readonly<Record<string, string>> = {}) =>
    visit(`${BASE_URL}/v1/oauth/authorize/${world.applicationId}/${path}${search}`, headers);

  /** The person consents to what an authorization URL asks; where the provider sends the browser. */
  async function consent(at: URL, mailbox: string): Promise<URL> {
    const body = new URLSearchParams({ mailbox, decision: 'allow' });
    if (provider === 'google') for (const [name, value] of at.searchParams) body.append(name, value);
    const url = provider === 'google' ? `${at.origin}${at.pathname}` : at.href;
    const response = await world.sandbox.fetch(new Request(url, { method: 'POST', body }));
    return new URL(response.headers.get('location') ?? '');
  }

  const codeIn = (url: URL) => url.searchParams.get('code') ?? '';

  function withCode(own: URL, code: string): URL {
    const url = new URL(own);
    url.searchParams.set('code', code);
    return url;
  }

  it("code injection: a victim's code in the attacker's own flow connects nothing", async () => {
    const stolen = codeIn(await consent((await begin()).location, VICTIM));
    const mine = await begin('?state=mine');
    const injected = withCode(await consent(mine.location, ATTACKER), stolen);
    const { location } = await visit(injected, cookiesOf(mine));
    expect(Object.fromEntries(location.searchParams)).toMatchObject({ error: 'invalid_grant', state: 'mine' });
    expect(await accounts()).toEqual([]);
  });

  it('PKCE downgrade: a code that was made without a challenge is bound by its nonce, or refused for having none', async () => {
    const without = (url: URL, ...names: readonly string[]) => {
      const asked = new URL(url);
      for (const name of names) asked.searchParams.delete(name);
      return asked;
    };
    const pkce = ['code_challenge', 'code_challenge_method'];
    const theirs = (await begin()).location;
    for (const dropped of [pkce, [...pkce, 'nonce']]) {
      const stolen = codeIn(await consent(without(theirs, ...dropped), VICTIM));
      expect(stolen).not.toBe('');
      const mine = await begin();
      const { location } = await visit(withCode(await consent(mine.location, ATTACKER), stolen), cookiesOf(mine));
      expect(location.searchParams.get('error'), dropped.join()).toMatch(/^(invalid_grant|server_error)$/);
    }
    expect(await accounts()).toEqual([]);
  });

  it("mix-up: a code is redeemed neither at the other provider nor after another issuer's redirect", async () => {
    const mine = await begin('?state=mine');
    const back = await consent(mine.location, VICTIM);
    const elsewhere = new URL(back.href.replace(path, path === 'provider_a' ? 'provider_b' : 'provider_a'));
    expect((await visit(elsewhere, cookiesOf(mine))).status).toBe(400);
    back.searchParams.set('iss', 'https://honest-but-hacked.example');
    const { location } = await visit(back, cookiesOf(mine));
    expect(Object.fromEntries(location.searchParams)).toMatchObject({ error: 'server_error', state: 'mine' });
    expect(await accounts()).toEqual([]);
  });

  it('login CSRF: a callback of the attacker opened by the victim connects nothing, and stays unused', async () => {
    const mine = await begin();
    const theirs = await begin();
    const lure = await consent(mine.location, ATTACKER);
    for (const cookie of [{}, cookiesOf(theirs)] as Record<string, string>[]) {
      for (const method of ['GET', 'HEAD']) expect((await visit(lure, cookie, method)).status).toBe(400);
    }
    expect(await accounts()).toEqual([]);
    expect((await visit(lure, cookiesOf(mine))).location.searchParams.has('endUserAccountId')).toBe(true);
  });

  it('open redirector: whatever is not exactly a registered URL is a page and no redirect', async () => {
    for (const redirectUrl of [
      'https://app.test/connected/../evil',
      'https://app.test/connected%2f..%2fevil',
      'https://app.test/%63onnected',
      'https://app.test:443/connected',
      'https://app.test./connected',
      'https://app.test@evil.test/connected',
      'https://app.test.evil.test/connected',
      'https://app.test\\@evil.test/connected',
      'https://app.test/connected#@evil.test',
      'https://app.test/connected;evil',
      'https://app.test/connected\u0000',
      ' https://app.test/connected',
      'http://app.test/connected',
      '/connected',
    ]) {
      const { status, headers, location } = await begin(`?${new URLSearchParams({ redirectUrl })}`);
      expect([status, location], redirectUrl).toEqual([400, NOWHERE]);
      expect(headers.getSetCookie()).toEqual([]);
    }
  });

  it('parameter pollution: a parameter that is sent twice is refused, not chosen from', async () => {
    for (const search of [
      '?redirectUrl=https://app.test/other&redirectUrl=https://evil.test/',
      '?redirectUrl=https://app.test/other&%72edirectUrl=https://evil.test/',
      '?state=a&state=b',
    ]) {
      expect(await begin(search), search).toMatchObject({ status: 400, location: NOWHERE });
    }
  });

  it('parameter pollution of the callback is refused, and leaves the flow as it was', async () => {
    const mine = await begin();
    const back = await consent(mine.location, VICTIM);
    for (const name of ['state', 'code', 'error']) {
      const polluted = new URL(back);
      polluted.searchParams.append(name, 'x');
      if (name === 'error') polluted.searchParams.append(name, 'y');
      expect(await visit(polluted, cookiesOf(mine)), name).toMatchObject({ status: 400, location: NOWHERE });
    }
    expect((await visit(back, cookiesOf(mine))).location.searchParams.has('endUserAccountId')).toBe(true);
  });

  it("host header: the provider's redirect URI is that of publicUrl, whatever the request claims", async () => {
    const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test' };
    const { location } = await begin('', { ...headers, 'x-forwarded-prefix': '/evil', 'x-original-url': '/evil' });
    expect(location.searchParams.get('redirect_uri')).toBe(`${BASE_URL}/v1/oauth/callback/${path}`);
  });

  it('injection: what a provider says of a refusal adds no parameter and no header', async () => {
    const mine = await begin('?state=mine');
    const back = await consent(mine.location, VICTIM);
    for (const name of ['code', 'iss']) back.searchParams.delete(name);
    const description = 'no&endUserAccountId=acc_evil&state=theirs#<script>alert(1)</script>\r\nSet-Cookie: a=b';
    back.searchParams.set('error', 'access_denied&endUserAccountId=acc_evil');
    back.searchParams.set('error_description', description);
    const answer = await visit(back, cookiesOf(mine));
    expect([...answer.location.searchParams]).toEqual([
      ['error', 'server_error'],
      ['error_description', description],
      ['state', 'mine'],
    ]);
    expect(answer.location.hash).toBe('');
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/=; Max-Age=0; /)]);
  });

  it('leakage: each redirect is a 302 without referrer and cache, and the last one holds nothing of the provider', async () => {
    const mine = await begin('?state=mine');
    const back = await consent(mine.location, VICTIM);
    const end = await visit(back, cookiesOf(mine));
    for (const { status, headers, text } of [mine, end]) {
      expect([status, text]).toEqual([302, '']);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
    expect([...end.location.searchParams.keys()]).toEqual(['endUserAccountId', 'state']);
    for (const secret of [codeIn(back), back.searchParams.get('state') ?? '']) {
      expect(end.location.href).not.toContain(secret);
    }
  });

  it('307: no credential can be posted on, since neither leg takes a body', async () => {
    const mine = await begin();
    const back = await consent(mine.location, VICTIM);
    expect((await visit(back, cookiesOf(mine), 'POST')).status).toBe(405);
    expect((await visit(`${BASE_URL}/v1/oauth/authorize/${world.applicationId}/${path}`, {}, 'POST')).status).toBe(405);
  });

  it('clickjacking and referrers: the page of a refusal frames, loads, runs and tells nothing', async () => {
    const mine = await begin();
    const back = await consent(mine.location, VICTIM);
    const { status, headers, text } = await visit(back, { accept: 'text/html' });
    expect(status).toBe(400);
    const policy = headers.get('content-security-policy');
    for (const directive of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"]) {
      expect(policy).toContain(directive);
    }
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/<(a|img|script|link|iframe|form)\b/);
    for (const value of back.searchParams.values()) if (value.length > 8) expect(text).not.toContain(value);
  });

  it('cookie tossing: over https only the __Host- cookie counts, which no sibling domain can set', async () => {
    const publicUrl = 'https://calendar.example/api';
    const engine = await createWorld({ publicUrl });
    try {
      const redirectUri = `${publicUrl}/v1/oauth/callback/${path}`;
      engine.sandbox[provider].addClient({
        clientId: 'client',
        clientSecret: 'client-secret',
        redirectUris: [redirectUri],
      });
      const handler = createHandler(engine.engine, { publicUrl });
      const send = (url: string, cookie: string) => handler(new Request(url, { headers: { cookie } }));
      const first = await send(`${publicUrl}/v1/oauth/authorize/${engine.applicationId}/${path}`, '');
      const cookie = first.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      expect(first.headers.getSetCookie()[0]).toMatch(/^__Host-.*; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
      const state = new URL(first.headers.get('location') ?? '').searchParams.get('state') ?? '';
      const back = `${redirectUri}?${new URLSearchParams({ state, error: 'access_denied' })}`;
      expect((await send(back, cookie.replace('__Host-', ''))).status).toBe(400);
      expect((await send(back, cookie.replace('__Host-', '__Secure-'))).status).toBe(400);
      expect((await send(back, cookie)).status).toBe(302);
    } finally {
      await engine.close();
    }
  });
});
