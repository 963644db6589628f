import { type Context, Hono } from 'hono';
import { type Caller, type Engine, KalendsError } from 'kalends';
import type { Clock } from 'kalends/ports';
import { etagOf, notModified } from './conditional-request.ts';
import type { HandlerOptions } from './handler-options.ts';
import { createMethodIndex, methodNotAllowed } from './method-index.ts';
import type { OpenRoutesLimit } from './open-routes-limit.ts';
import { openApiDocument } from './openapi-document.ts';
import { problemResponse } from './problem-response.ts';
import { createRateLimiter } from './rate-limit.ts';
import { readCall } from './read-call.ts';
import type { RequestNotes } from './request-notes.ts';
import type { Call, Route } from './route.ts';
import { lengthOf, routeResponse } from './route-response.ts';
import { routes } from './routes/index.ts';

type RouteContext = Context<{ Bindings: RequestNotes }>;

const DOCUMENT_PATH = '/v1/openapi.json';

/** The routes of the interface, without the limits of open routes by address. */
export interface Router {
  /** Answers a request, every failure included, and fills in its notes. */
  fetch(request: Request, notes: RequestNotes): Response | Promise<Response>;
  /** Returns the methods of a path; none for a path that is not part of the interface. */
  methodsOf(path: string): readonly string[];
}

/** Creates the router of every route of the interface, and of its OpenAPI document. */
export function createRouter(
  engine: Engine,
  options: Pick<HandlerOptions, 'rateLimit' | 'maxBodyBytes' | 'publicUrl' | 'logger'> & {
    readonly clock: Clock;
    readonly openRoutes: OpenRoutesLimit;
    readonly routedPath: (request: Pick<Request, 'url'>) => string;
  },
): Router {
  const { clock, openRoutes, rateLimit, logger } = options;
  const limiter = rateLimit === undefined ? undefined : createRateLimiter(rateLimit, clock);
  const app = new Hono<{ Bindings: RequestNotes }>({ getPath: options.routedPath });
  const methods = createMethodIndex();

  const register = (method: string, path: string, answer: (context: RouteContext) => Promise<Response>) => {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1');
    methods.add(method.toUpperCase(), pattern);
    app.on(method.toUpperCase(), pattern, async (context) => {
      context.env.route = path;
      const response = await answer(context);
      // Hono drops the body of an answer to HEAD, and its length with it.
      if (context.req.method === 'HEAD' && response.status === 200) {
        context.env.headers['content-length'] = String(await lengthOf(response));
      }
      return response;
    });
  };

  const admit = async ({ env, req }: RouteContext, access: Route['access']): Promise<Caller | undefined> => {
    env.access = access;
    const key = req.raw.headers.get('x-api-key');
    if (access === 'open' && key === null) return undefined;
    const caller = await engine.applications.authenticate(key);
    if (key !== null) openRoutes.goodKey(key);
    if (limiter !== undefined) {
      const { headers, refused } = limiter.take(caller.apiKeyId ?? caller.applicationId);
      Object.assign(env.headers, headers);
      if (refused !== undefined) throw refused;
    }
    return caller;
  };

  for (const route of routes) {
    register(route.method, route.path, async (context) => {
      const { env, req } = context;
      const admitted = await admit(context, route.access);
      // Only routes with a key read the caller; the type spares each of them a check.
      const caller = admitted ?? { applicationId: '' };
      const input = await readCall(req.raw, route, options.maxBodyBytes);
      const call: Call = { engine, caller, params: req.param(), verdict: env.verdict, ...input };
      const answer = async () => routeResponse(req.raw, route, await route.handle(call));
      if (route.access === 'key') return answer();
      if (route.method === 'get') return openRoutes.inTurn(env.client, 'browser', answer);
      // Without a body there is nothing to parse, and verifying the headers is faster than a turn of the event loop.
      if (call.request.body === null) return answer();
      return openRoutes.inTurn(env.client, 'notification', answer);
    });
  }

  const document = JSON.stringify(openApiDocument(routes, engine.providerTypes, options.publicUrl));
  const documentHeaders = {
    'content-type': 'application/json',
    'cache-control': 'no-cache',
    etag: etagOf(document),
  };
  register('get', DOCUMENT_PATH, async (context) => {
    await admit(context, 'open');
    return notModified(context.req.raw, new Response(document, { headers: documentHeaders }));
  });

  app.notFound(({ req: { method, path }, env: { requestId } }) => {
    const allowed = methods.allowed(path);
    if (allowed.length > 0) return methodNotAllowed(method, path, allowed, requestId);
    return problemResponse(new KalendsError('NotFound', `there is no ${path}; see ${DOCUMENT_PATH}`), requestId);
  });
  app.onError((error, { req: { method }, env: { requestId } }) => {
    if (!KalendsError.isInstance(error)) {
      logger?.error('request failed', { requestId, method, error: error.stack ?? String(error) });
    }
    return problemResponse(error, requestId);
  });
  return { fetch: (request, notes) => app.fetch(request, notes), methodsOf: (path) => methods.allowed(path) };
}
