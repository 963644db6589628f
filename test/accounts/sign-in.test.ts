import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { connectAccount } from '../../adapters/http/src/admin-routes/connect-account.ts';
import { basicProvider, openCalendarServer } from './calendar-server.ts';
import { failureOf, openComposedEngine } from './composed-engine.ts';

const password = (serverUrl: string, secret = 'app-password', username = 'ada') =>
  ({ kind: 'password', serverUrl, username, password: secret }) as const;

async function openWorld(place: Parameters<typeof basicProvider>[0] = {}) {
  const server = await openCalendarServer();
  const composed = await openComposedEngine();
  const at = (more: typeof place = {}) =>
    composed.process({ providers: { DAV: basicProvider({ ...place, ...more }), FAKE: composed.fake.provider } });
  const engine = at();
  const { accounts } = engine.services;
  const { caller } = composed;
  const connect = async (secret?: string, externalId?: string) =>
    accounts.upsert(caller, {
      providerType: 'DAV',
      credentials: password(server.url, secret),
      ...(externalId === undefined ? {} : { externalId }),
    });
  const sessionOf = async (id: string) => engine.access.session(await engine.access.get(composed.applicationId, id));
  return { ...composed, server, engine, at, accounts, caller, connect, sessionOf };
}

describe('POST with credentials', () => {
  it('proves them by a real request, and stores the account without anything of OAuth', async () => {
    const { server, accounts, caller, connect, applicationId } = await openWorld();
    const { account, created } = await connect(undefined, 'person-1');
    expect(created).toBe(true);
    expect(account).toEqual({
      id: expect.stringMatching(/^acc_/),
      applicationId,
      providerType: 'DAV',
      providerId: null,
      providerAccountId: `${server.url}home/ada`,
      email: 'ada@example.com',
      externalId: 'person-1',
      authorizedScopes: [],
      status: 'ACTIVE',
      createdAt: '2026-03-02T09:00:00.000Z',
      updatedAt: '2026-03-02T09:00:00.000Z',
    });
    expect(server.requests).toEqual(['/home']);
    expect(await accounts.getCredentials(caller, account.id)).toEqual({
      id: expect.stringMatching(/^crd_/),
      endUserAccountId: account.id,
      kind: 'password',
      serverUrl: `${server.url}home/ada`,
      username: 'ada',
      password: 'app-password',
      status: 'ACTIVE',
      createdAt: '2026-03-02T09:00:00.000Z',
      updatedAt: '2026-03-02T09:00:00.000Z',
    });
    expect(server.requests).toEqual(['/home']);
    const forbidden = accounts.getCredentials({ ...caller, canReadCredentials: false }, account.id);
    expect(await failureOf(forbidden)).toMatchObject({ code: 'Forbidden' });
  });

  it('takes a bearer token too', async () => {
    const { server, accounts, caller } = await openWorld();
    const credentials = { kind: 'bearer', serverUrl: server.url, token: 'static-token' } as const;
    const { account } = await accounts.upsert(caller, { providerType: 'DAV', credentials });
    expect(await accounts.getCredentials(caller, account.id)).toMatchObject({
      kind: 'bearer',
      serverUrl: `${server.url}home/ada`,
      token: 'static-token',
    });
  });

  it('replaces the credentials of the same mailbox under the same id, also of an EXPIRED account', async () => {
    const { server, engine, accounts, caller, connect, applicationId, sessionOf } = await openWorld();
    const { account } = await connect(undefined, 'person-1');
    const session = await sessionOf(account.id);
    await engine.services.operations.expire(applicationId, account.id);
    server.users.set('ada', 'second');
    const again = await connect('second');
    expect(again).toMatchObject({
      created: false,
      account: { id: account.id, status: 'ACTIVE', externalId: 'person-1' },
    });
    expect(await accounts.getCredentials(caller, account.id)).toMatchObject({ password: 'second', status: 'ACTIVE' });
    expect(await session.credentials?.()).toMatchObject({ password: 'second' });
  });

  it.each([
    [{ email: 'ada@example.com', providerType: 'DAV', refreshToken: 'rt' }, 'refreshToken'],
    [{ email: 'ada@example.com', providerType: 'DAV' }, 'refreshToken'],
    [{ providerType: 'DAV' }, 'email'],
    [{ providerType: 'FAKE', refreshToken: 'rt' }, 'email'],
    [{ email: 'ada@example.com', providerType: 'FAKE', credentials: password('http://x.example') }, 'credentials'],
    [
      { email: 'ada@example.com', providerType: 'DAV', refreshToken: 'r', credentials: password('http://x.example') },
      'credentials',
    ],
    [{ providerType: 'DAV', authorizedScopes: ['a'], credentials: password('http://x.example') }, 'authorizedScopes'],
    [{ providerType: 'DAV', credentials: { kind: 'password', username: 'a', password: 'b' } }, 'credentials.serverUrl'],
    [{ providerType: 'DAV', credentials: password('dav.example.com') }, 'credentials.serverUrl'],
    [{ providerType: 'DAV', credentials: password('ftp://dav.example.com') }, 'credentials.serverUrl'],
    [{ providerType: 'DAV', credentials: password('https://u:p@dav.example.com') }, 'credentials.serverUrl'],
    [{ providerType: 'DAV', credentials: password('https://x.example', '') }, 'credentials.password'],
    [{ providerType: 'DAV', credentials: password('https://x.example', 'a\nb') }, 'credentials.password'],
    [{ providerType: 'DAV', credentials: password('https://x.example', 'b', 'a:b') }, 'credentials.username'],
    [{ providerType: 'DAV', credentials: { kind: 'bearer', serverUrl: 'https://x.example' } }, 'credentials.token'],
    [{ providerType: 'DAV', credentials: { kind: 'url', url: 'https://x.example/a.ics' } }, 'credentials.kind'],
    [{ providerType: 'DAV', credentials: { kind: 'key' } }, 'credentials.kind'],
    [{ providerType: 'DAV', credentials: { ...password('https://x.example'), more: 1 } }, 'credentials.more'],
  ])('refuses %j, naming %s, without asking anyone', async (body, path) => {
    const { accounts, caller, server } = await openWorld();
    const failure = await failureOf(accounts.upsert(caller, body as Parameters<typeof accounts.upsert>[1]));
    expect(failure).toMatchObject({ code: 'InvalidRequest', status: 400 });
    const { details } = failure as unknown as { readonly details: readonly { readonly path: string }[] };
    expect(details.map((detail) => detail.path)).toContain(path);
    expect(server.requests).toEqual([]);
  });

  it('compares email with the address that the server vouches for, and takes it where none is', async () => {
    const { at, server, caller } = await openWorld();
    const body = (email: string) => ({ email, providerType: 'DAV', credentials: password(server.url) });
    const vouching = at().services.accounts;
    expect(await failureOf(vouching.upsert(caller, body('eve@example.com')))).toMatchObject({
      code: 'InvalidRequest',
      details: [{ path: 'email' }],
    });
    const silent = at({ isVouching: false }).services.accounts;
    const { account } = await silent.upsert(caller, body('Ada@Home.example'));
    expect(account.email).toBe('Ada@Home.example');
    expect((await silent.upsert(caller, body('other@home.example'))).account).toMatchObject({
      id: account.id,
      email: 'Ada@Home.example',
    });
  });

  it('gives no account to another server that claims its address', async () => {
    const { server, accounts, caller, connect } = await openWorld();
    const { account } = await connect();
    const rogue = await openCalendarServer();
    const stolen = accounts.upsert(caller, { providerType: 'DAV', credentials: password(rogue.url) });
    expect(await failureOf(stolen)).toMatchObject({ code: 'Conflict' });
    expect(await accounts.getCredentials(caller, account.id)).toMatchObject({ serverUrl: `${server.url}home/ada` });
  });
});

describe('a server that vouches for no address', () => {
  it('keeps no person of another server out who has the same address', async () => {
    const { at, server, caller } = await openWorld();
    const { accounts } = at({ isVouching: false }).services;
    const rogue = await openCalendarServer();
    const connect = (url: string) => accounts.upsert(caller, { providerType: 'DAV', credentials: password(url) });
    const claimed = await connect(rogue.url);
    const own = await connect(server.url);
    expect(own.account).toMatchObject({ email: claimed.account.email });
    expect(own.account.id).not.toBe(claimed.account.id);
    expect((await connect(server.url)).account.id).toBe(own.account.id);
    expect(await accounts.getCredentials(caller, claimed.account.id)).toMatchObject({
      serverUrl: `${rogue.url}home/ada`,
    });
    expect((await accounts.list(caller, { search: claimed.account.email })).data).toHaveLength(2);
    expect((await accounts.list(caller, { search: '/home/' })).data).toEqual([]);
  });
});

describe('a sign-in that fails', () => {
  const resolving = (...addresses: readonly string[]) => {
    let turn = 0;
    return (_host: string, _options: unknown, callback: (error: null, found: LookupAddress[]) => void) => {
      const address = addresses[Math.min(turn++, addresses.length - 1)] ?? '';
      callback(null, [{ address, family: 4 }]);
    };
  };

  it('has one answer, whether the password is wrong, or there is no calendar server, and names the setting of a refused address', async () => {
    const { server, at, caller, storage } = await openWorld();
    const html = await openCalendarServer();
    html.redirect = 'http://169.254.169.254/latest/meta-data/';
    const attempt = async (serverUrl: string, secret?: string, place: Parameters<typeof at>[0] = {}) => {
      const { accounts } = at(place).services;
      const failure = await failureOf(
        accounts.upsert(caller, { providerType: 'DAV', credentials: password(serverUrl, secret) }),
      );
      const { code, status, message, details, retryAfterMs } = failure as unknown as Record<string, unknown>;
      return { code, status, message, details, retryAfterMs };
    };
    const port = new URL(server.url).port;
    const answers = [await attempt(server.url, 'wrong'), await attempt('http://127.0.0.1:9/')];
    const refusals = [
      await attempt(server.url, undefined, { allowedNetworks: [] }),
      await attempt(`https://localhost:${port}/`, undefined, { allowedNetworks: [] }),
      await attempt('http://169.254.169.254/latest/meta-data/'),
      await attempt('https://[::1]/'),
      // A redirect into the network, from a server that may be asked.
      await attempt(html.url),
      // A name that pointed to a public address when it was looked at first.
      await attempt('https://rebinding.example/', undefined, {
        lookup: resolving('10.0.0.1', '93.184.216.34'),
        allowedNetworks: [],
      }),
    ];
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ code: 'InvalidCredentials', status: 400, details: [{ path: 'credentials' }] });
    expect(new Set(refusals.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(refusals[0]).toMatchObject({
      code: 'InvalidRequest',
      details: [{ path: 'credentials.serverUrl', message: expect.stringContaining('KALENDS_ALLOWED_NETWORKS') }],
    });
    expect(server.requests).toEqual(['/home']);
    expect(await storage.accounts.count(caller.applicationId)).toBe(0);
  });

  it('tells an outage of a server that the provider has itself, and takes no other server for it', async () => {
    const { server, at, caller } = await openWorld();
    const { accounts } = at({ serverUrl: server.url }).services;
    const upsert = (credentials: object) =>
      accounts.upsert(caller, { providerType: 'DAV', credentials: credentials as ReturnType<typeof password> });
    server.failing = [503];
    const own = { kind: 'password', username: 'ada', password: 'app-password' };
    expect(await failureOf(upsert(own))).toMatchObject({ code: 'ProviderUnavailable', status: 503 });
    expect(await failureOf(upsert({ ...own, password: 'no' }))).toMatchObject({ code: 'InvalidCredentials' });
    expect(await failureOf(upsert({ ...own, serverUrl: 'https://elsewhere.example' }))).toMatchObject({
      details: [{ path: 'credentials.serverUrl' }],
    });
    const { account } = await upsert(own);
    // The answered credentials can be sent back.
    const {
      kind,
      serverUrl,
      username,
      password: secret,
    } = (await accounts.getCredentials(caller, account.id)) as ReturnType<typeof password>;
    expect(await upsert({ kind, serverUrl, username, password: secret })).toMatchObject({ created: false });
  });

  it('is limited by user name and host, and successes cost nothing', async () => {
    const { connect, clock, server } = await openWorld();
    for (let time = 0; time < 12; time += 1) await connect();
    for (let time = 0; time < 5; time += 1) {
      expect(await failureOf(connect('wrong'))).toMatchObject({ code: 'InvalidCredentials' });
    }
    const asked = server.requests.length;
    // The right one is refused too: an answer would tell that it is right.
    for (const secret of ['wrong', 'app-password']) {
      const refused = await failureOf(connect(secret));
      expect(refused).toMatchObject({ code: 'RateLimited', status: 429, retryAfterMs: 120_000 });
    }
    expect(server.requests).toHaveLength(asked);
    await clock.advance(120_000);
    expect((await connect()).created).toBe(false);
  });
});

describe('credentials that the server refuses later', () => {
  it('expire the account once the refusal is confirmed, for all sessions and with one message', async () => {
    const { server, accounts, caller, connect, sessionOf, engine, applicationId, log } = await openWorld();
    const { id } = (await connect()).account;
    const sessions = await Promise.all([sessionOf(id), sessionOf(id), sessionOf(id)]);
    const seen = await Promise.all(sessions.map((session) => session.credentials?.()));
    server.users.delete('ada');
    const refused = await Promise.all(
      sessions.map((session, index) => failureOf(session.credentials?.(seen[index]) ?? Promise.resolve())),
    );
    expect(refused.map(({ reason }) => reason)).toEqual(['invalid-grant', 'invalid-grant', 'invalid-grant']);
    expect(await accounts.get(caller, id)).toMatchObject({ status: 'EXPIRED' });
    expect(await accounts.getCredentials(caller, id)).toMatchObject({ status: 'EXPIRED', password: 'app-password' });
    expect(log.filter(({ message }) => message === 'account expired')).toHaveLength(1);
    expect(await failureOf(engine.access.get(applicationId, id))).toMatchObject({
      code: 'InvalidRefreshToken',
      status: 409,
    });
  });

  it('keep the account after one 401 that a second request does not confirm, after a 403, and in an outage', async () => {
    const { server, accounts, caller, connect, engine } = await openWorld();
    const { id } = (await connect()).account;
    const { calendars, events } = engine.services;
    const isActive = async () => expect(await accounts.get(caller, id)).toMatchObject({ status: 'ACTIVE' });

    server.failing = [401];
    expect((await calendars.list(caller, id)).data).toHaveLength(1);
    await isActive();
    expect(server.requests.slice(1, 4)).toEqual(['/calendars', '/home', '/calendars']);

    server.forbidden.add('/calendars/primary');
    expect(await failureOf(events.list(caller, id, 'primary'))).toMatchObject({ code: 'Forbidden' });
    await isActive();
    // A 401 at one calendar, while the account can be opened.
    server.forbidden.clear();
    const session = await engine.access.session(await engine.access.get(caller.applicationId, id));
    const credentials = await session.credentials?.();
    expect(await session.credentials?.(credentials)).toEqual(credentials);
    server.failing = [503];
    expect(await failureOf(session.credentials?.(credentials) ?? Promise.resolve())).toMatchObject({
      reason: 'unavailable',
    });
    await isActive();
  });

  it('are never undone by a reconnection meanwhile', async () => {
    const { server, accounts, caller, connect, sessionOf } = await openWorld();
    const { id } = (await connect()).account;
    const session = await sessionOf(id);
    const old = await session.credentials?.();
    server.users.set('ada', 'second');
    await connect('second');
    expect(await session.credentials?.(old)).toMatchObject({ password: 'second' });
    expect(await accounts.get(caller, id)).toMatchObject({ status: 'ACTIVE' });
  });

  it('delete without asking the provider', async () => {
    const { server, accounts, caller, connect } = await openWorld();
    const { id } = (await connect()).account;
    await accounts.delete(caller, id);
    expect(server.requests).toEqual(['/home']);
    expect(await failureOf(accounts.getCredentials(caller, id))).toMatchObject({ code: 'NotFound' });
  });
});

it.each([
  [['bearer'], 'providerType', 'POST /v1/endUserAccounts'],
  [['url'], 'username', 'is not for this provider'],
] as const)('a provider that takes %j is named so by the administration', async (kinds, path, rule) => {
  const { accounts, caller, server } = await openWorld({ kinds });
  const body = { providerType: 'DAV', serverUrl: server.url, username: 'ada', password: 'app-password' };
  const failure = failureOf(connectAccount(accounts, caller, body));
  expect(await failure).toMatchObject({ details: [{ path, message: expect.stringContaining(rule) }] });
});

it('needs no OAuth client, takes none, and reconnects by a link', async () => {
  const { engine, applicationId, connect } = await openWorld();
  const set = engine.services.oauthClients.set(applicationId, 'DAV', { clientId: 'c', clientSecret: 's' });
  expect(await failureOf(set)).toMatchObject({ code: 'InvalidRequest', details: [{ path: 'providerType' }] });
  const { id } = (await connect(undefined, 'person-1')).account;
  expect(await engine.services.operations.createReconnectLink(applicationId, id)).toEqual({
    url: `https://calendar.example/api/v1/oauth/authorize/${applicationId}/dav?loginHint=ada%40example.com&externalId=person-1`,
  });
});

it('answers 503 for an account whose provider type signs in another way by now', async () => {
  const { connect, process, fake, caller, applicationId } = await openWorld();
  const { id } = (await connect()).account;
  const { access, services } = process({ providers: { DAV: fake.provider } });
  const session = access.session(await access.get(applicationId, id));
  expect(await failureOf(session.accessToken())).toMatchObject({ code: 'ProviderUnavailable', status: 503 });
  expect(await services.accounts.getCredentials(caller, id)).toMatchObject({ kind: 'password' });
});
