import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLogger } from '../src/logger.ts';
import { storageOf } from '../src/serve/open-storage.ts';
import { type Server, startServer } from '../src/serve/server.ts';
import { standaloneEngine } from '../src/serve/standalone-engine.ts';
import { readSettings } from '../src/settings.ts';

const METRICS_TOKEN = 'mtr_0123456789abcdef';
let folder: string;
let lines: { readonly level: number; readonly msg: string; readonly reason?: string; readonly requestId?: string }[];
const running: Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kalends-secret-'));
  lines = [];
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const secretOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');

const settingsOf = (secret: number, previous: readonly number[] = []) =>
  readSettings([], {
    KALENDS_DATABASE_URL: `sqlite:${join(folder, 'kalends.db')}`,
    KALENDS_SECRET: secretOf(secret),
    KALENDS_PREVIOUS_SECRETS: previous.map(secretOf).join(','),
    KALENDS_PORT: '0',
    KALENDS_HOST: '127.0.0.1',
    KALENDS_METRICS_TOKEN: METRICS_TOKEN,
    KALENDS_LAME_DUCK_MS: '0',
  }).settings;

const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });

async function start(secret: number, previous: readonly number[] = []) {
  const server = await startServer('start', settingsOf(secret, previous), logger);
  running.push(server);
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
    return { status: answer.status, requestId: answer.headers.get('x-request-id'), text: await answer.text() };
  };
  return { server, get };
}

/** Stores an application, its OAuth client and a key under a secret, as commands do. */
async function prepare(secret: number): Promise<string> {
  const settings = settingsOf(secret);
  const engine = standaloneEngine(settings, { storage: storageOf(settings, logger), logger });
  await engine.start({ background: false });
  const { id } = await engine.applications.create({ name: 'Shop' });
  await engine.oauthClients.set(id, 'PROVIDER_A', { clientId: 'client', clientSecret: 'hush' });
  const { key } = await engine.apiKeys.create(id, { name: 'Backend', expiresAt: null });
  await engine.stop();
  return key;
}

it('with a wrong secret is not ready, says why once in the log, and is ready again with the right one', async () => {
  const key = await prepare(5);
  const wrong = await start(6);
  for (let probe = 0; probe < 5; probe += 1) {
    const ready = await wrong.get('/readyz');
    expect([ready.status, ready.text]).toEqual([503, '{"status":"not ready"}\n']);
  }
  const told = await wrong.get('/readyz', { authorization: `Bearer ${METRICS_TOKEN}` });
  expect(JSON.parse(told.text)).toEqual({
    status: 'not ready',
    reason: 'the configuration does not fit the database; the log says why',
  });
  expect((await wrong.get('/healthz')).status).toBe(200);
  expect((await wrong.get('/metrics', { authorization: `Bearer ${METRICS_TOKEN}` })).text).toMatch(
    /^kalends_ready 0$/m,
  );
  const refused = await wrong.get('/api/v1/endUserAccounts', { 'x-api-key': key });
  expect(refused.status).toBe(503);
  expect(refused.text).not.toMatch(/secret/i);
  expect(lines.filter(({ requestId }) => requestId === refused.requestId)).toMatchObject([{ msg: 'request failed' }]);
  const reasons = lines.filter(({ level, reason }) => level >= 50 && reason !== undefined);
  expect(reasons).toMatchObject([{ reason: expect.stringContaining('not configured') }]);
  await wrong.server.stop();

  const right = await start(5);
  expect((await right.get('/readyz')).status).toBe(200);
  expect((await right.get('/metrics', { authorization: `Bearer ${METRICS_TOKEN}` })).text).toMatch(
    /^kalends_ready 1$/m,
  );
  expect((await right.get('/api/v1/endUserAccounts', { 'x-api-key': key })).status).toBe(200);
});

it('is not ready with another secret than the one of the first API key, though nothing is sealed yet', async () => {
  const settings = settingsOf(5);
  const engine = standaloneEngine(settings, { storage: storageOf(settings, logger), logger });
  await engine.start({ background: false });
  const { id } = await engine.applications.create({ name: 'Shop' });
  const { key } = await engine.apiKeys.create(id, { name: 'Backend', expiresAt: null });
  await engine.stop();
  const wrong = await start(6);
  expect((await wrong.get('/readyz')).status).toBe(503);
  expect((await wrong.get('/api/v1/endUserAccounts', { 'x-api-key': key })).status).toBe(503);
});

it('becomes ready by itself when another process rewraps what a removed previous secret sealed', async () => {
  await prepare(5);
  const early = await start(6);
  expect((await early.get('/readyz')).status).toBe(503);
  const settings = settingsOf(6, [5]);
  const engine = standaloneEngine(settings, { storage: storageOf(settings, logger), logger });
  await engine.start({ background: false });
  expect(await engine.dataKeys.rewrap()).toMatchObject({ rewrapped: 1, unopened: 0 });
  await engine.stop();
  expect((await early.get('/readyz')).status).toBe(200);
});
