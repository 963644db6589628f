// A server on node:http with calendars: the interface and its page under /calendar, beside routes of its own.
import { createServer } from 'node:http';
import { createDocsPage, createHandler } from '@kalends/http';
import { answerClientErrors, nodeListener } from '@kalends/http/node';
import { connected, connectUrl, engine } from './calendar.js';

const handlers = [createHandler(engine, { basePath: '/calendar' }), createDocsPage({ basePath: '/calendar' })];

const listener = nodeListener(async (request, peer) => {
  const { pathname, searchParams } = new URL(request.url);
  const handler = handlers.find(({ matches }) => matches(pathname));
  if (handler) return handler(request, peer);
  if (pathname === '/connect') return Response.redirect(connectUrl);
  if (pathname === '/calendar/connected') return Response.json(await connected(searchParams));
  return new Response('Not found', { status: 404 });
});
const server = createServer(listener);
// What Node refuses before it is a request gets an answer of the interface, too.
answerClientErrors(server);
server.listen(process.env.PORT ?? 3000);
process.once('SIGTERM', () => server.close(() => engine.stop()));
