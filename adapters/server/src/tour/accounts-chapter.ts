import { encoded, items } from './api.ts';
import { walkAuthorization } from './browser.ts';
import type { Scene } from './scene.ts';

/** Connects the mailbox in both ways, looks at it, deletes it, connects it again. Resolves with its account id. */
export async function accountsChapter(scene: Scene): Promise<string> {
  const { api, narrator, connection, email, providerType } = scene;
  narrator.chapter(`${providerType}: connect ${email}`);

  const landing = `${new URL(connection.baseUrl).origin}/connected`;
  const authorize = `${connection.baseUrl}/v1/oauth/authorize/${connection.applicationId}/${providerType.toLowerCase()}`;
  const query = new URLSearchParams({ loginHint: email, state: 'dG91cg==', prompt: 'consent', externalId: 'tour' });
  const flow = await walkAuthorization(`${authorize}?${query}`, landing, email);
  const viaBrowser = flow.parameters.get('endUserAccountId');
  narrator.check(
    viaBrowser !== null,
    'the browser flow comes back with endUserAccountId',
    Object.fromEntries(flow.parameters),
  );
  narrator.check(
    flow.parameters.get('state') === 'dG91cg==',
    'and with the state unchanged',
    Object.fromEntries(flow.parameters),
  );
  const account = await api.expect('GET', `/v1/endUserAccounts/${viaBrowser}`, undefined, 200);
  narrator.check(
    account.email === email &&
      account.status === 'ACTIVE' &&
      account.externalId === 'tour' &&
      account.providerType === providerType,
    'the account is there: ACTIVE, with its e-mail and externalId',
    account,
  );

  const deleted = await api.expect('DELETE', `/v1/endUserAccounts/${viaBrowser}`, undefined, 200);
  narrator.check(deleted.ok === true && typeof deleted.message === 'string', 'DELETE removes it', deleted);
  const gone = await api.call('GET', `/v1/endUserAccounts/${viaBrowser}`);
  narrator.check(gone.status === 404 && gone.body.code === 'NotFound', 'and then it is NotFound', gone.body);

  const refreshToken = await freshRefreshToken(scene);
  const posted = await api.call('POST', '/v1/endUserAccounts', {
    body: { email, providerType, refreshToken, externalId: 'tour' },
  });
  narrator.check(posted.status === 201, 'POST with a refresh token creates the account (201)', posted.body);
  const accountId = String(posted.body.id);
  const again = await api.call('POST', '/v1/endUserAccounts', {
    body: { email, providerType, refreshToken: await freshRefreshToken(scene) },
  });
  narrator.check(
    again.status === 200 && again.body.id === accountId,
    'the same once more updates it (200, same id)',
    again.body,
  );
  narrator.check(again.body.externalId === 'tour', 'an absent externalId is kept', again.body);

  const found = items(
    await api.expect('GET', `/v1/endUserAccounts?search=${encoded(email.toUpperCase())}&statusFilter=active`),
  );
  narrator.check(
    found.length === 1 && found[0]?.id === accountId,
    'the list finds it by e-mail, whatever the case',
    found,
  );
  const credentials = await api.call('GET', `/v1/endUserAccounts/${accountId}/credentials`);
  narrator.check(
    credentials.body.endUserAccountId === accountId &&
      typeof credentials.body.accessToken === 'string' &&
      credentials.body.status === 'ACTIVE',
    'its credentials can be read',
    { ...credentials.body, accessToken: '…', refreshToken: '…' },
  );
  narrator.check(
    credentials.headers.get('cache-control') === 'no-store',
    'and are not to be stored by anybody on the way',
  );
  return accountId;
}

/** Deleting an account revokes its grant, so each connection takes a token of its own, from the sandbox. */
async function freshRefreshToken({ connection, provider, email }: Scene): Promise<string> {
  const response = await fetch(`${connection.sandboxUrl}/_sandbox/${provider}/refresh-tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, clientId: 'kalends-dev' }),
  });
  const { refreshToken } = (await response.json()) as { readonly refreshToken: string };
  return refreshToken;
}
