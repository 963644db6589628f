// The engine of this process, and the application that its accounts belong to.
import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';

const { CLIENT_ID = '', CLIENT_SECRET = '', KALENDS_SECRET = '', SANDBOX_URL } = process.env;
const { MICROSOFT_CLIENT_ID = '', MICROSOFT_CLIENT_SECRET = '' } = process.env;
const { SITE_URL = 'http://localhost:3000' } = process.env;

/** The page to which the browser comes back. */
export const redirectUrl = `${SITE_URL}/`;

export const engine = createEngine({
  storage: sqlite({ path: 'calendar.db' }),
  providers: {
    GOOGLE: google(SANDBOX_URL ? googleEndpoints(`${SANDBOX_URL}/google`) : {}),
    MICROSOFT: microsoft(SANDBOX_URL ? microsoftEndpoints(`${SANDBOX_URL}/microsoft`) : {}),
  },
  secret: KALENDS_SECRET,
  publicUrl: `${SITE_URL}/calendar`,
});
await engine.start();
const { data } = await engine.applications.list();
export const { id: applicationId } =
  data[0] ?? (await engine.applications.create({ name: 'Example', redirectUrls: [redirectUrl] }));

const clients = [
  { type: 'GOOGLE', label: 'Google', clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
  { type: 'MICROSOFT', label: 'Microsoft', clientId: MICROSOFT_CLIENT_ID, clientSecret: MICROSOFT_CLIENT_SECRET },
].filter(({ clientId }) => clientId !== '');
for (const { type, clientId, clientSecret } of clients) {
  await engine.oauthClients.set(applicationId, type, { clientId, clientSecret });
}

/** The attribute `providers` of the buttons. */
export const providers = clients.map(({ type, label }) => `${type}=${label}`).join(', ');

/**
 * Returns the mailbox of an account that this user has just connected, or undefined for an account of another user.
 * @param {string} accountId
 * @param {string} userId the `externalId` that the page has sent with the flow
 */
export async function mailboxOf(accountId, userId) {
  const caller = { applicationId };
  const { data: own } = await engine.accounts.list(caller, { search: userId });
  return own.find(({ id, externalId }) => id === accountId && externalId === userId)?.email;
}
