import { caldav } from '@kalends/caldav';
import { google, googleEndpoints } from '@kalends/google';
import { createHandler, type Handler } from '@kalends/http';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createSandbox, type Sandbox, type SandboxOptions } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { createEngine, type Engine, type EngineOptions } from 'kalends';
import { requireDescribedCode } from './described-codes.ts';

/** Answers are read as any client reads them. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every shape
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

export type ProviderName = 'google' | 'microsoft';

export const PROVIDERS = [
  { provider: 'google', providerType: 'PROVIDER_A' },
  { provider: 'microsoft', providerType: 'PROVIDER_B' },
] as const satisfies readonly { readonly provider: ProviderName; readonly providerType: string }[];

/** The whole product in one process: interface, engine, storage in memory, both providers' sandboxes. */
export interface World {
  readonly engine: Engine;
  readonly sandbox: Sandbox;
  readonly handler: Handler;
  readonly applicationId: string;
  readonly apiKey: string;
  call(
    method: string,
    path: string,
    options?: {
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly key?: string | null;
    },
  ): Promise<Answer>;
  /** Creates a mailbox at the provider and connects it; resolves with its account id and primary calendar. */
  connect(
    provider: ProviderName,
    email?: string,
  ): Promise<{ readonly accountId: string; readonly email: string; readonly calendarId: string }>;
  /** A refresh token of a mailbox, as if the person had consented just now. */
  refreshToken(provider: ProviderName, email: string): string;
  /** Calls the provider's own API as the person would, past the engine. `path` is below `/calendar/v3` or `/v1.0`. */
  atProvider(provider: ProviderName, email: string, method: string, path: string, body?: unknown): Promise<Json>;
  close(): Promise<void>;
}

export const BASE_URL = 'http://kalends.test/api';
export const SANDBOX_URL = 'http://sandbox.test';
const CLIENT = { clientId: 'client', clientSecret: 'client-secret' };

/** A test asks more in a minute than a person: the sandbox takes any number of calls. */
const UNPACED = { callsPerInterval: Number.POSITIVE_INFINITY };

export async function createWorld(
  options: Partial<EngineOptions> = {},
  {
    background = true,
    hasCalDav = false,
    ...ofSandbox
  }: Pick<SandboxOptions, 'clock' | 'time'> & { readonly background?: boolean; readonly hasCalDav?: boolean } = {},
): Promise<World> {
  let handler: Handler | undefined;
  // No socket anywhere: the engine calls the sandbox, and the sandbox pushes to the engine, as functions.
  const network = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    if (request.url.startsWith(SANDBOX_URL)) return sandbox.fetch(request);
    if (request.url.startsWith(`${BASE_URL}/`) && handler !== undefined) {
      return handler(new Request(request.url.replace('/api/', '/'), request));
    }
    throw new TypeError(`nobody listens at ${request.url}`);
  };
  const sandbox = createSandbox({ fetch: network, seed: 7, ...ofSandbox });
  const ofAdapters = {
    fetch: network,
    limits: UNPACED,
    // Tokens expire by the sandbox's clock.
    ...(options.clock !== undefined && options.clock === ofSandbox.clock ? { clock: options.clock } : {}),
  };
  const engine = createEngine({
    storage: sqlite({ path: ':memory:' }),
    providers: {
      PROVIDER_A: google({ ...googleEndpoints(`${SANDBOX_URL}/google`), ...ofAdapters }),
      PROVIDER_B: microsoft({ ...microsoftEndpoints(`${SANDBOX_URL}/microsoft`), ...ofAdapters }),
      ...(hasCalDav
        ? { CALDAV: caldav({ fetch: network, ...(options.clock === undefined ? {} : { clock: options.clock }) }) }
        : {}),
    },
    secret: Buffer.alloc(32, 7).toString('base64'),
    publicUrl: BASE_URL,
    webhooks: { allowedNetworks: ['127.0.0.0/8'] },
    ...options,
  });
  await engine.start({ background });
  const application = await engine.applications.create({
    name: 'Test',
    redirectUrls: ['https://app.test/connected', 'https://app.test/other'],
  });
  for (const { provider, providerType } of PROVIDERS) {
    const redirectUris = [`${BASE_URL}/v1/oauth/callback/${providerType.toLowerCase()}`];
    sandbox[provider].addClient({ ...CLIENT, redirectUris });
    await engine.oauthClients.set(application.id, providerType, CLIENT);
  }
  const { key: apiKey } = await engine.apiKeys.create(application.id, { name: 'Test', expiresAt: null });
  handler = createHandler(engine, options.telemetry === undefined ? {} : { telemetry: options.telemetry });
  const answerTo = handler;
  let mailboxes = 0;

  const call: World['call'] = async (method, path, { body, headers, key = apiKey } = {}) => {
    const response = await answerTo(
      new Request(`http://kalends.test${path}`, {
        method,
        headers: {
          ...(key === null ? {} : { 'x-api-key': key }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').includes('json');
    const answer = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    requireDescribedCode('application', method, path, answer);
    return answer;
  };
  const refreshToken = (provider: ProviderName, email: string) =>
    sandbox[provider].issueRefreshToken({ email, clientId: CLIENT.clientId });

  return {
    engine,
    sandbox,
    handler,
    applicationId: application.id,
    apiKey,
    call,
    refreshToken,
    async connect(provider, email) {
      mailboxes += 1;
      const address = email ?? `person${mailboxes}@${provider}.example`;
      sandbox[provider].addMailbox({ email: address, name: 'Person', timeZone: 'Europe/Berlin' });
      const providerType = provider === 'google' ? 'PROVIDER_A' : 'PROVIDER_B';
      const connected = await call('POST', '/v1/endUserAccounts', {
        body: { email: address, providerType, refreshToken: refreshToken(provider, address) },
      });
      if (connected.status !== 201) throw new Error(`connecting failed: ${JSON.stringify(connected.body)}`);
      let calendars = await call('GET', `/v1/calendars/${connected.body.id}`);
      // Each read waits for the first synchronisation as long as the world's readWaitMs lets it.
      while (calendars.body.code === 'CalendarSyncing') {
        calendars = await call('GET', `/v1/calendars/${connected.body.id}`);
      }
      const primary = calendars.body.data?.find((calendar: Json) => calendar.isPrimary);
      if (primary === undefined) throw new Error(`no primary calendar: ${JSON.stringify(calendars.body)}`);
      return { accountId: connected.body.id, email: address, calendarId: primary.id };
    },
    async atProvider(provider, email, method, path, body) {
      const minted = await sandbox.fetch(
        new Request(`${SANDBOX_URL}/_sandbox/${provider}/access-tokens`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email }),
        }),
      );
      const { accessToken } = (await minted.json()) as { accessToken: string };
      const root = provider === 'google' ? 'google/calendar/v3' : 'microsoft/v1.0';
      const response = await sandbox.fetch(
        new Request(`${SANDBOX_URL}/${root}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${accessToken}`,
            prefer: 'IdType="ImmutableId"',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    },
    async close() {
      await engine.stop();
      await sandbox.close();
    },
  };
}

/** Whether a body is sent as it is. */
function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array;
}
