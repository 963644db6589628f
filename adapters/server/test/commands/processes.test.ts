import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runCommand } from './run-command.ts';
import { ADMIN_TOKEN, CLIENT } from './server-world.ts';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const SOURCES = [
  '--conditions=kalends-source',
  '--import',
  pathOf('../../../../test/webhooks/processes/typescript-hook.js'),
];
const KALENDS = pathOf('../../src/cli.ts');

let folder: string;
const undo: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kalends-processes-'));
});
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const env = () => ({
  KALENDS_DATABASE_URL: `sqlite:${join(folder, 'kalends.db')}`,
  KALENDS_SECRET: Buffer.alloc(32, 5).toString('base64'),
  KALENDS_LOG_LEVEL: 'debug',
});

function start(path: string, args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [...SOURCES, path, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...variables },
  });
  undo.push(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill();
      await once(child, 'close');
    }
  });
  return child;
}

/** Runs a command to its end. */
async function run(args: readonly string[], variables: Readonly<Record<string, string>>, input = '') {
  const child = start(KALENDS, args, variables);
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** Reads a stream until it has a text; resolves with everything read so far. */
async function until(
  stream: NodeJS.ReadableStream,
  found: RegExp,
): Promise<RegExpExecArray & { readonly input: string }> {
  let read = '';
  for (;;) {
    const [chunk] = await once(stream, 'data');
    read += chunk;
    const match = found.exec(read);
    if (match !== null) return match;
  }
}

it('rehearses against a sandbox in a process of its own', { timeout: 120_000 }, async () => {
  const sandbox = start(pathOf('../../../sandbox/src/cli.ts'), ['--port', '0']);
  const [, sandboxUrl = ''] = await until(sandbox.stdout, /sandbox +(http:\S+)\n/);
  const control = async (path: string, body: object) => {
    const answer = await fetch(`${sandboxUrl}/_sandbox/google/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(201);
    return (await answer.json()) as Record<string, string>;
  };
  await control('clients', CLIENT);
  const { refreshToken } = await control('refresh-tokens', { email: 'ada@gmail.example', clientId: CLIENT.clientId });

  for (const [name, value] of Object.entries(env())) vi.stubEnv(name, value);
  vi.stubEnv('KALENDS_LOG_LEVEL', 'silent');
  const { id: app } = JSON.parse((await runCommand(['app', 'create', '--name', 'Shop', '--json'])).stdout);
  const set = ['client', 'set', 'PROVIDER_A', '--app', app, '--client-id', CLIENT.clientId];
  const client = await run(set, env(), CLIENT.clientSecret);
  expect(client.code).toBe(0);
  const test = await runCommand(['client', 'test', 'PROVIDER_A', '--app', app, '--providers-url', sandboxUrl]);
  expect(test).toMatchObject({ code: 0, stdout: expect.stringContaining('outcome: accepted') });
  const create = ['key', 'create', '--app', app, '--name', 'x', '--expires-at', '1d', '--json'];
  const { key } = JSON.parse((await runCommand(create)).stdout);

  const options = ['--providers-url', sandboxUrl, '--port', '0', '--host', '127.0.0.1', '--lame-duck-ms', '0'];
  const server = start(KALENDS, ['serve', ...options], { ...env(), KALENDS_ADMIN_TOKEN: ADMIN_TOKEN });
  const started = await until(server.stderr, /"port":(\d+),.*"msg":"started"/);
  expect(started.input).toContain(`REHEARSAL: not Google and Microsoft but ${sandboxUrl} is called`);
  const url = `http://127.0.0.1:${started[1]}/api`;
  const call = async (path: string, body?: object) => {
    const answer = await fetch(`${url}/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as { id: string; data: { id: string }[] } };
  };
  const account = { email: 'ada@gmail.example', providerType: 'PROVIDER_A', refreshToken };
  const connected = await call('endUserAccounts', account);
  expect(connected.status).toBe(201);
  const calendars = await call(`calendars/${connected.body.id}`);
  expect(calendars.body.data.map(({ id }) => id)).toContain('ada@gmail.example');

  const remote = { KALENDS_ADMIN_TOKEN: ADMIN_TOKEN, KALENDS_ADMIN_URL: url };
  const listed = await run(['account', 'list', '--app', app], remote);
  expect(listed).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('ada@gmail.example') });
  const missing = await run(['account', 'get', 'acc_none', '--app', app], remote);
  expect(missing).toMatchObject({ code: 1, stdout: '' });
  const everything = JSON.stringify([client, listed, missing, started.input]);
  for (const secret of [CLIENT.clientSecret, ADMIN_TOKEN, refreshToken, env().KALENDS_SECRET, key]) {
    expect(everything).not.toContain(secret);
  }
});

it('goes on to its end, and says how it ended, when the reader of its output has gone', {
  timeout: 60_000,
}, async () => {
  const unheard = async (args: readonly string[], variables: Readonly<Record<string, string>> = {}) => {
    const child = start(KALENDS, args, variables);
    child.stdout.destroy();
    const [said] = await Promise.all([text(child.stderr), once(child, 'close')]);
    return [child.exitCode, said];
  };
  expect(await unheard(['help'])).toEqual([0, '']);
  // It prints its diagnosis of a database that nothing has migrated, and ends with 1.
  expect(await unheard(['doctor'], env())).toEqual([1, '']);
});
