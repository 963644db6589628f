import { maskSecrets } from './mask-secrets.ts';

/** Reason of a failed provider call. */
export type ProviderFailureReason =
  /** The grant is dead: the account becomes EXPIRED. */
  | 'invalid-grant'
  /** The operator's client id or secret is wrong or expired; accounts stay ACTIVE. With field `refreshToken`: the token belongs to another client. */
  | 'operator'
  /** The access token was refused even after one forced refresh. */
  | 'unauthorized'
  /** Permanent 403. */
  | 'forbidden'
  /** Only the organizer may change the event. */
  | 'not-organizer'
  /** A write by a guest, of which the provider has taken a part without an error; `field` names one that it has not. */
  | 'partly-taken'
  | 'not-found'
  /** If-Match did not hold. */
  | 'precondition-failed'
  | 'conflict'
  /** The stored sync token has expired: a full resync is due. */
  | 'sync-token-expired'
  /** The provider has no way to represent the request; `field` names the part. */
  | 'unsupported'
  /** The provider rejects the request as invalid. */
  | 'invalid'
  /** The resource cannot be watched; poll instead. */
  | 'push-unsupported'
  | 'rate-limited'
  | 'unavailable'
  | 'timeout'
  /** The answer does not have the documented shape. */
  | 'malformed'
  /** One object in the answer cannot be read; the others can. The message names field and rule. */
  | 'unreadable';

export interface ProviderErrorOptions {
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** For `unsupported`, `invalid`, `not-organizer` and `partly-taken`: the public field at fault. For `unreadable`: the provider's. */
  readonly field?: string;
  readonly cause?: unknown;
}

const brand = Symbol.for('kalends.provider-error');

/** A failed provider call. The message is for operators; anything like a token in it is masked. */
export class ProviderError extends Error {
  readonly reason: ProviderFailureReason;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly field: string | undefined;
  readonly [brand] = true;

  constructor(reason: ProviderFailureReason, message: string, options: ProviderErrorOptions = {}) {
    super(maskSecrets(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ProviderError';
    this.reason = reason;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.field = options.field;
  }

  static isInstance(error: unknown): error is ProviderError {
    return error instanceof Error && brand in error;
  }
}
