import { google } from '@kalends/google';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { CLIENT } from '../harness.ts';

test.each([
  [true, { providerAccountId: 'sub-1', email: 'claimed@corp.example' }],
  [false, undefined],
  [undefined, undefined],
])('believes the address of an id_token if email_verified is true: %s', async (verified, identity) => {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }];
  const idToken = await new SignJWT({ email: 'claimed@corp.example', email_verified: verified })
    .setProtectedHeader({ alg: 'RS256', kid: 'k' })
    .setIssuer('https://accounts.google.com')
    .setSubject('sub-1')
    .setAudience(CLIENT.clientId)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
  const answer = async (input: string | URL | Request): Promise<Response> => {
    const { url } = new Request(input);
    if (url.includes('certs')) return Response.json({ keys });
    if (url.includes('/calendars/primary')) return Response.json({ id: 'true@elsewhere.example' });
    return Response.json({ access_token: 'access', token_type: 'Bearer', expires_in: 3600, id_token: idToken });
  };
  const { authorization } = google({ fetch: answer });
  const grant = await authorization.refresh({ client: CLIENT, refreshToken: 'r' });
  expect(grant.identity).toEqual(identity);
  expect(grant.providerAccountId).toBe('sub-1');
  // The primary calendar of an unconfirmed account has the unconfirmed address.
  const answered = { providerAccountId: null, email: 'true@elsewhere.example', isEmailVerified: false };
  expect(await authorization.identify(grant.accessToken)).toEqual(answered);
});
