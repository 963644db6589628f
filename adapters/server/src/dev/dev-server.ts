import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { google, googleEndpoints } from '@kalends/google';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createSandbox, type DemoMailboxes, fileState, importIcs, type Sandbox, seedDemo } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { createEngine, type Engine, KalendsError } from 'kalends';
import { CommandError } from '../command-error.ts';
import { createLogger } from '../logger.ts';
import { API_PATH, createSite } from '../site.ts';
import { type DevConnection, type DevState, openDevFolder } from './dev-state.ts';

export interface DevOptions {
  /** Where state is kept. */
  readonly folder: string;
  readonly port: number;
  readonly sandboxPort: number;
  /** Path of the SQLite file, or `:memory:`: then the sandbox forgets too. */
  readonly database: string;
  readonly googleIcs: readonly string[];
  readonly microsoftIcs: readonly string[];
  readonly logLevel: 'warn' | 'debug';
  /** Told what is going on while it takes long. */
  readonly note: (text: string) => void;
}

export interface Dev {
  readonly connection: DevConnection;
  /** Root of the server, without /api. */
  readonly siteUrl: string;
  stop(): Promise<void>;
}

const CLIENT_ID = 'kalends-dev';
const PROVIDERS = [
  { provider: 'google', providerType: 'PROVIDER_A' },
  { provider: 'microsoft', providerType: 'PROVIDER_B' },
] as const;

/** Starts the sandbox, the engine and the interface in this process. */
export async function startDev(options: DevOptions): Promise<Dev> {
  const inMemory = options.database === ':memory:';
  const folder = openDevFolder(options.folder, !inMemory);
  const logger = createLogger(options.logLevel);
  let state = folder.read();

  const sandbox = createSandbox(inMemory ? {} : { state: fileState(`${options.folder}/sandbox.json`) });
  const sandboxServer = await reachable(
    () => sandbox.listen({ port: options.sandboxPort, hostname: '127.0.0.1' }),
    options.sandboxPort,
    '--sandbox-port',
  );
  const mailboxes = seedDemo(sandbox);
  state = loadCalendars(sandbox, mailboxes, state, options);

  // The port must be known before the engine is made: its public URL is where the providers will push to.
  let site: (request: Request) => Promise<Response> = async () => new Response('Starting.\n', { status: 503 });
  const server = createServer(nodeListener((request) => site(request)));
  const port = await reachable(() => listen(server, options.port), options.port, '--port');
  const siteUrl = `http://127.0.0.1:${port}`;
  const baseUrl = `${siteUrl}${API_PATH}`;

  const engine = createEngine({
    storage: sqlite({ path: options.database }),
    providers: {
      PROVIDER_A: google({ ...googleEndpoints(`${sandboxServer.url}/google`), logger }),
      PROVIDER_B: microsoft({ ...microsoftEndpoints(`${sandboxServer.url}/microsoft`), logger }),
    },
    secret: state.secret,
    environment: 'dev',
    publicUrl: baseUrl,
    webhooks: { allowedNetworks: ['127.0.0.0/8', '::1/128'] },
    logger,
  });
  await engine.start();
  state = await prepareApplication(engine, sandbox, state, siteUrl, baseUrl);
  state = issueRefreshTokens(sandbox, mailboxes, state);
  folder.write(state);
  site = createSite(createHandler(engine, { publicUrl: baseUrl, rateLimit: { perSecond: 300, burst: 600 }, logger }));

  const connection: DevConnection = {
    baseUrl,
    apiKey: state.apiKey ?? '',
    adminToken: state.adminToken,
    applicationId: state.applicationId ?? '',
    sandboxUrl: sandboxServer.url,
    accounts: PROVIDERS.map(({ provider, providerType }) => ({
      email: mailboxes[provider],
      providerType,
      refreshToken: state.refreshTokens[mailboxes[provider]] ?? '',
    })),
  };
  folder.writeConnection(connection);
  return {
    connection,
    siteUrl,
    async stop() {
      folder.writeConnection(undefined);
      await close(server);
      await engine.stop();
      await sandboxServer.close();
      await sandbox.close();
    },
  };
}

/** Loads each file once: a second start with the same file finds it there. */
function loadCalendars(sandbox: Sandbox, mailboxes: DemoMailboxes, state: DevState, options: DevOptions): DevState {
  const loaded = new Set(state.loaded);
  const files = [
    ...options.googleIcs.map((path) => ({ path, provider: 'google' as const })),
    ...options.microsoftIcs.map((path) => ({ path, provider: 'microsoft' as const })),
  ];
  for (const { path, provider } of files) {
    const text = readCalendarFile(path);
    const mark = `${createHash('sha256').update(text).digest('hex')}:${provider}`;
    if (loaded.has(mark)) {
      options.note(`${path}: loaded by an earlier start already.`);
      continue;
    }
    const email = mailboxes[provider];
    const { calendars, problems } = importIcs(sandbox[provider], { email, text, fallbackName: basename(path, '.ics') });
    for (const { name, events } of calendars) {
      options.note(`${path}: ${events} events loaded as calendar "${name}" of ${email}.`);
    }
    for (const problem of problems) options.note(`${path}: ${problem}`);
    loaded.add(mark);
  }
  return { ...state, loaded: [...loaded] };
}

function readCalendarFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

/** The application of the demo, with an OAuth client at both providers and one API key that outlives restarts. */
async function prepareApplication(
  engine: Engine,
  sandbox: Sandbox,
  state: DevState,
  siteUrl: string,
  baseUrl: string,
): Promise<DevState> {
  const redirectUrls = [`${siteUrl}/connected`];
  const known = state.applicationId === undefined ? undefined : await engine.applications.find(state.applicationId);
  const application =
    known === undefined
      ? await engine.applications.create({ name: 'Demo', redirectUrls })
      : await engine.applications.update(known.id, { redirectUrls });
  for (const { provider, providerType } of PROVIDERS) {
    const redirectUris = [`${baseUrl}/v1/oauth/callback/${providerType.toLowerCase()}`];
    sandbox[provider].addClient({ clientId: CLIENT_ID, clientSecret: state.sandboxSecret, redirectUris });
    await engine.applications.configureProvider(application.id, providerType, {
      clientId: CLIENT_ID,
      clientSecret: state.sandboxSecret,
    });
  }
  const apiKey = (await stillValid(engine, state.apiKey))
    ? state.apiKey
    : (await engine.applications.createApiKey(application.id, { name: 'Demo', expiresAt: null })).key;
  return { ...state, applicationId: application.id, ...(apiKey === undefined ? {} : { apiKey }) };
}

async function stillValid(engine: Engine, key: string | undefined): Promise<boolean> {
  if (key === undefined) return false;
  try {
    await engine.applications.authenticate(key);
    return true;
  } catch (error) {
    if (KalendsError.isInstance(error) && error.code === 'InvalidApiKey') return false;
    throw error;
  }
}

/**
 * A Google refresh token stays the same, and each new one would push an old one out of the hundred that an account may
 * have; a Microsoft one is replaced at every use, so the printed one must be new.
 */
function issueRefreshTokens(sandbox: Sandbox, mailboxes: DemoMailboxes, state: DevState): DevState {
  const refreshTokens: Record<string, string> = {};
  for (const { provider } of PROVIDERS) {
    const email = mailboxes[provider];
    const kept = provider === 'google' ? state.refreshTokens[email] : undefined;
    refreshTokens[email] = kept ?? sandbox[provider].issueRefreshToken({ email, clientId: CLIENT_ID });
  }
  return { ...state, refreshTokens };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

async function reachable<Result>(start: () => Promise<Result>, port: number, option: string): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new CommandError(`port ${port} is taken; choose another with ${option} N, or ${option} 0 for any`, 1);
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
