import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'kalends/ports';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Dev, startDevServer } from '../src/dev/dev-server.ts';
import { checkTokenApplication, mountMcp } from '../src/mcp/mount-mcp.ts';

const folder = mkdtempSync(join(tmpdir(), 'kalends-mcp-'));
const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const HOOK = pathOf('../../../test/webhooks/processes/typescript-hook.js');
const KALENDS = ['--conditions=kalends-source', '--import', HOOK, pathOf('../src/cli.ts')];
const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };
let dev: Dev;
beforeAll(async () => {
  dev = await startDevServer({
    folder: join(folder, '.kalends'),
    port: 0,
    sandboxPort: 0,
    database: join(folder, '.kalends', 'kalends.db'),
    googleIcs: [],
    microsoftIcs: [],
    logLevel: 'warn',
    note: () => undefined,
  });
  const { baseUrl, apiKey, accounts } = dev.connection;
  for (const mailbox of accounts) {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const answer = await fetch(`${baseUrl}/v1/endUserAccounts`, {
      method: 'POST',
      headers,
      body: JSON.stringify(mailbox),
    });
    expect(answer.status).toBe(201);
  }
});
afterAll(async () => {
  await dev.stop();
  rmSync(folder, { recursive: true, force: true });
});

const message = (id: number, method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
const HELLO = message(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'tests', version: '1.0.0' },
});
const ACCOUNTS = message(2, 'tools/call', { name: 'list_accounts', arguments: {} });
const headersOf = (key: string) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
});

describe('/mcp', () => {
  it('answers agents that have a key of the application', async () => {
    const url = `${dev.siteUrl}/mcp`;
    const answer = await fetch(url, { method: 'POST', headers: headersOf(dev.connection.apiKey), body: ACCOUNTS });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('Accounts: 3.');
    const refused = await fetch(url, { method: 'POST', headers: headersOf('kal_dev_x'), body: ACCOUNTS });
    expect(refused.status).toBe(401);
  });

  it('is off by a setting, and takes the host of the public URL and the hosts of the settings', async () => {
    const settings = { mcp: 'on', mcpHosts: ['b.example'], rateLimit: 1, secret: 'a'.repeat(64) } as const;
    const engine = { apiKeys: { authenticate: async () => ({ applicationId: 'app_x' }) } } as never;
    const parts = { logger: silent };
    expect(mountMcp(engine, { ...settings, mcp: 'off', publicUrl: undefined }, parts)).toBeUndefined();
    const mount = mountMcp(engine, { ...settings, publicUrl: 'https://a.example/api' }, parts);
    const statusAt = async (host: string) => {
      const request = new Request(`http://${host}/mcp`, { method: 'POST', headers: headersOf('k'), body: '{' });
      return (await mount?.(request))?.status;
    };
    expect([await statusAt('c.example'), await statusAt('a.example'), await statusAt('b.example')]).toEqual([
      403, 400, 400,
    ]);
    // Twice the limit of a second at once.
    expect(await statusAt('localhost')).toBe(429);
  });
});

describe('the application of access tokens', () => {
  it('is looked up at the start', async () => {
    const engine = {
      applications: {
        find: async (id: string) => (id === 'app_x' ? { id, status: 'ACTIVE' } : undefined),
      },
    } as never;
    const check = (mcpOAuthApplication: string | undefined, mcp: 'on' | 'off' = 'on') =>
      checkTokenApplication(engine, { mcp, mcpOAuthApplication });
    await check('app_x');
    await check(undefined);
    await check('app_y', 'off');
    await expect(check('app_y')).rejects.toThrow('KALENDS_MCP_OAUTH_APPLICATION: there is no application app_y');
  });
});

describe('access tokens', () => {
  const settings = { mcp: 'on', mcpHosts: [], rateLimit: 0, secret: 'a'.repeat(64) } as const;
  const oauth = {
    publicUrl: 'https://a.example/api',
    mcpOAuthIssuer: 'https://login.example',
    mcpOAuthApplication: 'app_x',
  };
  const engine = {} as never;
  const mount = (more: object) => mountMcp(engine, { ...settings, publicUrl: undefined, ...more }, { logger: silent });

  it('are those of the authorization server that the settings name, for the public host', async () => {
    const mounted = mount(oauth);
    const path = '/.well-known/oauth-protected-resource/mcp';
    expect([mounted?.matches(path), mounted?.matches('/mcp'), mounted?.matches('/x')]).toEqual([true, true, false]);
    const answer = await mounted?.(new Request(`https://a.example${path}`));
    expect(await answer?.json()).toMatchObject({
      resource: 'https://a.example/mcp',
      authorization_servers: ['https://login.example'],
    });
    expect(mount({})?.matches(path)).toBe(false);
  });

  it.each([
    [{ mcpOAuthApplication: 'app_x' }, /KALENDS_MCP_OAUTH_APPLICATION needs KALENDS_MCP_OAUTH_ISSUER/],
    [{ ...oauth, publicUrl: undefined }, /KALENDS_PUBLIC_URL or KALENDS_MCP_OAUTH_RESOURCE/],
    [{ ...oauth, mcpOAuthApplication: undefined }, /either KALENDS_MCP_OAUTH_APPLICATION or/],
    [{ ...oauth, mcpOAuthApplicationClaim: 'app' }, /either KALENDS_MCP_OAUTH_APPLICATION or/],
    [{ ...oauth, mcpOAuthClientId: 'x' }, /KALENDS_MCP_OAUTH_CLIENT_SECRET/],
    [{ ...oauth, mcpOAuthIntrospectionUrl: 'https://login.example/introspect' }, /KALENDS_MCP_OAUTH_CLIENT_ID/],
  ])('are refused with settings %o', (more, message) => {
    expect(() => mount(more)).toThrow(message);
  });
});

it('kalends mcp serves the demo of its folder over standard input and output, and ends with its client', async () => {
  const child = spawn(process.execPath, [...KALENDS, 'mcp'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (line: string) => {
    child.stdin.write(`${line}\n`);
    return JSON.parse((await lines.next()).value ?? '{}');
  };
  expect(await ask(HELLO)).toMatchObject({ id: 1, result: { serverInfo: { name: 'kalends' } } });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  const { result } = await ask(ACCOUNTS);
  expect(result.content[0].text).toContain('Accounts: 3.');
  child.stdin.end();
  expect(await ended).toBe(0);
});

it('kalends mcp answers all that was asked before its input ended', async () => {
  const child = spawn(process.execPath, [...KALENDS, 'mcp'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const { baseUrl, apiKey } = dev.connection;
  const listed = await fetch(`${baseUrl}/v1/endUserAccounts`, { headers: { 'x-api-key': apiKey } });
  const { data } = (await listed.json()) as { readonly data: readonly { readonly id: string }[] };
  const calls = data.map(({ id: accountId }, index) =>
    message(index + 3, 'tools/call', {
      name: 'list_events',
      arguments: { accountId, from: '2027-01-01', to: '2027-12-31' },
    }),
  );
  child.stdin.end(`${[HELLO, ACCOUNTS, ...calls].join('\n')}\n`);
  const answers = (await text(child.stdout)).trim().split('\n');
  expect(answers.map((line) => JSON.parse(line).id).sort()).toEqual([1, 2, 3, 4, 5]);
  expect(await ended).toBe(0);
});

it('kalends mcp refuses an application that there is not', async () => {
  const child = spawn(process.execPath, [...KALENDS, 'mcp', '--app', 'app_typo'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  child.stdin.end();
  expect(await text(child.stderr)).toContain('there is no application app_typo; "kalends app list" shows all');
  expect(await ended).toBe(1);
});
