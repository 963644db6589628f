import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { sqlite } from '@kalends/sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runMigrate } from '../src/admin/migrate-command.ts';
import { runRewrap } from '../src/admin/rewrap-command.ts';
import { createLogger } from '../src/logger.ts';
import { shownUrl } from '../src/serve/open-storage.ts';
import { type Role, type Server, startServer } from '../src/serve/server.ts';
import { readSettings } from '../src/settings.ts';
import { runCommand } from './commands/run-command.ts';
import { withoutSettings } from './commands/without-settings.ts';

const METRICS_TOKEN = 'mtr_0123456789abcdef';
let folder: string;
const running: Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kalends-server-'));
  withoutSettings();
  vi.stubEnv('KALENDS_DATABASE_URL', `sqlite:${join(folder, 'kalends.db')}`);
  vi.stubEnv('KALENDS_SECRET', Buffer.alloc(32, 5).toString('base64'));
  vi.stubEnv('KALENDS_PORT', '0');
  vi.stubEnv('KALENDS_HOST', '127.0.0.1');
  vi.stubEnv('KALENDS_METRICS_TOKEN', METRICS_TOKEN);
  vi.stubEnv('KALENDS_LAME_DUCK_MS', '0');
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

async function start(role: Role) {
  const { settings } = readSettings([], process.env);
  const server = await startServer(role, settings, createLogger('silent'));
  running.push(server);
  const url = `http://127.0.0.1:${server.port}`;
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${url}${path}`, { headers });
  return { server, url, get };
}

/** Runs a command on the database of the settings; resolves with the JSON that it prints. */
async function admin(args: readonly string[], input = '') {
  const { code, stdout, stderr } = await runCommand([...args, '--json'], input);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

it('is run without a dashboard: an application, its client at a provider, and a key that the interface knows', async () => {
  const app = await admin(['app', 'create', '--name', 'Shop', '--redirect-url', 'https://shop.test/connected']);
  expect(app).toMatchObject({ name: 'Shop', redirectUrls: ['https://shop.test/connected'] });
  const flags = ['--app', app.id, '--client-id', 'client', '--setting', 'tenant=common'];
  const set = await admin(['client', 'set', 'PROVIDER_B', ...flags], 'the secret\n');
  expect(set).toMatchObject({ providerType: 'PROVIDER_B', clientId: 'client' });
  expect(JSON.stringify(set)).not.toContain('the secret');
  const created = await admin(['key', 'create', '--app', app.id, '--name', 'Backend', '--expires-at', 'null']);
  const { server, get } = await start('start');
  expect((await get('/api/v1/endUserAccounts', { 'x-api-key': created.key })).status).toBe(200);
  await server.stop();
  expect((await admin(['app', 'list'])).data).toMatchObject([{ id: app.id }]);
  await admin(['key', 'revoke', created.apiKey.id, '--app', app.id, '--yes']);
  const [listed] = (await admin(['key', 'list', '--app', app.id])).data;
  expect(listed).toMatchObject({ id: created.apiKey.id, name: 'Backend' });
  expect(listed.revokedAt).not.toBeNull();
  const again = await start('start');
  expect((await again.get('/api/v1/endUserAccounts', { 'x-api-key': created.key })).status).toBe(401);
});

it('serves in one process and works in another, on one database', async () => {
  const serving = await start('serve');
  const working = await start('work');
  for (const { get } of [serving, working]) {
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/readyz')).status).toBe(200);
  }
  expect((await serving.get('/api/v1/openapi.json')).status).toBe(200);
  expect((await working.get('/api/v1/openapi.json')).status).toBe(404);
});

it('is not ready with other tz data than the database expects, until the database is migrated', async () => {
  const { get } = await start('start');
  const storage = sqlite({ path: join(folder, 'kalends.db') });
  await storage.open();
  await storage.health.setZoneData('1999z');
  await storage.close();
  const refused = await get('/readyz', { authorization: `Bearer ${METRICS_TOKEN}` });
  expect(refused.status).toBe(503);
  expect(await refused.text()).toContain('expects 1999z');
  expect((await get('/healthz')).status).toBe(200);
  const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  expect(await runMigrate([], io)).toBe(0);
  expect((await get('/readyz')).status).toBe(200);
});

it('says what a migration did, and what is next', async () => {
  const migrated = async (args: readonly string[] = []) => {
    const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
    expect(await runMigrate(args, io)).toBe(0);
    io.stdout.end();
    return text(io.stdout);
  };
  const printed = await migrated(['--print']);
  expect(printed).toMatch(/^begin;\n\ncreate table kalends_migration .*;\n\ncommit;\n$/s);
  expect(await migrated(['--print', '--database-prefix', 'cal_'])).not.toContain('kalends_');
  const first = await migrated();
  expect(first).toMatch(/kalends\.db is migrated from nothing to (\S+):\n(?: {2}\S+\n)* {2}\1\n/);
  expect(first).toContain('Next: start or replace the processes');
  const second = await migrated();
  expect(second).toMatch(/kalends\.db is up to date, at \S+/);
  expect(second).not.toContain('migrated from');
  expect(await migrated(['--print'])).toMatch(/^-- sqlite:\S+ is up to date: nothing to run\n$/);
});

it('brings what is stored under a new secret, and names what it cannot open', async () => {
  const rewrap = async (secret: number, previous: readonly number[]) => {
    const written = (byte: number) => Buffer.alloc(32, byte).toString('base64');
    vi.stubEnv('KALENDS_SECRET', written(secret));
    vi.stubEnv('KALENDS_PREVIOUS_SECRETS', previous.map(written).join(','));
    const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
    const code = await runRewrap([], io);
    io.stdout.end();
    return { code, said: await text(io.stdout) };
  };
  const app = await admin(['app', 'create', '--name', 'Shop']);
  await admin(['client', 'set', 'PROVIDER_B', '--app', app.id, '--client-id', 'client'], 'hush');
  const lost = await rewrap(6, []);
  expect(lost.code).toBe(1);
  expect(lost.said).toContain('cannot be opened     1\n');
  expect(lost.said).toContain(`  application ${app.id}: the client secret at provider PROVIDER_B\n`);
  const first = await rewrap(6, [5]);
  expect(first.code).toBe(0);
  expect(first.said).toContain('rewrapped            1\nup to date           0\ncannot be opened     0\n');
  expect((await rewrap(6, [5])).said).toContain('rewrapped            0\nup to date           1\n');
  expect(first.said).toContain('API keys, feed addresses and booking tokens made under it may still need it');
  expect((await rewrap(6, [])).code).toBe(0);
  expect((await rewrap(5, [])).code).toBe(1);
});

it('measures requests, what waits, and itself, for the operator alone', async () => {
  const { get } = await start('start');
  await get('/api/v1/endUserAccounts');
  expect((await get('/metrics')).status).toBe(401);
  expect((await get('/metrics', { authorization: 'Bearer other' })).status).toBe(401);
  const answer = await get('/metrics', { authorization: `Bearer ${METRICS_TOKEN}` });
  expect(answer.headers.get('content-type')).toContain('application/openmetrics-text');
  const metrics = await answer.text();
  expect(metrics).toContain(
    'kalends_http_request_duration_seconds_count{route="/v1/endUserAccounts",method="GET",status="401"} 1',
  );
  expect(metrics).toMatch(/^kalends_due_collections 0$/m);
  expect(metrics).toMatch(/^kalends_sync_lag_seconds 0$/m);
  expect(metrics).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect(metrics).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  expect(metrics.endsWith('# EOF\n')).toBe(true);
});

describe('the administration', () => {
  const ADMIN_TOKEN = 'adm_0123456789abcdef';
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it.each(['start', 'serve'] as const)('is beside the interface of %s, behind its own token', async (role) => {
    writeFileSync(join(folder, 'token'), `${ADMIN_TOKEN}\n`);
    vi.stubEnv('KALENDS_ADMIN_TOKEN_FILE', join(folder, 'token'));
    const { get, url } = await start(role);
    const answer = await get('/api/admin/v1/applications', bearer(ADMIN_TOKEN));
    expect(await answer.json()).toEqual({ data: [], nextPageToken: null });
    const created = await fetch(`${url}/api/admin/v1/applications`, {
      method: 'POST',
      headers: { ...bearer(ADMIN_TOKEN), 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'By HTTP' }),
    });
    expect(created.status).toBe(201);
    const { id } = (await created.json()) as { readonly id: string };
    const { key } = await admin(['key', 'create', '--app', id, '--name', 'k', '--expires-at', '1d']);
    for (const path of ['/api/admin/v1/applications', '/api/admin/v1/openapi.json']) {
      expect((await get(path)).status).toBe(401);
      expect((await get(path, bearer(METRICS_TOKEN))).status).toBe(401);
      expect((await get(path, bearer(key))).status).toBe(401);
      expect((await get(path, { 'x-api-key': key })).status).toBe(401);
    }
    expect((await get('/api/admin/v1/nowhere', bearer(ADMIN_TOKEN))).status).toBe(404);
    expect((await get('/metrics', bearer(ADMIN_TOKEN))).status).toBe(401);
    expect((await get('/metrics', bearer(METRICS_TOKEN))).status).toBe(200);
    expect((await get('/api/v1/endUserAccounts', bearer(ADMIN_TOKEN))).status).toBe(401);
    expect((await get('/api/v1/endUserAccounts', { 'x-api-key': ADMIN_TOKEN })).status).toBe(401);
    expect((await get('/api/v1/endUserAccounts', { 'x-api-key': key })).status).toBe(200);
    expect((await get('/admin/v1/applications', bearer(ADMIN_TOKEN))).status).toBe(404);
  });

  it('does not exist without a token, and not in a worker', async () => {
    const without = await start('start');
    const missing = await without.get('/api/admin/v1/applications', bearer(METRICS_TOKEN));
    const unknown = await without.get('/api/nowhere/v1/applications', bearer(METRICS_TOKEN));
    const detail = async (answer: Response) => ((await answer.json()) as { readonly detail: string }).detail;
    expect([missing.status, unknown.status]).toEqual([404, 404]);
    expect(await detail(missing)).toBe((await detail(unknown)).replace('/nowhere/', '/admin/'));
    vi.stubEnv('KALENDS_ADMIN_TOKEN', ADMIN_TOKEN);
    const worker = await start('work');
    expect((await worker.get('/api/admin/v1/applications', bearer(ADMIN_TOKEN))).status).toBe(404);
  });

  it('is named as missing by the commands that ask a server without it', async () => {
    const { url } = await start('serve');
    vi.stubEnv('KALENDS_ADMIN_TOKEN', ADMIN_TOKEN);
    const asked = ['--url', `${url}/api`];
    for (const command of [['app', 'list'], ['app', 'get', 'app_1'], ['doctor'], ['activity']]) {
      const { code, stderr } = await runCommand([...command, ...asked]);
      expect([code, stderr]).toEqual([
        1,
        `kalends: ${url}/api has no administration: set KALENDS_ADMIN_TOKEN on that server, if this is the interface's URL\n`,
      ]);
    }
  });

  it.each([
    ['https://ops.example/api', 'https://ops.example/docs'],
    ['https://ops.example/cal/api', 'https://ops.example/cal/docs'],
    ['https://ops.example/cal/api/', 'https://ops.example/cal/docs'],
    ['https://ops.example/calendar', null],
    ['https://ops.example', null],
    ['https://api', null],
  ])('links new keys at the public URL %s to %s, never to a page of another application', async (publicUrl, docsUrl) => {
    vi.stubEnv('KALENDS_ADMIN_TOKEN', ADMIN_TOKEN);
    vi.stubEnv('KALENDS_PUBLIC_URL', publicUrl);
    const { get } = await start('serve');
    expect(await (await get('/dashboard/session')).json()).toMatchObject({ docsUrl });
  });

  it('refuses the token of the metrics', async () => {
    vi.stubEnv('KALENDS_ADMIN_TOKEN', METRICS_TOKEN);
    await expect(start('start')).rejects.toThrow('KALENDS_ADMIN_TOKEN and KALENDS_METRICS_TOKEN must differ');
  });
});

it('finishes what is under way when it stops, and takes nothing new', async () => {
  const { server, url } = await start('start');
  const slow = httpRequest(`${url}/api/v1/endUserAccounts`, { method: 'POST', headers: { 'content-length': 2 } });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    slow.once('response', (response) => resolve(response.resume().statusCode));
    slow.once('error', reject);
  });
  await new Promise<void>((resolve) => slow.write('{', () => resolve()));
  // The server has seen the head once it answers another request on a connection of its own.
  await fetch(`${url}/healthz`, { headers: { connection: 'close' } });
  const stopped = server.stop();
  slow.end('}');
  expect(await answered).toBe(401);
  await stopped;
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

it('names the database that cannot be opened', async () => {
  vi.stubEnv('KALENDS_DATABASE_URL', 'sqlite:/nonexistent/kalends.db');
  await expect(start('start')).rejects.toThrow('cannot open the database sqlite:/nonexistent/kalends.db');
  await expect(start('start')).rejects.toThrow('does its folder exist');
  expect(shownUrl('postgres://kalends:password@db.test:5432/kalends?sslkey=x')).toBe('postgres://db.test:5432/kalends');
});

it('logs the fields that are allowed, and no others', () => {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => lines.push(line) });
  const lease = 'pull:app_1:acc_1:ada@example.com';
  logger.info('pulled', {
    accountId: 'acc_1',
    calendarId: 'ada@example.com',
    lease,
    accessToken: 'secret',
    durationMs: 4,
    holdId: 'hld_1',
    attempt: 2,
    kind: 'create',
  });
  logger.debug('too much');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      level: 30,
      time: expect.any(Number),
      accountId: 'acc_1',
      durationMs: 4,
      holdId: 'hld_1',
      attempt: 2,
      kind: 'create',
      msg: 'pulled',
    },
  ]);
});
