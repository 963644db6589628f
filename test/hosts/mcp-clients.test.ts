import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nodeListener } from '@kalends/http/node';
import type { McpHandler } from '@kalends/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMcpWorld, type McpWorld } from '../../adapters/mcp/test/mcp-world.ts';
import { ENVIRONMENT, runCommand, timed } from './run-command.ts';

/* Programs of others, as they are published: the protocol's conformance suite, its first SDK, and the bridge from stdio to HTTP. */
const folder = mkdtempSync(join(tmpdir(), 'kalends-mcp-clients-'));
const servers: Server[] = [];
let world: McpWorld;
let url: string;

async function listen(handler: McpHandler): Promise<string> {
  const server = createServer(nodeListener((request, peer) => handler(request, peer)));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

beforeAll(async () => {
  cpSync(fileURLToPath(new URL('mcp-clients', import.meta.url)), folder, { recursive: true });
  await timed('npm install', () => runCommand(folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'));
  world = await createMcpWorld();
  url = await listen(world.handler());
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the conformance suite', () => {
  /* The other scenarios call the tools and resources of a demonstration server by name, or ask for sessions, which there are none of. */
  it.each(['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])('passes %s', async (scenario) => {
    // It sends no key.
    const open = await listen(world.handler({ authorize: () => ({ applicationId: world.applicationId }) }));
    const output = await runCommand(folder, 'npx', 'conformance', 'server', '--url', open, '--scenario', scenario);
    expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed/);
    expect(output).not.toMatch(/Passed: 0\//);
  });
});

/** The parts of the first SDK's client that are used. */
interface FirstClient {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: { readonly name: string; readonly arguments: object }): Promise<{
    readonly isError?: boolean;
    readonly content: readonly { readonly text: string }[];
  }>;
  close(): Promise<void>;
}
type Constructor<Made, Input extends readonly unknown[]> = new (...input: Input) => Made;

async function firstSdk<Module>(path: string): Promise<Module> {
  const file = join(folder, 'node_modules/@modelcontextprotocol/sdk/dist/esm/client', path);
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Module;
}

async function connectFirst(transport: object): Promise<FirstClient> {
  const { Client } = await firstSdk<{ Client: Constructor<FirstClient, [object]> }>('index.js');
  const client = new Client({ name: 'tests', version: '1.0.0' });
  await client.connect(transport);
  return client;
}

/** Reads, previews and writes. */
async function use(client: FirstClient, title: string): Promise<void> {
  expect((await client.listTools()).tools.length).toBe(26);
  const text = async (name: string, input: object) => {
    const { isError = false, content } = await client.callTool({ name, arguments: input });
    expect(isError, content[0]?.text).toBe(false);
    return content[0]?.text ?? '';
  };
  expect(await text('list_accounts', {})).toContain('Accounts: 3.');
  const event = { accountId: world.accounts.google, calendarId: 'ada@gmail.example', title, start: '2027-03-02T09:00' };
  const [previewToken] = /pvw_[\w-]+/.exec(await text('preview_create_event', event)) ?? [];
  expect(await text('create_event', { ...event, previewToken })).toContain('Tuesday 2 March 2027, 09:00–10:00');
  const refused = await client.callTool({ name: 'create_event', arguments: { ...event, previewToken: 'pvw_x' } });
  expect(refused.isError).toBe(true);
  await client.close();
}

it('the client of the first SDK reads and writes over HTTP', async () => {
  const { StreamableHTTPClientTransport } = await firstSdk<{
    StreamableHTTPClientTransport: Constructor<object, [URL, object]>;
  }>('streamableHttp.js');
  const requestInit = { headers: { authorization: `Bearer ${world.apiKey}` } };
  await use(await connectFirst(new StreamableHTTPClientTransport(new URL(url), { requestInit })), 'Over HTTP');
});

it('mcp-remote carries it from standard input and output', async () => {
  const { StdioClientTransport } = await firstSdk<{ StdioClientTransport: Constructor<object, [object]> }>('stdio.js');
  const transport = new StdioClientTransport({
    command: join(folder, 'node_modules/.bin/mcp-remote'),
    args: [url, '--allow-http', '--transport', 'http-only', '--header', `Authorization:Bearer ${world.apiKey}`],
    env: { PATH: ENVIRONMENT['PATH'] ?? '', HOME: folder, MCP_REMOTE_CONFIG_DIR: join(folder, 'auth') },
    stderr: 'ignore',
  });
  await use(await connectFirst(transport), 'Through the bridge');
});
