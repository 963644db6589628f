import {
  type Clock,
  type Fetch,
  type Logger,
  ProviderError,
  type ProviderSession,
  type Random,
  readJson,
} from 'kalends/ports';
import { type MailboxLimiter, nextTurn, readText, retry, withJoinedSignals } from 'kalends/runtime';
import type { z } from 'zod';
import { type Refusal, readRetryAfter, refusalOf } from './errors.ts';

/** When and how long failed calls are repeated. */
export interface RetryOptions {
  /** Repetitions after the first attempt. */
  readonly retries: number;
  /** The first wait; it doubles with each repetition, and half of it is random. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  /** A longer Retry-After is not waited for: the call rejects with rate-limited and `retryAfterMs`. */
  readonly maxRetryAfterMs: number;
}

export interface TransportOptions {
  /** Absolute URL of the API without a slash at the end. */
  readonly apiUrl: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger | undefined;
  readonly limiter: MailboxLimiter;
  readonly retry: RetryOptions;
  /** Longest wait for one attempt. */
  readonly timeoutMs: number;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Unencoded path segments after the API's URL. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
  /** Whether it may be sent again when nobody knows what became of it. @default true, except for POST */
  readonly repeatable?: boolean;
}

/** Calls the Calendar API for one mailbox. Every rejection is a ProviderError. */
export interface Transport {
  /** Resolves with the checked answer. */
  call<Answer>(session: ProviderSession, request: ApiRequest, schema: z.ZodType<Answer>): Promise<Answer>;
  /** The same for an answer that does not matter. */
  send(session: ProviderSession, request: ApiRequest): Promise<void>;
}

type Outcome = { readonly text: string } | Refusal;

/** A refusal by Google, as opposed to the failure to get a token for the call. */
class RefusedCall extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.error.message);
    this.refusal = refusal;
  }
}

/**
 * Builds the one way to the API: bearer token with one forced refresh after a 401, pacing per mailbox, a time limit per
 * attempt, and bounded repetitions with jittered backoff of calls that are safe to repeat.
 */
export function createTransport(options: TransportOptions): Transport {
  async function perform(session: ProviderSession, request: ApiRequest): Promise<string> {
    let unclear: ProviderError | undefined;
    async function attempt(): Promise<string> {
      const outcome = await attemptWithToken(options, session, request);
      if ('text' in outcome) return outcome.text;
      // An earlier attempt may itself have raised the tag that If-Match named: the honest answer is that one's.
      if (outcome.error.reason === 'precondition-failed' && unclear !== undefined) throw unclear;
      if (outcome.repetition === 'unclear') unclear = outcome.error;
      throw new RefusedCall(outcome);
    }
    try {
      return await retry(attempt, {
        clock: options.clock,
        attempts: options.retry.retries + 1,
        signal: session.signal,
        shouldRetry: (error) => error instanceof RefusedCall && mayRepeat(request, error.refusal),
        delayMs(failed, error) {
          const refused = (error as RefusedCall).refusal.error;
          const delayMs = backoffMs(options, refused, failed);
          if (delayMs === undefined) return undefined;
          options.logger?.warn('google call is repeated', {
            accountId: session.accountId,
            reason: refused.reason,
            status: refused.status,
            attempt: failed,
            delayMs,
          });
          return delayMs;
        },
      });
    } catch (error) {
      if (error instanceof RefusedCall) throw error.refusal.error;
      throw givenUp(error, session.signal);
    }
  }

  return {
    async call(session, request, schema) {
      const text = await perform(session, request);
      // Reading, parsing and checking a long answer take a turn each.
      await nextTurn();
      const json = parseAnswer(text);
      await nextTurn();
      return checkAnswer(json, schema);
    },
    async send(session, request) {
      await perform(session, request);
    },
  };
}

async function attemptWithToken(
  options: TransportOptions,
  session: ProviderSession,
  request: ApiRequest,
): Promise<Outcome> {
  const token = await session.accessToken();
  await session.admit?.(session.isBackground === true);
  const outcome = await attemptOnce(options, session, request, token);
  if ('text' in outcome || outcome.error.reason !== 'unauthorized') return outcome;
  const fresh = await session.accessToken(token);
  if (fresh === token) return outcome;
  await session.admit?.(session.isBackground === true);
  return await attemptOnce(options, session, request, fresh);
}

async function attemptOnce(
  options: TransportOptions,
  session: ProviderSession,
  request: ApiRequest,
  token: string,
): Promise<Outcome> {
  try {
    const send = async (signal: AbortSignal): Promise<Outcome> => {
      const startedAt = options.clock.now();
      const response = await options.fetch(urlOf(options.apiUrl, request), initOf(request, token, signal));
      const text = await readText(response);
      options.logger?.debug('google call', {
        accountId: session.accountId,
        method: request.method,
        status: response.status,
        durationMs: options.clock.now() - startedAt,
      });
      if (response.ok) return { text };
      const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), options.clock.now());
      return refusalOf(response.status, text, retryAfterMs);
    };
    const call = () => withJoinedSignals([AbortSignal.timeout(options.timeoutMs), session.signal], send);
    return await options.limiter.run(session.accountId, session.signal, call, session.isBackground);
  } catch (cause) {
    return unanswered(cause, session.signal);
  }
}

/** What a call that got no answer comes to. */
export function unanswered(cause: unknown, callerSignal: AbortSignal | undefined): Refusal {
  if (callerSignal?.aborted) {
    return {
      error: new ProviderError('unavailable', 'the call was given up by the caller', { cause }),
      repetition: 'final',
    };
  }
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    // Somebody has waited long enough; a repetition would double that.
    return { error: new ProviderError('timeout', 'Google did not answer in time', { cause }), repetition: 'final' };
  }
  return { error: new ProviderError('unavailable', 'Google could not be reached', { cause }), repetition: 'unclear' };
}

function urlOf(apiUrl: string, request: ApiRequest): string {
  const url = new URL(`${apiUrl}/${request.path.map(encodeURIComponent).join('/')}`);
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
}

function initOf(request: ApiRequest, token: string, signal: AbortSignal): RequestInit {
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: 'application/json' };
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  if (request.ifMatch !== undefined) headers['if-match'] = request.ifMatch;
  return {
    method: request.method,
    headers,
    signal,
    // The API never redirects; following one would carry the token elsewhere.
    redirect: 'error',
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  };
}

function mayRepeat(request: ApiRequest, { repetition }: Refusal): boolean {
  if (repetition === 'unclear') return request.repeatable ?? request.method !== 'POST';
  return repetition === 'not-carried-out';
}

/**
 * The wait before the next attempt (`failed` counts those that failed, from 1), or undefined for a Retry-After that is too
 * long.
 */
export function backoffMs(
  { retry: bounds, random }: Pick<TransportOptions, 'retry' | 'random'>,
  error: ProviderError,
  failed: number,
): number | undefined {
  const asked = error.retryAfterMs ?? 0;
  if (asked > bounds.maxRetryAfterMs) return undefined;
  const step = Math.min(bounds.maxDelayMs, bounds.baseDelayMs * 2 ** (failed - 1));
  return Math.max(asked, Math.round(step * (0.5 + random.fraction() / 2)));
}

/** Waits on the clock. @throws ProviderError when the caller gives up meanwhile */
export async function pause(clock: Clock, delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await clock.sleep(delayMs, signal);
  } catch (cause) {
    throw givenUp(cause, signal);
  }
}

/** The error as callers know it: the reason of their own signal becomes a ProviderError. */
function givenUp(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted && !ProviderError.isInstance(error) ? unanswered(error, signal).error : error;
}

function parseAnswer(text: string): unknown {
  try {
    return readJson(text);
  } catch (cause) {
    throw new ProviderError('malformed', 'Google answered something that is not JSON', { cause });
  }
}

/**
 * Checks an answer, or the part of it at `place`.
 * @throws ProviderError malformed, naming the place
 */
export function checkAnswer<Answer>(
  json: unknown,
  schema: z.ZodType<Answer>,
  place: readonly (string | number)[] = [],
): Answer {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const where = [...place, ...(parsed.error.issues[0]?.path ?? [])].join('.');
  throw new ProviderError('malformed', `Google answered another shape than documented, at "${where}"`, {
    cause: parsed.error,
  });
}
