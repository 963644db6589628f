import { createMcpHandler } from '@kalends/mcp';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Engine, KalendsError } from 'kalends';
import { KeyringError, type LogFields, type Logger } from 'kalends/ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMcpWorld, type McpWorld } from './mcp-world.ts';

let world: McpWorld;
beforeAll(async () => {
  world = await createMcpWorld();
});
afterAll(() => world.close());

const READS = [
  'list_accounts',
  'list_calendars',
  'list_events',
  'list_occurrences',
  'get_event',
  'search_events',
  'get_free_busy',
  'find_meeting_times',
  'explain_meeting_time',
  'get_booking',
];
const EVENT_WRITES = ['create_event', 'change_event', 'cancel_event', 'respond_to_invitation'];
const HOLDS = ['hold_slot', 'release_hold'];
const BOOKING_WRITES = ['confirm_hold', 'move_booking', 'cancel_booking'];
const WRITES = [...EVENT_WRITES, ...BOOKING_WRITES];

function post(headers: Record<string, string> = {}, url = 'http://localhost/mcp'): Request {
  return new Request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${world.apiKey}`,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
}

describe('tools', () => {
  it('have a preview for each write, and say what they do to a calendar', async () => {
    const { client } = await world.connect(world.handler());
    const { tools } = await client.listTools();
    const pairs = (names: readonly string[]) => names.flatMap((name) => [`preview_${name}`, name]);
    expect(tools.map(({ name }) => name)).toEqual([
      ...READS,
      ...pairs(EVENT_WRITES),
      ...HOLDS,
      ...pairs(BOOKING_WRITES),
    ]);
    for (const { name, annotations, inputSchema } of tools) {
      expect(annotations?.readOnlyHint, name).toBe(![...WRITES, ...HOLDS].includes(name));
      expect(inputSchema.required?.includes('previewToken') ?? false, name).toBe(WRITES.includes(name));
    }
  });

  it.each([
    ['the option', async () => world.connect(world.handler({ readOnly: true }))],
    [
      'the right of a key',
      async () => {
        const input = { name: 'Reader', expiresAt: null, readOnly: true };
        const { key } = await world.engine.apiKeys.create(world.applicationId, input);
        return world.connect(world.handler(), key);
      },
    ],
  ])('do not write where %s forbids it', async (_why, connect) => {
    const agent = await connect();
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(READS);
    for (const name of ['create_event', 'hold_slot']) {
      await expect(agent.call(name, {})).rejects.toThrow(new RegExp(name));
    }
  });

  it('see no account of another application', async () => {
    const { id } = await world.engine.applications.create({ name: 'Other', redirectUrls: [] });
    const { key } = await world.engine.apiKeys.create(id, { name: 'Key', expiresAt: null });
    const agent = await world.connect(world.handler(), key);
    expect((await agent.call('list_accounts', {})).text).toContain('No account is connected');
    for (const name of ['list_calendars', 'preview_create_event']) {
      const input = name === 'list_calendars' ? {} : { calendarId: 'c', title: 'X', start: '2027-03-02' };
      const answer = await agent.call(name, { accountId: world.accounts.google, ...input });
      expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('NotFound') });
    }
  });
});

describe('a request', () => {
  it.each(['2025-06-18', '2025-11-25', '2026-07-28'])('may speak %s', async (version) => {
    const handler = world.handler();
    const client = new Client(
      { name: 'tests', version: '1.0.0' },
      version === '2026-07-28'
        ? { versionNegotiation: { mode: { pin: version } } }
        : { supportedProtocolVersions: [version] },
    );
    await client.connect(
      new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
        fetch: (input, init) => handler(new Request(input, init)),
        requestInit: { headers: { 'x-api-key': world.apiKey } },
      }),
    );
    const answer = await client.callTool({ name: 'list_accounts', arguments: {} });
    expect(answer.content).toMatchObject([{ type: 'text', text: expect.stringContaining('Accounts: 3.') }]);
  });

  it('needs a valid key', async () => {
    for (const authorization of ['', 'Bearer ', 'Bearer kal_live_x', `Basic ${world.apiKey}`]) {
      const answer = await world.handler()(post({ authorization }));
      expect(answer.status, authorization).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="kalends"');
      expect(await answer.json()).toMatchObject({ code: 'InvalidApiKey' });
    }
    expect((await world.handler()(post())).status).toBe(200);
  });

  it('may be admitted by the host', async () => {
    const caller = { applicationId: world.applicationId };
    const signedIn = world.handler({ authorize: ({ headers }) => (headers.has('cookie') ? caller : undefined) });
    expect((await signedIn(post({ cookie: 'a=b' }))).status).toBe(200);
    expect((await signedIn(post())).status).toBe(401);
    const failing = world.handler({ authorize: () => Promise.reject(new Error('no database')) });
    expect((await failing(post())).status).toBe(500);
  });

  it('is counted by its key', async () => {
    const keys: string[] = [];
    const handler = world.handler({
      async countCall(key) {
        keys.push(key);
        return keys.length > 1 ? new KalendsError('RateLimited', 'Too many.', { retryAfterMs: 1_500 }) : undefined;
      },
    });
    expect((await handler(post())).status).toBe(200);
    const refused = await handler(post());
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
    expect(keys).toEqual([expect.stringMatching(/^key_/), keys[0]]);
  });

  it.each([
    ['http://localhost/mcp', {}, 200],
    ['http://127.0.0.1:4400/mcp', {}, 200],
    ['http://[::1]:4400/mcp', {}, 200],
    ['http://localhost/mcp', { host: 'CALENDAR.example.com:443' }, 200],
    ['http://calendar.example.com/mcp', { origin: 'https://calendar.example.com' }, 200],
    ['http://localhost/mcp', { origin: 'http://localhost:3000' }, 200],
    ['http://localhost/mcp', { host: 'evil.example' }, 403],
    ['http://localhost/mcp', { host: 'localhost.evil.example' }, 403],
    ['http://localhost/mcp', { host: 'evil.example@localhost' }, 403],
    ['http://localhost/mcp', { host: 'localhost/x' }, 403],
    ['http://localhost/mcp', { origin: 'https://evil.example' }, 403],
    ['http://localhost/mcp', { origin: 'null' }, 403],
    ['http://localhost/mcp', { origin: '' }, 403],
    ['http://localhost/mcp', { origin: 'file://localhost' }, 403],
  ])('to %s with %o is answered %i', async (url, headers, status) => {
    const handler = world.handler({ hosts: ['calendar.example.com'] });
    expect((await handler(post(headers as Record<string, string>, url))).status).toBe(status);
  });

  it('that is no JSON, too large or no POST is refused', async () => {
    const handler = world.handler();
    const { headers } = post();
    const sent = (init: RequestInit) => handler(new Request('http://localhost/mcp', { headers, ...init }));
    expect((await sent({ method: 'POST', body: '{' })).status).toBe(400);
    expect((await sent({ method: 'POST', body: `"${'x'.repeat(5_000_000)}"` })).status).toBe(413);
    expect((await sent({ method: 'DELETE' })).status).toBe(405);
  });
});

describe('a fault of the server', () => {
  const secret = new KalendsError('InternalError', 'secret detail', { status: 503, retryAfterMs: 1_500 });
  const outage = new KalendsError('InternalError', 'the keyring is unavailable; try again later', {
    status: 503,
    retryAfterMs: 5_000,
    cause: new KeyringError('unavailable', 'secret detail'),
  });
  function logged() {
    const errors: [string, LogFields?][] = [];
    const none = () => undefined;
    const logger: Logger = { debug: none, info: none, warn: none, error: (...line) => void errors.push(line) };
    return { logger, errors };
  }
  const failing = (error: unknown): Engine => ({
    ...world.engine,
    accounts: { ...world.engine.accounts, list: () => Promise.reject(error) },
  });

  it.each([secret, new TypeError('secret detail')])('in a tool is logged, and told to no agent: %s', async (error) => {
    const { logger, errors } = logged();
    const agent = await world.connect(createMcpHandler(failing(error), { logger }));
    const { text, isError } = await agent.call('list_accounts', {});
    expect(isError).toBe(true);
    expect(text).not.toContain('secret detail');
    const requestId = /requestId: (req_[\w-]+)/.exec(text)?.[1];
    expect(requestId).toBeDefined();
    expect(errors).toEqual([
      ['a tool failed', { requestId, step: 'list_accounts', error: expect.stringContaining('secret detail') }],
    ]);
  });

  it('in a tool is told where it is an outage', async () => {
    const { logger, errors } = logged();
    const agent = await world.connect(createMcpHandler(failing(outage), { logger }));
    const { text } = await agent.call('list_accounts', {});
    expect(text).toContain('InternalError: "the keyring is unavailable; try again later"');
    expect(text).toContain('Wait 5 seconds first.');
    // The keyring's own log line is enough.
    expect(errors).toEqual([]);
  });

  it.each([
    [secret, 503, '2'],
    [new TypeError('secret detail'), 500, null],
  ])('outside of tools is logged, and told to no client: %s', async (error, status, wait) => {
    const { logger, errors } = logged();
    const answer = await world.handler({ logger, authorize: () => Promise.reject(error) })(post());
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, wait]);
    const { requestId, ...body } = (await answer.json()) as Record<string, unknown>;
    expect(body).toMatchObject({ code: 'InternalError', message: 'The server failed.' });
    expect(errors).toEqual([['an MCP request failed', { requestId, error: expect.stringContaining('secret detail') }]]);
  });
});

it('refuses options that cannot be used', () => {
  const refused = (options: object, path: string) =>
    expect(() => world.handler(options)).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ path })] }),
    );
  refused({ tokenBudget: 10 }, 'tokenBudget');
  refused({ previewMs: 0 }, 'previewMs');
  refused({ previewKey: new Uint8Array(31) }, 'previewKey');
});
