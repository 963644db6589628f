import { encoded, items } from './api.ts';
import { walkAuthorization } from './browser.ts';
import { TourFailure } from './narrator.ts';
import type { Scene } from './scene.ts';

/**
 * Connects a colleague's mailbox in both ways, reads the account and deletes it; then connects the scene's own mailbox, if it
 * is not connected. Resolves with the id of the latter account.
 */
export async function accountsChapter(scene: Scene): Promise<string> {
  const { narrator, providerType } = scene;
  const colleague = await colleagueOf(scene);
  narrator.chapter(`${providerType}: connect ${colleague}`);
  await connectInBrowser(scene, colleague);
  await connectByToken(scene, colleague);

  narrator.chapter(`${providerType}: connect ${scene.email}`);
  const own = await connect(scene, scene.email);
  narrator.check(own.status === 201 || own.status === 200, 'POST connects it, or finds it connected', own.body);
  return String(own.body.id);
}

async function connectInBrowser(scene: Scene, email: string): Promise<void> {
  const { api, narrator, connection, providerType } = scene;
  const landing = `${new URL(connection.baseUrl).origin}/connected`;
  const authorize = `${connection.baseUrl}/v1/oauth/authorize/${connection.applicationId}/${providerType.toLowerCase()}`;
  const query = new URLSearchParams({ loginHint: email, state: 'dG91cg==', prompt: 'consent', externalId: 'tour' });
  const flow = await walkAuthorization(`${authorize}?${query}`, landing, email);
  const shown = Object.fromEntries(flow.parameters);
  const accountId = flow.parameters.get('endUserAccountId');
  narrator.check(accountId !== null, 'the browser flow comes back with endUserAccountId', shown);
  narrator.check(flow.parameters.get('state') === 'dG91cg==', 'and with the state unchanged', shown);

  const account = await api.expect('GET', `/v1/endUserAccounts/${accountId}`, undefined, 200);
  narrator.check(
    account.email === email &&
      account.status === 'ACTIVE' &&
      account.externalId === 'tour' &&
      account.providerType === providerType,
    'the account is there: ACTIVE, with its e-mail and externalId',
    account,
  );
  const deleted = await api.expect('DELETE', `/v1/endUserAccounts/${accountId}`, undefined, 200);
  narrator.check(deleted.ok === true && typeof deleted.message === 'string', 'DELETE removes it', deleted);
  const gone = await api.call('GET', `/v1/endUserAccounts/${accountId}`);
  narrator.check(gone.status === 404 && gone.body.code === 'NotFound', 'and then it is NotFound', gone.body);
}

async function connectByToken(scene: Scene, email: string): Promise<void> {
  const { api, narrator } = scene;
  const created = await connect(scene, email, 'tour');
  const accountId = String(created.body.id);
  narrator.check(created.status === 201, 'POST with a refresh token creates the account (201)', created.body);
  const again = await connect(scene, email);
  narrator.check(
    again.status === 200 && again.body.id === accountId,
    'the same once more updates it (200, same id)',
    again.body,
  );
  narrator.check(again.body.externalId === 'tour', 'an absent externalId is kept', again.body);

  const search = `/v1/endUserAccounts?search=${encoded(email.toUpperCase())}&statusFilter=active`;
  const found = items(await api.expect('GET', search));
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
  narrator.check(credentials.headers.get('cache-control') === 'no-store', 'and no cache may store them');
  await api.expect('DELETE', `/v1/endUserAccounts/${accountId}`, undefined, 200);
}

async function connect({ api, connection, provider, providerType }: Scene, email: string, externalId?: string) {
  const { refreshToken } = await control<{ readonly refreshToken: string }>(
    `${connection.sandboxUrl}/_sandbox/${provider}/refresh-tokens`,
    { email, clientId: 'kalends-dev' },
  );
  const body = { email, providerType, refreshToken, ...(externalId === undefined ? {} : { externalId }) };
  return api.call('POST', '/v1/endUserAccounts', { body });
}

/** Finds another mailbox of the sandbox: deleting its account revokes its grant, but not that of the user's own mailbox. */
async function colleagueOf({ connection, provider, email }: Scene): Promise<string> {
  const { mailboxes } = await control<{ readonly mailboxes: readonly string[] }>(
    `${connection.sandboxUrl}/_sandbox/${provider}/mailboxes`,
  );
  const colleague = mailboxes.find((mailbox) => mailbox !== email);
  if (colleague === undefined) throw new TourFailure('the sandbox has only one mailbox', mailboxes);
  return colleague;
}

async function control<Answer>(url: string, body?: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new TourFailure(`${url} answered ${response.status}`, text.slice(0, 500));
  return JSON.parse(text) as Answer;
}
