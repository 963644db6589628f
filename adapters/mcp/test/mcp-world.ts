import { caldav } from '@kalends/caldav';
import { google, googleEndpoints } from '@kalends/google';
import { createMcpHandler, type McpHandler, type McpHandlerOptions } from '@kalends/mcp';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createSandbox, type Sandbox } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createEngine, type Engine } from 'kalends';
import type { Clock } from 'kalends/ports';
import { systemClock } from 'kalends/runtime';

export const PEOPLE = {
  google: { email: 'ada@gmail.example', providerType: 'PROVIDER_A' },
  microsoft: { email: 'grace@outlook.example', providerType: 'PROVIDER_B' },
  caldav: { email: 'joan@dav.example', providerType: 'CALDAV' },
} as const;
export type PersonAt = keyof typeof PEOPLE;

const CLIENT = { clientId: 'app', clientSecret: 'hush' };
/** Monday, 4 January 2027, 08:00 in London, where the world begins. */
const BEGIN_MS = Date.UTC(2027, 0, 4, 8);

/** An engine with a mailbox at each provider of the sandbox, and an application with a key. */
export interface McpWorld {
  readonly engine: Engine;
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly clock: Clock & { advance(ms: number): void };
  readonly applicationId: string;
  readonly apiKey: string;
  /** Ids of the accounts. */
  readonly accounts: Readonly<Record<PersonAt, string>>;
  /** Connects a client to a handler. */
  connect(handler: McpHandler, key?: string): Promise<McpClient>;
  handler(options?: McpHandlerOptions): McpHandler;
  close(): Promise<void>;
}

/** Answer of a tool. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

export interface McpClient {
  readonly client: Client;
  call(name: string, input: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
}

/** The real clock, moved: what waits for it waits really. */
function movedClock(): McpWorld['clock'] {
  let offsetMs = BEGIN_MS - systemClock.now();
  return {
    now: () => systemClock.now() + offsetMs,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    advance(ms) {
      offsetMs += ms;
    },
  };
}

export async function createMcpWorld(zone = 'Europe/London'): Promise<McpWorld> {
  const clock = movedClock();
  const sandbox = createSandbox({ seed: 5, clock });
  const { url } = await sandbox.listen();
  for (const [name, { email }] of Object.entries(PEOPLE)) {
    sandbox[name as PersonAt].addMailbox({ email, name: 'A person', timeZone: zone });
  }
  for (const name of ['google', 'microsoft'] as const) sandbox[name].addClient({ ...CLIENT, redirectUris: [] });
  const engine = createEngine({
    storage: sqlite({ path: ':memory:', clock }),
    providers: {
      PROVIDER_A: google({ ...googleEndpoints(`${url}/google`), clock }),
      PROVIDER_B: microsoft({ ...microsoftEndpoints(`${url}/microsoft`), clock }),
      CALDAV: caldav({ allowedNetworks: ['127.0.0.0/8'], clock }),
    },
    secret: Buffer.alloc(32, 9).toString('base64'),
    clock,
  });
  await engine.start();
  const { id: applicationId } = await engine.applications.create({ name: 'Agents', redirectUrls: [] });
  const caller = { applicationId };
  const accounts = {} as Record<PersonAt, string>;
  for (const name of ['google', 'microsoft'] as const) {
    const { email, providerType } = PEOPLE[name];
    await engine.oauthClients.set(applicationId, providerType, CLIENT);
    const refreshToken = sandbox[name].issueRefreshToken({ email, clientId: CLIENT.clientId });
    accounts[name] = (await engine.accounts.upsert(caller, { email, providerType, refreshToken })).account.id;
  }
  const { email, providerType } = PEOPLE.caldav;
  const password = sandbox.caldav.addAppPassword({ email });
  const credentials = { kind: 'password', serverUrl: `${url}/caldav/`, username: email, password } as const;
  accounts.caldav = (await engine.accounts.upsert(caller, { email, providerType, credentials })).account.id;
  const { key: apiKey } = await engine.apiKeys.create(applicationId, { name: 'Agent', expiresAt: null });
  return {
    engine,
    sandbox,
    url,
    clock,
    applicationId,
    apiKey,
    accounts,
    handler: (options = {}) => createMcpHandler(engine, { clock, ...options }),
    async connect(handler, key = apiKey) {
      const client = new Client({ name: 'tests', version: '1.0.0' });
      await client.connect(
        new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
          fetch: (input, init) => handler(new Request(input, init)),
          requestInit: { headers: { authorization: `Bearer ${key}` } },
        }),
      );
      return {
        client,
        async call(name, input) {
          const { content, isError = false } = await client.callTool({ name, arguments: input });
          const [part] = content;
          return { text: part?.type === 'text' ? part.text : '', isError };
        },
      };
    },
    async close() {
      await engine.stop();
      await sandbox.close();
    },
  };
}

/** Returns the value that a line of an answer names, such as `eventId`, of the entry with this title. */
export function idOf(text: string, title: string, name: string): string {
  const entry = text.split('\n- ').find((part) => part.replace(/^- /, '').startsWith(`${JSON.stringify(title)}`));
  const [, literal] = new RegExp(`^ *${name}: (".*")$`, 'm').exec(entry ?? '') ?? [];
  if (literal === undefined) throw new Error(`no ${name} of ${title} in:\n${text}`);
  return JSON.parse(literal);
}

/** Returns the token at the end of a preview. */
export function tokenOf({ text }: ToolAnswer): string {
  const [, token] = /previewToken: (pvw_[\w-]+)/.exec(text) ?? [];
  if (token === undefined) throw new Error(`no token in:\n${text}`);
  return token;
}
