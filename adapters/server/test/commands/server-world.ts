import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox, type Sandbox, seedDemo } from '@kalends/sandbox';
import { onTestFinished, vi } from 'vitest';
import { createLogger } from '../../src/logger.ts';
import { type Role, startServer } from '../../src/serve/server.ts';
import { readSettings } from '../../src/settings.ts';
import { type CommandResult, runCommand } from './run-command.ts';
import { withoutSettings } from './without-settings.ts';

export const ADMIN_TOKEN = 'adm_0123456789abcdef';
export const CLIENT = { clientId: 'rehearsal', clientSecret: 'hush-hush-hush' };

/** Way in which commands reach the administration. */
export type Way = 'local' | 'remote';

export interface ServerWorld {
  readonly sandbox: Sandbox;
  /** URL of the interface, with its path. */
  readonly url: string;
  /** Starts another process of the server on the same database. */
  start(role: Role): Promise<string>;
  /** Runs a command in the world's way. */
  run(args: readonly string[], input?: string): Promise<CommandResult>;
  /** Calls the interface of applications. */
  call(key: string, method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** Reads from the administration of the server. */
  administer(path: string): Promise<Record<string, unknown>>;
  /** The demo's CalDAV mailbox, with an app password of its own. */
  readonly calDav: { readonly serverUrl: string; readonly username: string; readonly password: string };
  /** Connects the demo's Google mailbox; resolves with the account's id. */
  connect(key: string): Promise<string>;
}

/** Opens a database with a server, and a sandbox in place of the providers; all are closed at the end of the test. */
export async function openServerWorld(way: Way): Promise<ServerWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-commands-'));
  const sandbox = createSandbox({ seed: 11 });
  const { google, caldav } = seedDemo(sandbox);
  for (const provider of [sandbox.google, sandbox.microsoft]) provider.addClient({ ...CLIENT, redirectUris: [] });
  const { url: sandboxUrl } = await sandbox.listen();
  const database = {
    KALENDS_DATABASE_URL: `sqlite:${join(folder, 'kalends.db')}`,
    KALENDS_SECRET: Buffer.alloc(32, 5).toString('base64'),
    KALENDS_PROVIDERS_URL: sandboxUrl,
    KALENDS_PUBLIC_URL: 'https://calendar.example.com/api',
    KALENDS_LOG_LEVEL: 'silent',
    KALENDS_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  const server = {
    KALENDS_ADMIN_TOKEN: ADMIN_TOKEN,
    KALENDS_HOST: '127.0.0.1',
    KALENDS_PORT: '0',
    KALENDS_LAME_DUCK_MS: '0',
  };
  onTestFinished(async () => {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const start = async (role: Role): Promise<string> => {
    const { settings } = readSettings([], { ...database, ...server });
    const { port, stop } = await startServer(role, settings, createLogger('silent'));
    onTestFinished(stop);
    return `http://127.0.0.1:${port}/api`;
  };
  const url = await start('serve');
  const ofCommands = way === 'local' ? database : { KALENDS_ADMIN_URL: url, KALENDS_ADMIN_TOKEN: ADMIN_TOKEN };

  const call: ServerWorld['call'] = async (key, method, path, body) => {
    const answer = await fetch(`${url}/v1/${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  const password = sandbox.caldav.addAppPassword({ email: caldav });
  return {
    sandbox,
    url,
    calDav: { serverUrl: `${sandboxUrl}/caldav/`, username: caldav, password },
    start,
    call,
    async administer(path) {
      const answer = await fetch(`${url}/admin/v1/${path}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
      return (await answer.json()) as Record<string, unknown>;
    },
    async run(args, input) {
      withoutSettings();
      for (const [name, value] of Object.entries(ofCommands)) vi.stubEnv(name, value);
      try {
        return await runCommand(args, input);
      } finally {
        vi.unstubAllEnvs();
      }
    },
    async connect(key) {
      const refreshToken = sandbox.google.issueRefreshToken({ email: google, clientId: CLIENT.clientId });
      const account = { email: google, providerType: 'PROVIDER_A', refreshToken };
      return String((await call(key, 'POST', 'endUserAccounts', account))['id']);
    },
  };
}
