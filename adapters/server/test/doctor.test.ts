import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '@kalends/sandbox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '../src/logger.ts';
import { type Server, startServer } from '../src/serve/server.ts';
import { readSettings } from '../src/settings.ts';
import { runCommand } from './commands/run-command.ts';
import { withoutSettings } from './commands/without-settings.ts';

const ADMIN_TOKEN = 'adm_0123456789abcdef';
let folder: string;
let sandbox: ReturnType<typeof createSandbox>;
const running: Server[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kalends-doctor-'));
  chmodSync(folder, 0o700);
  sandbox = createSandbox();
  withoutSettings();
  vi.stubEnv('KALENDS_PROVIDERS_URL', (await sandbox.listen()).url);
  vi.stubEnv('KALENDS_DATABASE_URL', `sqlite:${join(folder, 'kalends.db')}`);
  vi.stubEnv('KALENDS_SECRET', Buffer.alloc(32, 5).toString('base64'));
  vi.stubEnv('KALENDS_PORT', '0');
  vi.stubEnv('KALENDS_HOST', '127.0.0.1');
  vi.stubEnv('KALENDS_ADMIN_TOKEN', ADMIN_TOKEN);
  vi.stubEnv('KALENDS_LAME_DUCK_MS', '0');
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  await sandbox.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<string> {
  const server = await startServer('start', readSettings([], process.env).settings, createLogger('silent'));
  running.push(server);
  return `http://127.0.0.1:${server.port}`;
}

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly remedy: string | null;
}

async function doctor(...args: readonly string[]) {
  const { code, stdout } = await runCommand(['doctor', '--json', ...args]);
  const { status, findings } = JSON.parse(stdout) as { readonly status: string; readonly findings: readonly Finding[] };
  return { code, status, findings, of: (check: string) => findings.filter((finding) => finding.check === check) };
}

async function prepare(): Promise<void> {
  await runCommand(['migrate']);
  for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o600);
  const { stdout } = await runCommand(['app', 'create', '--name', 'Shop', '--json']);
  const { id } = JSON.parse(stdout) as { readonly id: string };
  sandbox.google.addClient({ clientId: 'client', clientSecret: 'hush', redirectUris: [] });
  expect((await runCommand(['client', 'set', 'PROVIDER_A', '--app', id, '--client-id', 'client'], 'hush')).code).toBe(
    0,
  );
}

it('before anything is set up, says that the file is missing and does not make it', async () => {
  const { code, of } = await doctor();
  expect(code).toBe(1);
  expect(of('database')).toMatchObject([{ status: 'failed', remedy: expect.stringContaining('kalends migrate') }]);
  expect(existsSync(join(folder, 'kalends.db'))).toBe(false);
});

it('finds nothing failed in a running installation, on its host and by its URL', async () => {
  await prepare();
  const url = await start();
  vi.stubEnv('KALENDS_PUBLIC_URL', `${url}/api`);
  const local = await doctor();
  expect(local.findings.filter(({ status }) => status === 'failed')).toEqual([]);
  expect([local.code, local.status]).toEqual([0, 'warning']);
  expect(local.of('push').map(({ status }) => status)).toEqual(['ok', 'ok']);
  expect(local.of('oauthClient').map(({ status }) => status)).toEqual(['ok']);
  expect(local.of('providerClock').map(({ status }) => status)).toEqual(['ok', 'ok']);
  expect(local.of('permissions').map(({ status }) => status)).toEqual(['ok']);
  expect(local.of('providersUrl').map(({ status }) => status)).toEqual(['warning']);
  expect(local.of('apiPath').map(({ status }) => status)).toEqual(['ok']);
  const remote = await doctor('--url', `${url}/api`);
  expect(remote.code).toBe(0);
  // The server itself was started without a public URL.
  expect(remote.of('publicUrl')).toMatchObject([
    { status: 'warning', message: expect.stringContaining('No public URL') },
  ]);
  const answer = await fetch(`${url}/api/admin/v1/diagnosis`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  expect(answer.status).toBe(200);
  const names = ({ findings }: { readonly findings: readonly Finding[] }) => findings.map(({ check }) => check);
  expect(names((await answer.json()) as never)).toEqual(names(remote));
});

describe('works where no server can start', () => {
  it.each([
    ['a wrong secret', { KALENDS_SECRET: Buffer.alloc(32, 6).toString('base64') }, 'secret', /key ids [\w-]{8}/],
    [
      'a secret that is too short',
      { KALENDS_SECRET: 'c2hvcnQ=' },
      'settings',
      /KALENDS_SECRET must have at least 32 bytes/,
    ],
    ['no secret', { KALENDS_SECRET: '' }, 'settings', /KALENDS_SECRET is required/],
    ['no database', { KALENDS_DATABASE_URL: '' }, 'settings', /KALENDS_DATABASE_URL is required/],
    ['a database that is away', { KALENDS_DATABASE_URL: 'postgres://x@127.0.0.1:1/x' }, 'database', /ECONNREFUSED/],
  ])('%s', async (_name, env, check, message) => {
    await prepare();
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const { code, of } = await doctor();
    expect(code).toBe(1);
    expect(of(check)).toMatchObject([{ status: 'failed', message: expect.stringMatching(message) }]);
    if (check === 'settings' && !('KALENDS_DATABASE_URL' in env)) {
      expect(of('database')).toMatchObject([{ status: 'ok' }]);
      expect(of('integrity')).toMatchObject([{ status: 'ok' }]);
    }
  });
});

it('names files of settings that others can read, and a path that the proxy would have to rewrite', async () => {
  await prepare();
  const file = join(folder, 'token');
  writeFileSync(file, `${ADMIN_TOKEN}\n`, { mode: 0o644 });
  vi.stubEnv('KALENDS_ADMIN_TOKEN', '');
  vi.stubEnv('KALENDS_ADMIN_TOKEN_FILE', file);
  vi.stubEnv('KALENDS_PUBLIC_URL', 'https://calendar.invalid/other/');
  expect((await doctor()).of('settingFiles')).toMatchObject([{ status: 'ok' }]);
  // Only now do others get through the folder.
  chmodSync(folder, 0o711);
  const { of } = await doctor();
  expect(of('settingFiles')).toMatchObject([{ status: 'warning', remedy: `Run: chmod 600 '${file}'` }]);
  expect(of('apiPath')).toMatchObject([
    { status: 'warning', remedy: expect.stringContaining('KALENDS_API_PATH to /other') },
  ]);
});

it('prints a line for each finding, the worst last, with what to do', async () => {
  await prepare();
  const { stdout } = await runCommand(['doctor']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^ok {7}database +The database is reached/);
  expect(lines.at(-1), stdout).toMatch(/^failed: 0, warnings: \d, ok: \d+, skipped: \d$/);
  expect(stdout).toMatch(/\n {5,}-> Set the public URL/);
});
