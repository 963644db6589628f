import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import { microsoft } from '../../src/index.ts';
import { CLIENT, REDIRECT } from '../harness.ts';

const LOGIN = 'https://login.test';
const TENANT = '11111111-2222-3333-4444-555555555555';
const OTHER_TENANT = '99999999-2222-3333-4444-555555555555';
const PERSON = '66666666-7777-8888-9999-000000000000';

const issuerOf = (tenant: string) => `${LOGIN}/${tenant}/v2.0`;

const CLAIMS = {
  iss: issuerOf(TENANT),
  aud: CLIENT.clientId,
  sub: 's',
  tid: TENANT,
  oid: PERSON,
  nonce: 'our-nonce',
};

const real = await generateKeyPair('RS256');
const forger = await generateKeyPair('RS256');

const now = () => Math.floor(Date.now() / 1000);

function sign(claims: JWTPayload, key = real.privateKey, header: object = {}): Promise<string> {
  return new SignJWT({ iat: now(), exp: now() + 3600, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'k', ...header })
    .sign(key);
}

/** Exchanges a code with a sign-in service that answers this id_token; the addresses that were asked. */
async function exchange(
  idToken: string | undefined,
  { issuer, tenant = 'common' }: { readonly issuer?: string; readonly tenant?: string } = {},
) {
  const keys = [{ ...(await exportJWK(real.publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }];
  const asked: string[] = [];
  const network = async (input: string | URL | Request): Promise<Response> => {
    const { url } = new Request(input);
    asked.push(url);
    if (url.endsWith('/keys')) return Response.json({ keys });
    const tokens = { access_token: 'a', refresh_token: 'r', token_type: 'Bearer', expires_in: 3600 };
    return Response.json({ ...tokens, id_token: idToken });
  };
  const provider = microsoft({ loginUrl: LOGIN, fetch: network, retry: { attempts: 1 } });
  const grant = provider.authorization.exchangeCode({
    client: { ...CLIENT, settings: { tenant } },
    redirectUri: REDIRECT,
    code: 'code',
    codeVerifier: 'v'.repeat(43),
    nonce: 'our-nonce',
    issuer,
  });
  return { asked, outcome: await grant.catch((error: unknown) => error) };
}

test('the honest token is believed, with and without the issuer in the redirect', async () => {
  const idToken = await sign(CLAIMS);
  const person = { providerAccountId: `${TENANT}.${PERSON}`, identity: undefined };
  expect((await exchange(idToken)).outcome).toMatchObject(person);
  expect((await exchange(idToken, { issuer: issuerOf(TENANT), tenant: TENANT })).outcome).toMatchObject(person);
});

const { nonce: _nonce, ...withoutNonce } = CLAIMS;

test.each<[string, string, () => Promise<string | undefined>]>([
  ['no id_token', 'malformed', async () => undefined],
  ['no signature', 'malformed', async () => new UnsecuredJWT({ ...CLAIMS, iat: now(), exp: now() + 3600 }).encode()],
  [
    'the public key as an HMAC secret',
    'malformed',
    async () =>
      new SignJWT({ ...CLAIMS, iat: now(), exp: now() + 3600 })
        .setProtectedHeader({ alg: 'HS256', kid: 'k' })
        .sign(new TextEncoder().encode(await exportSPKI(real.publicKey))),
  ],
  ["a forger's key under the real key's id", 'malformed', () => sign(CLAIMS, forger.privateKey)],
  [
    'a key that the token itself brings',
    'malformed',
    async () => sign(CLAIMS, forger.privateKey, { jwk: await exportJWK(forger.publicKey) }),
  ],
  [
    'a key at an address that the token names',
    'malformed',
    () => sign(CLAIMS, forger.privateKey, { jku: 'https://evil.example/keys' }),
  ],
  ['the audience of another client', 'malformed', () => sign({ ...CLAIMS, aud: 'other-client' })],
  ['the issuer of another tenant than its own', 'malformed', () => sign({ ...CLAIMS, iss: issuerOf(OTHER_TENANT) })],
  ['another server as issuer', 'malformed', () => sign({ ...CLAIMS, iss: `https://evil.test/${TENANT}/v2.0` })],
  ['a tenant that is no tenant id', 'malformed', () => sign({ ...CLAIMS, tid: 'common', iss: issuerOf('common') })],
  ['an empty name of the person', 'malformed', () => sign({ ...CLAIMS, oid: '' })],
  ['a time long past', 'malformed', () => sign({ ...CLAIMS, iat: now() - 7200, exp: now() - 3600 })],
  ['no end', 'malformed', () => sign({ ...CLAIMS, exp: undefined })],
  ['the nonce of another flow', 'invalid-grant', () => sign({ ...CLAIMS, nonce: 'another-nonce' })],
  ['no nonce', 'invalid-grant', () => sign(withoutNonce)],
])('an id_token with %s is refused as %s', async (_name, reason, forge) => {
  const { outcome, asked } = await exchange(await forge());
  expect(outcome).toMatchObject({ name: 'ProviderError', reason });
  expect(asked.filter((url) => !url.startsWith(`${LOGIN}/common/`))).toEqual([]);
});

test('a tenant that the client is not made for gets no account', async () => {
  const { outcome } = await exchange(await sign(CLAIMS), { tenant: OTHER_TENANT });
  expect(outcome).toMatchObject({ name: 'ProviderError', reason: 'operator' });
});

test.each([
  'https://login.evil.example',
  `${LOGIN}.evil.example/${TENANT}/v2.0`,
  `${LOGIN}/common/v2.0`,
  `${LOGIN}/${TENANT}/v2.0/`,
  LOGIN,
])('the code of a redirect from %s is not sent to Microsoft', async (issuer) => {
  const { outcome, asked } = await exchange(await sign(CLAIMS), { issuer });
  expect(outcome).toMatchObject({ name: 'ProviderError', reason: 'malformed' });
  expect(asked).toEqual([]);
});
