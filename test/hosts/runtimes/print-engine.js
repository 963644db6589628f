// Plays the engine on a database, with the sandbox and a receiver of webhooks, and prints what it saw.
//   node print-engine.js calendar.db | postgres://…
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { verifyWebhook } from '@kalends/client/webhooks';
import { google, googleEndpoints } from '@kalends/google';
import { postgres } from '@kalends/postgres';
import { createSandbox } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { createEngine, KalendsError } from 'kalends';

const [, , database] = process.argv;
const client = { clientId: 'client', clientSecret: 'hush' };
const email = 'ada@gmail.example';

const sandbox = createSandbox();
sandbox.google.addMailbox({ email, name: 'Ada', timeZone: 'Europe/Berlin' });
sandbox.google.addClient({ ...client, redirectUris: [] });
const { url } = await sandbox.listen();

const engine = createEngine({
  storage: database.startsWith('postgres') ? postgres({ connectionString: database }) : sqlite({ path: database }),
  providers: { GOOGLE: google(googleEndpoints(`${url}/google`)) },
  secret: btoa('0123456789abcdef0123456789abcdef'),
  webhooks: { allowedNetworks: ['127.0.0.0/8'] },
});
await engine.start();
const { id } = await engine.applications.create({ name: 'Test', redirectUrls: ['https://app.example.com/connected'] });
await engine.oauthClients.set(id, 'GOOGLE', client);
const caller = { applicationId: id };
const refreshToken = sandbox.google.issueRefreshToken({ email, clientId: client.clientId });
const { account } = await engine.accounts.upsert(caller, { email, providerType: 'GOOGLE', refreshToken });

/** Repeats a read until the first synchronisation has ended. */
async function synced(read) {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!KalendsError.isInstance(error) || error.code !== 'CalendarSyncing') throw error;
    }
  }
}
await synced(() => engine.calendars.list(caller, account.id, {}));

const deliveries = new EventEmitter();
const delivery = once(deliveries, 'delivery');
const receiver = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  response.writeHead(204).end();
  deliveries.emit('delivery', body, request.headers);
});
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const webhookUrl = `http://127.0.0.1:${receiver.address().port}/hook`;
const { endpointSecret } = await engine.subscriptions.create(caller, account.id, { calendarId: email, webhookUrl });

const start = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' };
const series = { title: 'Standup', start, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] };
await engine.events.create(caller, account.id, email, series);
const { data } = await engine.events.list(caller, account.id, email, {
  expandRecurrences: true,
  orderBy: 'startDateTime',
  startDateTime: '2026-03-02T00:00:00Z',
  endDateTime: '2026-03-09T00:00:00Z',
});
const [body, headers] = await delivery;
const { message } = verifyWebhook(body, headers, endpointSecret);

await engine.stop();
receiver.close();
await sandbox.close();
console.log(
  JSON.stringify({
    occurrences: data.map(({ title, start: { dateTime } }) => `${title} ${dateTime}`),
    message: message.eventType,
  }),
);
