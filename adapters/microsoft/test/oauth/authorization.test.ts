import { createHash, randomBytes } from 'node:crypto';
import type { ProviderClient } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADA, CLIENT, createHarness, type Harness, REDIRECT, START } from '../harness.ts';
import { localGraph } from '../local-graph.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const codeVerifier = randomBytes(32).toString('base64url');
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');

/** Signs in as a browser would, on the sandbox's own page; the code. */
async function signIn(url: string, mailbox = ADA): Promise<string> {
  const answer = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ mailbox, decision: 'allow' }),
  });
  const location = new URL(answer.headers.get('location') ?? '');
  expect(location.searchParams.get('state')).toBe('state-1');
  return location.searchParams.get('code') ?? '';
}

const authorize = (client: ProviderClient = CLIENT) =>
  harness.provider.authorization.authorizationUrl({
    client,
    redirectUri: REDIRECT,
    state: 'state-1',
    nonce: 'nonce-1',
    codeChallenge,
    prompt: 'select_account',
    loginHint: ADA,
  });

const exchange = (
  code: string,
  more: { readonly nonce?: string; readonly codeVerifier?: string; readonly client?: ProviderClient } = {},
) =>
  harness.provider.authorization.exchangeCode({
    client: CLIENT,
    redirectUri: REDIRECT,
    code,
    codeVerifier,
    nonce: 'nonce-1',
    ...more,
  });

test('the authorization URL has what Microsoft wants', () => {
  const url = new URL(authorize({ ...CLIENT, settings: { tenant: 'organizations' } }));
  expect(url.pathname).toBe('/microsoft/organizations/oauth2/v2.0/authorize');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: CLIENT.clientId,
    response_type: 'code',
    response_mode: 'query',
    redirect_uri: REDIRECT,
    scope:
      'openid profile email offline_access User.Read Calendars.ReadWrite Calendars.ReadWrite.Shared MailboxSettings.Read',
    state: 'state-1',
    nonce: 'nonce-1',
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
    prompt: 'select_account',
    login_hint: ADA,
  });
});

test("a client's own scopes are asked for at sign-in and at a refresh", async () => {
  const scopes = ['openid', 'offline_access', 'Calendars.Read'];
  const client = { ...CLIENT, scopes };
  expect(new URL(authorize(client)).searchParams.get('scope')).toBe(scopes.join(' '));
  const body = { access_token: 'a', token_type: 'Bearer', expires_in: 3600 };
  const server = await localGraph(() => ({ status: 200, body }));
  await harness.providerWith({ loginUrl: server.url }).authorization.refresh({ client, refreshToken: 'imported' });
  expect(new URLSearchParams(server.seen[0]?.body).get('scope')).toBe(scopes.join(' '));
  await server.close();
});

test.each([
  ['nothing', ['openid', 'offline_access', 'https://graph.microsoft.com/Calendars.ReadWrite'], []],
  ['the refresh token', ['openid', 'Calendars.Read'], ['offline_access']],
  ['calendars', ['openid', 'offline_access', 'Mail.Read'], ['Calendars.ReadWrite']],
  ['the own calendars', ['openid', 'offline_access', 'Calendars.Read.Shared'], ['Calendars.ReadWrite']],
])("a client's own scopes lack %s", (_name, scopes, missing) => {
  expect(harness.provider.authorization.missingScopes(scopes)).toEqual(missing);
});

test('without the scope `profile` no id names the person, and the account connects by its address', async () => {
  const client = { ...CLIENT, scopes: ['openid', 'offline_access', 'Calendars.ReadWrite'] };
  const grant = await exchange(await signIn(authorize(client)), { client });
  expect(grant).toMatchObject({ accessToken: expect.any(String), refreshToken: expect.any(String) });
  expect(grant.providerAccountId).toBeUndefined();
  expect(await harness.provider.authorization.identify(grant.accessToken)).toMatchObject({ email: ADA });
  const { refreshToken = '' } = grant;
  const renewed = await harness.provider.authorization.refresh({ client, refreshToken });
  expect(renewed).toMatchObject({ accessToken: expect.any(String), providerAccountId: undefined });
});

test('a code becomes tokens and a verified person; refreshing gives a new refresh token', async () => {
  const grant = await exchange(await signIn(authorize()));
  expect(grant).toMatchObject({
    accessToken: expect.any(String),
    refreshToken: expect.any(String),
    providerAccountId: expect.stringMatching(/^[0-9a-f-]{36}\.[0-9a-f-]{36}$/),
  });
  expect(grant.expiresAt).toBeGreaterThan(START);
  expect(grant.scopes).toEqual(expect.arrayContaining(['Calendars.ReadWrite']));
  const next = await harness.provider.authorization.refresh({
    client: CLIENT,
    refreshToken: grant.refreshToken ?? '',
  });
  expect(next.refreshToken).toEqual(expect.any(String));
  expect(next.refreshToken).not.toBe(grant.refreshToken);
  expect(next.providerAccountId).toEqual(grant.providerAccountId);
  const who = await harness.provider.authorization.identify(next.accessToken);
  expect(who).toEqual({ providerAccountId: null, email: ADA });
  await harness.provider.authorization.revoke({ client: CLIENT, refreshToken: next.refreshToken ?? '' });
});

test('a wrong nonce, verifier, code or secret is refused, each for its reason', async () => {
  await expect(exchange(await signIn(authorize()), { nonce: 'other' })).rejects.toMatchObject({
    reason: 'invalid-grant',
  });
  await expect(
    exchange(await signIn(authorize()), { codeVerifier: randomBytes(32).toString('base64url') }),
  ).rejects.toMatchObject({ reason: 'invalid-grant' });
  await expect(exchange('no-such-code')).rejects.toMatchObject({ reason: 'invalid-grant' });
  await expect(
    harness.provider.authorization.refresh({ client: { ...CLIENT, clientSecret: 'wrong' }, refreshToken: 'x' }),
  ).rejects.toMatchObject({ reason: 'operator' });
});

test('a configured kind of tenant is held to', async () => {
  const client = { ...CLIENT, settings: { tenant: 'consumers' } };
  const refreshToken = harness.sandbox.microsoft.issueRefreshToken({ email: ADA, clientId: CLIENT.clientId });
  await expect(harness.provider.authorization.refresh({ client, refreshToken })).rejects.toMatchObject({
    reason: 'operator',
  });
});

test('refusals of the token endpoint by hand', async () => {
  const cases = [
    [400, { error: 'invalid_request', error_codes: [90002] }, 'operator'],
    [400, { error: 'invalid_scope' }, 'operator'],
    [401, { error: 'invalid_client', error_codes: [7000215] }, 'operator'],
    [400, { error: 'invalid_grant', error_codes: [700016] }, 'operator'],
    [404, 'Not Found', 'operator'],
    [400, { error: 'interaction_required', error_codes: [50079] }, 'invalid-grant'],
    [400, { error: 'invalid_grant' }, 'invalid-grant'],
    [400, { error: 'temporarily_unavailable', error_codes: [90033] }, 'unavailable'],
    [400, { error: 'invalid_grant', error_codes: [90033] }, 'unavailable'],
    [429, { error: 'slow_down' }, 'rate-limited'],
    [500, '<html>', 'unavailable'],
    [403, '<html>', 'unavailable'],
    [200, '<html>', 'malformed'],
    [200, { token_type: 'Bearer', expires_in: 3600 }, 'malformed'],
    [200, { access_token: 'a', token_type: 'Bearer', expires_in: 3600, id_token: 'x.y.z' }, 'malformed'],
  ] as const;
  for (const [status, body, reason] of cases) {
    const server = await localGraph(() => ({ status, body }));
    const provider = harness.providerWith({ loginUrl: server.url, retry: { attempts: 1 } });
    const call = provider.authorization.refresh({ client: CLIENT, refreshToken: 'secret-token' });
    await expect(call, JSON.stringify(body)).rejects.toMatchObject({ reason });
    await expect(call).rejects.not.toMatchObject({ message: expect.stringContaining('secret-token') });
    await server.close();
  }
});

test('an answer without refresh token leaves the stored one, and one without id_token names nobody', async () => {
  const body = { access_token: 'a', token_type: 'Bearer', expires_in: '3599', scope: 'Calendars.ReadWrite openid' };
  const server = await localGraph(() => ({ status: 200, body }));
  const provider = harness.providerWith({ loginUrl: server.url });
  expect(await provider.authorization.refresh({ client: CLIENT, refreshToken: 'r+ /' })).toEqual({
    accessToken: 'a',
    refreshToken: undefined,
    expiresAt: START + 3_599_000,
    scopes: ['Calendars.ReadWrite', 'openid'],
    identity: undefined,
  });
  expect(Object.fromEntries(new URLSearchParams(server.seen[0]?.body))).toMatchObject({
    grant_type: 'refresh_token',
    refresh_token: 'r+ /',
    client_id: CLIENT.clientId,
    client_secret: CLIENT.clientSecret,
    scope: expect.stringContaining('offline_access'),
  });
  await server.close();
});

test.each([
  [50173, 'invalid-grant'],
  [700082, 'invalid-grant'],
  [70043, 'invalid-grant'],
  [70008, 'invalid-grant'],
  [50076, 'invalid-grant'],
  [65001, 'invalid-grant'],
  [50057, 'invalid-grant'],
  [7000215, 'operator'],
  [7000222, 'operator'],
  [700016, 'operator'],
])('AADSTS%i is %s', async (code, reason) => {
  const refreshToken = harness.sandbox.microsoft.issueRefreshToken({ email: ADA, clientId: CLIENT.clientId });
  harness.control('setInvalidGrantCode', { code, times: 5 });
  await expect(harness.provider.authorization.refresh({ client: CLIENT, refreshToken })).rejects.toMatchObject({
    reason,
  });
});

describe('scopes of a refresh', () => {
  const importToken = (scopes?: readonly string[], email = ADA) =>
    harness.sandbox.microsoft.issueRefreshToken({ email, clientId: CLIENT.clientId, ...(scopes && { scopes }) });
  const refresh = (refreshToken: string, scopes?: readonly string[], client: ProviderClient = CLIENT) =>
    harness.provider.authorization.refresh({ client, refreshToken, scopes });

  test.each([65001, 70000])('AADSTS%i is believed when the smallest set is refused too', async (code) => {
    const granted = ['openid', 'Calendars.ReadWrite'];
    const refreshToken = importToken();
    harness.control('setInvalidGrantCode', { code, times: 1 });
    // A refusal can be intermittent.
    const again = await refresh(refreshToken, granted);
    expect([again.scopes, again.replacesScopes]).toEqual([granted, undefined]);
    harness.control('setInvalidGrantCode', { code, times: 2 });
    const smallest = await refresh(refreshToken, granted);
    expect([smallest.scopes, smallest.replacesScopes]).toEqual([['Calendars.ReadWrite'], true]);
    harness.control('setInvalidGrantCode', { code, times: 3 });
    await expect(refresh(refreshToken, granted)).rejects.toMatchObject({ reason: 'invalid-grant' });
    harness.control('setInvalidGrantCode', { code, times: 1 });
    expect((await refresh(refreshToken, ['Calendars.ReadWrite'])).refreshToken).toBeDefined();
  });

  test('only what was granted is asked for, whatever the options name', async () => {
    const granted = ['openid', 'profile', 'User.Read', 'Calendars.Read'];
    const grant = await refresh(importToken([...granted, 'offline_access']), granted);
    expect(grant).toMatchObject({ scopes: granted, refreshToken: expect.any(String) });
  });

  test.each([
    ['no shared calendars', ['openid', 'User.Read', 'MailboxSettings.Read', 'Calendars.ReadWrite', 'profile', 'email']],
    ['calendars alone', ['Calendars.ReadWrite']],
    ['reading alone', ['Calendars.Read']],
  ])('an imported refresh token with fewer scopes connects: %s', async (_, scopes) => {
    for (const known of [undefined, [], ['calendar']]) {
      const grant = await refresh(importToken([...scopes, 'offline_access']), known);
      expect(new Set(grant.scopes)).toEqual(new Set(scopes));
      expect(await harness.provider.authorization.identify(grant.accessToken)).toMatchObject({ email: ADA });
    }
  });

  test('a personal account signs in and refreshes without the scope of shared calendars', async () => {
    const email = 'grace@outlook.test';
    harness.sandbox.microsoft.addMailbox({ email, name: 'Grace', timeZone: 'Europe/Rome' });
    const grant = await exchange(await signIn(authorize(), email));
    expect(grant.scopes).not.toContain('Calendars.ReadWrite.Shared');
    expect((await refresh(grant.refreshToken ?? '', grant.scopes)).scopes).toEqual(grant.scopes);
    expect((await refresh(importToken(undefined, email))).scopes).toEqual(grant.scopes);
    await expect(refresh(importToken(['offline_access'], email))).rejects.toMatchObject({ reason: 'invalid-grant' });
    const consumers = { ...CLIENT, settings: { tenant: 'consumers' } };
    expect(new URL(authorize(consumers)).searchParams.get('scope')).not.toContain('Shared');
    expect((await refresh(importToken(undefined, email), undefined, consumers)).scopes).toEqual(grant.scopes);
  });
});

test('an outage of the token endpoint is waited out, briefly, and expires nobody', async () => {
  const refreshToken = harness.sandbox.microsoft.issueRefreshToken({ email: ADA, clientId: CLIENT.clientId });
  const arm = (times: number) =>
    harness.sandbox.faults.arm({
      provider: 'microsoft',
      path: '/[^/]+/oauth2/v2.0/token',
      kind: 'answer',
      status: 503,
      body: { error: 'temporarily_unavailable' },
      times,
    });
  arm(2);
  await expect(harness.provider.authorization.refresh({ client: CLIENT, refreshToken })).resolves.toBeDefined();
  arm(10);
  await expect(harness.provider.authorization.refresh({ client: CLIENT, refreshToken })).rejects.toMatchObject({
    reason: 'unavailable',
  });
});

test('a revoked grant is dead', async () => {
  const refreshToken = harness.sandbox.microsoft.issueRefreshToken({ email: ADA, clientId: CLIENT.clientId });
  harness.control('revokeGrant', { email: ADA });
  await expect(harness.provider.authorization.refresh({ client: CLIENT, refreshToken })).rejects.toMatchObject({
    reason: 'invalid-grant',
  });
});
