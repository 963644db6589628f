import { createHash } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { CLIENT, createHarness, createPerson, type Harness, ROOT, START } from './harness.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SCOPE = 'openid profile email offline_access Calendars.ReadWrite';
const client = { client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret };

let harness: Harness;

beforeEach(() => {
  harness = createHarness();
});

function authorizePath(more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({
    client_id: CLIENT.clientId,
    redirect_uri: CLIENT.redirectUris[0]!,
    response_type: 'code',
    scope: SCOPE,
    state: 'st&1',
    ...more,
  });
  return `/common/oauth2/v2.0/authorize?${query}`;
}

/** Sends the page's form; where the browser is sent then. */
async function decide(path: string, form: Readonly<Record<string, string>>): Promise<URL> {
  const response = await harness.raw(path, { method: 'POST', body: new URLSearchParams(form) });
  expect(response.status).toBe(302);
  return new URL(response.headers.get('location')!);
}

async function consent(more: Readonly<Record<string, string>> = {}): Promise<string> {
  const url = await decide(authorizePath(more), { mailbox: 'ada@contoso.test', decision: 'allow' });
  return url.searchParams.get('code')!;
}

const redeem = (code: string, more: Readonly<Record<string, string>> = {}) =>
  harness.token({
    ...client,
    grant_type: 'authorization_code',
    code,
    redirect_uri: CLIENT.redirectUris[0]!,
    ...more,
  });

const refresh = (token: string, more: Readonly<Record<string, string>> = {}) =>
  harness.token({ ...client, grant_type: 'refresh_token', refresh_token: token, ...more });

const issue = (email = 'ada@contoso.test'): string =>
  harness.server.issueRefreshToken({ email, clientId: CLIENT.clientId });

describe('authorize', () => {
  test('shows the mailboxes with the hinted one chosen', async () => {
    const response = await harness.raw(authorizePath({ login_hint: 'BEN@contoso.test' }));
    const html = await response.text();
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(html).toContain('value="ada@contoso.test">');
    expect(html).toContain('value="ben@contoso.test" checked>');
    expect(html).toContain(`action="${ROOT}/common/oauth2/v2.0/authorize?`);
  });

  test('allow sends a code and the state back, deny an error', async () => {
    const allowed = await decide(authorizePath(), { mailbox: 'ada@contoso.test', decision: 'allow' });
    expect(allowed.href.startsWith(CLIENT.redirectUris[0]!)).toBe(true);
    expect(allowed.searchParams.get('state')).toBe('st&1');
    const denied = await decide(authorizePath(), { mailbox: 'ada@contoso.test', decision: 'deny' });
    expect(denied.searchParams.get('error')).toBe('access_denied');
    expect(denied.searchParams.get('state')).toBe('st&1');
  });

  test('an unknown client or redirect address gets a page, never a redirect', async () => {
    for (const [name, value] of [
      ['redirect_uri', 'http://evil.test/'],
      ['client_id', 'nobody'],
    ] as const) {
      const response = await harness.raw(authorizePath({ [name]: value }));
      expect(response.status).toBe(400);
      expect(await response.text()).toMatch(/AADSTS(50011|700016)/);
    }
  });

  test.each([
    [{}, 'login_required'],
    [{ login_hint: 'nobody@contoso.test' }, 'login_required'],
    [{ login_hint: 'ada@contoso.test' }, 'consent_required'],
  ])('prompt=none without a session or consent redirects with an error: %j', async (more, error) => {
    const response = await harness.raw(authorizePath({ prompt: 'none', ...more }));
    expect(response.status).toBe(302);
    expect(new URL(response.headers.get('location')!).searchParams.get('error')).toBe(error);
  });

  test('prompt=none succeeds for a hinted person who consented', async () => {
    await consent();
    const response = await harness.raw(authorizePath({ prompt: 'none', login_hint: 'ada@contoso.test' }));
    expect(new URL(response.headers.get('location')!).searchParams.get('code')).toBeTruthy();
  });

  test('consent, login and select_account show the page even then', async () => {
    await consent();
    for (const prompt of ['consent', 'login', 'select_account']) {
      expect((await harness.raw(authorizePath({ prompt, login_hint: 'ada@contoso.test' }))).status).toBe(200);
    }
  });

  test('other response types, challenge methods and prompts come back as errors', async () => {
    const errorOf = async (more: Readonly<Record<string, string>>) =>
      new URL((await harness.raw(authorizePath(more))).headers.get('location')!).searchParams.get('error');
    expect(await errorOf({ response_type: 'token' })).toBe('unsupported_response_type');
    expect(await errorOf({ code_challenge: 'x', code_challenge_method: 'plain' })).toBe('invalid_request');
    expect(await errorOf({ prompt: 'please' })).toBe('invalid_request');
    expect(await errorOf({ scope: '' })).toBe('invalid_request');
  });

  test('an unknown tenant is refused', async () => {
    const response = await harness.raw(authorizePath().replace('common', '11111111-2222-4333-8444-555555555555'));
    expect(await response.text()).toContain('AADSTS90002');
  });
});

describe('code exchange', () => {
  test('gives tokens whose id_token verifies against the published keys and names the tenant', async () => {
    const { status, body } = await redeem(await consent({ nonce: 'n-1' }));
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expect(body.refresh_token).toBeTruthy();
    expect(body.scope.split(' ')).not.toContain('offline_access');
    const keys = (await (await harness.raw('/common/discovery/v2.0/keys')).json()) as JSONWebKeySet;
    const { payload } = await jwtVerify(body.id_token, createLocalJWKSet(keys), {
      audience: CLIENT.clientId,
      currentDate: new Date(START),
    });
    expect(payload.iss).toBe(`${ROOT}/${payload['tid']}/v2.0`);
    expect(payload).toMatchObject({ nonce: 'n-1', email: 'ada@contoso.test', preferred_username: 'ada@contoso.test' });
    expect(payload['oid']).toMatch(/^[0-9a-f-]{36}$/);
    expect(payload.sub).not.toBe(payload['oid']);
  });

  test('tenants follow the mail domain', async () => {
    const tid = async (email: string) =>
      JSON.parse(Buffer.from((await refresh(issue(email))).body.id_token.split('.')[1], 'base64url').toString()).tid;
    expect(await tid('ada@contoso.test')).toBe(await tid('ben@contoso.test'));
    expect(await tid('cleo@fabrikam.test')).not.toBe(await tid('ada@contoso.test'));
  });

  test('a code works once, for ten minutes, at its own address', async () => {
    const used = await consent();
    await redeem(used);
    expect((await redeem(used)).body).toMatchObject({ error: 'invalid_grant', error_codes: [54005] });
    const elsewhere = await redeem(await consent(), { redirect_uri: 'http://other.test/' });
    expect(elsewhere.body.error).toBe('invalid_grant');
    const late = await consent();
    harness.kernel.clock.advance(11 * 60_000);
    expect((await redeem(late)).body.error_codes).toEqual([70008]);
  });

  test('PKCE: only the verifier of the challenge redeems the code', async () => {
    const verifier = 'v'.repeat(43);
    const challenge = {
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    expect((await redeem(await consent(challenge), { code_verifier: 'w'.repeat(43) })).body.error_codes).toEqual([
      501481,
    ]);
    expect((await redeem(await consent(challenge))).body.error_codes).toEqual([501481]);
    expect((await redeem(await consent(challenge), { code_verifier: verifier })).status).toBe(200);
  });

  test('discovery names the endpoints and the issuer template', async () => {
    const document = await (await harness.raw('/common/v2.0/.well-known/openid-configuration')).json();
    expect(document).toMatchObject({
      issuer: `${ROOT}/{tenantid}/v2.0`,
      token_endpoint: `${ROOT}/common/oauth2/v2.0/token`,
      jwks_uri: `${ROOT}/common/discovery/v2.0/keys`,
    });
  });
});

describe('client authentication', () => {
  test('Basic works as well as the body', async () => {
    const response = await harness.raw('/common/oauth2/v2.0/token', {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${CLIENT.clientId}:${CLIENT.clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: issue() }),
    });
    expect(response.status).toBe(200);
  });

  test.each([
    [{ client_secret: 'wrong' }, 401, 'invalid_client', 7000215],
    [{ client_secret: '' }, 401, 'invalid_client', 7000218],
    [{ client_id: 'nobody' }, 400, 'unauthorized_client', 700016],
    [{ grant_type: 'password' }, 400, 'unsupported_grant_type', 70003],
  ])('%j is refused', async (more, status, error, code) => {
    const answer = await refresh(issue(), more);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ error, error_codes: [code] });
    expect(answer.body.error_description).toContain(`AADSTS${code}`);
  });
});

describe('refresh', () => {
  test('each refresh gives a new token; the old one works for a while, then no more', async () => {
    const first = issue();
    const { body } = await refresh(first);
    expect(body.refresh_token).not.toBe(first);
    expect((await refresh(first)).status).toBe(200);
    harness.kernel.clock.advance(DAY_MS + 1);
    expect((await refresh(first)).body).toMatchObject({ error: 'invalid_grant', error_codes: [70000] });
    expect((await refresh(body.refresh_token)).status).toBe(200);
  });

  test('ninety days without use end it', async () => {
    const token = issue();
    harness.kernel.clock.advance(91 * DAY_MS);
    expect((await refresh(token)).body.error_codes).toEqual([700082]);
  });

  test('a revoked grant ends refreshes at once and access tokens when they expire', async () => {
    const ada = await harness.person('ada@contoso.test');
    const token = issue();
    expect(harness.control('revokeGrant', { email: 'ada@contoso.test' })).toEqual({ revoked: 2 });
    expect((await refresh(token)).body).toMatchObject({ error: 'invalid_grant', error_codes: [50173] });
    expect((await ada.get('/me')).status).toBe(200);
    expect((await refresh(issue())).status).toBe(200);
  });

  test('narrower scopes are granted, unconsented ones refused', async () => {
    const token = harness.server.issueRefreshToken({
      email: 'ada@contoso.test',
      clientId: CLIENT.clientId,
      scopes: ['offline_access', 'Calendars.Read'],
    });
    const { body } = await refresh(token, { scope: 'https://graph.microsoft.com/Calendars.Read' });
    expect(body.scope).toBe('Calendars.Read');
    expect(body.refresh_token).toBeTruthy();
    expect(body).not.toHaveProperty('id_token');
    expect((await refresh(token, { scope: 'Calendars.ReadWrite' })).body.error_codes).toEqual([65001]);
    const reader = createPerson(harness.raw, 'ada@contoso.test', body.access_token);
    expect((await reader.get('/me/calendars')).status).toBe(200);
    expect((await reader.call('POST', '/me/events', {})).body.error.code).toBe('ErrorAccessDenied');
    expect((await reader.get('/me/mailboxSettings')).status).toBe(403);
  });

  test('a personal account is not granted shared calendars, and is refused an empty scope', async () => {
    const email = 'grace@outlook.test';
    harness.server.addMailbox({ email, name: 'Grace', timeZone: 'Europe/Rome' });
    const token = harness.server.issueRefreshToken({ email, clientId: CLIENT.clientId });
    expect((await refresh(token, { scope: '' })).body).toMatchObject({ error: 'invalid_scope', error_codes: [70011] });
    const scope = 'openid Calendars.ReadWrite';
    const { body } = await refresh(token, { scope: `${scope} Calendars.ReadWrite.Shared` });
    expect(body).toMatchObject({ error: 'invalid_grant', error_codes: [70000] });
    expect((await refresh(token, { scope })).body.scope).toBe(scope);
  });

  test.each([
    [50173, 400, 'invalid_grant'],
    [700082, 400, 'invalid_grant'],
    [70000, 400, 'invalid_grant'],
    [50076, 400, 'interaction_required'],
    [65001, 400, 'invalid_grant'],
    [7000222, 401, 'invalid_client'],
    [500011, 400, 'invalid_resource'],
  ])('a planned AADSTS%i comes once', async (code, status, error) => {
    const token = issue();
    harness.control('setInvalidGrantCode', { email: 'ada@contoso.test', code });
    const answer = await refresh(token);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ error, error_codes: [code] });
    expect((await refresh(token)).status).toBe(200);
  });

  test('an unknown token is an invalid grant', async () => {
    expect((await refresh('nonsense')).body).toMatchObject({ error: 'invalid_grant', error_codes: [70000] });
  });
});

describe('access tokens', () => {
  test('live one hour by the sandbox’s clock', async () => {
    const ada = await harness.person('ada@contoso.test');
    harness.kernel.clock.advance(HOUR_MS - 1);
    expect((await ada.get('/me')).status).toBe(200);
    harness.kernel.clock.advance(1);
    const expired = await ada.get('/me');
    expect(expired.status).toBe(401);
    expect(expired.body.error).toMatchObject({ code: 'InvalidAuthenticationToken' });
    expect(expired.body.error.innerError).toHaveProperty('request-id');
    expect(expired.headers.get('www-authenticate')).toContain('Bearer');
  });

  test('end early through the control', async () => {
    const ada = await harness.person('ada@contoso.test');
    const ben = await harness.person('ben@contoso.test');
    expect(harness.control('expireAccessTokens', { email: 'ada@contoso.test' })).toEqual({ expired: 1 });
    expect((await ada.get('/me')).status).toBe(401);
    expect((await ben.get('/me')).status).toBe(200);
  });

  test('are required', async () => {
    expect((await harness.raw('/v1.0/me')).status).toBe(401);
    expect((await harness.raw('/v1.0/me', { headers: { authorization: 'Bearer nope' } })).status).toBe(401);
  });
});
