import { createHash } from 'node:crypto';
import { google, googleEndpoints } from '@kalends/google';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADA, CLIENT, failureOf, type Harness, REDIRECT_URI, startHarness } from '../harness.ts';

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

let harness: Harness;

beforeEach(async () => {
  harness = await startHarness();
});

afterEach(() => harness.close());

const authorization = () => harness.provider.authorization;

function authorizationUrl(prompt: 'consent' | 'select_account' | 'none' | undefined, loginHint?: string): URL {
  return new URL(
    authorization().authorizationUrl({
      client: CLIENT,
      redirectUri: REDIRECT_URI,
      state: 'a-state',
      nonce: 'a-nonce',
      codeChallenge: CHALLENGE,
      prompt,
      loginHint,
    }),
  );
}

/** Consents in the sandbox as a browser would, and returns what the redirect brought back. */
async function consent(): Promise<URLSearchParams> {
  const url = authorizationUrl(undefined);
  const form = new URLSearchParams(url.searchParams);
  form.set('mailbox', ADA);
  form.set('decision', 'allow');
  const response = await fetch(`${url.origin}${url.pathname}`, { method: 'POST', body: form, redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '').searchParams;
}

function exchange(overrides: Partial<Parameters<ReturnType<typeof authorization>['exchangeCode']>[0]>) {
  return authorization().exchangeCode({
    client: CLIENT,
    redirectUri: REDIRECT_URI,
    code: 'none',
    codeVerifier: VERIFIER,
    nonce: 'a-nonce',
    ...overrides,
  });
}

describe("a client's own scopes", () => {
  const PREFIX = 'https://www.googleapis.com/auth/calendar';
  const whole = ['openid', 'email', PREFIX];

  test('are asked for, and decide what a person must grant', () => {
    const scopes = ['openid', 'email', `${PREFIX}.readonly`];
    const url = authorization().authorizationUrl({
      client: { ...CLIENT, scopes },
      redirectUri: REDIRECT_URI,
      state: 's',
      nonce: 'n',
      codeChallenge: CHALLENGE,
      prompt: undefined,
      loginHint: undefined,
    });
    expect(new URL(url).searchParams.get('scope')).toBe(scopes.join(' '));
    expect(authorization().coversCalendars(scopes, { scopes })).toBe(true);
    expect(authorization().coversCalendars(scopes, { scopes: null })).toBe(false);
  });

  test.each([
    ['nothing', whole, []],
    ['nothing, with long names', ['openid', 'https://www.googleapis.com/auth/userinfo.email', PREFIX], []],
    ['the person', [PREFIX], ['openid', 'email']],
    ['calendars', ['openid', 'email', 'https://mail.google.com/'], [PREFIX]],
    ['the list', ['openid', 'email', `${PREFIX}.events`], [`${PREFIX}.calendarlist.readonly`]],
    ['the events', ['openid', 'email', `${PREFIX}.calendarlist`], [`${PREFIX}.events`]],
  ])('lack %s', (_name, scopes, missing) => {
    expect(authorization().missingScopes(scopes)).toEqual(missing);
    expect(authorization().missingScopes([...scopes, ...missing])).toEqual([]);
  });
});

describe('authorizationUrl', () => {
  test('asks for offline access with PKCE and a nonce', () => {
    const url = authorizationUrl(undefined, ADA);
    expect(url.href.startsWith(`${harness.root}/o/oauth2/v2/auth?`)).toBe(true);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: CLIENT.clientId,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid email https://www.googleapis.com/auth/calendar',
      state: 'a-state',
      nonce: 'a-nonce',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      access_type: 'offline',
      include_granted_scopes: 'true',
      prompt: 'consent',
      login_hint: ADA,
    });
  });

  test.each([
    ['consent', 'consent'],
    ['select_account', 'select_account consent'],
    ['none', 'none'],
  ] as const)('prompt %s', (prompt, sent) => {
    expect(authorizationUrl(prompt).searchParams.get('prompt')).toBe(sent);
  });
});

describe('exchangeCode', () => {
  test('gives tokens, scopes and the verified identity', async () => {
    const code = (await consent()).get('code') ?? '';
    const grant = await exchange({ code });
    expect(grant).toMatchObject({
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      scopes: expect.arrayContaining(['https://www.googleapis.com/auth/calendar']),
      identity: { providerAccountId: expect.stringMatching(/./), email: ADA },
    });
    expect(grant.expiresAt).toBeGreaterThan(harness.sandbox.clock.now());
    expect(await failureOf(exchange({ code }))).toMatchObject({ reason: 'invalid-grant' });
  });

  test('refuses an id_token with another nonce', async () => {
    const code = (await consent()).get('code') ?? '';
    expect(await failureOf(exchange({ code, nonce: 'other' }))).toMatchObject({ reason: 'malformed' });
  });

  test('refuses a signature that is not of the published keys', async () => {
    const code = (await consent()).get('code') ?? '';
    harness.sandbox.faults.arm({
      provider: 'google',
      path: '/oauth2/v3/certs',
      kind: 'answer',
      status: 200,
      body: { keys: [] },
    });
    expect(await failureOf(exchange({ code }))).toMatchObject({ reason: 'malformed' });
  });

  test('a wrong verifier is a dead grant, a wrong secret the operator', async () => {
    const code = (await consent()).get('code') ?? '';
    expect(await failureOf(exchange({ code, codeVerifier: 'w'.repeat(43) }))).toMatchObject({
      reason: 'invalid-grant',
    });
    const wrong = { ...CLIENT, clientSecret: 'wrong' };
    expect(await failureOf(exchange({ code, client: wrong }))).toMatchObject({ reason: 'operator' });
  });

  test('works on a clock that was turned', async () => {
    harness.sandbox.clock.advance(400 * 86_400_000);
    const code = (await consent()).get('code') ?? '';
    expect((await exchange({ code })).identity?.email).toBe(ADA);
  });
});

describe('refresh', () => {
  const refresh = (refreshToken: string, client = CLIENT) => authorization().refresh({ client, refreshToken });
  const issue = () => harness.sandbox.google.issueRefreshToken({ email: ADA, clientId: CLIENT.clientId });

  test('gives a new access token and keeps the refresh token', async () => {
    const grant = await refresh(issue());
    expect(grant.refreshToken).toBeUndefined();
    expect(grant.identity?.email).toBe(ADA);
    expect(await authorization().identify(grant.accessToken)).toEqual({
      providerAccountId: null,
      email: ADA,
      isEmailVerified: false,
    });
  });

  test('a revoked grant is dead, a wrong client is not', async () => {
    const token = issue();
    const wrong = { ...CLIENT, clientSecret: 'wrong' };
    expect(await failureOf(refresh(token, wrong))).toMatchObject({ reason: 'operator' });
    harness.sandbox.google.controls['revokeGrant']?.({ email: ADA });
    expect(await failureOf(refresh(token))).toMatchObject({ reason: 'invalid-grant' });
    expect(await failureOf(refresh('rubbish'))).toMatchObject({ reason: 'invalid-grant' });
  });

  test.each([
    'admin_policy_enforced',
    'policy_enforced',
  ])('%s, by which a policy forbids the app, is a dead grant', async (error) => {
    const body = { error, error_description: 'Access to your account data is restricted by policies' };
    harness.sandbox.faults.arm({ provider: 'google', path: '/token', kind: 'answer', status: 400, body, times: 2 });
    expect(await failureOf(refresh(issue()))).toMatchObject({ reason: 'invalid-grant', status: 400 });
    expect(await failureOf(exchange({ code: 'any' }))).toMatchObject({ reason: 'invalid-grant', status: 400 });
  });

  test('an outage is repeated, and expires nobody', async () => {
    const fault = {
      provider: 'google',
      path: '/token',
      kind: 'answer',
      status: 503,
      body: '<html>busy</html>',
    } as const;
    harness.sandbox.faults.arm({ ...fault, times: 2 });
    expect((await refresh(issue())).accessToken).not.toBe('');
    harness.sandbox.faults.arm(fault);
    expect(await failureOf(refresh(issue()))).toMatchObject({ reason: 'unavailable', status: 503 });
  });

  test('one that has ended has let go of the caller’s signal, which may live as long as the process', async () => {
    const given: (AbortSignal | null | undefined)[] = [];
    const noting: typeof fetch = (input, init) => {
      given.push(init?.signal);
      return fetch(input, init);
    };
    const { authorization } = google({ ...googleEndpoints(harness.root), fetch: noting });
    const life = new AbortController();
    await authorization.refresh({ client: CLIENT, refreshToken: issue(), signal: life.signal });
    life.abort();
    expect(given[0]?.aborted).toBe(false);
  });

  test('a long Retry-After is handed on', async () => {
    harness.sandbox.faults.arm({
      provider: 'google',
      path: '/token',
      kind: 'answer',
      status: 429,
      headers: { 'retry-after': '120' },
    });
    expect(await failureOf(refresh(issue()))).toMatchObject({ reason: 'rate-limited', retryAfterMs: 120_000 });
  });

  test('an answer without the documented shape', async () => {
    harness.sandbox.faults.arm({ provider: 'google', path: '/token', kind: 'answer', status: 200, body: { ok: 1 } });
    expect(await failureOf(refresh(issue()))).toMatchObject({ reason: 'malformed' });
  });
});

describe('revoke and identify', () => {
  test('kills the grant, and resolves when it is dead already', async () => {
    const refreshToken = harness.sandbox.google.issueRefreshToken({ email: ADA, clientId: CLIENT.clientId });
    await authorization().revoke({ client: CLIENT, refreshToken });
    expect(await failureOf(authorization().refresh({ client: CLIENT, refreshToken }))).toMatchObject({
      reason: 'invalid-grant',
    });
    await authorization().revoke({ client: CLIENT, refreshToken });
  });

  test('a bad access token is unauthorized', async () => {
    expect(await failureOf(authorization().identify('rubbish'))).toMatchObject({ reason: 'unauthorized' });
  });
});
