import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transcript } from '@kalends/conformance';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { loadParity } from '../../src/parity/load-parity.ts';
import { PARITY_VARIABLES } from '../../src/parity/parity-settings.ts';
import { parityCommand } from '../../src/parity/parity-usage.ts';
import { PROVIDER_NAMES, type ProviderName } from '../../src/parity/provider-at.ts';
import { EMAIL, ONE_CASE, runCommand, startStandIn } from './stand-in.ts';

const folder = mkdtempSync(join(tmpdir(), 'kalends-parity-'));
const out = join(folder, 'transcript.json');
const running: Awaited<ReturnType<typeof startStandIn>>[] = [];
afterEach(async () => {
  for (const { sandbox } of running.splice(0)) await sandbox.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function standIn(name: ProviderName) {
  const started = await startStandIn(name);
  running.push(started);
  const env = { ...started.env, KALENDS_PARITY_REFRESH_TOKEN: started.refreshToken };
  const args = ['--provider', name, '--settle', '0', '--only', ONE_CASE, '--out', out];
  return { ...started, env, args };
}

describe.each(PROVIDER_NAMES)('%s', (name) => {
  test('without a difference the exit code is 0, and --json prints one object', async () => {
    const { env, args, refreshToken } = await standIn(name);
    const { code, stdout, stderr } = await runCommand([...args, '--json'], env);
    expect(JSON.parse(stdout)).toEqual({ provider: name, cases: 1, transcript: out, differences: [] });
    expect(code).toBe(0);
    expect(stderr).toBe(`passed  ${ONE_CASE}\n`);
    const transcript = readFileSync(out, 'utf8');
    expect((JSON.parse(transcript) as Transcript).cases.map((one) => one.name)).toContain(ONE_CASE);
    for (const secret of [refreshToken, EMAIL, ...Object.values(env)]) expect(transcript).not.toContain(secret);
  });

  test('with a difference the exit code is 1, and the report names it and the transcript', async () => {
    const { env, args, sandbox } = await standIn(name);
    // Other deletions, that of the calendar, follow it.
    sandbox.faults.arm({ provider: name, method: 'DELETE', times: 1, kind: 'answer-after', status: 403, body: {} });
    const { code, stdout, stderr } = await runCommand([...args, '--verbose'], env);
    expect(code).toBe(1);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toContainEqual(
      expect.stringMatching(/^ {2}the live service answers 403, the sandbox 204 \(in “update: isCancelled/),
    );
    expect(lines.at(-1)).toMatch(/^1 cases, \d differences; transcript: .*transcript\.json$/);
    expect(stderr).toMatch(/^FAILED {2}update: isCancelled deletes\n\w+: .*403/);
  });

  test('--json prints the differences as data', async () => {
    const { env, args, sandbox } = await standIn(name);
    sandbox.faults.arm({ provider: name, method: 'DELETE', times: 1, kind: 'answer-after', status: 403, body: {} });
    const { code, stdout } = await runCommand([...args, '--json'], env);
    expect(code).toBe(1);
    expect((JSON.parse(stdout) as { differences: unknown }).differences).toContainEqual({
      case: ONE_CASE,
      operation: expect.stringMatching(/^DELETE /),
      status: null,
      kind: 'status',
      place: '',
      live: '403',
      sandbox: '204',
    });
  });
});

test('--help prints every variable, and so does the documentation', () => {
  const guide = readFileSync(new URL('../../../../docs/parity.md', import.meta.url), 'utf8');
  expect(PARITY_VARIABLES).toHaveLength(5);
  for (const variable of PARITY_VARIABLES) {
    expect(parityCommand.help).toContain(variable);
    expect(guide).toContain(variable);
  }
});

const COMPLETE = {
  KALENDS_PARITY_CLIENT_ID: 'id',
  KALENDS_PARITY_CLIENT_SECRET: 'secret',
  KALENDS_PARITY_REFRESH_TOKEN: 'token',
};

test.each([
  [['--provider', 'yahoo'], '--provider must be google or microsoft, not "yahoo"'],
  [[], '--provider must be google or microsoft, not ""'],
  [['--provider', 'google', '--fast'], "Unknown option '--fast'"],
  [['--provider', 'google', 'now'], "Unexpected argument 'now'"],
  [['--provider', 'google', '--settle', '1s'], '--settle must be milliseconds, not "1s"'],
  [['--provider', 'google', '--only', 'no such case'], '--only "no such case" selects no case'],
  [['--provider', 'google', '--port', '4401'], '--port belongs to --connect'],
  [['--provider', 'google', '--connect', '--port', '99999'], '--port must be a port from 0 to 65535, not "99999"'],
])('refuses %j before any request', async (args, message) => {
  // The first request would fail here, since nothing listens at port 9.
  const refused = runCommand(args, { ...COMPLETE, KALENDS_PARITY_ROOT: 'http://127.0.0.1:9' });
  await expect(refused).rejects.toMatchObject({ name: 'CommandError', exitCode: 2 });
  await expect(refused).rejects.toThrow(message);
});

test.each([
  [
    {},
    'the configuration is incomplete or invalid:\n  KALENDS_PARITY_CLIENT_ID is required\n  KALENDS_PARITY_CLIENT_SECRET is required',
  ],
  [{ ...COMPLETE, KALENDS_PARITY_CLIENT_SECRET: '' }, 'KALENDS_PARITY_CLIENT_SECRET '],
  [{ ...COMPLETE, KALENDS_PARITY_REFRESH_TOKEN: '' }, 'KALENDS_PARITY_REFRESH_TOKEN is required; or give --connect'],
  [
    { ...COMPLETE, KALENDS_PARITY_ROOT: 'localhost:4040' },
    'KALENDS_PARITY_ROOT must be the absolute URL of a stand-in',
  ],
  [
    { ...COMPLETE, KALENDS_PARITY_REFRESH_TOKEN: '', KALENDS_PARITY_REFRESH_TOKEN_FILE: '/nowhere/token' },
    'KALENDS_PARITY_REFRESH_TOKEN_FILE: cannot read /nowhere/token',
  ],
])('refuses the environment %j', async (env, message) => {
  const refused = runCommand(['--provider', 'google'], env);
  await expect(refused).rejects.toMatchObject({ name: 'CommandError', exitCode: 2 });
  await expect(refused).rejects.toThrow(message);
});

test('reads a secret from the file that a variable names', async () => {
  const { env, args, refreshToken } = await standIn('google');
  const file = join(folder, 'token');
  writeFileSync(file, `${refreshToken}\n`);
  const fromFile = { ...env, KALENDS_PARITY_REFRESH_TOKEN: '', KALENDS_PARITY_REFRESH_TOKEN_FILE: file };
  expect((await runCommand(args, fromFile)).code).toBe(0);
});

test('an account that cannot be used at all is an error', async () => {
  const { env, args } = await standIn('google');
  const refused = runCommand(args, { ...env, KALENDS_PARITY_REFRESH_TOKEN: 'another' });
  await expect(refused).rejects.toMatchObject({ name: 'CommandError', exitCode: 1 });
  await expect(refused).rejects.toThrow(/^the account cannot be used \(invalid-grant\): /);
});

test.each(['@kalends/sandbox', '@kalends/conformance'])('names %s when it is not installed', async (missing) => {
  // The error of Node itself, in a folder without packages.
  const script = `import('${missing}').catch(({ code, message }) => console.log(JSON.stringify({ code, message })))`;
  const printed = execFileSync(process.execPath, ['--eval', script], { cwd: folder, encoding: 'utf8' });
  const { code, message } = JSON.parse(printed) as { code: string; message: string };
  const load = () => Promise.reject(Object.assign(new Error(message), { code }));
  const refused = loadParity(load);
  await expect(refused).rejects.toMatchObject({ name: 'CommandError', exitCode: 1 });
  await expect(refused).rejects.toThrow(
    `"kalends parity" needs ${missing}, which is not installed\nInstall it with: npm install ${missing}@`,
  );
});

test('another error of loading is not taken for a missing package', async () => {
  const broken = Object.assign(new Error("Cannot find package 'zod'"), { code: 'ERR_MODULE_NOT_FOUND' });
  await expect(loadParity(() => Promise.reject(broken))).rejects.toBe(broken);
});
