import { ProviderError, type ProviderSession } from 'kalends/ports';
import { createMailboxLimiter, nextTurn } from 'kalends/runtime';
import type { z } from 'zod';
import { type Answer, fetchAnswer } from './fetch-answer.ts';
import { checkAnswer, readJsonAnswer } from './json-answer.ts';
import { asFailedCall, type Effect, FailedCall, repeat } from './repetition.ts';
import { readRetryAfter } from './retry-after.ts';
import type { TransportSettings } from './settings.ts';

/** One request to a provider, without its authorization. */
export interface ProviderRequest {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
  /** @default none for GET, twice for POST and with `ifMatch`, else same */
  readonly effect?: Effect | undefined;
}

/** Requests on behalf of accounts: authorized, paced, bounded, and repeated where that does no harm. */
export interface ProviderTransport {
  /** Sends a request and resolves with its answer, checked. @throws ProviderError */
  call<Result>(session: ProviderSession, request: ProviderRequest, schema: z.ZodType<Result>): Promise<Result>;
  /** Sends a request whose answer has no body of interest. @throws ProviderError */
  send(session: ProviderSession, request: ProviderRequest): Promise<void>;
}

export interface ProviderTransportOptions {
  readonly settings: TransportSettings;
  /** Reads an answer that is no success. Its body may be anything: the HTML of a proxy, or nothing. */
  readonly readFailure: (answer: Answer, retryAfterMs: number | undefined) => ProviderError;
}

/**
 * Creates the transport of one provider. A 401 is answered with one fresh token per call. A throttled mailbox pauses: none
 * of its calls begins before the time that the provider named, or before the first repetition. The caller's signal ends
 * every wait, and the call rejects as `unavailable`.
 */
export function createProviderTransport({ settings, readFailure }: ProviderTransportOptions): ProviderTransport {
  const { provider, clock, logger, limits } = settings;
  const limiter = createMailboxLimiter({
    clock,
    concurrency: limits.concurrency,
    callsPerInterval: limits.callsPerInterval,
    intervalMs: limits.intervalMs,
    longestWaitMs: settings.retry.maxWaitMs,
  });

  /** Fetches under the mailbox's pace. @throws FailedCall when no answer came */
  function fetchPaced(session: ProviderSession, { url }: ProviderRequest, init: RequestInit): Promise<Answer> {
    const { accountId, signal, isBackground } = session;
    const work = () => fetchAnswer(settings, url, init, signal).catch(asFailedCall);
    return limiter.run(accountId, signal, work, isBackground);
  }

  /** Sends once. @throws FailedCall when the provider refused or did not answer */
  async function sendOnce(session: ProviderSession, request: ProviderRequest, token: string): Promise<Answer> {
    const { accountId, isBackground = false } = session;
    await session.admit?.(isBackground);
    const answer = await fetchPaced(session, request, initOf(request, token));
    const { status } = answer;
    logger?.debug('provider call', { provider, accountId, method: request.method, status });
    if (status >= 200 && status < 300) return answer;
    const retryAfterMs = readRetryAfter(answer.headers.get('retry-after'), clock.now());
    const failure = new FailedCall(readFailure(answer, retryAfterMs));
    if (isThrottled(failure) && retryAfterMs !== undefined) limiter.pause(accountId, retryAfterMs);
    throw failure;
  }

  /** Returns a sender that repeats a request with a fresh token after a 401, at most once per call. */
  async function authorizedSender(session: ProviderSession, request: ProviderRequest): Promise<() => Promise<Answer>> {
    let token = await session.accessToken();
    let isFresh = false;
    return async () => {
      try {
        return await sendOnce(session, request, token);
      } catch (error) {
        if (isFresh || !isUnauthorized(error)) throw error;
        const fresh = await session.accessToken(token);
        // The session has no other token: a second request would be refused alike.
        if (fresh === token) throw error;
        isFresh = true;
        token = fresh;
        return await sendOnce(session, request, token);
      }
    };
  }

  async function perform(session: ProviderSession, request: ProviderRequest): Promise<Answer> {
    const { accountId, signal } = session;
    const { method } = request;
    try {
      return await repeat(settings, await authorizedSender(session, request), {
        effect: effectOf(request),
        signal,
        onRepeat(failure, attempt, delayMs) {
          if (isThrottled(failure)) limiter.pause(accountId, delayMs);
          const { reason, status } = failure.error;
          const fields = { provider, accountId, method, reason, status, attempt, delayMs };
          logger?.warn('provider call is repeated', fields);
        },
      });
    } catch (error) {
      if (!signal?.aborted || ProviderError.isInstance(error)) throw error;
      throw new ProviderError('unavailable', 'the call was given up by its caller', { cause: error });
    }
  }

  return {
    async call(session, request, schema) {
      const { text } = await perform(session, request);
      // Reading, parsing and checking a long answer take a turn of the event loop each.
      await nextTurn();
      const json = await readJsonAnswer(provider, text);
      await nextTurn();
      return checkAnswer(provider, json, schema);
    },
    async send(session, request) {
      await perform(session, request);
    },
  };
}

function initOf({ method, headers, body, ifMatch }: ProviderRequest, token: string): RequestInit {
  return {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

function effectOf({ method, ifMatch, effect }: ProviderRequest): Effect {
  if (effect !== undefined) return effect;
  if (method === 'GET') return 'none';
  return method === 'POST' || ifMatch !== undefined ? 'harmful' : 'idempotent';
}

/** Returns whether the mailbox is to pause. A busy server (503) pauses none: later calls fail as unavailable, not as throttled. */
function isThrottled({ error }: FailedCall): boolean {
  return error.reason === 'rate-limited';
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof FailedCall && error.error.reason === 'unauthorized';
}
