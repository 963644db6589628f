// Webhooks: from the commit of a change to its POST, and deliveries per second against a bare keep-alive loop of undici.
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { google, googleEndpoints } from '@kalends/google';
import { createSandbox } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import { Agent, request } from 'undici';

const SANDBOX = 'http://sandbox.test';
const CLIENT = { clientId: 'bench', clientSecret: 'bench' };
const RECEIVERS = 400;
const ROUNDS = 50;
const CHANGES = 300;
/** In flight at the same time in the bare loop: what the dispatcher may have for one host. */
const CONCURRENCY = 256;

const row = (name, value, note = '') => console.log(`  ${name.padEnd(58)}${String(value).padStart(10)}  ${note}`);
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];

/** A receiver in a process of its own, as receivers are. It tells what it counts, or when something came. */
async function startReceiver() {
  const child = fork(fileURLToPath(import.meta.url), ['receiver']);
  const port = await new Promise((resolve) => child.once('message', resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    /** Resolves when so many requests have come in all. */
    until: (count) =>
      new Promise((resolve) => {
        child.once('message', resolve);
        child.send(count);
      }),
    stop: () => child.kill(),
  };
}

function receive() {
  let received = 0;
  let wanted = Number.POSITIVE_INFINITY;
  const tell = () => {
    if (received < wanted) return;
    wanted = Number.POSITIVE_INFINITY;
    process.send(performance.timeOrigin + performance.now());
  };
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      received += 1;
      response.writeHead(204).end();
      tell();
    });
  });
  server.keepAliveTimeout = 60_000;
  process.on('message', (count) => {
    wanted = count;
    tell();
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

if (process.argv[2] === 'receiver' && process.send !== undefined) receive();

/** `start` begins background work: deliveries among it. */
async function openWorld(path) {
  const sandbox = createSandbox({ seed: 1 });
  const email = 'bench@gmail.example';
  sandbox.google.addClient({ ...CLIENT, redirectUris: [] });
  sandbox.google.addMailbox({ email, name: 'Bench', timeZone: 'Europe/Berlin' });
  const storage = sqlite({ path });
  const provider = google({
    ...googleEndpoints(`${SANDBOX}/google`),
    fetch: (input, init) => sandbox.fetch(new Request(input, init)),
    limits: { callsPerInterval: Number.POSITIVE_INFINITY },
  });
  const engine = createEngine({
    storage,
    providers: { PROVIDER_A: provider },
    secret: Buffer.alloc(32, 1).toString('base64'),
    webhooks: { allowedNetworks: ['127.0.0.0/8'] },
  });
  await storage.open();
  const application = await engine.applications.create({ name: 'Bench' });
  await engine.oauthClients.set(application.id, 'PROVIDER_A', CLIENT);
  const caller = { applicationId: application.id };
  /** Each but the first tells every endpoint twice: of the change, and of the new credentials. */
  const upsert = (externalId) =>
    engine.accounts.upsert(caller, {
      email,
      providerType: 'PROVIDER_A',
      refreshToken: sandbox.google.issueRefreshToken({ email, clientId: CLIENT.clientId }),
      externalId,
    });
  const { account } = await upsert('0');
  return { engine, sandbox, caller, upsert, accountId: account.id };
}

/** One change after the other, each told before the next is made; the time from its commit to its POST. */
async function latencies({ engine, caller, accountId }, receiver) {
  await engine.start();
  const { data } = await engine.calendars.list(caller, accountId, {});
  const calendarId = data[0].id;
  await engine.subscriptions.create(caller, accountId, { calendarId, webhookUrl: `${receiver.url}/one` });
  const event = await engine.events.create(caller, accountId, calendarId, {
    title: 'Event',
    start: { dateTime: '2026-03-02T09:00:00Z' },
  });
  await receiver.until(1);
  const times = [];
  for (let change = 0; change < CHANGES; change += 1) {
    const told = receiver.until(change + 2);
    await engine.events.update(caller, accountId, calendarId, event.id, { title: `Event ${change}` });
    // The answer of the write comes right after the commit.
    const committed = performance.timeOrigin + performance.now();
    times.push(Math.max(0, (await told) - committed));
  }
  return times;
}

/** Messages for many receivers at one host, all of them in the outbox when deliveries begin. */
async function deliveriesPerSecond({ engine, caller, upsert }, receiver, before) {
  for (let index = 0; index < RECEIVERS; index += 1) {
    await engine.webhookEndpoints.create(caller, { webhookUrl: `${receiver.url}/${index}` });
  }
  for (let round = 1; round <= ROUNDS / 2; round += 1) await upsert(String(round));
  return measure(receiver, before, () => engine.start());
}

/** POSTs per second, and what each costs this process in CPU time, which a busy machine blurs less. */
async function measure(receiver, before, send) {
  const count = RECEIVERS * ROUNDS;
  const cpu = process.cpuUsage();
  const started = performance.timeOrigin + performance.now();
  await send();
  const ended = await receiver.until(before + count);
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: (count * 1000) / (ended - started), cpuUs: (user + system) / count };
}

/** The same number of POSTs by undici alone. */
async function bareLoop(receiver, before) {
  const agent = new Agent({ connections: CONCURRENCY, pipelining: 1 });
  const count = RECEIVERS * ROUNDS;
  let sent = 0;
  const send = async () => {
    while (sent < count) {
      sent += 1;
      const answer = await request(`${receiver.url}/bare`, {
        dispatcher: agent,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"eventType":"enduseraccount.updated","timestamp":"2026-03-02T09:00:00.000Z","data":{}}',
      });
      await answer.body.dump();
    }
  };
  const measured = await measure(receiver, before, () => Promise.all(Array.from({ length: CONCURRENCY }, send)));
  await agent.close();
  return measured;
}

export async function run() {
  console.log(`\nwebhooks (Node ${process.version}, SQLite with synchronous=full, receiver in a process of its own)`);
  const folder = await mkdtemp(join(tmpdir(), 'kalends-bench-'));
  const receiver = await startReceiver();
  const first = await openWorld(join(folder, 'latency.db'));
  const times = await latencies(first, receiver);
  await first.engine.stop();
  row('change committed → POST received, p50', `${quantile(times, 0.5).toFixed(1)} ms`);
  row('change committed → POST received, p99', `${quantile(times, 0.99).toFixed(1)} ms`, 'to reach: under 100 ms');
  let received = CHANGES + 1;
  const bare = await bareLoop(receiver, received);
  received += RECEIVERS * ROUNDS;
  const second = await openWorld(join(folder, 'throughput.db'));
  const ours = await deliveriesPerSecond(second, receiver, received);
  const share = ((100 * ours.perSecond) / bare.perSecond).toFixed(0);
  row('bare loop of undici, POSTs/s', bare.perSecond.toFixed(0), `${bare.cpuUs.toFixed(0)} µs of CPU each`);
  row(
    'deliveries/s',
    ours.perSecond.toFixed(0),
    `${ours.cpuUs.toFixed(0)} µs of CPU each; ${share} % of the bare loop, to reach: 70 %`,
  );
  await second.engine.stop();
  for (const { sandbox } of [first, second]) await sandbox.close();
  receiver.stop();
  await rm(folder, { recursive: true, force: true });
}
