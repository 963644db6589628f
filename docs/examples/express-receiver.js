// Receives the webhooks of a calendar in Express: verifies, passes over duplicates, and pulls what has changed.
import { verifyWebhook, WebhookVerificationError } from '@kalends/client/webhooks';
import express from 'express';

/** `copy` is made by createCalendarCopy; `secrets` are the endpointSecret, or two of them while it is being rotated. */
export function createReceiver(copy, secrets) {
  const app = express();
  /** Ids of messages that are done. Keep them for a few days, in your database, when there are several processes. */
  const done = new Set();

  // The signature is of the raw bytes: no JSON parser may come before. Messages with records are larger than the 100 kB of the default.
  app.post('/webhooks/calendar', express.raw({ type: '*/*', limit: '1mb' }), async (request, response) => {
    const { id } = verifyWebhook(request.body, request.headers, secrets);
    if (!done.has(id)) {
      // When this fails, the answer is 500 and the message comes again under the same id.
      await copy.pull();
      done.add(id);
    }
    response.status(204).end();
  });

  app.use((error, _request, response, _next) => {
    response.status(error instanceof WebhookVerificationError ? 400 : 500).json({ error: error.code ?? 'Failed' });
  });
  return app;
}
