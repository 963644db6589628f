/** HTTP status of every error code. A test compares it with the table in `docs/errors.md`. */
export const ERROR_STATUS = {
  InvalidRequest: 400,
  InvalidPageToken: 400,
  InvalidSyncToken: 400,
  SyncTokenMismatch: 400,
  InvalidRefreshToken: 409,
  InvalidCredentials: 400,
  InvalidRedirectUrl: 400,
  InvalidApiKey: 401,
  Unauthorized: 401,
  CalendarReadOnly: 403,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  Conflict: 409,
  SlotTaken: 409,
  IdempotencyKeyReused: 409,
  SyncTokenExpired: 410,
  PreconditionFailed: 412,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  UnsupportedByProvider: 422,
  RateLimited: 429,
  InternalError: 500,
  ProviderError: 502,
  ProviderUnavailable: 503,
  CalendarSyncing: 503,
  ProviderTimeout: 504,
} as const;

/** Stable PascalCase name of an error. */
export type ErrorCode = keyof typeof ERROR_STATUS;

/** One invalid field: `path` is dotted (`attendees.0.email`), `message` states the rule. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** A slot that is free: date-times with an offset, and the zone that they are written in. */
export interface NextSlot {
  readonly startDateTime: string;
  readonly endDateTime: string;
  readonly timeZone: string;
}

export interface KalendsErrorOptions {
  /** Overrides the status of the code (InvalidRefreshToken is 400 when connecting, 409 for an EXPIRED account). */
  readonly status?: number;
  readonly details?: readonly ErrorDetail[];
  /** Of SlotTaken: the next free slots, the earliest first. */
  readonly nextSlots?: readonly NextSlot[];
  /** When a retry may succeed, milliseconds from now; becomes Retry-After. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

const brand = Symbol.for('kalends.error');

/** Error of every rejected engine call. `retryable` is decided where the status is known. */
export class KalendsError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly nextSlots: readonly NextSlot[] | undefined;
  readonly retryAfterMs: number | undefined;
  readonly [brand] = true;

  constructor(code: ErrorCode, message: string, options: KalendsErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'KalendsError';
    this.code = code;
    this.status = options.status ?? ERROR_STATUS[code];
    this.details = options.details;
    this.nextSlots = options.nextSlots;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** True for errors of any copy of this package in the process. */
  static isInstance(error: unknown): error is KalendsError {
    return error instanceof Error && brand in error;
  }

  get retryable(): boolean {
    return this.status === 429 || this.status >= 502;
  }
}

/** Creates an InvalidRequest that names one field and its rule. */
export function invalid(path: string, message: string): KalendsError {
  return new KalendsError('InvalidRequest', path === '' ? message : `${path}: ${message}`, {
    details: [{ path, message }],
  });
}

/** Returns an error that names other fields than the given one, which becomes its cause. */
export function withDetails(error: KalendsError, details: readonly ErrorDetail[]): KalendsError {
  const { code, status, message, retryAfterMs } = error;
  const options = { status, details, cause: error };
  return new KalendsError(code, message, retryAfterMs === undefined ? options : { ...options, retryAfterMs });
}
