// The engine of this process, and the application that its accounts belong to.
import { google, googleEndpoints } from '@kalends/google';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';

const { CLIENT_ID = '', CLIENT_SECRET = '', KALENDS_SECRET = '', PORT = '3000', SANDBOX_URL } = process.env;
const { CALENDAR_URL = `http://localhost:${PORT}/calendar` } = process.env;

export const engine = createEngine({
  storage: sqlite({ path: 'calendar.db' }),
  providers: { GOOGLE: google(SANDBOX_URL ? googleEndpoints(`${SANDBOX_URL}/google`) : {}) },
  secret: KALENDS_SECRET,
  publicUrl: CALENDAR_URL,
});
await engine.start();
const redirectUrls = [`${CALENDAR_URL}/connected`];
const { data } = await engine.applications.list();
const { id } = data[0] ?? (await engine.applications.create({ name: 'Example', redirectUrls }));
await engine.oauthClients.set(id, 'GOOGLE', { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET });

/** The address to send a person to who wants to connect a calendar. */
export const connectUrl = `${CALENDAR_URL}/v1/oauth/authorize/${id}/google`;

/** Returns the names of the calendars that were just connected, or why none was. */
export async function connected(query: URLSearchParams) {
  if (query.has('error')) return { error: query.get('error') };
  const calendars = await engine.calendars.list({ applicationId: id }, String(query.get('endUserAccountId')), {});
  return { calendars: calendars.data.map(({ name }) => name) };
}
