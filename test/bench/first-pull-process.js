// One engine and one first pull: the time it took, the most memory that the process ever held, and what it held before.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import { CLIENT, EMAIL } from './mailbox.js';

const PROVIDERS = {
  google: ({ root }) => [
    'PROVIDER_A',
    google({ ...googleEndpoints(root), limits: { callsPerInterval: Number.POSITIVE_INFINITY } }),
  ],
  microsoft: ({ root }) => ['PROVIDER_B', microsoft(microsoftEndpoints(root))],
};

/** Where the system tells it, without what the parent held when it forked. */
function peakMemory() {
  const path = '/proc/self/status';
  const kib = existsSync(path) ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(path, 'utf8'))?.[1] : undefined;
  return Number(kib ?? process.resourceUsage().maxRSS) * 1024;
}

const given = JSON.parse(process.argv[2]);
const [providerType, provider] = PROVIDERS[given.provider](given);
const folder = mkdtempSync(join(tmpdir(), 'kalends-bench-'));
const storage = sqlite({ path: join(folder, 'mirror.db') });
const engine = createEngine({
  storage,
  providers: { [providerType]: provider },
  secret: Buffer.alloc(32, 1).toString('base64'),
  sync: { readWaitMs: 6 * 3_600_000 },
});
try {
  await storage.open();
  const application = await engine.applications.create({ name: 'Bench' });
  await engine.oauthClients.set(application.id, providerType, CLIENT);
  const caller = { applicationId: application.id };
  const { refreshToken, calendarId } = given;
  const { account } = await engine.accounts.upsert(caller, { email: EMAIL, providerType, refreshToken });
  await engine.calendars.list(caller, account.id, {});
  globalThis.gc?.();
  const idleBytes = process.memoryUsage.rss();
  const began = performance.now();
  const page = await engine.events.list(caller, account.id, calendarId, { pageSize: 1 });
  const tookMs = performance.now() - began;
  if (page.data.length !== 1) throw new Error('the first pull brought nothing');
  globalThis.gc?.();
  const peakBytes = peakMemory();
  process.send({ tookMs, idleBytes, peakBytes, heapBytes: process.memoryUsage().heapUsed });
  await engine.stop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.disconnect();
