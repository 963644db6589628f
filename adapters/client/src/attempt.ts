import { type Call, type Fetch, given, isObject, type PacedFetch, requireIds } from './call.ts';
import { ApiError, ConnectionError, type FailedRequest, InvalidAnswerError, TimeoutError } from './errors.ts';
import type { ClientHooks } from './hooks.ts';
import type { Problem } from './model/problem.ts';
import { deadline, requireTimeout, systemNow } from './runtime/index.ts';
import { USER_AGENT } from './version.ts';

/** Everything that the attempts of one client have in common. */
export interface Attempts {
  /** Address of the service, without a slash at its end. */
  readonly root: string;
  readonly apiKey: string;
  readonly fetch: Fetch & Partial<PacedFetch>;
  readonly timeoutMs: number;
  readonly hooks: ClientHooks;
}

/**
 * Sends a call once, and reads its JSON, or its iCalendar as text; undefined for a 304.
 * @throws ClientError; RangeError for a timeout that no timer takes, and an id that no URL has; the reason of the caller's signal once it is aborted
 */
export async function attempt<Result>(attempts: Attempts, call: Call, number: number): Promise<Result> {
  const { root, hooks } = attempts;
  const { signal, timeoutMs = attempts.timeoutMs } = call.options ?? {};
  requireTimeout(timeoutMs);
  requireIds(call.path);
  const fetch = (await attempts.fetch.waitForTurn?.(signal)) ?? attempts.fetch;
  const url = `${root}${call.path}${searchOf(call)}`;
  const headers = headersOf(attempts, call);
  const body = bodyOf(call);
  const request = { method: call.method, url, headers, attempt: number };
  hooks.onRequest?.(request);
  const startedAt = systemNow();
  const failed: FailedRequest = { method: call.method, path: call.path, attempts: number };
  const limit = deadline(timeoutMs, signal);
  let response: Response;
  let text: string;
  try {
    // A followed redirect makes a GET of a POST, and takes the API key to other hosts.
    response = await fetch(url, { method: call.method, headers, redirect: 'manual', signal: limit.signal, ...body });
    text = await response.text();
  } catch (error) {
    signal?.throwIfAborted();
    const failure = limit.hasPassed() ? new TimeoutError(failed, timeoutMs) : new ConnectionError(failed, error);
    hooks.onFailure?.({ ...request, error: failure, durationMs: systemNow() - startedAt });
    throw failure;
  } finally {
    limit.end();
  }
  const requestId = response.headers.get('x-request-id') ?? undefined;
  hooks.onResponse?.({ ...request, status: response.status, requestId, durationMs: systemNow() - startedAt });
  return readAnswer<Result>(response, text, call, failed);
}

function bodyOf({ body, file }: Call): Pick<RequestInit, 'body'> {
  // Types of fetch differ between versions of TypeScript in what they say of arrays of bytes.
  if (file !== undefined) return { body: file as string };
  return body === undefined ? {} : { body: JSON.stringify(body) };
}

function searchOf({ query = {} }: Call): string {
  const search = new URLSearchParams(given(query));
  return search.size === 0 ? '' : `?${search}`;
}

function headersOf(
  { apiKey }: Attempts,
  { headers = {}, body, file, isText, options = {} }: Call,
): Record<string, string> {
  return {
    accept: isText === true ? 'text/calendar, application/problem+json' : 'application/json',
    ...USER_AGENT,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(file === undefined ? {} : { 'content-type': 'text/calendar' }),
    ...options.headers,
    ...Object.fromEntries(given(headers)),
    'x-api-key': apiKey,
  };
}

function readAnswer<Result>(response: Response, text: string, call: Call, failed: FailedRequest): Result {
  if (response.status === 304 && call.headers?.['if-none-match'] !== undefined) return undefined as Result;
  if (isRedirect(response)) throw new InvalidAnswerError(response, failed);
  if (response.ok && call.isText === true) {
    if (!/^text\/calendar\b/i.test(response.headers.get('content-type') ?? '')) {
      throw new InvalidAnswerError(response, failed, 'iCalendar');
    }
    return text as Result;
  }
  const json = parse(text);
  if (!response.ok) throw new ApiError(response, isObject(json) ? (json as Partial<Problem>) : {}, failed);
  if (!isObject(json) || call.isAnswer?.(json) === false) throw new InvalidAnswerError(response, failed);
  return json as Result;
}

/** Browsers hide where a redirect leads, and its status. */
function isRedirect({ type, status, headers }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('location'));
}

/** Returns undefined for a text that is not JSON, such as the page of a proxy. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
