import { type Context, Hono } from 'hono';
import { type Engine, KalendsError } from 'kalends';
import type { Clock } from 'kalends/ports';
import type { Admission } from './admission.ts';
import { etagOf, notModified } from './conditional-request.ts';
import type { HandlerOptions } from './handler-options.ts';
import { createMethodIndex, methodNotAllowed } from './method-index.ts';
import type { OpenRoutesLimit } from './open-routes-limit.ts';
import { openApiDocument } from './openapi-document.ts';
import { problemResponse } from './problem-response.ts';
import { readCall } from './read-call.ts';
import type { RequestNotes } from './request-notes.ts';
import { type Access, type Call, REVALIDATE } from './route.ts';
import { lengthOf, routeResponse } from './route-response.ts';
import type { RouteTable } from './route-table.ts';
import { isStreamed } from './streamed-response.ts';

type RouteContext = Context<{ Bindings: RequestNotes }>;

/** The routes of an interface, behind the limit of failures by address. */
export interface Router {
  /** Answers a request, every failure included, and fills in its notes. */
  fetch(request: Request, notes: RequestNotes): Response | Promise<Response>;
  /** Returns the methods of a path; none for a path that is not part of the interface. */
  methodsOf(path: string): readonly string[];
}

/** Creates the router of every route of a table, and of its OpenAPI document. */
export function createRouter<Who>(
  engine: Engine,
  table: RouteTable<Who>,
  options: Pick<HandlerOptions, 'maxBodyBytes' | 'publicUrl' | 'stopping'> & {
    readonly clock: Clock;
    readonly admit: Admission<Who>;
    readonly openRoutes: OpenRoutesLimit;
    readonly routedPath: (request: Pick<Request, 'url'>) => string;
  },
): Router {
  const { openRoutes, clock, stopping } = options;
  const documentPath = `${table.root}/openapi.json`;
  const app = new Hono<{ Bindings: RequestNotes }>({ getPath: options.routedPath });
  const methods = createMethodIndex();

  const register = (method: string, path: string, answer: (context: RouteContext) => Promise<Response>) => {
    // A parameter with an ending is a whole segment of the path all the same.
    const pattern = path.replace(/\{(\w+)\}(\.\w+)?/g, (_, name: string, ending?: string) =>
      ending === undefined ? `:${name}` : `:${name}{[^/]+\\${ending}}`,
    );
    methods.add(method.toUpperCase(), pattern);
    app.on(method.toUpperCase(), pattern, async (context) => {
      context.env.route = path;
      const response = await answer(context);
      // Hono drops the body of an answer to HEAD, and its length with it.
      if (context.req.method === 'HEAD' && isStreamed(response)) {
        await response.body?.cancel();
      } else if (context.req.method === 'HEAD' && response.status === 200) {
        context.env.headers['content-length'] = String(await lengthOf(response));
      }
      return response;
    });
  };

  const requireWithinLimit = ({ env, req }: RouteContext, access: Access | undefined): void => {
    const refusal = openRoutes.refusal(env.client, req.raw, options.routedPath(req.raw), access);
    if (refusal !== undefined) throw refusal;
  };

  const admit = async (context: RouteContext, access: Access): Promise<Who> => {
    const { env, req } = context;
    env.access = access;
    requireWithinLimit(context, access);
    return await options.admit(req.raw, env, access);
  };

  for (const route of table.routes) {
    register(route.method, route.path, async (context) => {
      const { env, req } = context;
      const caller = await admit(context, route.access);
      const input = await readCall(req.raw, route, options.maxBodyBytes);
      const { verdict } = env;
      const isAdmitted = () =>
        admit(context, route.access).then(
          () => true,
          () => false,
        );
      const { address, isShared } = env.client;
      const call: Call<Who> = {
        ...{ engine, caller, params: req.param(), verdict, clock, stopping, isAdmitted, ...input },
        address: isShared ? undefined : address,
      };
      const answer = async () => routeResponse(req.raw, route, await route.handle(call));
      if (route.access !== 'open') return answer();
      if (route.method === 'get' || route.form !== undefined) return openRoutes.inTurn(env.client, 'browser', answer);
      // Without a body there is nothing to parse, and verifying the headers is faster than a turn of the event loop.
      if (call.request.body === null) return answer();
      return openRoutes.inTurn(env.client, 'notification', answer);
    });
  }

  const document = JSON.stringify(openApiDocument(table, engine.providerTypes, options.publicUrl));
  const documentHeaders = {
    'content-type': 'application/json',
    'cache-control': table.documentAccess === 'open' ? 'no-cache' : REVALIDATE,
    etag: etagOf(document),
  };
  register('get', documentPath, async (context) => {
    await admit(context, table.documentAccess);
    return notModified(context.req.raw, new Response(document, { headers: documentHeaders }));
  });

  app.notFound((context) => {
    const { method, path } = context.req;
    const { requestId } = context.env;
    requireWithinLimit(context, undefined);
    const allowed = methods.allowed(path);
    if (allowed.length > 0) return methodNotAllowed(method, path, allowed, requestId);
    return problemResponse(new KalendsError('NotFound', `there is no ${path}; see ${documentPath}`), requestId);
  });
  app.onError((error, { env: { requestId, verdict } }) => {
    verdict.error = error;
    return problemResponse(error, requestId);
  });
  return { fetch: (request, notes) => app.fetch(request, notes), methodsOf: (path) => methods.allowed(path) };
}
