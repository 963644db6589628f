import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { KalendsError, StorageUnavailableError } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { nearest } from '../../src/commands/nearest.ts';
import { runProgram } from '../../src/commands/program.ts';
import { show } from '../../src/commands/show.ts';
import { runCommand } from './run-command.ts';
import { withoutSettings } from './without-settings.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kalends-command-'));
  withoutSettings();
  vi.stubEnv('KALENDS_DATABASE_URL', `sqlite:${join(folder, 'kalends.db')}`);
  vi.stubEnv('KALENDS_SECRET', Buffer.alloc(32, 5).toString('base64'));
  vi.stubEnv('KALENDS_LOG_LEVEL', 'silent');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const json = async (args: readonly string[], input?: string) => {
  const { code, stdout, stderr } = await runCommand([...args, '--json'], input);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};
const newApp = async (name = 'Shop'): Promise<string> => (await json(['app', 'create', '--name', name])).id;

describe('arguments that cannot be used', () => {
  it.each([
    [['toString'], 'there is no command "toString"\nSee: kalends help\n'],
    [['help', 'constructor'], 'there is no command "constructor"\nSee: kalends help\n'],
    [['constructor', 'list'], 'there is no command "constructor"\nSee: kalends help\n'],
    [['ap', 'list'], 'there is no command "ap"\nDid you mean "app"?\nSee: kalends help\n'],
    [['app', 'lst'], 'there is no command "app lst"\nDid you mean "app list"?\nSee: kalends help app\n'],
    [
      ['app', 'create', '--nmae', 'x'],
      'Unknown option \'--nmae\'\nDid you mean "--name"?\nSee: kalends app create --help\n',
    ],
    [['app', 'create'], '--name is required: Display name.\nSee: kalends app create --help\n'],
    [['app', 'get'], 'APP is required; or set KALENDS_APP\nSee: kalends app get --help\n'],
    [['app', 'get', 'app_1', 'app_2'], 'Unexpected argument "app_2"\n'],
    [['account', 'get', 'acc_1'], '--app is required; or set KALENDS_APP\n'],
    [['key', 'create', '--app', 'app_1', '--name', 'x'], '--expires-at is required: A date'],
    [
      ['client', 'set', 'PROVIDER_A', '--app', 'a', '--client-id', 'x', '--setting', 'tenant'],
      '--setting must be NAME=VALUE, not "tenant"\n',
    ],
    [['account', 'delete', '..', '--app', 'app_1', '--yes'], 'ACCOUNT must be an id, not ".."\n'],
    [['app', 'list', '--url', 'calendar.example.com'], '--url must be the URL of the interface'],
    [['app', 'list', '--url', 'https://a.example/api', '--database', 'x'], '--url and --database exclude each other'],
    [['app', 'list', '--url', 'https://a.example/api'], 'KALENDS_ADMIN_TOKEN is required with --url'],
    [['app', 'list', '--token-stdin'], '--token-stdin belongs to --url\n'],
    [['app', 'update', 'app_1', '--body', '-'], '--body is not valid JSON'],
    [['app', 'update', 'app_1', '--body', '/nowhere.json'], '--body: cannot read /nowhere.json'],
    [['completion', 'csh'], 'give one of bash, zsh and fish\nSee: kalends completion --help\n'],
    [['version', 'x'], 'Unexpected argument'],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`kalends: ${message}`);
  });

  it('are one JSON object with --json', async () => {
    const { code, stderr } = await runCommand(['app', 'create', '--json']);
    expect([code, JSON.parse(stderr)]).toEqual([
      2,
      { code: 'InvalidCommand', message: '--name is required: Display name.' },
    ]);
  });

  it.each([
    ['InternalError', new TypeError('a fault')],
    ['Unavailable', new StorageUnavailableError('away', undefined)],
    ['Conflict', new KalendsError('Conflict', 'another works at it')],
  ])('are one JSON object with --json, also for an error of the program: %s', async (errorCode, error) => {
    const stdout = new PassThrough();
    stdout.write = () => {
      throw error;
    };
    const stderr = new PassThrough();
    const code = await runProgram(['app', 'list', '--json'], { stdin: new PassThrough(), stdout, stderr });
    expect([code, JSON.parse(stderr.read())]).toEqual([1, { code: errorCode, message: error.message }]);
  });

  it('name the ways to a database when none is given', async () => {
    vi.stubEnv('KALENDS_DATABASE_URL', undefined);
    const { code, stderr } = await runCommand(['app', 'list']);
    const left = Object.keys(process.env).filter((name) => name.startsWith('KALENDS_'));
    expect(code, `${left} ${stderr}`).toBe(2);
    expect(stderr).toContain('set KALENDS_DATABASE_URL and KALENDS_SECRET to work on a database, or give --url');
  });
});

describe('errors of the interface', () => {
  it('name the flag, the value and the rule', async () => {
    const urls = ['--redirect-url', 'https://a.test/', '--redirect-url', 'nowhere'];
    const { code, stdout, stderr } = await runCommand(['app', 'create', '--name', ' ', ...urls]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'kalends: --name must not be empty\nkalends: --redirect-url, value 2, must be an absolute http or https URL in ASCII, without user-info and fragment\n',
    );
    const app = await newApp();
    const update = await runCommand(['app', 'update', app]);
    expect(update).toMatchObject({ code: 1, stderr: 'kalends: the command must have --name or --redirect-url\n' });
    const client = await runCommand(['client', 'set', 'GOOGLE', '--app', app, '--client-id', 'x'], 'hush');
    expect(client).toMatchObject({ code: 1, stderr: 'kalends: PROVIDER must be one of PROVIDER_A, PROVIDER_B\n' });
  });

  it('are the body of the interface with --json', async () => {
    const { code, stdout, stderr } = await runCommand(['app', 'get', 'app_none', '--json']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ status: 404, code: 'NotFound', type: 'urn:kalends:error:NotFound' });
    const shown = await runCommand(['app', 'get', 'app_none']);
    expect(shown.stderr).toBe('kalends: There is no such application.\nSee: kalends app list\n');
  });
});

describe('secrets', () => {
  const set = (app: string, ...more: string[]) => [
    'client',
    'set',
    'PROVIDER_A',
    '--app',
    app,
    '--client-id',
    'x',
    ...more,
  ];

  it.each(['--client-secret', '--token'])('are refused as the argument %s, and not repeated', async (flag) => {
    for (const given of [[flag, 'hush-hush'], [`${flag}=hush-hush`]]) {
      const { code, stdout, stderr } = await runCommand(set('app_1', ...given));
      expect(code).toBe(2);
      expect(stderr).toContain(`${flag} is refused: arguments show in the list of processes`);
      expect(stdout + stderr).not.toContain('hush-hush');
    }
  });

  it('come from the environment, a file, standard input or the body, in no output', async () => {
    const app = await newApp();
    const file = join(folder, 'secret');
    writeFileSync(file, 'hush-hush\n');
    const body = JSON.stringify({ clientId: 'from the body', clientSecret: 'hush-hush', settings: { tenant: 'one' } });
    const outputs = [await runCommand(set(app), 'hush-hush\n')];
    vi.stubEnv('KALENDS_CLIENT_SECRET_FILE', file);
    outputs.push(await runCommand(set(app)));
    vi.stubEnv('KALENDS_CLIENT_SECRET_FILE', undefined);
    vi.stubEnv('KALENDS_CLIENT_SECRET', 'hush-hush');
    outputs.push(await runCommand(set(app, '--json')));
    vi.stubEnv('KALENDS_CLIENT_SECRET', undefined);
    outputs.push(await runCommand(set(app, '--json', '--body', '-'), body));
    expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(JSON.parse(outputs[3]?.stdout ?? '')).toMatchObject({ clientId: 'x', settings: { tenant: 'one' } });
    expect(JSON.stringify(outputs)).not.toContain('hush-hush');
  });

  it('are missed by name, and cannot share standard input', async () => {
    const app = await newApp();
    const missing = await runCommand(set(app));
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain(
      'clientSecret is missing: pass it on standard input, or set KALENDS_CLIENT_SECRET',
    );
    const both = await runCommand(set(app, '--url', 'http://127.0.0.1:9/api', '--token-stdin'), 'one');
    expect(both.stderr).toContain('clientSecret and the admin token cannot both be read from standard input');
  });
});

it('deletes only with --yes where no person can be asked', async () => {
  const app = await newApp();
  const { code, stderr } = await runCommand(['app', 'delete', app]);
  expect(code).toBe(2);
  expect(stderr).toContain(`Delete the application ${app} with its keys, accounts and webhook endpoints`);
  expect((await json(['app', 'get', app])).status).toBe('ACTIVE');
  const deleted = await runCommand(['app', 'delete', app, '--yes']);
  expect(deleted).toMatchObject({ code: 0, stderr: expect.stringContaining(`see: kalends app get ${app}\n`) });
  expect(await json(['app', 'get', app])).toMatchObject({ status: 'DELETING', accountsLeft: 0 });
});

it('takes the application from the environment, but not as a filter of the audit log', async () => {
  vi.stubEnv('KALENDS_APP', await newApp());
  await newApp('Other');
  await json([
    'key',
    'create',
    '--name',
    'Backend',
    '--expires-at',
    'null',
    '--read-only',
    '--no-can-read-credentials',
  ]);
  expect((await json(['key', 'list'])).data).toMatchObject([
    { name: 'Backend', expiresAt: null, readOnly: true, canReadCredentials: false },
  ]);
  expect((await json(['audit', 'list'])).data).toHaveLength(3);
});

it('lists a page, the next one, or all', async () => {
  const ids = [await newApp('A'), await newApp('B'), await newApp('C')];
  const first = await json(['app', 'list', '--limit', '2']);
  const next = await json(['app', 'list', '--limit', '2', `--page-token=${first.nextPageToken}`]);
  expect([...first.data, ...next.data].map(({ id }) => id)).toEqual(ids);
  const all = await json(['app', 'list', '--limit', '1', '--all']);
  expect(all).toEqual({ data: [...first.data, ...next.data], nextPageToken: null });
  const shown = await runCommand(['app', 'list', '--limit', '2']);
  expect(shown.stdout.split('\n')).toHaveLength(4);
  expect(shown.stderr).toContain('There are more. Give --all, or for the next page: --page-token=');
  expect((await runCommand(['app', 'list', '--all'])).stderr).toBe('');
});

describe('a server', () => {
  beforeEach(() => {
    vi.stubEnv('KALENDS_DATABASE_URL', undefined);
    vi.stubEnv('KALENDS_ADMIN_TOKEN', 'adm_0123456789abcdef');
  });

  /** A server that is not kalends, and records the tokens that it is sent. */
  async function openStranger(
    answer: (path: string) => { status: number; headers?: Record<string, string>; body?: string },
  ) {
    const tokens: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      tokens.push(request.headers.authorization);
      const { status, headers = {}, body = '' } = answer(request.url ?? '');
      response.writeHead(status, headers).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { tokens, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  it.each([
    'adm_older6789abcdef, adm_newer6789abcdef',
    'adm_newer6789abcdef,adm_older6789abcdef',
  ])('gets either token of a rotation: %s', async (both) => {
    const server = createServer(({ headers }, response) => {
      const isKnown = headers.authorization === 'Bearer adm_older6789abcdef';
      response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isKnown ? { data: [], nextPageToken: null } : { code: 'Unauthorized' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    vi.stubEnv('KALENDS_ADMIN_TOKEN', both);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await runCommand(['app', 'list', '--url', url, '--json'])).toMatchObject({ code: 0, stderr: '' });
    vi.stubEnv('KALENDS_ADMIN_TOKEN', 'adm_other6789abcdef,adm_newer6789abcdef');
    expect((await runCommand(['app', 'list', '--url', url])).stderr).toContain(
      "KALENDS_ADMIN_TOKEN is not the server's",
    );
  });

  it('is named when nothing answers', async () => {
    const { code, stderr } = await runCommand(['app', 'list', '--url', 'http://127.0.0.1:9/api', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      code: 'Unreachable',
      message: expect.stringContaining('http://127.0.0.1:9/api does not answer'),
    });
  });

  it('is doubted when it answers with something else', async () => {
    const { url } = await openStranger(() => ({
      status: 502,
      headers: { 'content-type': 'text/html' },
      body: '<h1>Bad',
    }));
    const { code, stderr } = await runCommand(['app', 'list', '--url', url]);
    expect(code).toBe(1);
    expect(stderr).toContain(`${url} is not the administration of kalends: it answered 502`);
  });

  it('gets no token that another one is to have', async () => {
    const other = await openStranger(() => ({ status: 200 }));
    const { url, tokens } = await openStranger((path) => ({
      status: 302,
      headers: { location: `${other.url}${path}` },
    }));
    const { code, stderr } = await runCommand(['app', 'list', '--url', url]);
    expect([code, tokens, other.tokens]).toEqual([1, ['Bearer adm_0123456789abcdef'], []]);
    expect(stderr).toContain(`It leads to ${other.url}/admin/v1/applications: give that address.`);
  });

  it('takes its token from standard input', async () => {
    const { url, tokens } = await openStranger(() => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"data":[],"nextPageToken":null}',
    }));
    const { code, stdout } = await runCommand(
      ['app', 'list', '--url', `${url}/`, '--token-stdin'],
      'adm_from_standard_input\n',
    );
    expect([code, stdout, tokens]).toEqual([0, 'none\n', ['Bearer adm_from_standard_input']]);
  });
});

describe('a person is shown', () => {
  it('tables with the columns of a list', () => {
    const body = {
      data: [
        { id: 'a', actor: { type: 'key' }, isOn: true, changed: [] },
        { id: 'long', actor: { type: 'admin' }, isOn: false, changed: ['x', 'y'] },
      ],
    };
    expect(show(body, ['id', 'actor.type', 'isOn', 'changed'])).toBe(
      'ID    ACTOR TYPE  IS ON  CHANGED\na     key         yes    -\nlong  admin       no     x,y\n',
    );
    expect(show({ data: [] }, ['id'])).toBe('none\n');
  });

  it('lines for an object, its inner objects, and tables for its lists', () => {
    const body = { id: 'a', inner: { at: null }, none: {}, urls: ['x', 'y'], rows: [{ n: 1 }] };
    expect(show(body, ['n'])).toBe('id:       a\ninner.at: -\nnone:     -\nurls:     x, y\n\nrows:\nN\n1\n');
  });

  it('no control characters of others', async () => {
    const name = 'a\u001b[2Jb\u009bc\u202ed';
    expect(show({ name }, undefined)).toBe('name: a\\u001b[2Jb\\u009bc\\u202ed\n');
    const { stdout } = await runCommand(['app', 'create', '--json', '--name', name]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(JSON.parse(stdout).name).toBe(name);
  });
});

describe('help', () => {
  it.each([[['help']], [['--help']], [['-h']]])('%j lists the commands', async (args) => {
    const { code, stdout } = await runCommand(args);
    expect(code).toBe(0);
    expect(stdout.match(/^ {2}account /gm)).toHaveLength(1);
    for (const words of ['dev', 'migrate', 'app ', 'audit', 'completion']) expect(stdout).toContain(`\n  ${words}`);
  });

  it.each([
    [['help', 'key', 'create'], 'Usage: kalends key create --app ID --name NAME --expires-at EXPIRES_AT [flags]'],
    [['key', 'create', '--help'], '  --no-can-read-credentials  Not: The key may read credentials'],
    [['client', 'set', '-h'], 'clientSecret: read from KALENDS_CLIENT_SECRET'],
    [['help', 'client'], 'kalends client test    Test an application'],
    [['key', '--help'], 'kalends key revoke'],
    [['help', 'migrate'], 'kalends migrate: brings'],
    [['start', '--help'], 'KALENDS_PROVIDERS_URL'],
  ])('%j explains', async (args, expected) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(expected);
  });

  it('goes to standard error where a command is missing', async () => {
    expect(await runCommand([])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Administer') });
    expect(await runCommand(['key'])).toMatchObject({ code: 2, stderr: expect.stringContaining('key revoke') });
    expect(await runCommand(['help', 'nothing'])).toMatchObject({ code: 2 });
  });

  it.each([[['version']], [['--version']], [['-v']]])('%j prints the version', async (args) => {
    expect(await runCommand(args)).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' });
  });
});

it.each([
  ['lst', 'list'],
  ['lsit', 'list'],
  ['aplication', undefined],
  ['redirect', 'redirect-url'],
  ['x', undefined],
])('the nearest of %s is %s', (word, found) => {
  expect(nearest(word, ['app', 'list', 'redirect-url', 'get'])).toBe(found);
});
