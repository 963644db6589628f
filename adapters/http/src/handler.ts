import { type Context, Hono } from 'hono';
import { type Caller, type Engine, KalendsError } from 'kalends';
import { type Clock, type Logger, NO_TELEMETRY, type Random, type Telemetry } from 'kalends/ports';
import { createId, failSpan, inSpan, systemClock, systemRandom } from 'kalends/runtime';
import { bytesOf } from './bytes-response.ts';
import { type Client, createClientAddress, type ProxyHeader, type TrustProxy } from './client-address.ts';
import { etagOf, notModified } from './conditional-request.ts';
import { createMethodIndex, methodNotAllowed } from './method-index.ts';
import { createOpenRoutesLimit, DEFAULT_FAILURE_LIMIT, type Outcome } from './open-routes-limit.ts';
import { openApiDocument } from './openapi-document.ts';
import { problemResponse } from './problem-response.ts';
import { createRateLimiter, type RateLimitOptions } from './rate-limit.ts';
import { readBytes, readJsonBody, readQuery } from './request-input.ts';
import { type Answer, type Call, isConditional, REVALIDATE, type Route } from './route.ts';
import { createRoutedPath } from './routed-path.ts';
import { routes } from './routes/index.ts';

export interface HandlerOptions {
  /** Per API key, in this process. @default none */
  readonly rateLimit?: RateLimitOptions;
  /**
   * Failures per remote address, in this process: bad keys, unknown paths, refused authorizations, forged notifications.
   * Beyond it the address gets 429. @default 1 a second, 100 at once; false: none
   */
  readonly failureLimit?: RateLimitOptions | false;
  /** The proxies in front, by their number or their networks (CIDR, `loopback`, `linklocal`, `uniquelocal`). @default none */
  readonly trustProxy?: TrustProxy;
  /** Where these proxies tell the address of the client. @default "x-forwarded-for" */
  readonly proxyHeader?: ProxyHeader;
  /** Largest body. @default 256 kB */
  readonly maxBodyBytes?: number;
  /** `servers` of the OpenAPI document: the absolute URL under which `/v1` is reachable. @default relative to the document */
  readonly publicUrl?: string;
  /**
   * Path that requests may carry in front of `/v1`: a path under it loses it, any other is routed as it stands.
   * @default the path of `publicUrl`
   */
  readonly basePath?: string;
  /** Told of every answer, and of errors that are ours. @default silent */
  readonly logger?: Logger;
  /** Told how long each request took. @default measures nothing */
  readonly telemetry?: Telemetry;
  /** @default the system clock */
  readonly clock?: Clock;
  /** For request ids. @default node:crypto */
  readonly random?: Random;
}

/** The other end of a connection: a client, or the proxy in front of this server. */
export interface Peer {
  /** Undefined once the connection is gone. Without it failures are not counted. */
  readonly remoteAddress?: string | undefined;
}

/** The `/v1` interface as one function of Web standards. It never rejects: every failure is a problem document. */
export interface Handler {
  (request: Request, peer?: Peer): Promise<Response>;
  /** Tells whether a path (without the mount's prefix and query) is part of the interface; a host's own routes get all others. */
  matches(path: string): boolean;
}

/** What is noted of one request on its way: headers that every answer to it carries, errors included. */
interface RequestNotes {
  readonly requestId: string;
  readonly headers: Record<string, string>;
  readonly client: Client;
  /** Pattern of the route that answers. */
  route?: string;
  access?: Route['access'];
  readonly verdict: Call['verdict'];
}

type HandlerContext = Context<{ Bindings: RequestNotes }>;

const DOCUMENT_PATH = '/v1/openapi.json';
/** Far more than a provider puts into one request. */
const MAX_NOTIFICATION_BYTES = 262_144;
/** Methods that are named in measurements: anybody can make others up. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * The `/v1` routes over an engine.
 *
 * @example
 * const handler = createHandler(engine);
 * const response = await handler(new Request('http://localhost/v1/endUserAccounts', { headers: { 'x-api-key': key } }));
 */
export function createHandler(engine: Engine, options: HandlerOptions = {}): Handler {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const limiter = options.rateLimit === undefined ? undefined : createRateLimiter(options.rateLimit, clock);
  const clientOf = createClientAddress(options);
  const openRoutes = createOpenRoutesLimit({
    failureLimit: options.failureLimit ?? DEFAULT_FAILURE_LIMIT,
    clock,
    logger: options.logger,
  });
  const telemetry = options.telemetry ?? NO_TELEMETRY;
  const { publicUrl } = options;
  const routedPath = createRoutedPath(options.basePath ?? (publicUrl === undefined ? '' : new URL(publicUrl).pathname));
  const app = new Hono<{ Bindings: RequestNotes }>({ getPath: routedPath });
  const methods = createMethodIndex();
  const document = JSON.stringify(openApiDocument(routes, engine.providerTypes, publicUrl));
  const documentEtag = etagOf(document);

  const register = (method: string, path: string, answer: (context: HandlerContext) => Promise<Response>) => {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1');
    methods.add(method.toUpperCase(), pattern);
    app.on(method.toUpperCase(), pattern, async (context) => {
      context.env.route = path;
      const response = await answer(context);
      // Hono drops the body of an answer to HEAD and does not tell how long it was.
      if (context.req.method === 'HEAD' && response.status === 200) {
        context.env.headers['content-length'] = String(await lengthOf(response));
      }
      return response;
    });
  };

  for (const route of routes) {
    register(route.method, route.path, async (context) => {
      const caller = await admit(context, route);
      const call = await readCall(context, route, caller);
      const answer = async () => send(context.req.raw, route, await route.handle(call));
      if (route.access === 'key') return answer();
      if (route.method === 'get') return openRoutes.inTurn(context.env.client, 'browser', answer);
      // Without a body there is nothing to read: headers are verified faster than a turn comes.
      if (call.request.body === null) return answer();
      return openRoutes.inTurn(context.env.client, 'notification', answer);
    });
  }
  register('get', DOCUMENT_PATH, async (context) => {
    await admit(context, { access: 'open' });
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache', etag: documentEtag };
    return notModified(context.req.raw, new Response(document, { headers }));
  });

  async function admit(context: Context, route: Pick<Route, 'access'>): Promise<Caller | undefined> {
    context.env.access = route.access;
    const key = context.req.raw.headers.get('x-api-key');
    if (route.access === 'open' && key === null) return undefined;
    const caller = await engine.applications.authenticate(key);
    if (key !== null) openRoutes.goodKey(key);
    if (limiter !== undefined) {
      const { headers, refused } = limiter.take(caller.apiKeyId ?? caller.applicationId);
      Object.assign(context.env.headers, headers);
      if (refused !== undefined) throw refused;
    }
    return caller;
  }

  async function readCall(context: Context, route: Route, caller: Caller | undefined): Promise<Call> {
    const request = await received(context.req.raw, route);
    const idempotencyKey = request.headers.get('idempotency-key') ?? undefined;
    // What a caller takes for safe to repeat must be.
    if (idempotencyKey !== undefined && route.method === 'post' && route.takesIdempotencyKey !== true) {
      const message = 'is not supported by this request';
      throw new KalendsError('InvalidRequest', `Idempotency-Key: ${message}`, {
        details: [{ path: 'Idempotency-Key', message }],
      });
    }
    const query = readQuery(new URL(request.url), route.query !== undefined);
    const body = route.body === undefined ? undefined : await readJsonBody(request, options.maxBodyBytes ?? 262_144);
    if (route.body?.required && body === undefined)
      throw new KalendsError('InvalidRequest', 'the request needs a JSON body');
    return {
      engine,
      // Open routes never read it; the type keeps every keyed route honest.
      caller: caller ?? { applicationId: '' },
      params: context.req.param(),
      query,
      body,
      ifMatch: route.takesIfMatch ? (request.headers.get('if-match') ?? undefined) : undefined,
      idempotencyKey: route.takesIdempotencyKey ? idempotencyKey : undefined,
      request,
      verdict: context.env.verdict,
    };
  }

  /** The request with its body read, where a provider sends one: a slow body must not hold a turn. */
  async function received(request: Request, route: Route): Promise<Request> {
    if (route.access === 'key' || request.body === null) return request;
    const { url, method, headers } = request;
    const body = await readBytes(request, MAX_NOTIFICATION_BYTES);
    return new Request(url, { method, headers, ...(body.length === 0 ? {} : { body }) });
  }

  app.notFound((context) => {
    const { method, path } = context.req;
    const { requestId } = context.env;
    const allowed = methods.allowed(path);
    if (allowed.length > 0) return methodNotAllowed(method, path, allowed, requestId);
    return problemResponse(new KalendsError('NotFound', `there is no ${path}; see ${DOCUMENT_PATH}`), requestId);
  });
  app.onError((error, context) => {
    const requestId: string = context.env.requestId;
    if (!KalendsError.isInstance(error)) {
      options.logger?.error('request failed', {
        requestId,
        method: context.req.method,
        error: error.stack ?? String(error),
      });
    }
    return problemResponse(error, requestId);
  });

  /** The answer within the limits of open routes. */
  const admitted = async (request: Request, notes: RequestNotes): Promise<Response> => {
    const { client, requestId } = notes;
    const path = routedPath(request);
    const refusal = openRoutes.refusal(client, request, path);
    if (refusal !== undefined) return problemResponse(refusal, requestId);
    const response = await app.fetch(request, notes);
    const outcome: Outcome = { status: response.status, access: notes.access, ...notes.verdict };
    const forged = openRoutes.note(client, outcome, path);
    return forged === undefined ? response : problemResponse(forged, requestId);
  };

  const answerTo = async (request: Request, notes: RequestNotes): Promise<Response> => {
    const startedAt = clock.now();
    const response = await admitted(request, notes);
    const always = { 'x-request-id': notes.requestId, 'x-content-type-options': 'nosniff' };
    for (const [name, value] of Object.entries({ ...notes.headers, ...always })) {
      response.headers.set(name, value);
    }
    const durationMs = clock.now() - startedAt;
    const { status } = response;
    const { requestId, route = 'none' } = notes;
    options.logger?.info('request', { requestId, method: request.method, route, status, durationMs });
    const labels = { route, method: METHODS.has(request.method) ? request.method : 'other', status: String(status) };
    telemetry.observe('kalends_http_request_duration_seconds', labels, durationMs / 1_000);
    return response;
  };
  const handler = (request: Request, peer: Peer = {}): Promise<Response> => {
    const sent = request.headers.get('x-request-id');
    const requestId = sent !== null && /^[\w.-]{1,128}$/.test(sent) ? sent : createId(random, 'req');
    const client = clientOf(peer.remoteAddress, request.headers);
    const notes: RequestNotes = { requestId, headers: {}, client, verdict: {} };
    const { headers, method } = request;
    return inSpan(method, { kind: 'server', headers, attributes: { 'http.request.method': method } }, async (span) => {
      const response = await answerTo(request, notes);
      if (notes.route !== undefined) {
        span.updateName(`${method} ${notes.route}`);
        span.setAttribute('http.route', notes.route);
      }
      span.setAttribute('http.response.status_code', response.status);
      span.setAttribute('kalends.request_id', requestId);
      if (response.status >= 500) failSpan(span, { code: String(response.status) });
      return response;
    });
  };
  return Object.assign(handler, {
    matches: (path: string) => methods.allowed(routedPath({ url: `http://host${path}` })).length > 0,
  });
}

async function lengthOf(response: Response): Promise<number> {
  return bytesOf(response)?.byteLength ?? (await response.clone().arrayBuffer()).byteLength;
}

function send(request: Request, route: Route, answer: Answer | Response): Response {
  const response = answer instanceof Response ? answer : jsonResponse(route, answer);
  return isConditional(route) ? notModified(request, response) : response;
}

function jsonResponse(route: Route, { status = 200, body, headers }: Answer): Response {
  const text = JSON.stringify(body);
  const caching: Readonly<Record<string, string>> = isConditional(route)
    ? { 'cache-control': REVALIDATE, etag: headers?.['etag'] ?? etagOf(text) }
    : { 'cache-control': 'no-store' };
  return new Response(text, { status, headers: { 'content-type': 'application/json', ...caching, ...headers } });
}
