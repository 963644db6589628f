import { createHash } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { ADA, control, type Google, type Json, NOW, ORIGIN, startGoogle } from './harness.ts';

const REDIRECT = 'https://app.example/callback';
const CLIENT = { clientId: 'app-1', clientSecret: 'hush', redirectUris: [REDIRECT] };
const VERIFIER = 'a-verifier-that-is-long-enough-to-be-one-0123456789';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
let google: Google;

beforeEach(() => {
  google = startGoogle();
  google.sandbox.google.addClient(CLIENT);
});

const parameters = (extra: Record<string, string> = {}) => ({
  client_id: CLIENT.clientId,
  redirect_uri: REDIRECT,
  response_type: 'code',
  scope: 'openid email https://www.googleapis.com/auth/calendar',
  access_type: 'offline',
  state: 'st',
  nonce: 'no',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
  ...extra,
});

const authorizeUrl = (extra?: Record<string, string>) =>
  `${ORIGIN}/google/o/oauth2/v2/auth?${new URLSearchParams(parameters(extra))}`;

async function decide(fields: Record<string, string>, extra?: Record<string, string>): Promise<URL> {
  const response = await google.sandbox.fetch(
    new Request(`${ORIGIN}/google/o/oauth2/v2/auth`, {
      method: 'POST',
      body: new URLSearchParams({ ...parameters(extra), ...fields }),
    }),
  );
  expect(response.status).toBe(302);
  return new URL(response.headers.get('location') ?? '');
}

const allow = (extra?: Record<string, string>) => decide({ mailbox: ADA, decision: 'allow' }, extra);

async function post(path: string, form: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await google.sandbox.fetch(
    new Request(`${ORIGIN}/google${path}`, { method: 'POST', body: new URLSearchParams(form), headers }),
  );
  return { status: response.status, body: (await response.json()) as Json };
}

const exchange = (code: string, extra: Record<string, string> = {}) =>
  post('/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT,
    client_id: CLIENT.clientId,
    client_secret: CLIENT.clientSecret,
    code_verifier: VERIFIER,
    ...extra,
  });

const refresh = (refreshToken: string) =>
  post('/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: CLIENT.clientId,
    client_secret: CLIENT.clientSecret,
  });

describe('authorization', () => {
  test('the consent page offers the mailboxes, the hinted one chosen, and repeats the request', async () => {
    const response = await google.sandbox.fetch(new Request(authorizeUrl({ login_hint: 'charles@gmail.example' })));
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(page).toMatch(/value="charles@gmail.example" checked/);
    expect(page).toContain('name="state" value="st"');
    expect(page).toContain('https://www.googleapis.com/auth/userinfo.email');
  });

  test('a redirect URI that is not registered gets a page and no redirect', async () => {
    const response = await google.sandbox.fetch(new Request(authorizeUrl({ redirect_uri: 'https://evil.example/' })));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('redirect_uri_mismatch');
  });

  test('an unknown client gets 401', async () => {
    const response = await google.sandbox.fetch(new Request(authorizeUrl({ client_id: 'nobody' })));
    expect(response.status).toBe(401);
  });

  test('denial comes back as access_denied with the state', async () => {
    const target = await decide({ mailbox: ADA, decision: 'deny' });
    expect(target.searchParams.get('error')).toBe('access_denied');
    expect(target.searchParams.get('state')).toBe('st');
    // RFC 9207
    expect(target.searchParams.get('iss')).toMatch(/^https?:\/\/[^/]+/);
  });

  test('prompt=none: login_required without account, consent_required before consent, then a code', async () => {
    const silently = async (extra: Record<string, string>) => {
      const response = await google.sandbox.fetch(new Request(authorizeUrl({ prompt: 'none', ...extra })));
      return new URL(response.headers.get('location') ?? '').searchParams;
    };
    expect((await silently({})).get('error')).toBe('login_required');
    expect((await silently({ login_hint: ADA })).get('error')).toBe('consent_required');
    await allow();
    expect((await silently({ login_hint: ADA })).get('code')).toBeTypeOf('string');
  });

  test('unticked scopes are not granted', async () => {
    const target = await decide({ mailbox: ADA, decision: 'allow', granted_scope: 'openid' });
    const { body } = await exchange(target.searchParams.get('code') ?? '');
    expect(body.scope).toBe('openid');
  });
});

describe('token', () => {
  test('the code gives tokens and an id_token that verifies against the published keys', async () => {
    const target = await allow();
    const { status, body } = await exchange(target.searchParams.get('code') ?? '');
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3599 });
    expect(body.scope.split(' ')).toContain('https://www.googleapis.com/auth/userinfo.email');
    const keys = await google.sandbox.fetch(new Request(`${ORIGIN}/google/oauth2/v3/certs`));
    const { payload } = await jwtVerify(body.id_token, createLocalJWKSet((await keys.json()) as JSONWebKeySet), {
      issuer: `${ORIGIN}/google`,
      audience: CLIENT.clientId,
      currentDate: new Date(NOW),
    });
    expect(payload).toMatchObject({ email: ADA, email_verified: true, nonce: 'no' });
    expect(payload.sub).toMatch(/^\d{21}$/);
  });

  test('a code works once', async () => {
    const code = (await allow()).searchParams.get('code') ?? '';
    expect((await exchange(code)).status).toBe(200);
    expect((await exchange(code)).body.error).toBe('invalid_grant');
  });

  test.each([
    ['a wrong verifier', { code_verifier: 'x'.repeat(50) }, 400, 'invalid_grant'],
    ['another redirect URI', { redirect_uri: 'https://app.example/other' }, 400, 'redirect_uri_mismatch'],
    ['a wrong client secret', { client_secret: 'loud' }, 401, 'invalid_client'],
    ['an unknown grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ])('refuses %s', async (_name, extra, status, error) => {
    const code = (await allow()).searchParams.get('code') ?? '';
    const answer = await exchange(code, extra as unknown as Record<string, string>);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });

  test('a code dies after ten minutes', async () => {
    const code = (await allow()).searchParams.get('code') ?? '';
    google.advance(600_000);
    expect((await exchange(code)).body.error).toBe('invalid_grant');
  });

  test('takes the client from a Basic header', async () => {
    const code = (await allow()).searchParams.get('code') ?? '';
    const basic = Buffer.from(`${CLIENT.clientId}:${CLIENT.clientSecret}`).toString('base64');
    const answer = await post(
      '/token',
      { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: VERIFIER },
      { authorization: `Basic ${basic}` },
    );
    expect(answer.status).toBe(200);
  });

  test('a refresh token comes at the first consent only, and again with prompt=consent', async () => {
    const tokenOf = async (extra?: Record<string, string>) =>
      (await exchange((await allow(extra)).searchParams.get('code') ?? '')).body.refresh_token;
    expect(await tokenOf()).toBeTypeOf('string');
    expect(await tokenOf()).toBeUndefined();
    expect(await tokenOf({ prompt: 'consent' })).toBeTypeOf('string');
  });

  test('without access_type=offline there is no refresh token', async () => {
    const { body } = await exchange((await allow({ access_type: 'online' })).searchParams.get('code') ?? '');
    expect(body.refresh_token).toBeUndefined();
  });

  test('refreshing gives a new access token and no new refresh token', async () => {
    const token = google.sandbox.google.issueRefreshToken({ email: ADA, clientId: CLIENT.clientId });
    const { status, body } = await refresh(token);
    expect(status).toBe(200);
    expect(body.refresh_token).toBeUndefined();
    expect(body.access_token).toMatch(/^ya29\./);
  });

  test('the oldest of more than 100 refresh tokens is dropped', async () => {
    const tokens = Array.from({ length: 101 }, () =>
      google.sandbox.google.issueRefreshToken({ email: ADA, clientId: CLIENT.clientId }),
    );
    expect((await refresh(tokens[0] ?? '')).body.error).toBe('invalid_grant');
    expect((await refresh(tokens[1] ?? '')).status).toBe(200);
  });

  test('revoking either token kills the grant', async () => {
    const { body } = await exchange((await allow()).searchParams.get('code') ?? '');
    expect((await post('/revoke', { token: body.access_token })).status).toBe(200);
    expect(await refresh(body.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await post('/revoke', { token: body.refresh_token })).body.error).toBe('invalid_token');
  });

  test('the control revokes like the person would', async () => {
    const token = google.sandbox.google.issueRefreshToken({ email: ADA, clientId: CLIENT.clientId });
    expect(control(google.sandbox, 'revokeGrant', { email: ADA })).toEqual({ revoked: 1 });
    expect((await refresh(token)).body.error).toBe('invalid_grant');
  });
});

describe('bearer', () => {
  const get = (authorization: string) =>
    google.sandbox.fetch(
      new Request(`${ORIGIN}/google/calendar/v3/users/me/calendarList`, { headers: { authorization } }),
    );

  test('no, unknown and expired tokens get 401 with the body of the API', async () => {
    const response = await get('Bearer nonsense');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('invalid_token');
    expect(((await response.json()) as Json).error.errors[0].reason).toBe('authError');
    const token = await google.sandbox.accessToken({ provider: 'google', email: ADA });
    expect((await get(`Bearer ${token}`)).status).toBe(200);
    google.advance(3_600_000);
    expect((await get(`Bearer ${token}`)).status).toBe(401);
  });

  test('a scope that does not reach gets 403', async () => {
    const { accessToken } = control(google.sandbox, 'issueAccessToken', {
      email: ADA,
      scopes: ['https://www.googleapis.com/auth/calendar.readonly'],
    });
    const headers = { authorization: `Bearer ${accessToken}` };
    const call = (method: string) =>
      google.sandbox.fetch(new Request(`${ORIGIN}/google/calendar/v3/calendars/primary/events`, { method, headers }));
    expect((await call('GET')).status).toBe(200);
    const refused = await call('POST');
    expect(refused.status).toBe(403);
    expect(((await refused.json()) as Json).error.errors[0].reason).toBe('insufficientPermissions');
  });

  test('the rate limit per minute answers 403 rateLimitExceeded', async () => {
    control(google.sandbox, 'throttle', { perMinute: 2 });
    const statuses = [];
    for (let index = 0; index < 3; index += 1) statuses.push((await google.ada('GET', '/colors')).status);
    expect(statuses).toEqual([200, 200, 403]);
    google.advance(60_000);
    expect((await google.ada('GET', '/colors')).status).toBe(200);
  });
});
