import type { ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { KalendsError } from 'kalends';
import type { Logger } from 'kalends/ports';
import { checkProcessPorts, createId, steadyLogger, systemRandom } from 'kalends/runtime';
import { bytesOf } from './bytes-response.ts';
import { describeCauses } from './failure-cause.ts';
import { settleLostBody } from './lost-body.ts';
import { problemResponse } from './problem-response.ts';
import type { Handler, Peer } from './table-handler.ts';
import { type Incoming, type Outgoing, settleUnreadBody } from './unread-body.ts';

export { answerClientErrors } from './client-errors.ts';

/**
 * Creates a listener for `createServer` of `node:http` and of `node:http2`; a body that the handler leaves unread does not disturb
 * the next request. It refuses paths that proxies and servers read differently: those with `//`, `/./` or `/../`.
 *
 * @example
 * import { createServer } from 'node:http';
 *
 * createServer(nodeListener(createHandler(engine))).listen(3000);
 */
export function nodeListener(
  handler: (request: Request, peer: Peer) => Response | Promise<Response>,
  { logger }: { readonly logger?: Logger } = {},
) {
  checkProcessPorts({ logger });
  const steady = logger && steadyLogger(logger);
  const answer = async (request: Request, { incoming, outgoing }: NodeBindings): Promise<Response> => {
    // A parser of the host has read and decoded the body, and leaves the header.
    if ('rawBody' in incoming) request.headers.delete('content-encoding');
    await settleLostBody(request, incoming);
    const response = isAmbiguous(incoming.url ?? '')
      ? invalidTarget('its path has an empty or a dot segment', createId(systemRandom, 'req'))
      : await handler(request, { remoteAddress: incoming.socket.remoteAddress });
    settleUnreadBody(incoming, outgoing);
    const bytes = bytesOf(response);
    if (bytes === undefined) return withHostCookies(response, outgoing);
    // Sends the bytes directly: web streams would cost as much time as all the rest of the request.
    const headers = Object.fromEntries(response.headers);
    // Both kinds of answers take these parameters alike.
    (outgoing as ServerResponse)
      .writeHead(response.status, { ...headers, 'content-length': bytes.byteLength })
      .end(bytes);
    return RESPONSE_ALREADY_SENT;
  };
  const listener = (defaultHost: { readonly hostname?: string }) =>
    getRequestListener(answer as Parameters<typeof getRequestListener>[0], {
      ...defaultHost,
      overrideGlobalObjects: false,
      autoCleanupIncoming: false,
      errorHandler: (error) => refused(error, steady),
    }) as (request: Incoming, response: Outgoing) => Promise<void>;
  const current = listener({});
  // HTTP/1.0 knows no Host; health checks send it.
  const old = listener({ hostname: 'localhost' });
  return (request: Incoming, response: Outgoing) =>
    request.httpVersion === '1.0' ? old(request, response) : current(request, response);
}

/** Adds the cookies that the host has set before: the answer's own would replace them. */
function withHostCookies(response: Response, outgoing: Outgoing): Response {
  const set = outgoing.getHeader('set-cookie');
  if (set === undefined || !response.headers.has('set-cookie')) return response;
  const headers = new Headers(response.headers);
  for (const cookie of [set].flat()) headers.append('set-cookie', String(cookie));
  return new Response(response.body, { status: response.status, headers });
}

/** Tells whether a proxy in front may have read the path otherwise, and let through what it was to keep outside. */
function isAmbiguous(target: string): boolean {
  const [path = ''] = target.replace(/^https?:\/\//i, '').split('?', 1);
  return /\/(?:\/|(?:\.|%2e){1,2}(?:\/|$))/i.test(path);
}

function invalidTarget(reason: string, requestId: string): Response {
  return problemResponse(new KalendsError('InvalidRequest', `the request target is invalid: ${reason}`), requestId);
}

interface NodeBindings {
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
}

/** Answers an invalid target or Host, which never became a Request, or a handler that threw: the handlers of the interfaces never do. */
function refused(error: unknown, logger: Logger | undefined): Response {
  const requestId = createId(systemRandom, 'req');
  if (error instanceof Error && error.name === 'RequestError') {
    return invalidTarget(error.message, requestId);
  }
  logger?.error('request failed', { requestId, status: 500, error: describeCauses(error) });
  return problemResponse(error, requestId);
}

export type { Handler, Peer };
