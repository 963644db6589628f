import { ProviderError } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { failureOf, openRoom, REDIRECT_URL, type Room } from './room.ts';

const CALLBACK = 'https://calendar.example/api/v1/oauth/callback/fake';
const ADA = { email: 'ada@example.com', providerAccountId: 'google-1' };

async function begin(room: Room, query: Record<string, string> = {}, jar: string | null = null) {
  const { authorization } = room.rooms.services;
  const { location, cookies } = await authorization.begin(room.applicationId, 'fake', query, jar);
  const url = new URL(location);
  return { url, cookies, state: url.searchParams.get('state') ?? '', cookie: cookies[0]?.split(';')[0] ?? '' };
}

async function callback(room: Room, query: Record<string, string>, cookie: string | null) {
  const { location, cookies } = await room.rooms.services.authorization.callback('fake', query, cookie);
  expect(location.startsWith(`${REDIRECT_URL}&`)).toBe(true);
  return { parameters: Object.fromEntries(new URL(location).searchParams), cookies };
}

/** The whole flow for ada, up to the redirect back. */
async function signIn(room: Room, query: Record<string, string> = {}, identity = ADA, refreshToken?: string | null) {
  const { state, cookie } = await begin(room, query);
  const granted = refreshToken === undefined ? 'rt-flow' : (refreshToken ?? undefined);
  room.fake.codes.set('code', { refreshToken: granted, identity });
  return (await callback(room, { state, code: 'code' }, cookie)).parameters;
}

describe('the first leg', () => {
  it('sends the browser to the provider with state, nonce, PKCE and our callback', async () => {
    const room = await openRoom();
    const { url, cookies, state } = await begin(room, { state: 'abc', loginHint: 'ada@example.com' });
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
    const room = await openRoom();
    const query = { state: 'caller-state', externalId: 'user-7', loginHint: 'ada@example.com' };
    const { state, cookie } = await begin(room, query);
    expect(await room.storage.usedStates.purge(Number.MAX_SAFE_INTEGER)).toBe(0);
    const bytes = Buffer.from(state, 'base64url').toString('latin1');
    for (const text of [...Object.values(query), room.applicationId, cookie.split('=')[1] ?? '']) {
      expect(bytes).not.toContain(text);
    }
  });

  it('fits the longest state, externalId and loginHint into 2,048 characters, and brings them back', async () => {
    const room = await openRoom();
    const email = `${'a'.repeat(60)}@${Array.from({ length: 3 }, () => 'b'.repeat(60)).join('.')}.example`;
    const query = { state: '"'.repeat(1_024), externalId: 'e'.repeat(255), loginHint: email };
    expect((await begin(room, query)).state.length).toBeLessThanOrEqual(2_048);
    const parameters = await signIn(room, query, { email, providerAccountId: 'google-9' });
    expect(parameters['state']).toBe(query.state);
    const account = await room.rooms.services.accounts.get(room.caller, parameters['endUserAccountId'] ?? '');
    expect(account.externalId).toBe(query.externalId);
  });

  it.each([
    ['1,025 characters', { state: 's'.repeat(1_025) }],
    ['1,025 characters beside another mistake', { state: 's'.repeat(1_025), prompt: 'always' }],
    ['too many bytes', { state: 'ü'.repeat(1_024) }],
    ['too many bytes beside externalId', { state: 'ü'.repeat(600), externalId: 'ü'.repeat(255) }],
  ])('refuses a state of %s with 400', async (_name, query: Record<string, string>) => {
    const room = await openRoom();
    expect(await failureOf(begin(room, query))).toMatchObject({
      code: 'InvalidRequest',
      status: 400,
      details: [{ path: 'state' }],
    });
  });

  it('leaves at most eight cookies in a browser: the oldest are removed', async () => {
    const room = await openRoom();
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
      const flow = await begin(room, {}, header());
      flows.push(flow);
      keep(flow.cookies);
      await room.clock.advance(1_000);
    }
    expect(jar.size).toBe(8);
    expect(header().length).toBeLessThan(1_000);
    room.fake.codes.set('code', { refreshToken: 'rt', identity: ADA });
    for (const { state } of flows.slice(-8)) keep((await callback(room, { state, code: 'code' }, header())).cookies);
    expect(jar.size).toBe(0);
    const { authorization } = room.rooms.services;
    for (const { state } of flows.slice(0, 12)) {
      expect(await failureOf(authorization.callback('fake', { state }, header()))).toMatchObject({ status: 400 });
    }
  });

  it('uses a plain cookie where the public URL is http', async () => {
    const room = await openRoom({ publicUrl: 'http://localhost:8080' });
    const { cookies, url } = await begin(room);
    expect(cookies[0]).toMatch(/^kalends-authorization-[\w-]+=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(url.searchParams.get('redirect_uri')).toBe('http://localhost:8080/v1/oauth/callback/fake');
  });

  it('passes the prompt on, and asks for consent otherwise, whatever is stored', async () => {
    const room = await openRoom();
    for (const prompt of ['none', 'select_account', 'consent']) {
      expect((await begin(room, { prompt })).url.searchParams.get('prompt')).toBe(prompt);
    }
    expect((await begin(room)).url.searchParams.get('prompt')).toBe('consent');
    const accountId = await room.connect();
    const hinted = { loginHint: 'ADA@example.com' };
    expect((await begin(room, hinted)).url.searchParams.get('prompt')).toBe('consent');
    await room.storage.accounts.expire(room.applicationId, accountId, 1, room.clock.now());
    expect((await begin(room, hinted)).url.searchParams.get('prompt')).toBe('consent');
  });

  it.each([
    'https://app.example/return',
    'https://app.example/return?from=kalends&x=1',
    'HTTPS://app.example/return?from=kalends',
    'https://evil.example/',
    '',
  ])('refuses the redirect URL %j, which is not registered, without redirecting', async (redirectUrl) => {
    const room = await openRoom();
    expect(await failureOf(begin(room, { redirectUrl }))).toMatchObject({ code: 'InvalidRedirectUrl', status: 400 });
  });

  it('refuses an application without redirect URLs, an unknown one, and an unknown or unconfigured provider', async () => {
    const room = await openRoom();
    const { authorization, applications } = room.rooms.services;
    const { id } = await applications.create({ name: 'Bare' });
    expect(await failureOf(authorization.begin(id, 'fake', {}, null))).toMatchObject({ code: 'InvalidRedirectUrl' });
    expect(await failureOf(authorization.begin('app_none', 'fake', {}, null))).toMatchObject({ code: 'NotFound' });
    for (const path of ['FAKES', 'nope', 'other']) {
      expect(await failureOf(authorization.begin(room.applicationId, path, {}, null))).toMatchObject({
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
    const room = await openRoom();
    const { url, cookies } = await begin(room, { ...query, state: 'a b+c/=' });
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
    const room = await openRoom({ publicUrl: undefined });
    const { url } = await begin(room, { state: 's' });
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'server_error', state: 's' });
  });
});

describe('the way back', () => {
  it('creates the account and returns its id and the state, unchanged', async () => {
    const room = await openRoom();
    const state = 'eyJhIjoxfQ==&/+ ü';
    const parameters = await signIn(room, { state, externalId: 'u-1' });
    expect(parameters).toEqual({ from: 'kalends', endUserAccountId: expect.stringMatching(/^acc_/), state });
    expect(await room.rooms.services.accounts.get(room.caller, parameters['endUserAccountId']!)).toMatchObject({
      email: 'ada@example.com',
      externalId: 'u-1',
      status: 'ACTIVE',
      providerAccountId: 'google-1',
    });
  });

  it('proves with the code what it announced: redirect URI, PKCE verifier and nonce', async () => {
    const room = await openRoom();
    const { url, state, cookie } = await begin(room);
    room.fake.codes.set('code', { refreshToken: 'rt', identity: ADA });
    await callback(room, { state, code: 'code' }, cookie);
    expect(room.fake.exchanges).toEqual([
      {
        redirectUri: CALLBACK,
        challenge: url.searchParams.get('code_challenge'),
        nonce: url.searchParams.get('nonce'),
      },
    ]);
  });

  it('reconnects an EXPIRED account under its id and keeps its externalId', async () => {
    const room = await openRoom();
    const { endUserAccountId } = await signIn(room, { externalId: 'u-1' });
    await room.storage.accounts.expire(room.applicationId, endUserAccountId!, 1, room.clock.now());
    expect(await signIn(room, {}, ADA, 'rt-2')).toEqual({ from: 'kalends', endUserAccountId });
    const account = await room.rooms.services.accounts.get(room.caller, endUserAccountId!);
    expect(account).toMatchObject({ status: 'ACTIVE', externalId: 'u-1' });
    expect(await room.rooms.services.accounts.getCredentials(room.caller, endUserAccountId!)).toMatchObject({
      refreshToken: 'rt-2',
      status: 'ACTIVE',
    });
  });

  it('keeps the stored refresh token when the provider gives none', async () => {
    const room = await openRoom();
    const { endUserAccountId } = await signIn(room);
    expect(await signIn(room, { prompt: 'select_account' }, ADA, null)).toMatchObject({ endUserAccountId });
    expect(await room.rooms.services.accounts.getCredentials(room.caller, endUserAccountId!)).toMatchObject({
      refreshToken: 'rt-flow',
    });
  });

  it('asks for consent when the provider gives no refresh token and none is stored', async () => {
    const room = await openRoom();
    expect(await signIn(room, { state: 's' }, ADA, null)).toEqual({
      from: 'kalends',
      error: 'consent_required',
      error_description: expect.stringContaining('prompt=consent'),
      state: 's',
    });
  });

  it('refuses another mailbox than loginHint names', async () => {
    const room = await openRoom();
    const eve = { email: 'eve@example.com', providerAccountId: 'google-2' };
    expect(await signIn(room, { loginHint: 'ada@example.com' }, eve)).toMatchObject({ error: 'login_hint_mismatch' });
    expect((await room.rooms.services.accounts.list(room.caller, {})).data).toEqual([]);
    expect(await signIn(room, { loginHint: 'ADA@example.com' })).toMatchObject({
      endUserAccountId: expect.any(String),
    });
  });

  it('passes what the provider says on, and forgets the cookie', async () => {
    const room = await openRoom();
    const { state, cookie } = await begin(room, { state: 's' });
    const query = { state, error: 'access_denied', error_description: 'The user said no.' };
    const { parameters, cookies } = await callback(room, query, cookie);
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
    const room = await openRoom();
    room.fake.failures.set('exchangeCode', new ProviderError(reason, 'x'));
    expect(await signIn(room)).toMatchObject({ error, error_description: expect.any(String) });
  });

  it('reports an answer without a code, and a bug, as server_error', async () => {
    const room = await openRoom();
    const { state, cookie } = await begin(room);
    expect((await callback(room, { state }, cookie)).parameters).toMatchObject({ error: 'server_error' });
    room.fake.failures.set('exchangeCode', new TypeError('bug') as never);
    expect(await signIn(room)).toMatchObject({ error: 'server_error' });
    expect(room.log.at(-1)).toMatchObject({ message: 'authorization failed' });
  });

  it('works once, for the browser that began, in time, and at the provider that was asked', async () => {
    const room = await openRoom();
    const { authorization } = room.rooms.services;
    const refused = { code: 'InvalidRequest', status: 400, details: [{ path: 'state' }] };
    const query = (state: string) => ({ state, code: 'code' });
    room.fake.codes.set('code', { refreshToken: 'rt', identity: ADA });

    const used = await begin(room);
    await callback(room, query(used.state), used.cookie);
    expect(await failureOf(authorization.callback('fake', query(used.state), used.cookie))).toMatchObject(refused);

    const mine = await begin(room);
    const theirs = await begin(room);
    expect(await failureOf(authorization.callback('fake', query(mine.state), theirs.cookie))).toMatchObject(refused);
    expect(await failureOf(authorization.callback('fake', query(theirs.state), null))).toMatchObject(refused);

    const late = await begin(room);
    await room.clock.advance(10 * 60_000);
    expect(await failureOf(authorization.callback('fake', query(late.state), late.cookie))).toMatchObject(refused);

    const mixed = await begin(room);
    expect(await failureOf(authorization.callback('other', query(mixed.state), mixed.cookie))).toMatchObject(refused);
    expect(await failureOf(authorization.callback('fake', {}, null))).toMatchObject(refused);
    expect(await failureOf(authorization.callback('fake', query('unknown'), null))).toMatchObject(refused);
  });

  it('another browser that knows the state cannot use it up', async () => {
    const room = await openRoom();
    const { authorization } = room.rooms.services;
    const { state, cookie } = await begin(room);
    const theirs = await begin(room);
    for (const jar of [null, theirs.cookie, theirs.cookie.replace(/^[^=]+/, cookie.split('=')[0] ?? '')]) {
      expect(await failureOf(authorization.callback('fake', { state, error: 'x' }, jar))).toMatchObject({
        status: 400,
      });
    }
    room.fake.codes.set('code', { refreshToken: 'rt', identity: ADA });
    expect((await callback(room, { state, code: 'code' }, cookie)).parameters).toHaveProperty('endUserAccountId');
  });

  it('lets one of many concurrent callbacks in, in all processes together', async () => {
    const room = await openRoom();
    const other = room.process();
    const { state, cookie } = await begin(room);
    room.fake.codes.set('code', { refreshToken: 'rt', identity: ADA });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? room.rooms : other).services.authorization.callback('fake', { state, code: 'code' }, cookie),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(room.fake.exchanges).toHaveLength(1);
  });

  it('refuses a state that was altered anywhere, or sealed for another purpose or under an unknown secret', async () => {
    const room = await openRoom();
    const { authorization } = room.rooms.services;
    const { state, cookie } = await begin(room);
    const refused = { code: 'InvalidRequest', details: [{ path: 'state' }] };
    for (let at = 0; at < state.length; at += 7) {
      const altered = `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`;
      expect(await failureOf(authorization.callback('fake', { state: altered }, cookie))).toMatchObject(refused);
    }
    const parts = [`${state}=`, `${state}A`, state.slice(0, -1), `${state}${'A'.repeat(4_096)}`];
    for (const text of parts) {
      expect(await failureOf(authorization.callback('fake', { state: text }, cookie))).toMatchObject(refused);
    }
    expect(await room.storage.usedStates.purge(Number.MAX_SAFE_INTEGER)).toBe(0);
  });

  it('goes on under a new secret while the previous one is configured', async () => {
    const [old, next] = [Buffer.alloc(32, 7).toString('base64'), Buffer.alloc(32, 8).toString('base64')];
    const room = await openRoom();
    const { state, cookie } = await begin(room);
    room.fake.codes.set('code', { refreshToken: 'rt', identity: ADA });
    const query = { state, code: 'code' };
    const forgetful = room.process({ secret: next }).services.authorization;
    expect(await failureOf(forgetful.callback('fake', query, cookie))).toMatchObject({ status: 400 });
    const rotated = room.process({ secret: next, previousSecrets: [old] }).services;
    const client = { clientId: 'client', clientSecret: 'hush' };
    await rotated.applications.configureProvider(room.applicationId, 'FAKE', client);
    const { location } = await rotated.authorization.callback('fake', query, cookie);
    expect(new URL(location).searchParams.has('endUserAccountId')).toBe(true);
  });

  it('finds its cookie among others', async () => {
    const room = await openRoom();
    const one = await begin(room);
    const two = await begin(room);
    room.fake.codes.set('code', { refreshToken: 'rt', identity: ADA });
    const jar = `theme=dark; ${one.cookie}; ${two.cookie}`;
    await callback(room, { state: two.state, code: 'code' }, jar);
    await callback(room, { state: one.state, code: 'code' }, jar);
  });

  it('does not redirect to a URL that was unregistered meanwhile', async () => {
    const room = await openRoom();
    const { state, cookie } = await begin(room);
    const { applications, authorization } = room.rooms.services;
    await applications.update(room.applicationId, { redirectUrls: ['https://other.example/'] });
    expect(await failureOf(authorization.callback('fake', { state, code: 'code' }, cookie))).toMatchObject({
      code: 'InvalidRedirectUrl',
    });
  });
});
