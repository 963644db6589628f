import { finishMeetings } from '../events/online-meeting.ts';
import { findMailbox, type MicrosoftWorld, type StoredMailbox } from '../state.ts';
import { errorResponse, GraphError } from './graph-error.ts';
import { type GraphRequest, readBody, readPreferences } from './graph-request.ts';
import { routeGraph } from './routes.ts';

interface Caller {
  readonly mailbox: StoredMailbox;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

const unauthenticated = (message: string): GraphError =>
  new GraphError(401, 'InvalidAuthenticationToken', message, {
    'www-authenticate':
      'Bearer realm="", authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize"',
  });

/** Authenticates the caller. Access tokens of a revoked grant work until they expire. @throws GraphError 401 */
function authenticate(world: MicrosoftWorld, request: Request): Caller {
  const header = request.headers.get('authorization');
  if (header === null) throw unauthenticated('Access token is empty.');
  const token = /^Bearer\s+(\S+)$/i.exec(header)?.[1] ?? '';
  const known = world.state.accessTokens[token];
  if (!known) throw unauthenticated('Access token validation failure. Invalid token.');
  if (known.expiresAt <= world.kernel.clock.now()) {
    throw unauthenticated('Lifetime validation failed, the token is expired.');
  }
  const grant = world.state.grants[known.grantId];
  const mailbox = grant && findMailbox(world.state, grant.email);
  if (!grant || !mailbox) throw unauthenticated('Access token validation failure.');
  return { mailbox, clientId: grant.clientId, scopes: known.scopes };
}

/** Requests in progress by client and mailbox; not part of the saved state. */
const underWay = new WeakMap<MicrosoftWorld, Map<string, number>>();

/** Runs a request within the mailbox's limit of concurrent ones. @throws GraphError 429 above it */
async function withinLimit(world: MicrosoftWorld, caller: Caller, run: () => Promise<Response>): Promise<Response> {
  const { concurrencyLimit, concurrencyHoldMs, retryAfterSeconds } = world.state.settings;
  if (concurrencyLimit === null) return run();
  const counts = underWay.get(world) ?? new Map<string, number>();
  underWay.set(world, counts);
  const key = `${caller.clientId} ${caller.mailbox.email}`;
  const count = counts.get(key) ?? 0;
  if (count >= concurrencyLimit) {
    throw new GraphError(429, 'ApplicationThrottled', 'Application is over its MailboxConcurrency limit.', {
      'retry-after': String(retryAfterSeconds),
    });
  }
  counts.set(key, count + 1);
  try {
    // Without a wait the handlers end too soon to overlap.
    await world.kernel.wait(concurrencyHoldMs);
    return await run();
  } finally {
    counts.set(key, (counts.get(key) ?? 1) - 1);
  }
}

/** @throws GraphError 404 for anything in a mailbox that Graph does not reach */
function refuseUnreachable({ world, mailbox, rawPath }: GraphRequest): void {
  const code = world.state.settings.unreachableMailboxes[mailbox.email.toLowerCase()];
  if (code === undefined || !/^me\//.test(rawPath)) return;
  const isMissing = code === 'ResourceNotFound';
  const message = isMissing
    ? 'Resource could not be discovered.'
    : 'The mailbox is either inactive, soft-deleted, or is hosted on-premise.';
  throw new GraphError(404, code, message);
}

async function answer(world: MicrosoftWorld, request: Request, root: string, rawPath: string): Promise<Response> {
  const caller = authenticate(world, request);
  return withinLimit(world, caller, async () => {
    const graph: GraphRequest = {
      world,
      root,
      ...caller,
      method: request.method,
      rawPath,
      query: new URL(request.url).searchParams,
      prefer: readPreferences(request.headers.get('prefer')),
      ifMatch: request.headers.get('if-match'),
      body: request.method === 'GET' || request.method === 'DELETE' ? undefined : await readBody(request),
    };
    refuseUnreachable(graph);
    finishMeetings(world);
    return routeGraph(graph);
  });
}

/** Answers a request to `/v1.0/…`. */
export async function graphServer(world: MicrosoftWorld, request: Request, root: string): Promise<Response> {
  const rawPath = new URL(request.url).pathname.replace(/^\/v1\.0\/?/, '');
  try {
    return await answer(world, request, root, rawPath);
  } catch (error) {
    if (error instanceof GraphError) return errorResponse(world, error);
    throw error;
  }
}
