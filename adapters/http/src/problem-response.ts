import { type ErrorCode, KalendsError } from 'kalends';
import type { Problem } from 'kalends/model';
import { StorageUnavailableError } from 'kalends/ports';
import { isKeyringOutage } from 'kalends/runtime';

const TITLES: Readonly<Record<ErrorCode, string>> = {
  InvalidRequest: 'The request is invalid',
  InvalidPageToken: 'The page token is invalid',
  InvalidSyncToken: 'The sync token is invalid',
  SyncTokenMismatch: 'The sync token belongs to another query',
  InvalidRefreshToken: 'The refresh token is invalid',
  InvalidCredentials: 'The credentials are invalid',
  InvalidRedirectUrl: 'The redirect URL is not registered',
  InvalidApiKey: 'The API key is invalid',
  Unauthorized: 'The caller is not recognized',
  CalendarReadOnly: 'The calendar is read-only',
  Forbidden: 'This is not allowed',
  NotFound: 'Not found',
  MethodNotAllowed: 'The method is not supported here',
  Conflict: 'The request conflicts with the current state',
  SlotTaken: 'The slot is taken',
  IdempotencyKeyReused: 'The idempotency key was used with another body',
  SyncTokenExpired: 'The sync token has expired',
  PreconditionFailed: 'The resource has changed',
  PayloadTooLarge: 'The body is too large',
  UnsupportedMediaType: 'The media type is not supported',
  UnsupportedByProvider: 'The provider cannot represent this',
  RateLimited: 'Too many requests',
  InternalError: 'Internal error',
  ProviderError: 'The provider sent an unusable answer',
  ProviderUnavailable: 'The provider is unavailable',
  CalendarSyncing: 'The first synchronisation is in progress',
  ProviderTimeout: 'The provider did not answer in time',
};

/** `WWW-Authenticate` of the codes with status 401. */
const CHALLENGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  InvalidApiKey: 'ApiKey realm="kalends", header="x-api-key"',
  Unauthorized: 'Bearer realm="kalends"',
};

/** Returns the `type` of an error code's problem documents. */
export function problemType(code: ErrorCode): string {
  return `urn:kalends:error:${code}`;
}

/** Returns a problem document of the code as the interface's description shows it. */
export function problemExample(code: ErrorCode, status: number): Problem {
  const message = `${TITLES[code]}.`;
  const requestId = 'req_4tqNKmSx2rYl9q9xpXr8eQ';
  return { type: problemType(code), title: TITLES[code], status, detail: message, code, message, requestId };
}

/** `Retry-After` during an outage of the storage, whose length is unknown. */
const OUTAGE_RETRY_MS = 5_000;

/**
 * Creates the RFC 9457 answer to an error; any error but a KalendsError becomes an InternalError. The message of an internal error
 * is for the log alone, save that of an outage.
 */
export function problemResponse(error: unknown, requestId: string): Response {
  const isTold = KalendsError.isInstance(error) && (error.code !== 'InternalError' || isKeyringOutage(error));
  const known = isTold ? error : internalError(error);
  const body: Problem = {
    type: problemType(known.code),
    title: TITLES[known.code],
    status: known.status,
    detail: known.message,
    code: known.code,
    message: known.message,
    ...(known.details === undefined ? {} : { details: known.details.map((detail) => ({ ...detail })) }),
    ...(known.nextSlots === undefined ? {} : { nextSlots: known.nextSlots.map((slot) => ({ ...slot })) }),
    requestId,
  };
  const headers = new Headers({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  });
  const challenge = CHALLENGES[known.code];
  if (challenge !== undefined) headers.set('www-authenticate', challenge);
  if (known.retryAfterMs !== undefined)
    headers.set('retry-after', String(Math.max(1, Math.ceil(known.retryAfterMs / 1000))));
  return new Response(JSON.stringify(body), { status: known.status, headers });
}

function internalError(error: unknown): KalendsError {
  if (StorageUnavailableError.isInstance(error)) {
    const options = { status: 503, retryAfterMs: OUTAGE_RETRY_MS };
    const which = error.database === undefined ? 'the database' : `the database "${error.database}"`;
    return new KalendsError('InternalError', `${which} is unavailable; try again later`, options);
  }
  const { status, retryAfterMs } = KalendsError.isInstance(error) ? error : {};
  return new KalendsError('InternalError', 'an unexpected error occurred; give the operator the request id', {
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
