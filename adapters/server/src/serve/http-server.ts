import { createServer, type RequestListener, type Server } from 'node:http';
import { answerClientErrors } from '@kalends/http/node';
import type { Logger } from 'kalends/ports';
import type { Settings } from '../settings.ts';

export type HttpLimits = Pick<Settings, 'headersTimeoutMs' | 'requestTimeoutMs' | 'httpConnections'>;

/**
 * Idle time of a connection, longer than that of usual load balancers: if the server closed first, a request that is being
 * sent would be lost.
 */
const KEEP_ALIVE_MS = 75_000;
/** Interval of Node's check for timeouts, whose default is 30 s. */
const CHECK_MS = 500;
const LOG_PAUSE_MS = 60_000;

/** Creates a server with bounds on the number of connections and on the time that a request takes to arrive. */
export function createHttpServer(
  listener: RequestListener,
  { headersTimeoutMs, requestTimeoutMs, httpConnections }: HttpLimits,
  logger: Logger,
): Server {
  const server = createServer(
    {
      headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The listener refuses a missing Host too, and does so with a problem document.
      requireHostHeader: false,
    },
    listener,
  );
  answerClientErrors(server, { logger });
  server.maxConnections = httpConnections;
  let loggedAt = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    if (Date.now() - loggedAt < LOG_PAUSE_MS) return;
    loggedAt = Date.now();
    logger.warn('connections are refused: as many as KALENDS_HTTP_CONNECTIONS are open', { current: httpConnections });
  });
  return server;
}
