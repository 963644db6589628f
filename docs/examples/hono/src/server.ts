// A Hono application with calendars: the interface and its page under /calendar, beside routes of its own.
import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { createDocsPage, createHandler } from '@kalends/http';
import { Hono } from 'hono';
import { connected, connectUrl, engine } from './calendar.js';

const handlers = [createHandler(engine, { basePath: '/calendar' }), createDocsPage({ basePath: '/calendar' })];

const app = new Hono();
app.use('/calendar/*', (context, next) => {
  const handler = handlers.find(({ matches }) => matches(context.req.path));
  if (!handler) return next();
  return handler(context.req.raw, { remoteAddress: getConnInfo(context).remote.address });
});
app.get('/connect', (context) => context.redirect(connectUrl));
app.get('/calendar/connected', async (context) => {
  return context.json(await connected(new URL(context.req.url).searchParams));
});
const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
process.once('SIGTERM', () => server.close(() => engine.stop()));
