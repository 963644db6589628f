// The process that the soak measures: one engine, its HTTP binding and its SQLite file, and nothing else in the process.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { google, googleEndpoints } from '@kalends/google';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';

const SAMPLE_MS = 2_000;
/** A full collection stops everything for as long as it takes: every fifth sample has one. */
const SAMPLES_PER_COLLECTION = 5;

const { sandbox, client, mailboxes, receiver } = JSON.parse(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'kalends-soak-'));
let handler;
const served = createServer(nodeListener((request) => handler(request)));
// A client held up for seconds would send on connections that the server is just closing.
served.keepAliveTimeout = 600_000;
await new Promise((resolve) => served.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${served.address().port}`;
const engine = createEngine({
  storage: sqlite({ path: join(folder, 'soak.db') }),
  providers: {
    PROVIDER_A: google({
      ...googleEndpoints(`${sandbox}/google`),
      limits: { callsPerInterval: Number.POSITIVE_INFINITY },
    }),
  },
  secret: Buffer.alloc(32, 1).toString('base64'),
  publicUrl: url,
  webhooks: { allowedNetworks: ['127.0.0.0/8'] },
  sync: { freshWithoutPushMs: 5_000, readWaitMs: 600_000 },
});
await engine.start();
handler = createHandler(engine);

async function connectAccounts() {
  const application = await engine.applications.create({ name: 'Soak' });
  await engine.oauthClients.set(application.id, 'PROVIDER_A', client);
  const { key } = await engine.apiKeys.create(application.id, { name: 'Soak', expiresAt: null });
  const caller = { applicationId: application.id };
  const accounts = [];
  for (const { email, refreshToken } of mailboxes) {
    const { account } = await engine.accounts.upsert(caller, { email, providerType: 'PROVIDER_A', refreshToken });
    await engine.events.list(caller, account.id, email, { pageSize: 1 });
    await engine.subscriptions.create(caller, account.id, { calendarId: email, webhookUrl: receiver });
    accounts.push({ id: account.id, email });
  }
  return { key, accounts };
}

/** Samples until it is told to stop; what a collection leaves is in those samples that had one. */
function startSampling() {
  const points = [];
  const startedAt = performance.now();
  const sample = () => {
    const minute = (performance.now() - startedAt) / 60_000;
    const { rss, external, arrayBuffers } = process.memoryUsage();
    const point = { minute, rss, external, arrayBuffers };
    if (points.length % SAMPLES_PER_COLLECTION === 0) {
      globalThis.gc();
      point.heap = process.memoryUsage().heapUsed;
    }
    points.push(point);
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return points;
  };
}

async function stop(stopSampling) {
  const points = stopSampling();
  served.close().closeAllConnections();
  await engine.stop();
  rmSync(folder, { recursive: true, force: true });
  process.send(points, () => process.disconnect());
}

const connected = await connectAccounts();
const stopSampling = startSampling();
process.once('message', () => stop(stopSampling));
process.send({ url, ...connected });
