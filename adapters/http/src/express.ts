import type { IncomingMessage, ServerResponse } from 'node:http';
import { nodeListener } from './node.ts';
import type { Handler } from './table-handler.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The part of a request of Express 4 and 5 that the middleware reads. */
interface ExpressRequest extends IncomingMessage {
  body?: unknown;
  rawBody?: unknown;
}

/**
 * Creates middleware for Express 4 and 5, for the root or a prefix, before or after the host's body parsers.
 * It passes on every request that no route of the interface answers.
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

/** Serializes a body that the host's parser has read: the stream is at its end and would never yield it again. */
function restoreBody(request: ExpressRequest): void {
  if (!request.readableEnded || request.rawBody instanceof Buffer) return;
  const { body } = request;
  // There was none, or middleware that is no parser has read it: the listener tells one from the other.
  if (body === undefined) return;
  if (body instanceof Buffer) request.rawBody = body;
  else if (typeof body === 'string') request.rawBody = Buffer.from(body);
  else if (request.headers['content-type']?.toLowerCase().startsWith(FORM_TYPE))
    request.rawBody = Buffer.from(formOf(body));
  else request.rawBody = Buffer.from(JSON.stringify(body));
}

/** Prints the fields of a parsed form; those of ours are texts, each given once. */
function formOf(body: unknown): string {
  const fields = Object.entries(Object(body)).filter(
    (field): field is [string, string] => typeof field[1] === 'string',
  );
  return new URLSearchParams(fields).toString();
}
