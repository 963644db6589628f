import { ProviderError, type ProviderSession } from 'kalends/ports';
import type { z } from 'zod';
import type { MicrosoftSettings } from '../options.ts';
import { type Answer, fetchAnswer } from './fetch-answer.ts';
import { readFailure } from './graph-failure.ts';
import { absoluteUrl, relativeLink } from './graph-link.ts';
import { createMailboxLimiter } from './mailbox-limiter.ts';

/** One call of Graph. */
export interface GraphRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the root, without a slash at its start; ids in it are encoded. May be a kept link with its query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Preferences beside the immutable ids that are always asked for. */
  readonly prefer?: readonly string[];
  readonly ifMatch?: string | undefined;
  /** Whether a second sending does no harm when the outcome of the first is unknown. @default by method */
  readonly isRepeatable?: boolean;
}

/** Graph on behalf of accounts: authenticated, paced, repeated where that is safe. */
export interface GraphClient {
  /** Sends a call and reads its answer. @throws ProviderError */
  call<T>(session: ProviderSession, request: GraphRequest, schema: z.ZodType<T>): Promise<T>;
  /** Sends a call whose answer has no body of interest. @throws ProviderError */
  command(session: ProviderSession, request: GraphRequest): Promise<void>;
  /** A link of an answer as a path for another call. @throws ProviderError malformed when it leads elsewhere */
  pathOfLink(link: string): string;
}

export function createGraphClient(settings: MicrosoftSettings): GraphClient {
  const { graphUrl, clock, random, retry } = settings;
  const limiter = createMailboxLimiter(clock, settings.limits, retry);

  async function attempt(session: ProviderSession, request: GraphRequest, token: string): Promise<Answer> {
    const leave = await limiter.enter(session.accountId, session.signal).catch((error: unknown) => {
      throw asProviderError(error);
    });
    try {
      return await fetchAnswer(settings, urlOf(graphUrl, request), initOf(request, token), session.signal);
    } finally {
      leave();
    }
  }

  /** Milliseconds to wait before the next attempt; undefined when there shall be none. */
  function waitBeforeRetry(error: ProviderError, request: GraphRequest, attempts: number): number | undefined {
    if (attempts >= retry.attempts || !mayRepeat(error, request)) return undefined;
    const backoff = retry.baseMs * 2 ** (attempts - 1) * (0.5 + random.fraction() / 2);
    const wait = error.retryAfterMs === undefined ? backoff : error.retryAfterMs * (1 + random.fraction() / 10);
    return wait > retry.maxWaitMs ? undefined : Math.ceil(wait);
  }

  async function send(session: ProviderSession, request: GraphRequest): Promise<Answer> {
    let token = await session.accessToken();
    let isRefreshed = false;
    for (let attempts = 1; ; ) {
      const result = await settle(attempt(session, request, token));
      if (!ProviderError.isInstance(result) && result.status >= 200 && result.status < 300) return result;
      const error = ProviderError.isInstance(result)
        ? result
        : readFailure(result.status, result.text, result.headers, clock.now());
      if (error.reason === 'unauthorized' && !isRefreshed) {
        isRefreshed = true;
        token = await session.accessToken(token);
        continue;
      }
      if (error.reason === 'rate-limited' && error.retryAfterMs !== undefined) {
        limiter.hold(session.accountId, error.retryAfterMs);
      }
      const wait = waitBeforeRetry(error, request, attempts);
      settings.logger?.debug('a Graph call failed', {
        method: request.method,
        reason: error.reason,
        status: error.status,
        attempts,
        retryInMs: wait,
      });
      if (wait === undefined) throw error;
      await clock.sleep(wait, session.signal).catch((cause: unknown) => {
        throw asProviderError(cause);
      });
      attempts += 1;
    }
  }

  return {
    async call(session, request, schema) {
      const answer = await send(session, request);
      const parsed = schema.safeParse(readJson(answer.text));
      if (parsed.success) return parsed.data;
      const place = parsed.error.issues[0]?.path.join('.') ?? '';
      throw new ProviderError('malformed', `Graph's answer is not as documented, at "${place}"`, {
        status: answer.status,
        cause: parsed.error,
      });
    },
    async command(session, request) {
      await send(session, request);
    },
    pathOfLink: (link) => relativeLink(graphUrl, link),
  };
}

function urlOf(graphUrl: string, request: GraphRequest): string {
  const query = Object.entries(request.query ?? {})
    // OData keywords keep their dollar sign; a space must not become a plus sign, which OData reads as one.
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  return absoluteUrl(graphUrl, query === '' ? request.path : `${request.path}?${query}`);
}

function initOf(request: GraphRequest, token: string): RequestInit {
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    prefer: ['IdType="ImmutableId"', ...(request.prefer ?? [])].join(', '),
  };
  if (request.ifMatch !== undefined) headers['if-match'] = request.ifMatch;
  if (request.body === undefined) return { method: request.method, headers };
  return {
    method: request.method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(request.body),
  };
}

/** Throttled calls were not carried out; of others, only a repeatable one may be sent again. */
function mayRepeat(error: ProviderError, request: GraphRequest): boolean {
  if (error.reason === 'rate-limited') return true;
  if (error.status === 503 && error.retryAfterMs !== undefined) return true;
  if (error.reason !== 'unavailable' && error.reason !== 'timeout') return false;
  if (error.cause instanceof AbortedCall) return false;
  // After an unknown outcome, If-Match would fail against our own write.
  return request.isRepeatable ?? (request.method !== 'POST' && request.ifMatch === undefined);
}

/** The caller's own signal ended the call. */
class AbortedCall extends Error {}

function asProviderError(error: unknown): ProviderError {
  if (ProviderError.isInstance(error)) return error;
  return new ProviderError('unavailable', 'the call was given up by its caller', {
    cause: new AbortedCall('aborted', { cause: error }),
  });
}

async function settle(answer: Promise<Answer>): Promise<Answer | ProviderError> {
  try {
    return await answer;
  } catch (error) {
    if (ProviderError.isInstance(error)) return error;
    return asProviderError(error);
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ProviderError('malformed', 'Graph answered with something other than JSON', { cause });
  }
}
