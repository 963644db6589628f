import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { CLIENT, createHarness, REDIRECT, START } from '../harness.ts';
import { localGraph } from '../local-graph.ts';

const TENANT = '11111111-2222-3333-4444-555555555555';
const PERSON = '66666666-7777-8888-9999-000000000000';

test("names the mailbox that Graph names, whatever the id_token's address claims say", async () => {
  const harness = await createHarness();
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }];
  const claimed = 'victim@corp.example';
  const server = await localGraph(async ({ url }) => {
    if (url.includes('/keys')) return { status: 200, body: { keys } };
    if (url.includes('/me')) {
      return { status: 200, body: { mail: null, userPrincipalName: 'stranger@elsewhere.example' } };
    }
    const claims = { tid: TENANT, oid: PERSON, nonce: 'nonce-1', email: claimed, preferred_username: claimed };
    const token = new SignJWT({ ...claims, upn: claimed })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .setIssuer(`${server.url}/${TENANT}/v2.0`)
      .setSubject('s')
      .setAudience(CLIENT.clientId)
      .setIssuedAt(START / 1000)
      .setExpirationTime(START / 1000 + 3600);
    const tokens = { access_token: 'access', refresh_token: 'r', token_type: 'Bearer', expires_in: 3600 };
    return { status: 200, body: { ...tokens, id_token: await token.sign(privateKey) } };
  });
  const { authorization } = harness.providerWith({ loginUrl: server.url, graphUrl: server.url });
  const grant = await authorization.exchangeCode({
    client: CLIENT,
    redirectUri: REDIRECT,
    code: 'c',
    codeVerifier: 'v'.repeat(43),
    nonce: 'nonce-1',
  });
  expect(grant.identity).toBeUndefined();
  expect(grant.providerAccountId).toBe(`${TENANT}.${PERSON}`);
  expect(await authorization.identify(grant.accessToken)).toEqual({
    providerAccountId: null,
    email: 'stranger@elsewhere.example',
  });
  await server.close();
  await harness.close();
});

test.each([
  ['ada@corp.example', 'ada@corp.example', null, 'ada@corp.example'],
  ['ada@corp.example', 'a.l@corp.example', 'Ada@corp.example', 'ada@corp.example', ['a.l@corp.example']],
  ['victim@corp.example', 'stranger@elsewhere.example', 'stranger@elsewhere.example', 'stranger@elsewhere.example'],
  ['victim@corp.example', 'stranger@elsewhere.example', null, 'stranger@elsewhere.example'],
])('believes mail %s of %s with the mailbox %s as %s', async (mail, userPrincipalName, mailbox, email, otherAddresses?: readonly string[]) => {
  const harness = await createHarness();
  const server = await localGraph(async ({ url }) =>
    url.includes('/me/calendar')
      ? { status: 200, body: { id: 'c', owner: { address: mailbox } } }
      : { status: 200, body: { mail, userPrincipalName } },
  );
  const { authorization } = harness.providerWith({ graphUrl: server.url });
  expect(await authorization.identify('access')).toEqual({ providerAccountId: null, email, otherAddresses });
  await server.close();
  await harness.close();
});
