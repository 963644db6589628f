// The mirror: a first pull and its memory, incremental pulls, and reads by sync token.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { google, googleEndpoints } from '@kalends/google';
import { createSandbox } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import { addMailbox, CLIENT, EMAIL } from './mailbox.js';
import { median } from './measure.js';

const SANDBOX = 'http://sandbox.test';
const LARGE = 50_000;
const SMALL = 500;
/** Events of the larger of the pulls whose memory is measured. The sandbox's Graph walks its whole calendar for each page. */
const PULLED = { google: 200_000, microsoft: LARGE };
const CHANGES = 10;
const HOUR_MS = 3_600_000;

const pad = (text) => String(text).padStart(10);
const row = (name, value, note = '') => console.log(`  ${name.padEnd(58)}${pad(value)}  ${note}`);
const mib = (bytes) => `${Math.round(bytes / 2 ** 20)} MiB`;
const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

/** A Google mailbox with `count` single events in its primary calendar, connected to an engine. */
async function createWorld(count) {
  const sandbox = createSandbox({ seed: 1 });
  const email = EMAIL;
  const { refreshToken } = addMailbox(sandbox.google, { count, firstMs: Date.UTC(2020, 0, 1), stepMs: HOUR_MS });
  const storage = sqlite({ path: ':memory:' });
  const provider = google({
    ...googleEndpoints(`${SANDBOX}/google`),
    fetch: (input, init) => sandbox.fetch(new Request(input, init)),
    limits: { callsPerInterval: Number.POSITIVE_INFINITY },
  });
  const engineWith = (sync) =>
    createEngine({
      storage,
      providers: { PROVIDER_A: provider },
      secret: Buffer.alloc(32, 1).toString('base64'),
      sync,
    });
  // One engine pulls before every read, the other answers from the mirror whatever its age.
  const pulling = engineWith({ freshWithoutPushMs: 1, readWaitMs: 6 * HOUR_MS });
  const resting = engineWith({ freshWithoutPushMs: 24 * HOUR_MS, readWaitMs: 6 * HOUR_MS });
  await storage.open();
  const application = await pulling.applications.create({ name: 'Bench' });
  await pulling.oauthClients.set(application.id, 'PROVIDER_A', CLIENT);
  const caller = { applicationId: application.id };
  const { account } = await pulling.accounts.upsert(caller, { email, providerType: 'PROVIDER_A', refreshToken });
  const token = await sandbox.accessToken({ provider: 'google', email });
  return { sandbox, pulling, resting, caller, account, email, token, storage };
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
  const first = await timed(() => pulling.events.list(caller, account.id, email, { pageSize: 1 }));

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
  row(`incremental pull and read of ${CHANGES} changes`, ms(median(pulls)));
  row(`read of ${CHANGES} changes by sync token`, ms(median(reads)));
  return world;
}

/** The engine's process alone: the sandbox answers from another one, and the mirror is a file. */
async function firstPull(provider, count) {
  const path = (name) => new URL(name, import.meta.url);
  const sandbox = fork(path('sandbox-process.js'), [provider, String(count)]);
  try {
    const [mailbox] = await once(sandbox, 'message');
    // A small heap, so that what is counted is what is needed and not what was not tidied up yet.
    const execArgv = ['--expose-gc', '--max-old-space-size=64', '--max-semi-space-size=8'];
    const engine = fork(path('first-pull-process.js'), [JSON.stringify({ provider, ...mailbox })], { execArgv });
    const ended = once(engine, 'exit').then(([code]) => {
      throw new Error(`the engine's process ended with ${code}`);
    });
    const [measured] = await Promise.race([once(engine, 'message'), ended]);
    await ended.catch(() => {});
    return measured;
  } finally {
    sandbox.disconnect();
  }
}

async function measureMemory(provider) {
  const peaks = [];
  for (const count of [LARGE / 5, PULLED[provider]]) {
    const { tookMs, idleBytes, peakBytes, heapBytes } = await firstPull(provider, count);
    peaks.push(peakBytes);
    row(
      `${provider}: most memory in a first pull of ${count} events`,
      mib(peakBytes),
      `${mib(peakBytes - idleBytes)} above idle, heap afterwards ${mib(heapBytes)}, ${Math.round(count / (tookMs / 1000))} events/s over HTTP`,
    );
  }
  row('  growth', mib(peaks[1] - peaks[0]));
}

export async function run() {
  console.log('\nThe memory of a first pull (SQLite in a file, the sandbox in a process of its own)');
  for (const provider of ['google', 'microsoft']) await measureMemory(provider);
  console.log('\nThe mirror (Google, SQLite in memory, the sandbox in the same process)');
  const small = await measureMirror(SMALL);
  await small.pulling.stop();
  const large = await measureMirror(LARGE);
  await large.pulling.stop();
}
