import { createServer } from 'node:http';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import type { Logger } from 'kalends/ports';
import { close, listen, onFreePort } from '../dev/listening.ts';
import type { Settings } from '../settings.ts';
import { createSite } from '../site.ts';
import { createMetrics } from './metrics.ts';
import { opening, shownUrl, storageOf } from './open-storage.ts';
import { createOperations } from './operations.ts';
import { standaloneEngine } from './standalone-engine.ts';

/** `serve` answers the interface, `work` does what goes on in the background, `start` is both. */
export type Role = 'serve' | 'work' | 'start';

/**
 * Longer than what usual load balancers keep an idle connection for: whoever closes first must be the client, or a request
 * that is just being sent is lost.
 */
const KEEP_ALIVE_MS = 75_000;

/** A process of the standalone server. */
export interface Server {
  readonly port: number;
  /** Says so on /readyz, takes no more connections, lets what is under way end, gives leases back. Idempotent. */
  stop(): Promise<void>;
}

/** @throws CommandError for what the operator can mend */
export async function startServer(role: Role, settings: Settings, logger: Logger): Promise<Server> {
  const { databaseUrl, host, port, apiPath, publicUrl, adminToken, rateLimit, drainMs } = settings;
  const storage = storageOf(settings, logger);
  const metrics = createMetrics(storage.health);
  const engine = standaloneEngine(settings, { storage, logger, telemetry: metrics });
  let isDraining = false;
  const operations = createOperations({ health: storage.health, metrics, adminToken, isDraining: () => isDraining });
  const site =
    role === 'work'
      ? async () => new Response('This process works in the background.\n', { status: 404 })
      : createSite(
          createHandler(engine, {
            basePath: apiPath,
            logger,
            telemetry: metrics,
            ...(rateLimit === 0 ? {} : { rateLimit: { perSecond: rateLimit, burst: 2 * rateLimit } }),
            ...(publicUrl === undefined ? {} : { publicUrl }),
          }),
          apiPath,
        );
  await opening(databaseUrl, () => engine.start({ background: role !== 'serve' }));
  const server = createServer(nodeListener(async (request) => (await operations(request)) ?? (await site(request))));
  server.keepAliveTimeout = KEEP_ALIVE_MS;
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
