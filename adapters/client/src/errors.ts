import { ERROR_CODES } from './model/error-codes.ts';
import type { ErrorCode, Problem } from './model/problem.ts';
import { systemNow } from './runtime/index.ts';

/** The request of a failed call. */
export interface FailedRequest {
  readonly method: string;
  /** Path under the service's address, without the query. */
  readonly path: string;
  /** Number of attempts that were made. */
  readonly attempts: number;
}

/**
 * Base of every error that a call of the client rejects with, except an abort by the caller, which rejects with the reason of
 * the signal.
 */
export abstract class ClientError extends Error {
  readonly request: FailedRequest;
  /** Id of the request in the operator's logs, where there was an answer. */
  readonly requestId: string | undefined;

  constructor(
    message: string,
    request: FailedRequest,
    options: ErrorOptions & { readonly requestId?: string | undefined },
  ) {
    super(message, options);
    this.request = request;
    this.requestId = options.requestId;
  }
}

/** Reports an answer other than success. */
export class ApiError extends ClientError {
  /**
   * Stable name of the error (`NotFound`, `SyncTokenExpired`, …). `Unknown` for the answer of a proxy in between, and for a code
   * of a newer service, which `reportedCode` has.
   */
  readonly code: ErrorCode | 'Unknown';
  /** The code of the answer as it came; undefined without one. */
  readonly reportedCode: string | undefined;
  readonly status: number;
  /** The invalid fields, each with the rule that it breaks. */
  readonly details: NonNullable<Problem['details']>;
  /** With `SlotTaken`, the next free slots, the earliest first. */
  readonly nextSlots: NonNullable<Problem['nextSlots']>;
  /** Milliseconds to wait before another attempt, where the answer says so. */
  readonly retryAfterMs: number | undefined;

  constructor({ status, headers }: Response, problem: Partial<Problem>, request: FailedRequest) {
    const requestId = problem.requestId ?? headers.get('x-request-id') ?? undefined;
    super(problem.detail ?? `The service answered ${status}.`, request, { requestId });
    this.name = 'ApiError';
    this.code = ERROR_CODES.find((code) => code === problem.code) ?? 'Unknown';
    this.reportedCode = typeof problem.code === 'string' ? problem.code : undefined;
    this.status = status;
    this.details = problem.details ?? [];
    this.nextSlots = problem.nextSlots ?? [];
    this.retryAfterMs = readRetryAfter(headers.get('retry-after'));
  }
}

/** Reports that no answer came: the service was not reached, or the connection broke. The platform's error is the `cause`. */
export class ConnectionError extends ClientError {
  constructor(request: FailedRequest, cause: unknown) {
    super('The service could not be reached, or the connection broke.', request, { cause });
    this.name = 'ConnectionError';
  }
}

/** Reports that no whole answer came in time. */
export class TimeoutError extends ClientError {
  readonly timeoutMs: number;

  constructor(request: FailedRequest, timeoutMs: number) {
    super(`The service did not answer within ${timeoutMs} ms.`, request, {});
    this.name = 'TimeoutError';
    this.timeoutMs = timeoutMs;
  }
}

/**
 * Reports a redirect, or a success whose body is not the JSON of the call, or of an export not iCalendar: `baseUrl` leads elsewhere, or
 * a proxy answered in place of the service.
 */
export class InvalidAnswerError extends ClientError {
  /** Status of the answer; 0 for a redirect in a browser. */
  readonly status: number;

  constructor({ status, headers }: Response, request: FailedRequest, expected: 'JSON' | 'iCalendar' = 'JSON') {
    const wrong =
      status >= 200 && status < 300
        ? `is not ${expected === 'JSON' ? 'the JSON of this call' : expected}: check that baseUrl is the address of the service.`
        : `redirects to ${headers.get('location') ?? 'another address'}: correct baseUrl, redirects are not followed.`;
    super(`The answer (${status}) ${wrong}`, request, { requestId: headers.get('x-request-id') ?? undefined });
    this.name = 'InvalidAnswerError';
    this.status = status;
  }
}

/** Reports that a copy, after a sync, is not the list that the service has. */
export class CopyMismatchError extends Error {
  /** Digest of the list. */
  readonly digest: string;
  /** Digest of the copy. */
  readonly held: string;

  constructor(digest: string, held: string) {
    super('The copy differs from the list: drop it and its token, and sync again.');
    this.name = 'CopyMismatchError';
    this.digest = digest;
    this.held = held;
  }
}

/** Returns Retry-After, which is seconds or an HTTP date, in milliseconds from now; undefined without a valid one. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - systemNow());
}
