import {
  type Authorize,
  createClientAddress,
  createRateLimiter,
  type HandlerOptions,
  type Peer,
  readBytes,
} from '@kalends/http';
import { KalendsError } from 'kalends';
import type { Clock } from 'kalends/ports';
import { z } from 'zod';
import type { Sessions } from './sessions.ts';

/** Sign-ins of one address: ten at once, then one in ten seconds. */
const SIGN_INS = { perSecond: 0.1, burst: 10 };
const LONGEST_BODY = 4096;

const signIn = z.union([z.strictObject({ token: z.string() }), z.strictObject({ code: z.string() })]);

/** Facts about the server that the page shows. */
export interface SessionFacts {
  readonly providerTypes: readonly string[];
  /** Those that need an OAuth client. */
  readonly oauthProviderTypes: readonly string[];
  readonly apiUrl: string | null;
  readonly docsUrl: string | null;
  readonly signInUrl: string | null;
  readonly isDemo: boolean;
}

/** Returns the 401 of a person who is not signed in. */
export function notSignedIn(): KalendsError {
  return new KalendsError('Unauthorized', 'Sign in to use the dashboard.');
}

/**
 * Creates the answers at `session`. GET tells whether the browser is signed in, and facts about the server; POST signs in by
 * `{ token }` or `{ code }`; DELETE signs out.
 */
export function createSessionRoute(options: {
  /** Absent where the host signs people in. */
  readonly sessions: Sessions | undefined;
  readonly signedIn: Authorize;
  readonly clock: Clock;
  readonly client: Pick<HandlerOptions, 'trustProxy' | 'proxyHeader'>;
  readonly facts: SessionFacts;
}): (request: Request, peer: Peer | undefined) => Promise<Response> {
  const { sessions, signedIn, clock, client, facts } = options;
  const clientOf = createClientAddress(client);
  const limiter = createRateLimiter(SIGN_INS, clock);

  async function begin(request: Request, peer: Peer | undefined, own: Sessions): Promise<Response> {
    const { refused } = await limiter.take(clientOf(peer?.remoteAddress, request.headers).address ?? '');
    if (refused !== undefined) {
      const message = 'too many attempts to sign in from this address; wait a little';
      throw new KalendsError('RateLimited', message, { retryAfterMs: refused.retryAfterMs ?? 10_000 });
    }
    const sent = signIn.safeParse(await jsonOf(request));
    if (!sent.success) throw new KalendsError('InvalidRequest', 'the body must be { "token": "…" } or { "code": "…" }');
    const isSecure = isSecureRequest(request);
    const cookie =
      'token' in sent.data ? own.beginByToken(sent.data.token, isSecure) : own.beginByCode(sent.data.code, isSecure);
    if (cookie === undefined) {
      const message =
        'token' in sent.data
          ? 'That is not the admin token.'
          : 'This link has been used, or has ended. Ask for another.';
      throw new KalendsError('Unauthorized', message);
    }
    return answer(null, 204, [cookie]);
  }

  return async (request, peer) => {
    if (request.method === 'GET' || request.method === 'HEAD') {
      const administrator = await signedIn(request);
      const isSignedIn = administrator !== undefined;
      const who = { isSignedIn, administratorId: administrator?.id ?? null, canSignIn: sessions !== undefined };
      const { providerTypes, oauthProviderTypes, ...open } = facts;
      const types = { providerTypes, oauthProviderTypes };
      const none = { providerTypes: [], oauthProviderTypes: [] };
      return answer({ ...who, ...open, ...(isSignedIn ? types : none) }, 200);
    }
    if (sessions === undefined)
      throw new KalendsError('Conflict', 'the host of this dashboard signs people in and out');
    if (request.method === 'POST') return begin(request, peer, sessions);
    if (request.method === 'DELETE') return answer(null, 204, sessions.end(request, isSecureRequest(request)));
    throw new KalendsError('MethodNotAllowed', `session does not support ${request.method}`);
  };
}

function answer(body: object | null, status: number, cookies: readonly string[] = []): Response {
  const response = new Response(body === null ? null : JSON.stringify(body), {
    status,
    headers: {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    },
  });
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}

async function jsonOf(request: Request): Promise<unknown> {
  const bytes = await readBytes(request, LONGEST_BODY);
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Tells whether the browser's connection is encrypted, as far as it can be seen from here. */
function isSecureRequest(request: Request): boolean {
  const origin = request.headers.get('origin') ?? '';
  // A page that hides its address sends "null".
  return new URL(URL.canParse(origin) ? origin : request.url).protocol === 'https:';
}
