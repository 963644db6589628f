import { ProviderError, type ProviderSession, readJson } from 'kalends/ports';
import { createMailboxLimiter, nextTurn, retry } from 'kalends/runtime';
import type { z } from 'zod';
import type { MicrosoftSettings } from '../options.ts';
import { type Answer, fetchAnswer } from './fetch-answer.ts';
import { readFailure } from './graph-failure.ts';
import { absoluteUrl, relativeLink } from './graph-link.ts';

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

const TEN_MINUTES_MS = 600_000;

export function createGraphClient(settings: MicrosoftSettings): GraphClient {
  const { graphUrl, clock, random } = settings;
  const limiter = createMailboxLimiter({
    clock,
    concurrency: settings.limits.concurrency,
    callsPerInterval: settings.limits.requestsPerTenMinutes,
    intervalMs: TEN_MINUTES_MS,
    longestWaitMs: settings.retry.maxWaitMs,
  });

  /** Sends once. @throws FailedCall */
  async function sendOnce(session: ProviderSession, request: GraphRequest, token: string): Promise<Answer> {
    let answer: Answer;
    try {
      const call = () => fetchAnswer(settings, urlOf(graphUrl, request), initOf(request, token), session.signal);
      answer = await limiter.run(session.accountId, session.signal, call, session.isBackground);
    } catch (error) {
      throw failed(request, asProviderError(error));
    }
    if (answer.status >= 200 && answer.status < 300) return answer;
    const failure = readFailure(answer.status, answer.text, answer.headers, clock.now());
    if (failure.reason === 'rate-limited' && failure.retryAfterMs !== undefined) {
      limiter.hold(session.accountId, failure.retryAfterMs);
    }
    throw failed(request, failure);
  }

  function failed(request: GraphRequest, failure: ProviderError): FailedCall {
    const { reason, status } = failure;
    settings.logger?.debug('a Graph call failed', { method: request.method, reason, status });
    return new FailedCall(failure);
  }

  /** Milliseconds to wait before the next attempt; undefined when that would be too long. */
  function waitBeforeRetry(error: ProviderError, attempts: number): number | undefined {
    const { baseMs, maxWaitMs } = settings.retry;
    const backoff = baseMs * 2 ** (attempts - 1) * (0.5 + random.fraction() / 2);
    const wait = error.retryAfterMs === undefined ? backoff : error.retryAfterMs * (1 + random.fraction() / 10);
    return wait > maxWaitMs ? undefined : Math.ceil(wait);
  }

  async function send(session: ProviderSession, request: GraphRequest): Promise<Answer> {
    let token = await session.accessToken();
    let isRefreshed = false;

    async function attempt(): Promise<Answer> {
      try {
        await session.admit?.(session.isBackground === true);
        return await sendOnce(session, request, token);
      } catch (error) {
        if (isRefreshed || !(error instanceof FailedCall) || error.failure.reason !== 'unauthorized') throw error;
      }
      isRefreshed = true;
      token = await session.accessToken(token);
      return sendOnce(session, request, token);
    }

    try {
      return await retry(attempt, {
        clock,
        attempts: settings.retry.attempts,
        signal: session.signal,
        shouldRetry: (error) => error instanceof FailedCall && mayRepeat(error.failure, request),
        delayMs(attempts, error) {
          const retryInMs = waitBeforeRetry((error as FailedCall).failure, attempts);
          if (retryInMs !== undefined) {
            settings.logger?.debug('a Graph call is repeated', { method: request.method, attempts, retryInMs });
          }
          return retryInMs;
        },
      });
    } catch (error) {
      if (error instanceof FailedCall) throw error.failure;
      throw session.signal?.aborted ? asProviderError(error) : error;
    }
  }

  return {
    async call(session, request, schema) {
      const answer = await send(session, request);
      // Reading, parsing and checking a long answer take a turn each.
      await nextTurn();
      const json = readAnswer(answer.text);
      await nextTurn();
      const parsed = schema.safeParse(json);
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

/** Throttled calls were not carried out; of others, only what does no harm a second time may be sent again. */
function mayRepeat(error: ProviderError, request: GraphRequest): boolean {
  if (error.reason === 'rate-limited') return true;
  if (error.status === 503 && error.retryAfterMs !== undefined) return true;
  if (error.reason !== 'unavailable' && error.reason !== 'timeout') return false;
  if (error.cause instanceof AbortedCall) return false;
  // After an unknown outcome, If-Match would fail against our own write.
  return request.method !== 'POST' && request.ifMatch === undefined;
}

/** A call that got no good answer, as opposed to the failure to get a token for it. */
class FailedCall extends Error {
  readonly failure: ProviderError;

  constructor(failure: ProviderError) {
    super(failure.message);
    this.failure = failure;
  }
}

/** The caller's own signal ended the call. */
class AbortedCall extends Error {}

function asProviderError(error: unknown): ProviderError {
  if (ProviderError.isInstance(error)) return error;
  return new ProviderError('unavailable', 'the call was given up by its caller', {
    cause: new AbortedCall('aborted', { cause: error }),
  });
}

function readAnswer(text: string): unknown {
  try {
    return readJson(text);
  } catch (cause) {
    throw new ProviderError('malformed', 'Graph answered with something other than JSON', { cause });
  }
}
