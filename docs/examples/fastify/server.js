// A Fastify application with calendars: the interface and its page under /calendar, beside routes of its own.
import { createDocsPage, createHandler } from '@kalends/http';
import { fastifyPlugin } from '@kalends/http/fastify';
import fastify from 'fastify';
import { connected, connectUrl, engine } from './calendar.js';

// Connections that clients keep open hold up the end of the server: five seconds as in Node, not Fastify's 72.
const app = fastify({ keepAliveTimeout: 5_000 });
await app.register(fastifyPlugin, { prefix: '/calendar', handler: createHandler(engine) });
await app.register(fastifyPlugin, { prefix: '/calendar', handler: createDocsPage() });
app.get('/connect', (_request, reply) => reply.redirect(connectUrl));
app.get('/calendar/connected', ({ url }) => connected(new URL(url, 'http://localhost').searchParams));
app.addHook('onClose', () => engine.stop());
await app.listen({ port: Number(process.env.PORT ?? 3000) });
process.once('SIGTERM', () => app.close());
