import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Handler } from './handler.ts';

/**
 * A listener for `http.createServer`.
 *
 * @example
 * http.createServer(nodeListener(createHandler(engine))).listen(3000);
 */
export function nodeListener(handler: (request: Request) => Response | Promise<Response>) {
  return getRequestListener(handler, { overrideGlobalObjects: false }) as (
    request: IncomingMessage,
    response: ServerResponse,
  ) => Promise<void>;
}

export type { Handler };
