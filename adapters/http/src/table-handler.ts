import type { Engine } from 'kalends';
import type { Clock } from 'kalends/ports';
import { createId } from 'kalends/runtime';
import type { Admission } from './admission.ts';
import { createClientAddress } from './client-address.ts';
import type { ResolvedHandlerOptions } from './handler-options.ts';
import { observeRequests } from './observe-requests.ts';
import { createOpenRoutesLimit, type OpenRoutesLimit, type Outcome } from './open-routes-limit.ts';
import { problemResponse } from './problem-response.ts';
import type { RequestNotes } from './request-notes.ts';
import type { RouteTable } from './route-table.ts';
import { createRoutedPath } from './routed-path.ts';
import { createRouter } from './router.ts';

/** The other end of a connection: a client, or the proxy in front of this server. */
export interface Peer {
  /** Undefined once the connection is closed. Without it failures are not counted. */
  readonly remoteAddress?: string | undefined;
}

/** An interface as one function from Request to Response. It never rejects: failures are problem documents. */
export interface Handler {
  (request: Request, peer?: Peer): Promise<Response>;
  /** Path that all its routes begin with: `/v1` or `/admin/v1`. */
  readonly root: string;
  /** Tells whether a path, without the mount's prefix and query, is part of the interface. */
  matches(path: string): boolean;
}

/** Creates the handler of a table of routes, with the admission of its callers. */
export function createTableHandler<Who>(
  engine: Engine,
  table: RouteTable<Who>,
  options: ResolvedHandlerOptions,
  createAdmission: (parts: { readonly clock: Clock; readonly openRoutes: OpenRoutesLimit }) => Admission<Who>,
): Handler {
  const { clock, random, telemetry, logger, failureLimit, basePath } = options;
  const clientOf = createClientAddress(options);
  const { credentialHeader } = table;
  const openRoutes = createOpenRoutesLimit({
    failureLimit,
    credentialOf: credentialHeader === undefined ? undefined : ({ headers }) => headers.get(credentialHeader),
    clock,
    logger,
  });
  const routedPath = createRoutedPath(basePath, table.root);
  const admit = createAdmission({ clock, openRoutes });
  const router = createRouter(engine, table, { ...options, admit, openRoutes, routedPath });
  const observed = observeRequests({ clock, logger, telemetries: [engine.telemetry, telemetry] });

  const answer = async (request: Request, notes: RequestNotes): Promise<Response> => {
    const { client, requestId } = notes;
    const path = routedPath(request);
    const response = await router.fetch(request, notes);
    const outcome: Outcome = { status: response.status, access: notes.access, ...notes.verdict };
    const forged = openRoutes.note(client, outcome, path);
    return forged === undefined ? response : problemResponse(forged, requestId);
  };

  const handler = (request: Request, peer: Peer = {}): Promise<Response> => {
    const sent = request.headers.get('x-request-id');
    const requestId = sent !== null && /^[\w.-]{1,128}$/.test(sent) ? sent : createId(random, 'req');
    const client = clientOf(peer.remoteAddress, request.headers);
    const notes: RequestNotes = { requestId, headers: {}, client, verdict: {} };
    return observed(request, notes, () => answer(request, notes));
  };
  return Object.assign(handler, {
    root: table.root,
    matches: (path: string) => router.methodsOf(routedPath({ url: `http://host${path}` })).length > 0,
  });
}
