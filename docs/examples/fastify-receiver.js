// Receives the webhooks of a calendar in Fastify: verifies, passes over duplicates, and pulls what has changed.
import { verifyWebhook, WebhookVerificationError } from '@kalends/client/webhooks';
import fastify from 'fastify';

/** `copy` is made by createCalendarCopy; `secrets` are the endpointSecret, or two of them while it is being rotated. */
export function createReceiver(copy, secrets) {
  const app = fastify();
  /** Ids of messages that are done. Keep them for a few days, in your database, when there are several processes. */
  const done = new Set();

  // The signature is of the raw bytes: Fastify's JSON parser must not come before.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));

  app.post('/webhooks/calendar', async (request, reply) => {
    const { id } = verifyWebhook(request.body, request.headers, secrets);
    if (!done.has(id)) {
      // When this fails, the answer is 500 and the message comes again under the same id.
      await copy.pull();
      done.add(id);
    }
    return reply.status(204).send();
  });

  app.setErrorHandler((error, _request, reply) =>
    reply.status(error instanceof WebhookVerificationError ? 400 : 500).send({ error: error.code ?? 'Failed' }),
  );
  return app;
}
