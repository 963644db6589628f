import { google } from '@kalends/google';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import { CLIENT, REDIRECT_URI } from '../harness.ts';

const CLAIMS = {
  iss: 'https://accounts.google.com',
  aud: CLIENT.clientId,
  sub: 'victim',
  email: 'victim@corp.example',
  email_verified: true,
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

/** Exchanges a code with a Google that answers this id_token; the paths that were asked. */
async function exchange(idToken: string | undefined, issuer?: string) {
  const keys = [{ ...(await exportJWK(real.publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }];
  const asked: string[] = [];
  const network = async (input: string | URL | Request): Promise<Response> => {
    const { url } = new Request(input);
    asked.push(new URL(url).pathname);
    if (url.includes('certs')) return Response.json({ keys });
    return Response.json({ access_token: 'a', refresh_token: 'r', token_type: 'Bearer', id_token: idToken });
  };
  const grant = google({ fetch: network, retry: { attempts: 1 } }).authorization.exchangeCode({
    client: CLIENT,
    redirectUri: REDIRECT_URI,
    code: 'code',
    codeVerifier: 'v'.repeat(43),
    nonce: 'our-nonce',
    issuer,
  });
  return { asked, outcome: await grant.catch((error: unknown) => error) };
}

test('the honest token is believed, with and without the issuer in the redirect', async () => {
  const identity = { providerAccountId: 'victim', email: 'victim@corp.example' };
  const idToken = await sign(CLAIMS);
  expect((await exchange(idToken)).outcome).toMatchObject({ identity });
  expect((await exchange(idToken, 'https://accounts.google.com')).outcome).toMatchObject({ identity });
});

test('an id_token may name the issuer without its scheme, as Google documents', async () => {
  const bare = await sign({ ...CLAIMS, iss: 'accounts.google.com' });
  const { outcome } = await exchange(bare, 'https://accounts.google.com');
  expect(outcome).toMatchObject({ identity: { providerAccountId: 'victim', email: 'victim@corp.example' } });
  const forged = await exchange(await sign({ ...CLAIMS, iss: 'accounts.google.com' }, forger.privateKey));
  expect(forged.outcome).toMatchObject({ name: 'ProviderError', reason: 'malformed' });
});

const { nonce: _nonce, ...withoutNonce } = CLAIMS;

test.each<[string, () => Promise<string | undefined>]>([
  ['no id_token', async () => undefined],
  ['no signature', async () => new UnsecuredJWT({ ...CLAIMS, iat: now(), exp: now() + 3600 }).encode()],
  [
    'the public key as an HMAC secret',
    async () =>
      new SignJWT({ ...CLAIMS, iat: now(), exp: now() + 3600 })
        .setProtectedHeader({ alg: 'HS256', kid: 'k' })
        .sign(new TextEncoder().encode(await exportSPKI(real.publicKey))),
  ],
  ["a forger's key under the real key's id", () => sign(CLAIMS, forger.privateKey)],
  [
    'a key that the token itself brings',
    async () => sign(CLAIMS, forger.privateKey, { jwk: await exportJWK(forger.publicKey) }),
  ],
  [
    'a key at an address that the token names',
    () => sign(CLAIMS, forger.privateKey, { jku: 'https://evil.example/certs' }),
  ],
  ['the audience of another client', () => sign({ ...CLAIMS, aud: 'other-client' })],
  ['another issuer', () => sign({ ...CLAIMS, iss: 'https://accounts.google.com.evil.example' })],
  ['another bare issuer', () => sign({ ...CLAIMS, iss: 'accounts.google.com.evil.example' })],
  ['the issuer under another scheme', () => sign({ ...CLAIMS, iss: 'http://accounts.google.com' })],
  ['a time long past', () => sign({ ...CLAIMS, iat: now() - 7200, exp: now() - 3600 })],
  ['the nonce of another flow', () => sign({ ...CLAIMS, nonce: 'another-nonce' })],
  ['no nonce', () => sign(withoutNonce)],
])('an id_token with %s is refused', async (_name, forge) => {
  const { outcome, asked } = await exchange(await forge());
  expect(outcome).toMatchObject({ name: 'ProviderError', reason: 'malformed' });
  expect(asked.filter((path) => !['/token', '/oauth2/v3/certs'].includes(path))).toEqual([]);
});

test.each([
  'https://login.evil.example',
  'accounts.google.com',
  'https://accounts.google.com/',
  'https://accounts.google.com.evil.example',
])('the code of a redirect from %s is not sent to Google', async (issuer) => {
  const { outcome, asked } = await exchange(await sign(CLAIMS), issuer);
  expect(outcome).toMatchObject({ name: 'ProviderError', reason: 'malformed' });
  expect(asked).toEqual([]);
});
