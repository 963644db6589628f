import { setMaxListeners } from 'node:events';
import { caldav, icloud } from '@kalends/caldav';
import { createDashboard } from '@kalends/dashboard';
import { google, googleEndpoints } from '@kalends/google';
import { createAdminHandler, createHandler } from '@kalends/http';
import { nodeListener, type Peer } from '@kalends/http/node';
import { icsFeed } from '@kalends/ics-feed';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createSandbox, fileState, seedDemo } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import type { Clock, Storage } from 'kalends/ports';
import { systemClock } from 'kalends/runtime';
import { CommandError } from '../command-error.ts';
import { createLogger } from '../logger.ts';
import { mountMcp } from '../mcp/mount-mcp.ts';
import { createHttpServer } from '../serve/http-server.ts';
import { createMetrics } from '../serve/metrics.ts';
import { createOperations } from '../serve/operations.ts';
import { HTTP_DEFAULTS } from '../settings.ts';
import { API_PATH, createSite } from '../site.ts';
import type { DemoClock } from './clock/demo-clock.ts';
import { hostClock } from './clock/host-clock.ts';
import { openDemoClock } from './clock/open-demo-clock.ts';
import { issueRefreshTokens, PROVIDERS, prepareApplication } from './demo-application.ts';
import { type CalDavSignIn, calDavMailbox, connectOwnServer, issueAppPassword } from './demo-caldav.ts';
import { loadCalendars } from './demo-calendars.ts';
import { type ApiDocument, demoDocument } from './demo-document.ts';
import { createDemoInbox } from './demo-inbox.ts';
import { demoValues } from './demo-values.ts';
import { type DevConnection, openDevFolder, withAdminToken } from './dev-state.ts';
import { lockFolder } from './folder-lock.ts';
import { close, listen, onFreePort } from './listening.ts';
import { refuseOtherNames } from './loopback-names.ts';
import { createSandboxControls } from './sandbox-controls.ts';
import { slotOfNextWeek } from './this-week.ts';

export interface DevOptions {
  /** Folder of the state that outlives restarts. */
  readonly folder: string;
  readonly port: number;
  readonly sandboxPort: number;
  /** Path of the SQLite file; `:memory:` keeps the sandbox in memory too. */
  readonly database: string;
  readonly googleIcs: readonly string[];
  readonly microsoftIcs: readonly string[];
  /** A CalDAV server to connect at the start. */
  readonly calDav?: CalDavSignIn | undefined;
  readonly logLevel: 'warn' | 'debug';
  /** Receives news of a slow start, for a person to read. */
  readonly note: (text: string) => void;
}

export interface Dev {
  readonly connection: DevConnection;
  /** Root URL of the server, without /api. */
  readonly siteUrl: string;
  /** Opens the dashboard signed in, once. */
  readonly dashboardUrl: string;
  /** The time of the engine and the sandbox. */
  readonly clock: DemoClock;
  stop(): Promise<void>;
}

/** The demo's own machine: its receivers, and the feeds and CalDAV servers on it. */
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/**
 * Starts the sandbox, the engine and the interface in this process; on failure, stops the parts already started.
 * @throws CommandError for a cause that the user can remove: a taken port, a file that cannot be read
 */
export async function startDevServer(options: DevOptions): Promise<Dev> {
  const started: (() => unknown)[] = [];
  const stop = async () => {
    for (const undo of started.splice(0).reverse()) await undo();
  };
  try {
    return { ...(await start(options, (undo) => started.push(undo))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(options: DevOptions, onStop: (undo: () => unknown) => void): Promise<Omit<Dev, 'stop'>> {
  const inMemory = options.database === ':memory:';
  // A server in memory writes no state that another one could overwrite.
  if (!inMemory) onStop(lockFolder(options.folder));
  const folder = openDevFolder(options.folder, !inMemory);
  const logger = createLogger(options.logLevel);
  let state = folder.read();

  // The engine needs the port: its public URL is the address of the providers' push notifications.
  let site: (request: Request, peer: Peer) => Promise<Response> = async () =>
    new Response('Starting.\n', { status: 503 });
  const server = createHttpServer(
    nodeListener((request, peer) => site(request, peer)),
    HTTP_DEFAULTS,
    logger,
  );
  const port = await onFreePort(() => listen(server, options.port), options.port, '--port');
  const streams = new AbortController();
  // Each stream that is open listens to it, which is no leak.
  setMaxListeners(0, streams.signal);
  onStop(() => {
    streams.abort();
    return close(server);
  });
  const siteUrl = `http://127.0.0.1:${port}`;
  const baseUrl = `${siteUrl}${API_PATH}`;

  const clock = openDemoClock({ base: systemClock, siteUrl, kept: folder });
  const host = hostClock(clock, logger);
  const sandbox = createSandbox({
    clock: host,
    ...(inMemory ? {} : { state: fileState(`${options.folder}/sandbox.json`) }),
  });
  onStop(() => sandbox.close());
  const mailboxes = seedDemo(sandbox);
  const files = { google: options.googleIcs, microsoft: options.microsoftIcs };
  state = loadCalendars(sandbox, mailboxes, state, files, options.note);
  const { url: sandboxUrl } = await onFreePort(
    () => sandbox.listen({ port: options.sandboxPort, hostname: '127.0.0.1' }),
    options.sandboxPort,
    '--sandbox-port',
  );

  const storage = await openDatabase(options.database, clock);
  const metrics = createMetrics(storage.health);
  const engine = createEngine({
    storage,
    providers: {
      PROVIDER_A: google({ ...googleEndpoints(`${sandboxUrl}/google`), logger, clock }),
      PROVIDER_B: microsoft({ ...microsoftEndpoints(`${sandboxUrl}/microsoft`), logger, clock }),
      CALDAV: caldav({ allowedNetworks: LOOPBACK, logger, clock }),
      ICLOUD: icloud({ logger, clock }),
      ICS: icsFeed({ allowedNetworks: LOOPBACK, logger, clock }),
    },
    clock,
    secret: state.secret,
    environment: 'dev',
    publicUrl: baseUrl,
    webhooks: { allowedNetworks: LOOPBACK },
    logger,
    telemetry: metrics,
  });
  onStop(() => engine.stop());
  // Before the engine stops: a turn of the clock goes on with its work.
  onStop(() => clock.close());
  await engine.start();
  state = await prepareApplication(engine, sandbox, state, { siteUrl, baseUrl });
  state = await issueRefreshTokens(sandbox, mailboxes, state, sandboxUrl);
  const withPassword = await issueAppPassword(sandbox, mailboxes, state, sandboxUrl);
  const kept = withAdminToken(withPassword);
  folder.write(kept);
  const applicationId = state.applicationId ?? '';
  const ownServer = options.calDav && (await connectOwnServer(engine, applicationId, options.calDav));
  const connection: DevConnection = {
    baseUrl,
    apiKey: state.apiKey ?? '',
    adminToken: kept.adminToken,
    applicationId,
    sandboxUrl,
    accounts: [
      ...PROVIDERS.map(({ provider, providerType }) => ({
        email: mailboxes[provider],
        providerType,
        refreshToken: state.refreshTokens[mailboxes[provider]] ?? '',
      })),
      calDavMailbox(mailboxes.caldav, kept.appPassword, sandboxUrl),
    ],
    ...(ownServer === undefined ? {} : { ownServer }),
  };
  const rateLimit = { perSecond: 300, burst: 600 };
  const ofHandlers = { publicUrl: baseUrl, logger, telemetry: metrics, stopping: streams.signal };
  const api = createHandler(engine, { ...ofHandlers, rateLimit, clock });
  const inbox = createDemoInbox({ siteUrl, clock, kept: folder });
  // On real time: a session must not end when the demo's clock is turned.
  const dashboard = createDashboard(engine, {
    ...ofHandlers,
    token: kept.adminToken,
    docsUrl: `${siteUrl}/docs`,
    demo: createSandboxControls({ sandbox, sandboxUrl, clock, inbox, begin: host.advance, base: systemClock }),
  });
  const mcpSettings = { mcp: 'on', mcpHosts: [], publicUrl: baseUrl, rateLimit: 300, secret: state.secret } as const;
  const mcp = mountMcp(engine, mcpSettings, { logger, clock });
  const pages = createSite(api, {
    mcp,
    dashboard,
    demo: {
      apiKey: state.apiKey ?? '',
      async document() {
        const document = await (await api(new Request(`${baseUrl}/v1/openapi.json`))).json();
        const values = await demoValues(engine, connection, siteUrl, clock.now());
        return demoDocument(document as ApiDocument, values, { createHold: slotOfNextWeek(clock.now()) });
      },
    },
    admin: createAdminHandler(engine, { ...ofHandlers, token: kept.adminToken, clock }),
  });
  const operations = createOperations({
    health: storage.health,
    dataKeys: engine.dataKeys,
    metrics,
    isDraining: () => false,
  });
  site = async (request, peer) =>
    refuseOtherNames(request) ??
    (await operations(request, peer)) ??
    (await inbox.receive(request)) ??
    (await pages(request, peer));

  onStop(folder.writeConnection(connection));
  return { connection, siteUrl, dashboardUrl: dashboard.createSignInLink(siteUrl), clock };
}

/** Opens the database. @throws CommandError naming a file that cannot be opened or is not a database of kalends */
async function openDatabase(path: string, clock: Clock): Promise<Storage> {
  try {
    const storage = sqlite({ path, clock });
    await storage.open();
    return storage;
  } catch (error) {
    throw new CommandError(`cannot open the database ${path}: ${(error as Error).message}`, 1);
  }
}
