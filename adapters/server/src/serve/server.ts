import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import type { Clock, Logger } from 'kalends/ports';
import { systemClock } from 'kalends/runtime';
import { close, listen, onFreePort } from '../dev/listening.ts';
import type { Settings } from '../settings.ts';
import { createSite } from '../site.ts';
import { createHttpServer } from './http-server.ts';
import { createMetrics } from './metrics.ts';
import { opening, shownUrl, storageOf } from './open-storage.ts';
import { createOperations } from './operations.ts';
import { standaloneEngine } from './standalone-engine.ts';

/** `serve` answers the interface, `work` does what goes on in the background, `start` is both. */
export type Role = 'serve' | 'work' | 'start';

const PLAIN = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

/** A process of the standalone server. */
export interface Server {
  readonly port: number;
  /**
   * Says so on /readyz, serves on for `lameDuckMs`, then takes no more connections, lets what is under way end, gives leases
   * back. Idempotent.
   */
  stop(): Promise<void>;
}

/**
 * @param clock for the time between the announcement and the end
 * @throws CommandError for what the operator can mend
 */
export async function startServer(
  role: Role,
  settings: Settings,
  logger: Logger,
  clock: Clock = systemClock,
): Promise<Server> {
  const { databaseUrl, host, port, apiPath, publicUrl, metricsToken, rateLimit, drainMs } = settings;
  const { trustProxy, proxyHeader } = settings;
  // A process that serves no one has no one who must hear of its end first.
  const lameDuckMs = role === 'work' ? 0 : settings.lameDuckMs;
  const storage = storageOf(settings, logger);
  const metrics = createMetrics(storage.health);
  const engine = standaloneEngine(settings, { storage, logger, telemetry: metrics });
  let isDraining = false;
  const operations = createOperations({ health: storage.health, metrics, metricsToken, isDraining: () => isDraining });
  const site =
    role === 'work'
      ? async () => new Response('This process works in the background.\n', { status: 404, headers: PLAIN })
      : createSite(
          createHandler(engine, {
            basePath: apiPath,
            logger,
            telemetry: metrics,
            ...(rateLimit === 0 ? {} : { rateLimit: { perSecond: rateLimit, burst: 2 * rateLimit } }),
            ...(publicUrl === undefined ? {} : { publicUrl }),
            ...(trustProxy === undefined ? {} : { trustProxy }),
            proxyHeader,
          }),
          apiPath,
        );
  await opening(databaseUrl, () => engine.start({ background: role !== 'serve' }));
  const listener = nodeListener(
    async (request, peer) => (await operations(request, peer)) ?? (await site(request, peer)),
  );
  const server = createHttpServer(
    (incoming, outgoing) => {
      // The client's next request is to come on a new connection, to another process.
      if (isDraining) outgoing.setHeader('connection', 'close');
      void listener(incoming, outgoing);
    },
    settings,
    logger,
  );
  let bound: number;
  try {
    bound = await onFreePort(() => listen(server, port, host), port, '--port');
  } catch (error) {
    await engine.stop();
    throw error;
  }
  logger.info('started', { role, host, port: bound, database: shownUrl(databaseUrl) });

  let stopping: Promise<void> | undefined;
  const stop = async () => {
    isDraining = true;
    if (lameDuckMs > 0) await clock.sleep(lameDuckMs);
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
