// The mirror: a first pull, incremental pulls, reads by sync token, and a page over HTTP against bare node:http.
import { createServer } from 'node:http';
import { google, googleEndpoints } from '@kalends/google';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { createSandbox } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';

const SANDBOX = 'http://sandbox.test';
const CLIENT = { clientId: 'bench', clientSecret: 'bench' };
const LARGE = 50_000;
const SMALL = 500;
const CHANGES = 10;
const HOUR_MS = 3_600_000;

const pad = (text) => String(text).padStart(10);
const row = (name, value, note = '') => console.log(`  ${name.padEnd(58)}${pad(value)}  ${note}`);
const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
const wall = (startMs) => new Date(startMs).toISOString().slice(0, 19);

/** A Google mailbox with `count` single events in its primary calendar, connected to an engine. */
async function createWorld(count) {
  const sandbox = createSandbox({ seed: 1 });
  const email = 'bench@gmail.example';
  sandbox.google.addClient({ ...CLIENT, redirectUris: [] });
  sandbox.google.addMailbox({ email, name: 'Bench', timeZone: 'Europe/Berlin' });
  const first = Date.UTC(2020, 0, 1);
  const events = Array.from({ length: count }, (_, index) => ({
    uid: `event-${index}`,
    summary: `Event ${index}`,
    description: 'A line that says what this is about, as most events have.',
    location: 'Room 4',
    dtstart: wall(first + index * HOUR_MS),
    dtend: wall(first + index * HOUR_MS + HOUR_MS / 2),
    timeZone: 'Europe/Berlin',
    recurrence: [],
    recurrenceId: null,
    cancelled: false,
    transparent: false,
    visibility: 'default',
    organizer: null,
    attendees: [],
  }));
  sandbox.google.importCalendar(email, { name: 'Bench', timeZone: 'Europe/Berlin', events }, 'primary');
  const storage = sqlite({ path: ':memory:' });
  const provider = google({
    ...googleEndpoints(`${SANDBOX}/google`),
    fetch: (input, init) => sandbox.fetch(new Request(input, init)),
    limits: { callsPerMinute: Number.POSITIVE_INFINITY },
  });
  const engineWith = (sync) =>
    createEngine({
      storage,
      providers: { PROVIDER_A: provider },
      secret: Buffer.alloc(32, 1).toString('base64'),
      sync,
    });
  // One engine pulls before every read, the other answers from the mirror whatever its age.
  const pulling = engineWith({ freshWithoutPushMs: 1, readWaitMs: 600_000 });
  const resting = engineWith({ freshWithoutPushMs: 24 * HOUR_MS, readWaitMs: 600_000 });
  await storage.open();
  const application = await pulling.applications.create({ name: 'Bench' });
  await pulling.applications.configureProvider(application.id, 'PROVIDER_A', CLIENT);
  const { key } = await pulling.applications.createApiKey(application.id, { name: 'Bench', expiresAt: null });
  const caller = { applicationId: application.id };
  const refreshToken = sandbox.google.issueRefreshToken({ email, clientId: CLIENT.clientId });
  const { account } = await pulling.accounts.upsert(caller, { email, providerType: 'PROVIDER_A', refreshToken });
  const token = await sandbox.accessToken({ provider: 'google', email });
  return { sandbox, pulling, resting, caller, account, email, key, token, storage };
}

async function changeAtProvider({ sandbox, email, token }, round) {
  const path = `${SANDBOX}/google/calendar/v3/calendars/${encodeURIComponent(email)}/events`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const { items } = await (await sandbox.fetch(new Request(`${path}?maxResults=${CHANGES}`, { headers }))).json();
  for (const { id } of items) {
    const body = JSON.stringify({ summary: `Changed in round ${round}` });
    await sandbox.fetch(new Request(`${path}/${id}`, { method: 'PATCH', headers, body }));
  }
}

async function timed(work) {
  const begin = performance.now();
  const result = await work();
  return { result, took: performance.now() - begin };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** All pages; the sync token of the last. */
async function syncToken(engine, { caller, account, email }) {
  let query = { pageSize: 1000 };
  for (;;) {
    const page = await engine.events.list(caller, account.id, email, query);
    if (page.nextPageToken === undefined) return page.nextSyncToken;
    query = { pageToken: page.nextPageToken, pageSize: 1000 };
  }
}

async function measureMirror(count) {
  const world = await createWorld(count);
  const { pulling, resting, caller, account, email } = world;
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  const first = await timed(() => pulling.events.list(caller, account.id, email, { pageSize: 1 }));
  clearInterval(watch);

  const pulls = [];
  const reads = [];
  for (let round = 0; round < 5; round += 1) {
    const token = await syncToken(resting, world);
    await changeAtProvider(world, round);
    const pull = await timed(() => pulling.events.list(caller, account.id, email, { syncToken: token }));
    const read = await timed(() => resting.events.list(caller, account.id, email, { syncToken: token }));
    if (pull.result.data.length !== CHANGES || read.result.data.length !== CHANGES) {
      throw new Error(`${pull.result.data.length} and ${read.result.data.length} changes came, not ${CHANGES}`);
    }
    pulls.push(pull.took);
    reads.push(read.took);
  }
  row(
    `first pull of ${count} events`,
    ms(first.took),
    `${Math.round(count / (first.took / 1000))} events/s, provider included`,
  );
  row('  memory at its peak beyond the start', `${Math.round((peak - before) / 2 ** 20)} MiB`);
  row(`incremental pull and read of ${CHANGES} changes`, ms(median(pulls)));
  row(`read of ${CHANGES} changes by sync token`, ms(median(reads)));
  return world;
}

async function requests(url, headers, count) {
  const begin = performance.now();
  for (let index = 0; index < count; index += 1) await (await fetch(url, { headers })).arrayBuffer();
  return count / ((performance.now() - begin) / 1000);
}

async function measurePage({ resting, account, email, key }) {
  const served = createServer(nodeListener(createHandler(resting)));
  await new Promise((resolve) => served.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${served.address().port}/v1/events/${account.id}/${encodeURIComponent(email)}?pageSize=250`;
  const headers = { 'x-api-key': key };
  const bytes = Buffer.from(await (await fetch(url, { headers })).arrayBuffer());
  const bare = createServer((_request, response) => response.setHeader('content-type', 'application/json').end(bytes));
  await new Promise((resolve) => bare.listen(0, '127.0.0.1', resolve));
  const bareUrl = `http://127.0.0.1:${bare.address().port}/`;
  await requests(url, headers, 50);
  await requests(bareUrl, {}, 50);
  const ratios = [];
  let pages = 0;
  for (let round = 0; round < 5; round += 1) {
    const ours = await requests(url, headers, 100);
    ratios.push(ours / (await requests(bareUrl, {}, 100)));
    pages = Math.max(pages, ours);
  }
  row(
    'pages of 250 events over HTTP, one at a time',
    `${Math.round(pages)}/s`,
    `${Math.round(bytes.length / 1024)} kB each`,
  );
  row('  share of bare node:http sending the same bytes', `${Math.round(median(ratios) * 100)} %`);
  for (const server of [served, bare]) server.close().closeAllConnections();
}

export async function run() {
  console.log('\nThe mirror (Google, SQLite in memory, the sandbox in the same process)');
  const small = await measureMirror(SMALL);
  await small.pulling.stop();
  const large = await measureMirror(LARGE);
  await measurePage(large);
  await large.pulling.stop();
}
