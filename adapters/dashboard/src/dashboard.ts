import {
  type Administrator,
  type Authorize,
  createAdminHandler,
  createHandler,
  createRoutedPath,
  type Handler,
  type Peer,
  problemResponse,
} from '@kalends/http';
import { type Caller, type Engine, KalendsError } from 'kalends';
import { createId, describeError, systemClock, systemRandom } from 'kalends/runtime';
import type { DashboardOptions } from './dashboard-options.ts';
import { createPageFiles } from './page-files.ts';
import { createSessionRoute, notSignedIn } from './session-route.ts';
import { createSessions, type Sessions } from './sessions.ts';

/** Header of every request that the page makes. A page of another site cannot send it without this server's consent. */
const PAGE_HEADER = 'x-kalends-dashboard';
/** Header that names the application for which a person acts on `/v1`. */
const APPLICATION_HEADER = 'x-kalends-application';

/** Methods that `new Request` refuses; servers pass them on. @see https://fetch.spec.whatwg.org/#forbidden-method */
const REFUSED_METHODS: readonly string[] = ['CONNECT', 'TRACE', 'TRACK'];

/** The dashboard as a handler: every mount takes it as it takes `createHandler(engine)`. */
export interface Dashboard extends Handler {
  /**
   * Returns a link that opens the dashboard signed in, once, within an hour; the code is in its fragment, which browsers send
   * nowhere. `siteUrl` is the address under which the browser reaches the mount.
   * @throws KalendsError Conflict where `authorize` signs people in
   */
  createSignInLink(siteUrl: string): string;
}

/**
 * Creates the dashboard over an engine: the page at `path`, and below it `/admin/v1` and, for one application at a time, `/v1`,
 * for people who are signed in with the admin token or by the host.
 * @throws KalendsError InvalidRequest for both or neither of `authorize` and `token`, or a `path` that is not of the form `/dashboard`
 *
 * @example
 * const dashboard = createDashboard(engine, {
 *   authorize: async (request) => {
 *     const user = await userOfSession(request.headers.get('cookie')); // yours
 *     return user?.isOperator ? { id: user.email } : undefined;
 *   },
 *   signInUrl: '/login',
 * });
 */
export function createDashboard(engine: Engine, options: DashboardOptions): Dashboard {
  const {
    path = '/dashboard',
    basePath = '',
    authorize,
    token,
    signInUrl,
    docsUrl,
    demo,
    publicUrl,
    ...shared
  } = options;
  if (!/^(?:\/[\w.~-]+)+$/.test(path)) {
    throw new KalendsError('InvalidRequest', `path of the dashboard is "${path}"; it must have the form "/dashboard"`);
  }
  const { clock = systemClock, random = systemRandom, logger } = shared;
  const sessions =
    token === undefined ? undefined : createSessions(typeof token === 'string' ? [token] : token, clock, random);
  const signedIn = authorizationOf(authorize, sessions);
  const routedPath = createRoutedPath(basePath, path);
  const files = createPageFiles();
  const admitted = new WeakMap<Request, Administrator>();
  /** Returns who makes a request to an interface: it has been asked once, and only a stream asks again. */
  const known: Authorize = (request) => {
    const administrator = admitted.get(request);
    admitted.delete(request);
    return administrator ?? signedIn(request);
  };
  // Only people who are signed in get there: the failures of others at their address must not count against them.
  const ofInterfaces = { ...shared, failureLimit: false } as const;
  const interfaces = [
    createAdminHandler(engine, { ...ofInterfaces, authorize: known }),
    createHandler(engine, { ...ofInterfaces, authorize: (request) => callerOf(engine, known, request) }),
  ];
  const session = createSessionRoute({
    sessions,
    signedIn,
    clock,
    client: shared,
    facts: {
      providerTypes: engine.providerTypes,
      oauthProviderTypes: engine.oauthProviderTypes,
      apiUrl: publicUrl ?? null,
      docsUrl: docsUrl ?? null,
      signInUrl: signInUrl ?? null,
      isDemo: demo !== undefined,
    },
  });

  async function requireSignedIn(request: Request): Promise<Administrator> {
    const administrator = await signedIn(request);
    if (administrator === undefined) throw notSignedIn();
    return administrator;
  }

  /** Answers a request at `below`, the path after the dashboard's own. */
  async function answer(below: string, request: Request, peer: Peer | undefined): Promise<Response> {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead) requireOwnPage(request);
    if (below === '/session') return session(request, peer);
    const handler = interfaces.find(({ root }) => below.startsWith(`${root}/`));
    if (handler !== undefined) {
      const administrator = await requireSignedIn(request);
      const moved = movedTo(below, request);
      admitted.set(moved, administrator);
      return handler(moved, peer);
    }
    if (demo !== undefined && below.startsWith('/sandbox/')) {
      await requireSignedIn(request);
      return demo(request, below.slice('/sandbox'.length));
    }
    if (!isRead) throw new KalendsError('NotFound', `the dashboard has no ${below}`);
    if (below.startsWith('/files/')) return files.file(below.slice('/files/'.length), request);
    return files.page(baseOf(path, below, request));
  }

  const handler = async (request: Request, peer?: Peer): Promise<Response> => {
    const routed = routedPath(request);
    try {
      if (!isBelow(path, routed))
        throw new KalendsError('NotFound', `there is no ${routed}; the dashboard is at ${path}`);
      return await answer(routed.slice(path.length), request, peer);
    } catch (error) {
      const requestId = createId(random, 'req');
      const response = problemResponse(error, requestId);
      const { status } = response;
      if (status >= 500) logger?.error('request failed', { requestId, status, error: describeError(error) });
      return response;
    }
  };
  return Object.assign(handler, {
    root: path,
    matches: (asked: string) => isBelow(path, routedPath({ url: `http://host${asked}` })),
    createSignInLink(siteUrl: string) {
      if (sessions === undefined) {
        throw new KalendsError('Conflict', 'the dashboard has no sign-in of its own: `authorize` signs people in');
      }
      return `${siteUrl}${path}#code=${sessions.createCode()}`;
    },
  });
}

function authorizationOf(authorize: Authorize | undefined, sessions: Sessions | undefined): Authorize {
  if ((authorize === undefined) === (sessions === undefined)) {
    throw new KalendsError('InvalidRequest', 'createDashboard needs exactly one of authorize and token');
  }
  return async (request) => {
    if (authorize === undefined) return sessions?.isSignedIn(request) ? {} : undefined;
    const administrator = await authorize(request);
    // Without types, `false` and `null` are easily returned for a refusal, and `true` names no administrator.
    return typeof administrator === 'object' && administrator !== null ? administrator : undefined;
  };
}

/** Returns the caller of a `/v1` request: the person who is signed in, acting for the application that the page names. */
async function callerOf(engine: Engine, signedIn: Authorize, request: Request): Promise<Caller | undefined> {
  const administrator = await signedIn(request);
  if (administrator === undefined) return undefined;
  const applicationId = request.headers.get(APPLICATION_HEADER) ?? '';
  const application = applicationId === '' ? undefined : await engine.applications.find(applicationId);
  if (application?.status !== 'ACTIVE') {
    throw new KalendsError('NotFound', `${APPLICATION_HEADER}: there is no such application`);
  }
  return { applicationId, canReadCredentials: false, actor: { type: 'admin', id: administrator.id ?? null } };
}

/** @throws KalendsError Forbidden for a request that another site may have made with the browser's cookie */
function requireOwnPage({ headers }: Request): void {
  const site = headers.get('sec-fetch-site');
  if (headers.get(PAGE_HEADER) === '1' && (site === null || site === 'same-origin')) return;
  throw new KalendsError(
    'Forbidden',
    `the request does not come from the dashboard: it needs the header ${PAGE_HEADER}: 1`,
  );
}

/** Returns the request with another path, and all else as it is. @throws KalendsError MethodNotAllowed for a method without a route */
function movedTo(path: string, request: Request): Request {
  const { origin, search } = new URL(request.url);
  const { method, headers, body, signal } = request;
  if (REFUSED_METHODS.includes(method))
    throw new KalendsError('MethodNotAllowed', `${path} does not support ${method}`);
  return new Request(`${origin}${path}${search}`, { method, headers, body, signal, duplex: 'half' } as RequestInit);
}

/** Returns the dashboard's own address, relative to that of a page below it: a proxy may have removed any prefix. */
function baseOf(path: string, below: string, { url }: Request): string {
  const depth = below.split('/').length - 1;
  const isSlashed = new URL(url).pathname.endsWith('/');
  if (depth === 0) return isSlashed ? './' : `./${path.slice(path.lastIndexOf('/') + 1)}/`;
  return '../'.repeat(isSlashed ? depth : depth - 1) || './';
}

const isBelow = (path: string, routed: string) => routed === path || routed.startsWith(`${path}/`);
