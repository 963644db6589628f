import { setMaxListeners } from 'node:events';
import { createDashboard } from '@kalends/dashboard';
import type { HandlerOptions, RateLimitOptions } from '@kalends/http';
import { createAdminHandler, createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import type { Engine } from 'kalends';
import type { Clock, Logger, Storage } from 'kalends/ports';
import { systemClock } from 'kalends/runtime';
import { CommandError } from '../command-error.ts';
import { close, listen, onFreePort } from '../dev/listening.ts';
import { checkTokenApplication, mountMcp } from '../mcp/mount-mcp.ts';
import { requireSecret, type Settings } from '../settings.ts';
import { createSite } from '../site.ts';
import { createHttpServer } from './http-server.ts';
import { createMetrics } from './metrics.ts';
import { opening, shownShards, shownUrl, storageOf } from './open-storage.ts';
import { createOperations } from './operations.ts';
import { providerNamesOf, standaloneEngine } from './standalone-engine.ts';

/** `serve` answers the interface, `work` does the background work, `start` does both. */
export type Role = 'serve' | 'work' | 'start';

const PLAIN = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

/** A process of the standalone server. */
export interface Server {
  readonly port: number;
  /**
   * Turns /readyz 503, serves for `lameDuckMs` more, then closes the port, waits for answers in progress and releases leases.
   * Idempotent.
   */
  stop(): Promise<void>;
}

function rateLimitOf({ rateLimit, sharedRateLimit }: Settings, { leases }: Pick<Storage, 'leases'>): RateLimitOptions {
  return { perSecond: rateLimit, burst: 2 * rateLimit, ...(sharedRateLimit ? { sharedBy: leases } : {}) };
}

/** Creates the dashboard at its own path of the site, whatever the path of the interface. */
function dashboardOf(engine: Engine, options: HandlerOptions, token: readonly string[]) {
  const { basePath = '', publicUrl, ...shared } = options;
  const docsUrl = publicUrl === undefined ? undefined : docsUrlOf(publicUrl, basePath);
  return createDashboard(engine, {
    ...shared,
    token,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(docsUrl === undefined ? {} : { docsUrl }),
  });
}

/** Returns the API page's URL. Unknown where a proxy gives the interface another path: /docs may be another application's there. */
function docsUrlOf(publicUrl: string, apiPath: string): string | undefined {
  const { origin, pathname } = new URL(publicUrl);
  const path = pathname.replace(/\/$/, '');
  return path.endsWith(apiPath) ? `${origin}${path.slice(0, -apiPath.length)}/docs` : undefined;
}

/**
 * Starts a process of the standalone server.
 * @param clock for the time between /readyz turning 503 and the end
 * @throws CommandError for a cause that the operator can remove
 */
export async function startServer(
  role: Role,
  settings: Settings,
  logger: Logger,
  clock: Clock = systemClock,
): Promise<Server> {
  const { databaseUrl, host, port, apiPath, publicUrl, metricsTokens, adminTokens, rateLimit, drainMs } = settings;
  const { trustProxy, proxyHeader, providersUrl } = settings;
  // A process without clients needs no phase in which load balancers notice its end.
  const lameDuckMs = role === 'work' ? 0 : settings.lameDuckMs;
  const storage = storageOf(settings, logger);
  const metrics = createMetrics(storage.health, providerNamesOf(settings));
  const engine = standaloneEngine(settings, { storage, logger, telemetry: metrics });
  if (adminTokens.some((token) => metricsTokens.includes(token))) {
    throw new CommandError('KALENDS_ADMIN_TOKEN and KALENDS_METRICS_TOKEN must differ');
  }
  let isDraining = false;
  const streams = new AbortController();
  // Each stream that is open listens to it, which is no leak.
  setMaxListeners(0, streams.signal);
  const operations = createOperations({
    health: storage.health,
    dataKeys: engine.dataKeys,
    metrics,
    metricsTokens,
    isDraining: () => isDraining,
  });
  const handlerOptions: HandlerOptions = {
    basePath: apiPath,
    logger,
    telemetry: metrics,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(trustProxy === undefined ? {} : { trustProxy }),
    proxyHeader,
    stopping: streams.signal,
  };
  const site =
    role === 'work'
      ? async () =>
          new Response('This process does background work and answers no requests of the interface.\n', {
            status: 404,
            headers: PLAIN,
          })
      : createSite(
          createHandler(engine, {
            ...handlerOptions,
            ...(rateLimit === 0 ? {} : { rateLimit: rateLimitOf(settings, storage) }),
          }),
          {
            apiPath,
            admin:
              adminTokens.length === 0
                ? undefined
                : createAdminHandler(engine, { ...handlerOptions, token: adminTokens }),
            mcp: mountMcp(engine, { ...settings, secret: requireSecret(settings) }, { logger }),
            dashboard: adminTokens.length === 0 ? undefined : dashboardOf(engine, handlerOptions, adminTokens),
          },
        );
  if (providersUrl !== undefined) {
    logger.warn(`REHEARSAL: not Google and Microsoft but ${providersUrl} is called, as KALENDS_PROVIDERS_URL says`);
  }
  await opening(settings, () => engine.start({ background: role !== 'serve' }));
  const listener = nodeListener(
    async (request, peer) => (await operations(request, peer)) ?? (await site(request, peer)),
    { logger },
  );
  const server = createHttpServer(
    (incoming, outgoing) => {
      // Sends the client's next request over a new connection, to another process.
      if (isDraining) outgoing.setHeader('connection', 'close');
      void listener(incoming, outgoing);
    },
    settings,
    logger,
  );
  let bound: number;
  try {
    if (role !== 'work') await checkTokenApplication(engine, settings);
    bound = await onFreePort(() => listen(server, port, host), port, '--port');
  } catch (error) {
    await engine.stop();
    throw error;
  }
  const shards = settings.shards.length === 0 ? {} : { shards: shownShards(settings.shards) };
  logger.info('started', { role, host, port: bound, database: shownUrl(databaseUrl), ...shards });

  let stopping: Promise<void> | undefined;
  const stop = async () => {
    isDraining = true;
    if (lameDuckMs > 0) await clock.sleep(lameDuckMs);
    // Their readers connect again, to another process.
    streams.abort();
    await close(server, drainMs);
    await engine.stop();
    logger.info('stopped', { role });
  };
  return {
    port: bound,
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}
