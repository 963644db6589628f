import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { bytesOf } from './bytes-response.ts';
import type { Handler } from './handler.ts';

/**
 * A listener for `http.createServer`.
 *
 * @example
 * http.createServer(nodeListener(createHandler(engine))).listen(3000);
 */
export function nodeListener(handler: (request: Request) => Response | Promise<Response>) {
  const answer = async (request: Request, { outgoing }: { readonly outgoing: ServerResponse }): Promise<Response> => {
    const response = await handler(request);
    const bytes = bytesOf(response);
    if (bytes === undefined) return response;
    // Past the streams of the Web: they would take as long as everything before them.
    const headers = Object.fromEntries(response.headers);
    outgoing.writeHead(response.status, { ...headers, 'content-length': bytes.byteLength }).end(bytes);
    return RESPONSE_ALREADY_SENT;
  };
  return getRequestListener(answer as Parameters<typeof getRequestListener>[0], { overrideGlobalObjects: false }) as (
    request: IncomingMessage,
    response: ServerResponse,
  ) => Promise<void>;
}

export type { Handler };
