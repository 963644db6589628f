import { ProviderError, type ProviderSession } from 'kalends/ports';
import { createMailboxLimiter, nextTurn } from 'kalends/runtime';
import type { z } from 'zod';
import { authorizationOf } from './authorization-header.ts';
import type { Answer } from './fetch-answer.ts';
import { checkAnswer, readJsonAnswer } from './json-answer.ts';
import { type Exchange, fetchFollowing } from './redirects.ts';
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
  /** Sent as it is, in place of `body`; `headers` then name its type. */
  readonly text?: string | undefined;
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
  /** Sends a request and resolves with its whole answer, and the address that gave it. @throws ProviderError */
  exchange(session: ProviderSession, request: ProviderRequest): Promise<Exchange>;
}

export interface ProviderTransportOptions {
  readonly settings: TransportSettings;
  /** Reads an answer that is no success. Its body may be anything: the HTML of a proxy, or nothing. */
  readonly readFailure: (answer: Answer, retryAfterMs: number | undefined) => ProviderError;
  /** Redirects that are followed, within one site and never from https to http. @default 0 */
  readonly redirects?: number;
}

/**
 * Creates the transport of one provider. A 401 is answered with one fresh token per call; credentials without OAuth are proved by
 * the session, which rejects for dead ones, and sent once more. A throttled mailbox pauses: none
 * of its calls begins before the time that the provider named, or before the first repetition. The caller's signal ends
 * every wait, and the call rejects as `unavailable`.
 */
export function createProviderTransport({
  settings,
  readFailure,
  redirects = 0,
}: ProviderTransportOptions): ProviderTransport {
  const { provider, clock, logger, limits } = settings;
  const limiter = createMailboxLimiter({
    clock,
    concurrency: limits.concurrency,
    callsPerInterval: limits.callsPerInterval,
    intervalMs: limits.intervalMs,
    longestWaitMs: settings.retry.maxWaitMs,
  });

  /** Fetches under the mailbox's pace. @throws FailedCall when no answer came */
  function fetchPaced(session: ProviderSession, { url }: ProviderRequest, init: RequestInit): Promise<Exchange> {
    const { accountId, signal, isBackground } = session;
    const work = () => fetchFollowing(settings, { url, init, signal, redirects }).catch(asFailedCall);
    return limiter.run(accountId, signal, work, isBackground);
  }

  /** Sends once. @throws FailedCall when the provider refused or did not answer */
  async function sendOnce(
    session: ProviderSession,
    request: ProviderRequest,
    authorization: string | undefined,
  ): Promise<Exchange> {
    const { accountId, isBackground = false } = session;
    await session.admit?.(isBackground);
    const answer = await fetchPaced(session, request, initOf(request, authorization));
    const { status } = answer;
    logger?.debug('provider call', { provider, accountId, method: request.method, status });
    if (status >= 200 && status < 300) return answer;
    const retryAfterMs = readRetryAfter(answer.headers.get('retry-after'), clock.now());
    const failure = new FailedCall(readFailure(answer, retryAfterMs));
    if (isThrottled(failure) && retryAfterMs !== undefined) limiter.pause(accountId, retryAfterMs);
    throw failure;
  }

  /** Returns a sender that repeats a request with a fresh token after a 401, at most once per call. */
  async function authorizedSender(
    session: ProviderSession,
    request: ProviderRequest,
  ): Promise<() => Promise<Exchange>> {
    let authorization = await authorizationOf(session);
    let isFresh = false;
    return async () => {
      try {
        return await sendOnce(session, request, authorization);
      } catch (error) {
        if (isFresh || !isUnauthorized(error)) throw error;
        const fresh = await authorizationOf(session, { header: authorization });
        // The session has no other token: a second request would be refused alike. Credentials without OAuth have just been
        // proved: the refusal was of the moment, or is the object's own.
        if (fresh === authorization && session.credentials === undefined) throw error;
        isFresh = true;
        authorization = fresh;
        return await sendOnce(session, request, authorization);
      }
    };
  }

  async function perform(session: ProviderSession, request: ProviderRequest): Promise<Exchange> {
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
    exchange: perform,
  };
}

function initOf({ method, headers, body, text, ifMatch }: ProviderRequest, authorization?: string): RequestInit {
  return {
    method,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      accept: 'application/json',
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(text === undefined ? {} : { body: text }),
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
