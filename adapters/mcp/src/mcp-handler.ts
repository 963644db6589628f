import {
  type Client,
  createClientAddress,
  createOpenRoutesLimit,
  DEFAULT_FAILURE_LIMIT,
  type HandlerOptions,
} from '@kalends/http';
import { type Caller, type Engine, KalendsError } from 'kalends';
import { createId, systemClock, systemRandom } from 'kalends/runtime';
import { createAdmittedAddresses } from './admitted-addresses.ts';
import { invalidOption } from './invalid-option.ts';
import type { McpOptions } from './mcp-options.ts';
import { createMcpParts } from './mcp-parts.ts';
import type { McpOAuthOptions } from './oauth/oauth-options.ts';
import { createResourceServer } from './oauth/resource-server.ts';
import { TokenRefusal } from './oauth/token-refusal.ts';
import { isTold } from './told-error.ts';

export interface McpHandlerOptions
  extends McpOptions,
    Pick<HandlerOptions, 'failureLimit' | 'trustProxy' | 'proxyHeader'> {
  /** Host names under which clients and web pages may reach the server, without ports. The loopback names always may. @default none */
  readonly hosts?: readonly string[];
  /**
   * Admits by the host's own sign-in in place of API keys. A request of a caller that is undefined is refused.
   * @default the API key in `authorization: Bearer` or `x-api-key`
   */
  readonly authorize?: (request: Request) => Caller | undefined | Promise<Caller | undefined>;
  /**
   * Admits access tokens of an authorization server, beside API keys. The handler then answers
   * `/.well-known/oauth-protected-resource` and that with the path of the resource too, which a host has to pass to it.
   */
  readonly oauth?: McpOAuthOptions;
  /** Counts a call of an API key or application; resolves with the refusal of one that is over its limit. @default no limit */
  readonly countCall?: (key: string) => Promise<KalendsError | undefined>;
}

/** The other end of a connection: a client, or the proxy in front of this server. */
export interface McpPeer {
  /** Without it failures are not counted. */
  readonly remoteAddress?: string | undefined;
}

/** Answers requests of MCP clients at whatever path it is mounted, and for the metadata of an OAuth resource. */
export interface McpHandler {
  (request: Request, peer?: McpPeer): Promise<Response>;
  /** Ends open streams. */
  close(): Promise<void>;
}

type SdkHandler = Awaited<ReturnType<typeof loadHandler>>;

/**
 * Creates a handler of the Model Context Protocol's streamable HTTP. It never rejects, keeps no sessions, and loads the protocol's
 * library at the first request.
 *
 * @example
 * const mcp = createMcpHandler(engine, { hosts: ['calendar.example.com'] });
 * const response = await mcp(new Request('http://localhost/mcp', { method: 'POST' }));
 */
export function createMcpHandler(engine: Engine, options: McpHandlerOptions = {}): McpHandler {
  const { hosts = [], logger, countCall, oauth, clock = systemClock, random = systemRandom } = options;
  if (oauth !== undefined && options.authorize !== undefined) {
    throw invalidOption('authorize', 'must not stand beside oauth');
  }
  const { authorize = (request: Request) => engine.apiKeys.authenticate(keyOf(request)) } = options;
  const resourceServer = oauth && createResourceServer(engine, oauth, clock);
  const addresses = createAdmittedAddresses(hosts);
  const clientOf = createClientAddress(options);
  const limit = createOpenRoutesLimit({
    failureLimit: options.failureLimit ?? DEFAULT_FAILURE_LIMIT,
    credentialOf: keyOf,
    clock,
    logger,
  });
  const parts = createMcpParts(engine, options);
  let loaded: Promise<SdkHandler> | undefined;

  async function callerOf(request: Request): Promise<Caller | undefined> {
    const token = bearerOf(request);
    const isAccessToken = resourceServer !== undefined && token !== undefined && !token.startsWith(API_KEY_PREFIX);
    return isAccessToken ? resourceServer.admit(token) : authorize(request);
  }

  /** Checks a credential in its client's turn: of requests that arrive together, all would pass before the first has failed. */
  function checkInTurn(request: Request, credential: string, client: Client): Promise<Caller | undefined> {
    return limit.inTurn(client, 'browser', async () => {
      const refusal = limit.refusal(client, request, '', 'key');
      if (refusal !== undefined) throw refusal;
      try {
        const caller = await callerOf(request);
        limit.goodCredential(credential);
        return caller;
      } catch (error) {
        if (isUnauthorized(error)) limit.note(client, { status: 401, access: 'key' }, '');
        throw error;
      }
    });
  }

  async function admit(request: Request, client: Client): Promise<Caller> {
    const credential = keyOf(request);
    const isLimited = credential !== null && options.authorize === undefined;
    const caller = await (isLimited ? checkInTurn(request, credential, client) : callerOf(request));
    if (caller === undefined) throw new KalendsError('Unauthorized', 'This request needs a caller who is signed in.');
    const refused = await countCall?.(caller.apiKeyId ?? caller.actor?.id ?? caller.applicationId);
    if (refused !== undefined) throw refused;
    return caller;
  }

  async function answer(request: Request, peer: McpPeer): Promise<Response> {
    const described = resourceServer?.metadata(request);
    if (described !== undefined) return described;
    const refusal = addresses.refusal(request);
    if (refusal !== undefined) return problem(403, 'Forbidden', refusal);
    const client = clientOf(peer.remoteAddress, request.headers);
    const caller = { ...(await admit(request, client)), address: client.address ?? null };
    loaded ??= loadHandler(parts.createServer, (error) =>
      logger?.debug('an MCP message was refused', { error: error.message }),
    );
    const handler = await loaded;
    const authInfo = { token: '', clientId: caller.applicationId, scopes: [], extra: { caller } };
    return handler.fetch(request, { authInfo });
  }

  function refusedToken(refusal: TokenRefusal): Response {
    const isForbidden = refusal.error === 'insufficient_scope';
    const response = problem(isForbidden ? 403 : 401, isForbidden ? 'Forbidden' : 'Unauthorized', refusal.message);
    response.headers.set('www-authenticate', resourceServer?.challenge(refusal) ?? CHALLENGE);
    return response;
  }

  function errorResponse({ code, status, message, retryAfterMs, cause }: KalendsError): Response {
    const response = problem(status, code, message, retryAfterMs);
    if (status === 401) response.headers.set('www-authenticate', resourceServer?.challenge() ?? CHALLENGE);
    if (resourceServer !== undefined && code === 'ProviderUnavailable') {
      logger?.warn('the authorization server of agents cannot be asked', { error: String(cause) });
    }
    return response;
  }

  /** Logs a fault of ours, and answers it without a word of its own. */
  function faultResponse(error: unknown): Response {
    const requestId = createId(random, 'req');
    logger?.error('an MCP request failed', { requestId, error: String(error) });
    const { status = 500, retryAfterMs } = KalendsError.isInstance(error) ? error : {};
    return problem(status, 'InternalError', 'The server failed.', retryAfterMs, { requestId });
  }

  const handle = async (request: Request, peer: McpPeer = {}): Promise<Response> => {
    try {
      return await answer(request, peer);
    } catch (error) {
      if (error instanceof TokenRefusal) return refusedToken(error);
      return isTold(error) ? errorResponse(error) : faultResponse(error);
    }
  };
  return Object.assign(handle, {
    async close() {
      await (await loaded)?.close();
    },
  });
}

async function loadHandler(
  createServer: ReturnType<typeof createMcpParts>['createServer'],
  onerror: (error: Error) => void,
) {
  const library = await import('@modelcontextprotocol/server');
  return library.createMcpHandler(({ authInfo }) => createServer(authInfo?.extra?.['caller'] as Caller), { onerror });
}

/** All API keys begin with it, and no access token that a server issues by chance. */
const API_KEY_PREFIX = 'kal_';
const CHALLENGE = 'Bearer realm="kalends"';

function isUnauthorized(error: unknown): boolean {
  if (error instanceof TokenRefusal) return error.error === 'invalid_token';
  return KalendsError.isInstance(error) && error.status === 401;
}

/** Returns the bearer token of a request, undefined for none. */
function bearerOf({ headers }: Request): string | undefined {
  const [scheme = '', token = ''] = (headers.get('authorization') ?? '').split(' ', 2);
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

/** Returns the credential of a request: a bearer token, or an API key; null for none. */
function keyOf(request: Request): string | null {
  return bearerOf(request) ?? request.headers.get('x-api-key');
}

function problem(status: number, code: string, detail: string, retryAfterMs?: number, more: object = {}): Response {
  return Response.json(
    { type: 'about:blank', title: code, status, detail, code, message: detail, ...more },
    {
      status,
      headers: {
        'content-type': 'application/problem+json',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }),
      },
    },
  );
}
