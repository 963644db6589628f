// Polls in the background that find nothing: how many one process makes, and what each costs it and the database.
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { google, googleEndpoints } from '@kalends/google';
import { postgres } from '@kalends/postgres';
import { createSandbox } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import pg from 'pg';
import { withPostgres } from './with-postgres.js';

const SANDBOX = 'http://sandbox.test';
const CLIENT = { clientId: 'bench', clientSecret: 'bench' };
const ACCOUNTS = 100;
const WARM_MS = 2_000;
const SECONDS = 10;

/** An engine that polls each of its calendars again as soon as it has; Google answers at once that nothing has changed. */
async function createPollingEngine(storage, count) {
  const sandbox = createSandbox({ seed: 1 });
  sandbox.google.addClient({ ...CLIENT, redirectUris: [] });
  const fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!url.searchParams.has('syncToken')) return sandbox.fetch(new Request(input, init));
    return Promise.resolve(
      Response.json({ items: [], timeZone: 'UTC', nextSyncToken: url.searchParams.get('syncToken') }),
    );
  };
  const engine = createEngine({
    storage,
    providers: {
      PROVIDER_A: google({
        ...googleEndpoints(`${SANDBOX}/google`),
        fetch,
        limits: { callsPerInterval: Number.POSITIVE_INFINITY },
      }),
    },
    secret: Buffer.alloc(32, 1).toString('base64'),
    sync: { pollWithoutPushMs: 1, reconcileEveryMs: 31_622_400_000, pushForReads: false },
    telemetry: {
      count: () => {},
      observe: (name) => {
        if (name === 'kalends_pull_duration_seconds') count();
      },
    },
  });
  await storage.open();
  const application = await engine.applications.create({ name: 'Bench' });
  await engine.oauthClients.set(application.id, 'PROVIDER_A', CLIENT);
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const email = `bench${index}@gmail.example`;
    sandbox.google.addMailbox({ email, name: 'Bench', timeZone: 'UTC' });
    const refreshToken = sandbox.google.issueRefreshToken({ email, clientId: CLIENT.clientId });
    const caller = { applicationId: application.id };
    const { account } = await engine.accounts.upsert(caller, { email, providerType: 'PROVIDER_A', refreshToken });
    await engine.events.list(caller, account.id, email, { pageSize: 1 });
  }
  return engine;
}

async function measure(name, storage, transactions) {
  let polls = 0;
  const engine = await createPollingEngine(storage, () => {
    polls += 1;
  });
  await engine.start();
  await new Promise((resolve) => setTimeout(resolve, WARM_MS));
  const before = { polls, cpu: process.cpuUsage(), transactions: await transactions() };
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1_000));
  const { user, system } = process.cpuUsage(before.cpu);
  const made = polls - before.polls;
  const atServer = ((await transactions()) - before.transactions) / made;
  await engine.stop();
  const cpuMs = (user + system) / 1_000 / made;
  console.log(
    `  ${name.padEnd(16)}${String(Math.round(made / SECONDS)).padStart(6)} polls/s, ${cpuMs.toFixed(2)} ms of CPU each, ` +
      `${Math.round(1_000 / cpuMs)} for each core${Number.isNaN(atServer) ? '' : `, ${atServer.toFixed(1)} transactions each`}`,
  );
}

export async function run() {
  console.log(`\nPolls that find nothing: one process, ${ACCOUNTS} accounts of one calendar`);
  const path = join(tmpdir(), `kalends-bench-${process.pid}.db`);
  try {
    await measure('SQLite (file)', sqlite({ path }), async () => Number.NaN);
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  }
  await withPostgres(async (url) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const transactions = async () => {
      const { rows } = await client.query(
        'select sum(xact_commit + xact_rollback)::int as done from pg_stat_database where datname = current_database()',
      );
      return rows[0].done;
    };
    await measure('PostgreSQL', postgres({ connectionString: url }), transactions);
    await client.end();
  });
}
