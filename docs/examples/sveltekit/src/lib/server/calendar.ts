// The engine of this process, and the application that its accounts belong to.
import { google, googleEndpoints } from '@kalends/google';
import { createHandler } from '@kalends/http';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import { env } from '$env/dynamic/private';

async function startCalendar() {
  const { CLIENT_ID = '', CLIENT_SECRET = '', KALENDS_SECRET = '', SANDBOX_URL } = env;
  const { CALENDAR_URL = 'http://localhost:3000/calendar' } = env;
  const engine = createEngine({
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
  return {
    engine,
    handler: createHandler(engine, { basePath: '/calendar' }),
    caller: { applicationId: id },
    connectUrl: `${CALENDAR_URL}/v1/oauth/authorize/${id}/google`,
  };
}

// `vite dev` loads this module again at every change: the process keeps one engine.
const shared = globalThis as { calendar?: ReturnType<typeof startCalendar> };

/** Returns the engine; starts it at the first call, so that `vite build` needs neither secret nor database. */
export function calendar() {
  shared.calendar ??= startCalendar();
  return shared.calendar;
}
