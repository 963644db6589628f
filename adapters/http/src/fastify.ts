import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Handler } from './handler.ts';

/** The part of Fastify 5 that the plugin uses, so that the package does not depend on it. */
interface FastifyScope {
  readonly prefix: string;
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    parser: (request: unknown, payload: IncomingMessage, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown;
  route(options: {
    method: string[];
    url: string;
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  }): unknown;
}

interface FastifyRequest {
  readonly raw: IncomingMessage;
  readonly body: unknown;
  readonly protocol: string;
  readonly host: string;
  readonly headers: IncomingMessage['headers'];
}

interface FastifyReply {
  code(status: number): FastifyReply;
  header(name: string, value: string | string[]): FastifyReply;
  send(payload?: unknown): unknown;
  callNotFound(): unknown;
}

/**
 * Fastify 5 plugin: one wildcard in a scope of its own, so the host's body parsers, hooks and other routes are untouched;
 * more specific routes of the host win, and what none of ours answers goes to the host's not-found handler.
 *
 * @example
 * await app.register(fastifyPlugin, { prefix: '/calendar', handler: createHandler(engine) });
 */
export async function fastifyPlugin(scope: FastifyScope, options: { readonly handler: Handler }): Promise<void> {
  const { handler } = options;
  // The host's JSON parser would consume the body and answer in its own words.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  // One wildcard, not a route each: Fastify cuts off named parameters longer than 100 characters, and Graph's ids are.
  scope.route({
    method: ['GET', 'POST', 'PUT', 'DELETE'],
    url: '/v1/*',
    handler: async (request, reply) => {
      const webRequest = toWebRequest(request, scope.prefix);
      if (!handler.matches(webRequest.method, new URL(webRequest.url).pathname)) return reply.callNotFound();
      const response = await handler(webRequest);
      reply.code(response.status);
      for (const [name, value] of response.headers) if (name !== 'set-cookie') reply.header(name, value);
      const cookies = response.headers.getSetCookie();
      if (cookies.length > 0) reply.header('set-cookie', cookies);
      return reply.send(Buffer.from(await response.arrayBuffer()));
    },
  });
}

function toWebRequest(request: FastifyRequest, prefix: string): Request {
  const url = (request.raw.url ?? '/').slice(prefix.length);
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
  }
  const hasBody = request.body instanceof Readable;
  return new Request(`${request.protocol}://${request.host}${url}`, {
    method: request.raw.method ?? 'GET',
    headers,
    ...(hasBody ? { body: Readable.toWeb(request.body as Readable) as ReadableStream, duplex: 'half' } : {}),
  } as RequestInit);
}
