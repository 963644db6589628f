import { KalendsError, ProviderError } from '../ports/index.ts';

const UNAVAILABLE_RETRY_MS = 30_000;

/** The public error that a failed provider call becomes. */
export function providerFailure(error: ProviderError): KalendsError {
  const cause = { cause: error };
  switch (error.reason) {
    case 'invalid-grant':
      return expiredAccount(error);
    case 'unsupported':
      return new KalendsError('UnsupportedByProvider', error.message, { ...cause, ...fieldDetail(error) });
    case 'invalid':
      return new KalendsError('InvalidRequest', error.message, { ...cause, ...fieldDetail(error) });
    case 'not-organizer':
      return new KalendsError('Forbidden', 'Only the organizer may change this event.', {
        ...cause,
        ...fieldDetail(error),
      });
    case 'partly-taken':
      return new KalendsError(
        'Forbidden',
        'The provider has taken a part of this change: some is for the organizer alone.',
        {
          ...cause,
          ...fieldDetail(error),
        },
      );
    case 'forbidden':
      return new KalendsError('Forbidden', `The provider refuses this: ${error.message}`, cause);
    case 'not-found':
      return new KalendsError('NotFound', 'The provider has no such object.', cause);
    case 'precondition-failed':
      return new KalendsError('PreconditionFailed', 'The object was changed in the meantime.', cause);
    case 'conflict':
      return new KalendsError('Conflict', `The provider reports a conflict: ${error.message}`, cause);
    case 'rate-limited':
      return new KalendsError('RateLimited', 'The provider limits the rate of requests for this account.', {
        ...cause,
        retryAfterMs: error.retryAfterMs ?? UNAVAILABLE_RETRY_MS,
      });
    case 'unavailable':
      return new KalendsError('ProviderUnavailable', 'The provider is not available.', {
        ...cause,
        retryAfterMs: error.retryAfterMs ?? UNAVAILABLE_RETRY_MS,
      });
    case 'timeout':
      return new KalendsError('ProviderTimeout', 'The provider did not answer in time.', cause);
    case 'operator':
      return new KalendsError('ProviderError', 'The provider refuses the OAuth client of this application.', cause);
    case 'unauthorized':
      return new KalendsError('ProviderError', 'The provider refused a fresh access token.', cause);
    case 'push-unsupported':
    case 'sync-token-expired':
    case 'malformed':
      return new KalendsError('ProviderError', 'The provider gave an answer that cannot be used.', cause);
    case 'unreadable':
      return new KalendsError(
        'ProviderError',
        `The provider sent an object that cannot be read: ${error.message}`,
        cause,
      );
  }
}

/** The 409 of an account that has to be reconnected. */
export function expiredAccount(cause?: unknown): KalendsError {
  return new KalendsError(
    'InvalidRefreshToken',
    'The account is EXPIRED: the provider refuses its credentials. Reconnect it.',
    cause === undefined ? {} : { cause },
  );
}

/** The 404 of an account that is not there, or not any more. */
export function noAccount(): KalendsError {
  return new KalendsError('NotFound', 'There is no such end user account.');
}

/** The 503 of an account whose provider type is registered with another way to sign in. */
export function otherSignIn(providerType: string): KalendsError {
  const message = `Accounts of the provider registered as ${providerType} sign in another way than this one. Reconnect it.`;
  return new KalendsError('ProviderUnavailable', message);
}

/** Awaits a provider call; a ProviderError becomes the public error, everything else passes unchanged. */
export async function asPublicFailure<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw toPublicError(error);
  }
}

/** The public error for a ProviderError; any other error as it is. */
export function toPublicError(error: unknown): unknown {
  return ProviderError.isInstance(error) ? providerFailure(error) : error;
}

/** Reasons that say something of the caller's request where it is a write. A pull's requests are the engine's own. */
const OF_REQUESTS: readonly ProviderError['reason'][] = ['invalid', 'unsupported', 'conflict', 'precondition-failed'];

/** The public error of a failed pull; an error that is no ProviderError as it is. */
export function toPullError(error: unknown): unknown {
  if (!ProviderError.isInstance(error) || !OF_REQUESTS.includes(error.reason)) return toPublicError(error);
  return new KalendsError('ProviderError', `The provider refuses to be read: ${error.message}`, { cause: error });
}

function fieldDetail(error: ProviderError) {
  return error.field === undefined ? {} : { details: [{ path: error.field, message: error.message }] };
}
