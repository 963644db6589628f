import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@kalends/client';
import { expect, it, onTestFinished } from 'vitest';
import { createCalendarCopy } from '../../docs/examples/calendar-copy.js';
import { createReceiver as expressReceiver } from '../../docs/examples/express-receiver.js';
import { createReceiver as fastifyReceiver } from '../../docs/examples/fastify-receiver.js';
import { signatureHeaders } from '../../src/webhooks/signature.ts';
import { body, eventsPath } from './steps.ts';
import { createWorld } from './world.ts';

/** Size of the largest message, see docs/webhooks.md. */
const LARGEST_BYTES = 2 ** 18;

type Copy = ReturnType<typeof createCalendarCopy>;

/** Serves a receiver whose secret is known only after it is listening. */
async function serve(listener: () => RequestListener): Promise<string> {
  const server = createServer((request, response) => listener()(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/calendar`;
}

const RECEIVERS: readonly (readonly [string, (copy: Copy, secrets: string) => Promise<RequestListener>])[] = [
  ['Express', async (copy, secrets) => expressReceiver(copy, secrets)],
  [
    'Fastify',
    async (copy, secrets) => {
      const app = fastifyReceiver(copy, secrets);
      await app.ready();
      return app.routing;
    },
  ],
];

it.each(RECEIVERS)('the receiver in %s verifies, deduplicates and follows the calendar', async (_name, create) => {
  const world = await createWorld();
  onTestFinished(() => world.close());
  const account = await world.connect('google');
  const client = createClient({
    baseUrl: 'http://kalends.test',
    apiKey: world.apiKey,
    fetch: (url, init) => world.handler(new Request(url, init)),
  });
  const copy = createCalendarCopy(client, account.accountId, account.calendarId);
  await copy.pull();
  let listener: RequestListener = (_request, response) => response.writeHead(503).end();
  const url = await serve(() => listener);
  const { endpointSecret } = await client.subscriptions.create(account.accountId, {
    calendarId: account.calendarId,
    webhookUrl: url,
  });
  listener = await create(copy, endpointSecret);

  const start = { dateTime: '2026-03-02T09:00:00Z' };
  const made = body(await world.call('POST', eventsPath(account), { body: { title: 'Made', start } }), 201);
  await until(() => copy.events.size === 1);
  expect(copy.events.get(made.id)).toMatchObject({ title: 'Made' });
  body(await world.call('DELETE', eventsPath(account, made.id)));
  await until(() => copy.events.size === 0);

  const text = '{"eventType":"calendar.event.changed","timestamp":"2026-03-02T09:00:00.000Z"}';
  const post = (id: string, sent: string, signed = sent) => {
    const headers = signatureHeaders([endpointSecret], id, Date.now(), signed);
    return fetch(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: sent });
  };
  const before = copy.pulls;
  expect((await post('msg_twice', text)).status).toBe(204);
  expect((await post('msg_twice', text)).status).toBe(204);
  expect(copy.pulls).toBe(before + 1);
  expect((await post('msg_largest', text.padEnd(LARGEST_BYTES))).status).toBe(204);
  const forged = await post('msg_forged', `${text} `, text);
  expect([forged.status, await forged.json()]).toEqual([400, { error: 'InvalidSignature' }]);
});

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 20_000; turn += 1) {
    if (condition()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it did not come true');
}
