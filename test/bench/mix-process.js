// The server of the mix: an engine over a SQLite file with a mailbox of many calendars, all pulled. Tells where they are, then for
// each message what it has used since the one before.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { google, googleEndpoints } from '@kalends/google';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { createSandbox } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import { CLIENT, EMAIL, eventOf } from './mailbox.js';
import { cpuMs } from './measure.js';

const { calendars, eventsEach, seriesEach, firstMs } = JSON.parse(process.argv[2]);
const ZONE = 'Europe/Berlin';
const HOUR_MS = 3_600_000;

const folder = mkdtempSync(join(tmpdir(), 'kalends-mix-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const sandbox = createSandbox({ seed: 1 });
sandbox.google.addClient({ ...CLIENT, redirectUris: [] });
sandbox.google.addMailbox({ email: EMAIL, name: 'Bench', timeZone: ZONE });
for (let calendar = 0; calendar < calendars; calendar += 1) {
  // Two thirds of the events lie in the past, as in most calendars; a series goes on.
  const at = (index) => firstMs + (((index * 37 + calendar * 11) % (24 * 180)) - 24 * 120) * HOUR_MS;
  const single = Array.from({ length: eventsEach }, (_, index) => eventOf(`e${index}`, at(index)));
  const series = Array.from({ length: seriesEach }, (_, index) =>
    eventOf(`s${index}`, firstMs - (index + 1) * 500 * HOUR_MS, ['RRULE:FREQ=WEEKLY']),
  );
  sandbox.google.importCalendar(EMAIL, {
    name: `Calendar ${calendar}`,
    timeZone: ZONE,
    events: [...single, ...series],
  });
}
const engine = createEngine({
  storage: sqlite({ path: join(folder, 'mix.db') }),
  providers: {
    PROVIDER_A: google({
      ...googleEndpoints('http://sandbox.test/google'),
      fetch: (input, init) => sandbox.fetch(new Request(input, init)),
      limits: { callsPerInterval: Number.POSITIVE_INFINITY },
    }),
  },
  secret: Buffer.alloc(32, 1).toString('base64'),
  sync: { freshWithoutPushMs: 24 * HOUR_MS, readWaitMs: 600_000 },
});
await engine.start({ background: false });
const application = await engine.applications.create({ name: 'Mix' });
await engine.oauthClients.set(application.id, 'PROVIDER_A', CLIENT);
const { key } = await engine.apiKeys.create(application.id, { name: 'Mix', expiresAt: null });
const caller = { applicationId: application.id };
const refreshToken = sandbox.google.issueRefreshToken({ email: EMAIL, clientId: CLIENT.clientId });
const { account } = await engine.accounts.upsert(caller, { email: EMAIL, providerType: 'PROVIDER_A', refreshToken });
const copies = [];
for (let pageToken; ; ) {
  const { data, nextPageToken } = await engine.calendars.list(caller, account.id, { pageSize: 250, pageToken });
  for (const { id, isPrimary } of data) {
    if (isPrimary) continue;
    const page = await engine.events.list(caller, account.id, id, { pageSize: 1000 });
    copies.push({
      id,
      syncToken: page.nextSyncToken,
      events: page.data
        .filter(({ recurrence }) => recurrence == null)
        .slice(0, 20)
        .map(({ id }) => id),
    });
  }
  if (nextPageToken === undefined) break;
  pageToken = nextPageToken;
}
const server = createServer(nodeListener(createHandler(engine)));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
process.send({ url: `http://127.0.0.1:${server.address().port}`, key, accountId: account.id, copies });

let before = { cpu: cpuMs(), asked: 0, found: 0 };
process.on('message', () => {
  const now = { cpu: cpuMs(), asked: 0, found: 0, ...globalThis.pageCacheCounts };
  process.send({ cpu: now.cpu - before.cpu, asked: now.asked - before.asked, found: now.found - before.found });
  before = now;
});
process.on('disconnect', () => process.exit());
