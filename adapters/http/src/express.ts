import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Handler } from './handler.ts';
import { nodeListener } from './node.ts';

/** What Express 4 and 5 pass to a middleware, as far as we look at it. */
interface ExpressRequest extends IncomingMessage {
  body?: unknown;
  rawBody?: unknown;
}

/**
 * Middleware for Express 4 and 5, at the root or under a prefix, before or after the host's body parsers. What none of
 * our routes answers is passed on.
 *
 * @example
 * app.use('/calendar', expressMiddleware(createHandler(engine)));
 */
export function expressMiddleware(handler: Handler) {
  const listener = nodeListener(handler);
  return (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    if (!handler.matches(path)) {
      next();
      return;
    }
    restoreBody(request);
    listener(request, response).catch(next);
  };
}

/** A parser of the host's has read the stream: give the text back, or our own parser would wait for nothing. */
function restoreBody(request: ExpressRequest): void {
  if (!request.readableEnded || request.rawBody instanceof Buffer) return;
  const { body } = request;
  if (body === undefined) request.rawBody = Buffer.alloc(0);
  else if (body instanceof Buffer) request.rawBody = body;
  else request.rawBody = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
