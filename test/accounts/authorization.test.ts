import type { ProviderIdentity } from 'kalends/ports';
import { ProviderError } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { type ComposedEngine, failureOf, openComposedEngine, REDIRECT_URL } from './composed-engine.ts';

const CALLBACK = 'https://calendar.example/api/v1/oauth/callback/fake';
const ADA = { email: 'ada@example.com', providerAccountId: 'google-1' };

async function begin(composed: ComposedEngine, query: Record<string, string> = {}, jar: string | null = null) {
  const { authorization } = composed.engine.services;
  const { location, cookies } = await authorization.begin(composed.applicationId, 'fake', query, jar);
  const url = new URL(location);
  return { url, cookies, state: url.searchParams.get('state') ?? '', cookie: cookies[0]?.split(';')[0] ?? '' };
}

async function callback(composed: ComposedEngine, query: Record<string, string>, cookie: string | null) {
  const { location, cookies } = await composed.engine.services.authorization.callback('fake', query, cookie);
  expect(location.startsWith(`${REDIRECT_URL}&`)).toBe(true);
  return { parameters: Object.fromEntries(new URL(location).searchParams), cookies };
}

/** The whole flow for ada, up to the redirect back. */
async function signIn(
  composed: ComposedEngine,
  query: Record<string, string> = {},
  identity: ProviderIdentity = ADA,
  refreshToken?: string | null,
) {
  const { state, cookie } = await begin(composed, query);
  const granted = refreshToken === undefined ? 'rt-flow' : (refreshToken ?? undefined);
  composed.fake.codes.set('code', { refreshToken: granted, identity });
  return (await callback(composed, { state, code: 'code' }, cookie)).parameters;
}

describe('the first leg', () => {
  it('sends the browser to the provider with state, nonce, PKCE and our callback', async () => {
    const composed = await openComposedEngine();
    const { url, cookies, state } = await begin(composed, { state: 'abc', loginHint: 'ada@example.com' });
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'client',
      redirect_uri: CALLBACK,
      state: expect.stringMatching(/^[\w-]{100,2048}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      prompt: 'consent',
      login_hint: 'ada@example.com',
    });
    expect(cookies).toEqual([
      expect.stringMatching(
        /^__Host-kalends-authorization-\d+-[0-9a-f]{16}=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
    expect(state).not.toBe('abc');
  });

  it('writes nothing to the storage, and shows nothing of the flow', async () => {
    const composed = await openComposedEngine();
    const query = { state: 'caller-state', externalId: 'user-7', loginHint: 'ada@example.com' };
    const { state, cookie } = await begin(composed, query);
    expect(await composed.storage.usedStates.purge(Number.MAX_SAFE_INTEGER)).toBe(0);
    const bytes = Buffer.from(state, 'base64url').toString('latin1');
    for (const text of [...Object.values(query), composed.applicationId, cookie.split('=')[1] ?? '']) {
      expect(bytes).not.toContain(text);
    }
  });

  it('fits the longest state, externalId and loginHint into 2,048 characters, and brings them back', async () => {
    const composed = await openComposedEngine();
    const email = `${'a'.repeat(60)}@${Array.from({ length: 3 }, () => 'b'.repeat(60)).join('.')}.example`;
    const query = { state: '"'.repeat(1_024), externalId: 'e'.repeat(255), loginHint: email };
    expect((await begin(composed, query)).state.length).toBeLessThanOrEqual(2_048);
    const parameters = await signIn(composed, query, { email, providerAccountId: 'google-9' });
    expect(parameters['state']).toBe(query.state);
    const account = await composed.engine.services.accounts.get(composed.caller, parameters['endUserAccountId'] ?? '');
    expect(account.externalId).toBe(query.externalId);
  });

  it.each([
    ['1,025 characters', { state: 's'.repeat(1_025) }],
    ['1,025 characters beside another mistake', { state: 's'.repeat(1_025), prompt: 'always' }],
    ['too many bytes', { state: 'ü'.repeat(1_024) }],
    ['too many bytes beside externalId', { state: 'ü'.repeat(600), externalId: 'ü'.repeat(255) }],
  ])('refuses a state of %s with 400', async (_name, query: Record<string, string>) => {
    const composed = await openComposedEngine();
    expect(await failureOf(begin(composed, query))).toMatchObject({
      code: 'InvalidRequest',
      status: 400,
      details: [{ path: 'state' }],
    });
  });

  it('leaves at most eight cookies in a browser: the oldest are removed', async () => {
    const composed = await openComposedEngine();
    const jar = new Map<string, string>();
    const keep = (cookies: readonly string[]) => {
      for (const text of cookies) {
        const [name = '', value = ''] = text.split(';')[0]?.split('=') ?? [];
        if (text.includes('Max-Age=0')) jar.delete(name);
        else jar.set(name, value);
      }
    };
    const header = () =>
      ['theme=dark', ...[...jar].reverse().map(([name, value]) => `${name}=${value}`), 'broken'].join('; ');
    const flows = [];
    for (let count = 0; count < 20; count += 1) {
      const flow = await begin(composed, {}, header());
      flows.push(flow);
      keep(flow.cookies);
      await composed.clock.advance(1_000);
    }
    expect(jar.size).toBe(8);
    expect(header().length).toBeLessThan(1_000);
    composed.fake.codes.set('code', { refreshToken: 'rt', identity: ADA });
    for (const { state } of flows.slice(-8))
      keep((await callback(composed, { state, code: 'code' }, header())).cookies);
    expect(jar.size).toBe(0);
    const { authorization } = composed.engine.services;
    for (const { state } of flows.slice(0, 12)) {
      expect(await failureOf(authorization.callback('fake', { state }, header()))).toMatchObject({ status: 400 });
    }
  });

  it('uses a plain cookie where the public URL is http', async () => {
    const composed = await openComposedEngine({ publicUrl: 'http://localhost:8080' });
    const { cookies, url } = await begin(composed);
    expect(cookies[0]).toMatch(/^kalends-authorization-[\w-]+=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(url.searchParams.get('redirect_uri')).toBe('http://localhost:8080/v1/oauth/callback/fake');
  });

  it('passes the prompt on, and asks for consent otherwise, whatever is stored', async () => {
    const composed = await openComposedEngine();
    for (const prompt of ['none', 'select_account', 'consent']) {
      expect((await begin(composed, { prompt })).url.searchParams.get('prompt')).toBe(prompt);
    }
    expect((await begin(composed)).url.searchParams.get('prompt')).toBe('consent');
    const accountId = await composed.connect();
    const hinted = { loginHint: 'ADA@example.com' };
    expect((await begin(composed, hinted)).url.searchParams.get('prompt')).toBe('consent');
    await composed.storage.accounts.expire(composed.applicationId, accountId, 1, composed.clock.now());
    expect((await begin(composed, hinted)).url.searchParams.get('prompt')).toBe('consent');
  });

  it.each([
    'https://app.example/return',
    'https://app.example/return?from=kalends&x=1',
    'HTTPS://app.example/return?from=kalends',
    'https://evil.example/',
    '',
  ])('refuses the redirect URL %j, which is not registered, without redirecting', async (redirectUrl) => {
    const composed = await openComposedEngine();
    expect(await failureOf(begin(composed, { redirectUrl }))).toMatchObject({
      code: 'InvalidRedirectUrl',
      status: 400,
    });
  });

  it('refuses an application without redirect URLs, an unknown one, and an unknown or unconfigured provider', async () => {
    const composed = await openComposedEngine();
    const { authorization, applications } = composed.engine.services;
    const { id } = await applications.create({ name: 'Bare' });
    expect(await failureOf(authorization.begin(id, 'fake', {}, null))).toMatchObject({ code: 'InvalidRedirectUrl' });
    expect(await failureOf(authorization.begin('app_none', 'fake', {}, null))).toMatchObject({ code: 'NotFound' });
    for (const path of ['FAKES', 'nope', 'other']) {
      expect(await failureOf(authorization.begin(composed.applicationId, path, {}, null))).toMatchObject({
        code: 'NotFound',
      });
    }
  });

  it.each([
    [{ prompt: 'login' }, 'prompt'],
    [{ loginHint: 'ada' }, 'loginHint'],
    [{ colour: 'red' }, 'colour'],
    [{ externalId: 'x'.repeat(256) }, 'externalId'],
  ])('tells the application of %j by redirect', async (query: Record<string, string>, name) => {
    const composed = await openComposedEngine();
    const { url, cookies } = await begin(composed, { ...query, state: 'a b+c/=' });
    expect(url.href.startsWith(`${REDIRECT_URL}&`)).toBe(true);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      from: 'kalends',
      error: 'invalid_request',
      error_description: expect.stringContaining(name),
      state: 'a b+c/=',
    });
    expect(cookies).toEqual([]);
  });

  it('needs a public URL to come back to', async () => {
    const composed = await openComposedEngine({ publicUrl: undefined });
    const { url } = await begin(composed, { state: 's' });
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'server_error', state: 's' });
  });
});

describe('the way back', () => {
  it('creates the account and returns its id and the state, unchanged', async () => {
    const composed = await openComposedEngine();
    const state = 'eyJhIjoxfQ==&/+ ü';
    const parameters = await signIn(composed, { state, externalId: 'u-1' });
    expect(parameters).toEqual({ from: 'kalends', endUserAccountId: expect.stringMatching(/^acc_/), state });
    expect(await composed.engine.services.accounts.get(composed.caller, parameters['endUserAccountId']!)).toMatchObject(
      {
        email: 'ada@example.com',
        externalId: 'u-1',
        status: 'ACTIVE',
        providerAccountId: 'google-1',
      },
    );
  });

  it('proves with the code what it announced: redirect URI, PKCE verifier and nonce', async () => {
    const composed = await openComposedEngine();
    const { url, state, cookie } = await begin(composed);
    composed.fake.codes.set('code', { refreshToken: 'rt', identity: ADA });
    await callback(composed, { state, code: 'code' }, cookie);
    expect(composed.fake.exchanges).toEqual([
      {
        redirectUri: CALLBACK,
        challenge: url.searchParams.get('code_challenge'),
        nonce: url.searchParams.get('nonce'),
      },
    ]);
  });

  it('reconnects an EXPIRED account under its id and keeps its externalId', async () => {
    const composed = await openComposedEngine();
    const { endUserAccountId } = await signIn(composed, { externalId: 'u-1' });
    await composed.storage.accounts.expire(composed.applicationId, endUserAccountId!, 1, composed.clock.now());
    expect(await signIn(composed, {}, ADA, 'rt-2')).toEqual({ from: 'kalends', endUserAccountId });
    const account = await composed.engine.services.accounts.get(composed.caller, endUserAccountId!);
    expect(account).toMatchObject({ status: 'ACTIVE', externalId: 'u-1' });
    expect(await composed.engine.services.accounts.getCredentials(composed.caller, endUserAccountId!)).toMatchObject({
      refreshToken: 'rt-2',
      status: 'ACTIVE',
    });
  });

  it('keeps the stored refresh token when the provider gives none', async () => {
    const composed = await openComposedEngine();
    const { endUserAccountId } = await signIn(composed);
    expect(await signIn(composed, { prompt: 'select_account' }, ADA, null)).toMatchObject({ endUserAccountId });
    expect(await composed.engine.services.accounts.getCredentials(composed.caller, endUserAccountId!)).toMatchObject({
      refreshToken: 'rt-flow',
    });
  });

  it('asks for consent when the provider gives no refresh token and none is stored', async () => {
    const composed = await openComposedEngine();
    expect(await signIn(composed, { state: 's' }, ADA, null)).toEqual({
      from: 'kalends',
      error: 'consent_required',
      error_description: expect.stringContaining('prompt=consent'),
      state: 's',
    });
  });

  it('refuses another mailbox than loginHint names', async () => {
    const composed = await openComposedEngine();
    const eve = { email: 'eve@example.com', providerAccountId: 'google-2' };
    expect(await signIn(composed, { loginHint: 'ada@example.com' }, eve)).toMatchObject({
      error: 'login_hint_mismatch',
    });
    expect((await composed.engine.services.accounts.list(composed.caller, {})).data).toEqual([]);
    expect(await signIn(composed, { loginHint: 'ADA@example.com' })).toMatchObject({
      endUserAccountId: expect.any(String),
    });
  });

  it('takes the dots of a Gmail address, which Google passes over, and its other domain for the same mailbox', async () => {
    const composed = await openComposedEngine();
    const identity = { ...ADA, email: 'ada.l@gmail.com' };
    for (const loginHint of ['Ada.L@gmail.com', 'a.d.al@gmail.com', 'adal@googlemail.com']) {
      expect(await signIn(composed, { loginHint }, identity)).toMatchObject({ endUserAccountId: expect.any(String) });
    }
    expect(await signIn(composed, { loginHint: 'adall@gmail.com' }, identity)).toMatchObject({
      error: 'login_hint_mismatch',
    });
    const { data } = await composed.engine.services.accounts.list(composed.caller, {});
    expect(data.map(({ email }) => email)).toEqual(['ada.l@gmail.com']);
    const dotted = { ...ADA, email: 'a.da@example.com' };
    expect(await signIn(composed, { loginHint: 'ada@example.com' }, dotted)).toMatchObject({
      error: 'login_hint_mismatch',
    });
  });

  it('takes another proven address of the mailbox for loginHint, and none of an address that is not proven', async () => {
    const composed = await openComposedEngine();
    const hint = { loginHint: 'a.l@corp.example' };
    const identity = { ...ADA, otherAddresses: ['A.L@corp.example'] };
    expect(await signIn(composed, hint, { ...identity, isEmailVerified: false })).toMatchObject({
      error: 'login_hint_mismatch',
    });
    const { endUserAccountId } = await signIn(composed, hint, identity);
    const account = await composed.engine.services.accounts.get(composed.caller, endUserAccountId!);
    expect(account.email).toBe(ADA.email);
  });

  it('passes what the provider says on, and forgets the cookie', async () => {
    const composed = await openComposedEngine();
    const { state, cookie } = await begin(composed, { state: 's' });
    const query = { state, error: 'access_denied', error_description: 'The user said no.' };
    const { parameters, cookies } = await callback(composed, query, cookie);
    expect(parameters).toEqual({
      from: 'kalends',
      error: 'access_denied',
      error_description: 'The user said no.',
      state: 's',
    });
    expect(cookies).toEqual([expect.stringMatching(/^__Host-kalends-authorization-[\w-]+=; Max-Age=0; Path=\//)]);
  });

  it.each([
    ['invalid-grant', 'invalid_grant'],
    ['operator', 'server_error'],
    ['malformed', 'server_error'],
    ['unavailable', 'temporarily_unavailable'],
    ['timeout', 'temporarily_unavailable'],
    ['rate-limited', 'temporarily_unavailable'],
  ] as const)('turns %s of the provider into error=%s', async (reason, error) => {
    const composed = await openComposedEngine();
    composed.fake.failures.set('exchangeCode', new ProviderError(reason, 'x'));
    expect(await signIn(composed)).toMatchObject({ error, error_description: expect.any(String) });
  });

  it('names a policy of the organization as a cause of a refused code', async () => {
    const composed = await openComposedEngine();
    composed.fake.failures.set('exchangeCode', new ProviderError('invalid-grant', 'admin_policy_enforced'));
    expect((await signIn(composed))['error_description']).toMatch(/policy of the organization/);
  });

  it('reports an answer without a code, and a bug, as server_error', async () => {
    const composed = await openComposedEngine();
    const { state, cookie } = await begin(composed);
    expect((await callback(composed, { state }, cookie)).parameters).toMatchObject({ error: 'server_error' });
    composed.fake.failures.set('exchangeCode', new TypeError('bug') as never);
    expect(await signIn(composed)).toMatchObject({ error: 'server_error' });
    expect(composed.log.at(-1)).toMatchObject({ message: 'authorization failed' });
  });

  it('works once, for the browser that began, in time, and at the provider that was asked', async () => {
    const composed = await openComposedEngine();
    const { authorization } = composed.engine.services;
    const refused = { code: 'InvalidRequest', status: 400, details: [{ path: 'state' }] };
    const query = (state: string) => ({ state, code: 'code' });
    composed.fake.codes.set('code', { refreshToken: 'rt', identity: ADA });

    const used = await begin(composed);
    await callback(composed, query(used.state), used.cookie);
    expect(await failureOf(authorization.callback('fake', query(used.state), used.cookie))).toMatchObject(refused);

    const mine = await begin(composed);
    const theirs = await begin(composed);
    expect(await failureOf(authorization.callback('fake', query(mine.state), theirs.cookie))).toMatchObject(refused);
    expect(await failureOf(authorization.callback('fake', query(theirs.state), null))).toMatchObject(refused);

    const late = await begin(composed);
    await composed.clock.advance(10 * 60_000);
    expect(await failureOf(authorization.callback('fake', query(late.state), late.cookie))).toMatchObject(refused);

    const mixed = await begin(composed);
    expect(await failureOf(authorization.callback('other', query(mixed.state), mixed.cookie))).toMatchObject(refused);
    expect(await failureOf(authorization.callback('fake', {}, null))).toMatchObject(refused);
    expect(await failureOf(authorization.callback('fake', query('unknown'), null))).toMatchObject(refused);
  });

  it('another browser that knows the state cannot use it up', async () => {
    const composed = await openComposedEngine();
    const { authorization } = composed.engine.services;
    const { state, cookie } = await begin(composed);
    const theirs = await begin(composed);
    for (const jar of [null, theirs.cookie, theirs.cookie.replace(/^[^=]+/, cookie.split('=')[0] ?? '')]) {
      expect(await failureOf(authorization.callback('fake', { state, error: 'x' }, jar))).toMatchObject({
        status: 400,
      });
    }
    composed.fake.codes.set('code', { refreshToken: 'rt', identity: ADA });
    expect((await callback(composed, { state, code: 'code' }, cookie)).parameters).toHaveProperty('endUserAccountId');
  });

  it('lets one of many concurrent callbacks in, in all processes together', async () => {
    const composed = await openComposedEngine();
    const other = composed.process();
    const { state, cookie } = await begin(composed);
    composed.fake.codes.set('code', { refreshToken: 'rt', identity: ADA });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? composed.engine : other).services.authorization.callback(
          'fake',
          { state, code: 'code' },
          cookie,
        ),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(composed.fake.exchanges).toHaveLength(1);
  });

  it('refuses a state that was altered anywhere, or sealed for another purpose or under an unknown secret', async () => {
    const composed = await openComposedEngine();
    const { authorization } = composed.engine.services;
    const { state, cookie } = await begin(composed);
    const refused = { code: 'InvalidRequest', details: [{ path: 'state' }] };
    for (let at = 0; at < state.length; at += 7) {
      const altered = `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`;
      expect(await failureOf(authorization.callback('fake', { state: altered }, cookie))).toMatchObject(refused);
    }
    const parts = [`${state}=`, `${state}A`, state.slice(0, -1), `${state}${'A'.repeat(4_096)}`];
    for (const text of parts) {
      expect(await failureOf(authorization.callback('fake', { state: text }, cookie))).toMatchObject(refused);
    }
    expect(await composed.storage.usedStates.purge(Number.MAX_SAFE_INTEGER)).toBe(0);
  });

  it('goes on under a new secret while the previous one is configured', async () => {
    const [old, next] = [Buffer.alloc(32, 7).toString('base64'), Buffer.alloc(32, 8).toString('base64')];
    const composed = await openComposedEngine();
    const { state, cookie } = await begin(composed);
    composed.fake.codes.set('code', { refreshToken: 'rt', identity: ADA });
    const query = { state, code: 'code' };
    const forgetful = composed.process({ secret: next }).services.authorization;
    expect(await failureOf(forgetful.callback('fake', query, cookie))).toMatchObject({ status: 400 });
    const rotated = composed.process({ secret: next, previousSecrets: [old] }).services;
    const client = { clientId: 'client', clientSecret: 'hush' };
    await rotated.oauthClients.set(composed.applicationId, 'FAKE', client);
    const { location } = await rotated.authorization.callback('fake', query, cookie);
    expect(new URL(location).searchParams.has('endUserAccountId')).toBe(true);
  });

  it('finds its cookie among others', async () => {
    const composed = await openComposedEngine();
    const one = await begin(composed);
    const two = await begin(composed);
    composed.fake.codes.set('code', { refreshToken: 'rt', identity: ADA });
    const jar = `theme=dark; ${one.cookie}; ${two.cookie}`;
    await callback(composed, { state: two.state, code: 'code' }, jar);
    await callback(composed, { state: one.state, code: 'code' }, jar);
  });

  it('does not redirect to a URL that was unregistered meanwhile', async () => {
    const composed = await openComposedEngine();
    const { state, cookie } = await begin(composed);
    const { applications, authorization } = composed.engine.services;
    await applications.update(composed.applicationId, { redirectUrls: ['https://other.example/'] });
    expect(await failureOf(authorization.callback('fake', { state, code: 'code' }, cookie))).toMatchObject({
      code: 'InvalidRedirectUrl',
    });
  });
});
