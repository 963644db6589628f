// An Express application with calendars: the interface and its page under /calendar, beside routes of its own.
import { google, googleEndpoints } from '@kalends/google';
import { createDocsPage, createHandler } from '@kalends/http';
import { expressMiddleware } from '@kalends/http/express';
import { sqlite } from '@kalends/sqlite';
import express from 'express';
import { createEngine } from 'kalends';

const { CLIENT_ID = '', CLIENT_SECRET = '', KALENDS_SECRET = '', PORT = '3000', SANDBOX_URL } = process.env;
const { CALENDAR_URL = `http://localhost:${PORT}/calendar` } = process.env;
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

const app = express();
// Before express.json(), so that the interface answers bodies of any size and shape.
app.use('/calendar', expressMiddleware(createHandler(engine)), expressMiddleware(createDocsPage()));
app.get('/connect', (_request, response) => response.redirect(`${CALENDAR_URL}/v1/oauth/authorize/${id}/google`));
app.get('/calendar/connected', async ({ query }, response) => {
  if (query.error) return response.json({ error: query.error });
  const calendars = await engine.calendars.list({ applicationId: id }, String(query.endUserAccountId), {});
  response.json({ calendars: calendars.data.map(({ name }) => name) });
});
const server = app.listen(PORT);
process.once('SIGTERM', () => server.close(() => engine.stop()));
