import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startHangingProxy } from '../../postgres/test/server/hanging-proxy.ts';
import { type PostgresServer, startPostgres } from '../../postgres/test/server/start-postgres.ts';
import { createLogger } from '../src/logger.ts';
import { storageOf } from '../src/serve/open-storage.ts';
import { standaloneEngine } from '../src/serve/standalone-engine.ts';
import { readSettings } from '../src/settings.ts';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const running: ChildProcess[] = [];
let database: PostgresServer;
let env: Record<string, string>;
let apiKey: string;

beforeAll(async () => {
  database = await startPostgres();
  env = {
    KALENDS_DATABASE_URL: database.url,
    KALENDS_SECRET: Buffer.alloc(32, 5).toString('base64'),
    KALENDS_PORT: '0',
    KALENDS_HOST: '127.0.0.1',
    KALENDS_LAME_DUCK_MS: '0',
  };
  const { settings } = readSettings([], env);
  const logger = createLogger('silent');
  const engine = standaloneEngine(settings, { storage: storageOf(settings, logger), logger });
  await engine.start({ background: false });
  const { id } = await engine.applications.create({ name: 'Shop', redirectUrls: [] });
  ({ key: apiKey } = await engine.apiKeys.create(id, { name: 'Backend', expiresAt: null }));
  await engine.stop();
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => database.stop());

/** A process of the server, once it serves; its log goes on in `lines`. */
async function startProcess(settings: Readonly<Record<string, string>> = {}) {
  const flags = [
    '--conditions=kalends-source',
    '--import',
    pathOf('../../../test/webhooks/processes/typescript-hook.js'),
  ];
  const child = spawn(process.execPath, [...flags, pathOf('processes/run-server.ts')], {
    env: { ...process.env, ...env, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.push(child);
  const lines: string[] = [];
  const log = createInterface(child.stderr!);
  log.on('line', (line) => lines.push(line));
  const logged = async (text: string) => {
    while (!lines.some((line) => line.includes(text))) {
      if (child.exitCode !== null) throw new Error(`The server ended before it said ${text}:\n${lines.join('\n')}`);
      await Promise.race([once(log, 'line'), once(child, 'close')]);
    }
    return lines.find((line) => line.includes(text)) ?? '';
  };
  const { port } = JSON.parse(await logged('"started"'));
  const url = `http://127.0.0.1:${port}`;
  const get = (path: string) => fetch(`${url}${path}`, { headers: { 'x-api-key': apiKey } });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  return { child, url, get, lines, logged, ended };
}

const ACCOUNTS = '/api/v1/endUserAccounts';

it('answers 503 while the database is away, and goes on by itself when that is back', {
  timeout: 120_000,
}, async () => {
  const { child, get, url, logged, ended } = await startProcess();
  expect((await get(ACCOUNTS)).status).toBe(200);
  await database.goAway();
  const notReady = await get('/readyz');
  expect([notReady.status, await notReady.text()]).toEqual([503, expect.stringContaining('database does not answer')]);
  expect((await get('/healthz')).status).toBe(200);
  const body = JSON.stringify({ email: 'ada@example.com', providerType: 'PROVIDER_A', refreshToken: 'x' });
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const answers = [await get(ACCOUNTS), await fetch(`${url}${ACCOUNTS}`, { method: 'POST', headers, body })];
  for (const answer of answers) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await answer.json()).toMatchObject({ code: 'InternalError', status: 503 });
  }
  await logged('the database cannot be reached');
  await database.comeBack();
  expect((await get(ACCOUNTS)).status).toBe(200);
  expect((await get('/readyz')).status).toBe(200);
  await logged('the database can be reached again');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

it('stops in order while the database is away', { timeout: 120_000 }, async () => {
  const { child, lines, ended, logged } = await startProcess();
  await database.goAway();
  await logged('the database cannot be reached');
  child.kill('SIGTERM');
  expect(await ended, lines.join('\n')).toBe(0);
  expect(lines.at(-1)).toContain('"stopped"');
  await database.comeBack();
});

it('stops in order while the database hangs', { timeout: 120_000 }, async () => {
  const proxy = await startHangingProxy(database.url);
  onTestFinished(() => proxy.close());
  const { child, get, lines, ended } = await startProcess({ KALENDS_DATABASE_URL: proxy.url });
  expect((await get(ACCOUNTS)).status).toBe(200);
  proxy.hang();
  const begunAt = performance.now();
  child.kill('SIGTERM');
  expect(await ended, lines.join('\n')).toBe(0);
  // Less than the timeout of a statement.
  expect(performance.now() - begunAt).toBeLessThan(20_000);
  expect(lines.at(-1)).toContain('"stopped"');
});

it('ends at once by a second signal, and says so', { timeout: 60_000 }, async () => {
  const { child, url, logged, ended } = await startProcess();
  // A body that never comes: what is under way, and would be waited for.
  const slow = request(`${url}${ACCOUNTS}`, { method: 'POST', headers: { 'content-length': 2 } });
  slow.on('error', () => slow.destroy());
  await new Promise<void>((resolve) => slow.write('{', () => resolve()));
  await fetch(`${url}/healthz`, { headers: { connection: 'close' } });
  child.kill('SIGTERM');
  await logged('"stopping"');
  child.kill('SIGTERM');
  expect(await ended).toBe(1);
  await logged('second SIGTERM: ending at once');
});
