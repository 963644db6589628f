// The /v1 interface inside a Fastify application, under /calendar.
import { createHandler } from '@kalends/http';
import { fastifyPlugin } from '@kalends/http/fastify';
import fastify from 'fastify';

export async function createApp(engine) {
  const app = fastify();
  await app.register(fastifyPlugin, { prefix: '/calendar', handler: createHandler(engine) });
  // Routes of your own, also below /calendar, are still reached.
  app.get('/calendar/about', async () => ({ about: 'my application' }));
  return app;
}
