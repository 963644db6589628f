import { createServer, type RequestListener, type Server } from 'node:http';
import { answerClientErrors } from '@kalends/http/node';
import type { Logger } from 'kalends/ports';
import type { Settings } from '../settings.ts';

export type HttpLimits = Pick<Settings, 'headersTimeoutMs' | 'requestTimeoutMs' | 'httpConnections'>;

/**
 * Longer than the time for which usual load balancers keep an idle connection: the client must be the one that closes, or a request
 * that is just being sent is lost.
 */
const KEEP_ALIVE_MS = 75_000;
/** How late a timeout may be noticed. Node's own default is 30 s. */
const CHECK_MS = 500;
const LOG_PAUSE_MS = 60_000;

/** Creates a server that bounds how many connections there are, and for how long a request may be under way to it. */
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
      // The listener refuses it too, with a problem document.
      requireHostHeader: false,
    },
    listener,
  );
  answerClientErrors(server);
  server.maxConnections = httpConnections;
  let loggedAt = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    if (Date.now() - loggedAt < LOG_PAUSE_MS) return;
    loggedAt = Date.now();
    logger.warn('connections are refused: KALENDS_HTTP_CONNECTIONS are open', { current: httpConnections });
  });
  return server;
}
