import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { KalendsError } from 'kalends';
import { createId, systemRandom } from 'kalends/runtime';
import { incomingBody } from './incoming-body.ts';
import { problemResponse } from './problem-response.ts';
import { isStreamed } from './streamed-response.ts';
import type { Handler } from './table-handler.ts';
import { settleUnreadBody } from './unread-body.ts';

/** The part of Fastify 5 that the plugin uses; the package does not depend on Fastify. */
interface FastifyScope {
  readonly prefix: string;
  readonly supportedMethods: readonly string[];
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
  setErrorHandler(
    handler: (error: { readonly code?: string }, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): unknown;
}

interface FastifyRequest {
  readonly raw: IncomingMessage;
  readonly body: unknown;
  readonly protocol: string;
  readonly host: string;
  readonly headers: IncomingMessage['headers'];
}

interface FastifyReply {
  readonly raw: ServerResponse;
  code(status: number): FastifyReply;
  header(name: string, value: string | string[]): FastifyReply;
  send(payload?: unknown): unknown;
  callNotFound(): unknown;
}

/**
 * Mounts the interface as one wildcard route in a scope of its own (Fastify 5).
 * The host's body parsers, hooks and other routes are untouched; its more specific routes win, and a request that no route of
 * the interface answers goes to its not-found handler.
 *
 * @example
 * import fastify from 'fastify';
 *
 * const app = fastify();
 * await app.register(fastifyPlugin, { prefix: '/calendar', handler: createHandler(engine) });
 */
export async function fastifyPlugin(scope: FastifyScope, options: { readonly handler: Handler }): Promise<void> {
  const { handler } = options;
  const depth = scope.prefix.split('/').filter((segment) => segment !== '').length;
  // The host's JSON parser would consume the body, and would answer an invalid one with an error of its own form.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    // By segments: the prefix may have parameters, and the URL may encode its letters.
    const url = `/${(request.raw.url ?? '/')
      .split('/')
      .slice(depth + 1)
      .join('/')}`;
    if (!handler.matches(url.split('?')[0] ?? '/')) return reply.callNotFound();
    const webRequest = toWebRequest(request, url);
    const { remoteAddress } = request.raw.socket;
    const response = webRequest === undefined ? invalidTarget() : await handler(webRequest, { remoteAddress });
    settleUnreadBody(request.raw, reply.raw);
    return send(response, reply);
  };
  scope.setErrorHandler(async (error, request, reply) => {
    // A Content-Type that is no media type has no parser, not even that of all types: the interface refuses it in its words.
    if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return answer(request, reply);
    // Of a hook of the host, for its own error handler.
    throw error;
  });
  const method = [...scope.supportedMethods];
  // One wildcard instead of a route each: Fastify refuses named parameters longer than 100 characters; Graph ids are longer.
  scope.route({ method, url: `${handler.root}/*`, handler: answer });
  // Only a page answers at its root: elsewhere the host may have a route of its own there.
  if (handler.matches(handler.root)) scope.route({ method, url: handler.root, handler: answer });
}

async function send(response: Response, reply: FastifyReply): Promise<unknown> {
  reply.code(response.status);
  for (const [name, value] of response.headers) if (name !== 'set-cookie') reply.header(name, value);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) reply.header('set-cookie', cookies);
  if (response.body === null) return reply.send();
  if (isStreamed(response)) return reply.send(Readable.fromWeb(response.body as NodeStream));
  return reply.send(Buffer.from(await response.arrayBuffer()));
}

/** Converts the request; undefined for a target that is not a URL, or that a URL parser reads as another one. */
function toWebRequest(request: FastifyRequest, url: string): Request | undefined {
  // Requests of HTTP/1.0 may lack Host. Node refuses those of HTTP/1.1.
  const target = `${request.protocol}://${request.host || 'localhost'}${url}`;
  if (!URL.canParse(target) || url.split('?')[0]?.includes('\\')) return undefined;
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // The pseudo-headers of HTTP/2 are the method and the target.
    if (name.startsWith(':')) continue;
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
  }
  const method = request.raw.method ?? 'GET';
  // `new Request` refuses TRACE: set the method on a request of another method, without a body.
  if (method === 'TRACE') return Object.defineProperty(new Request(target, { headers }), 'method', { value: method });
  const body = request.body instanceof Readable ? request.body : request.raw;
  // A preParsing hook of the host has decoded it, and leaves the header, as that of @fastify/compress does.
  if (body !== request.raw) headers.delete('content-encoding');
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(target, {
    method,
    headers,
    ...(hasBody ? { body: incomingBody(body), duplex: 'half' } : {}),
  } as RequestInit);
}

function invalidTarget(): Response {
  const error = new KalendsError('InvalidRequest', 'the request target is invalid');
  return problemResponse(error, createId(systemRandom, 'req'));
}
