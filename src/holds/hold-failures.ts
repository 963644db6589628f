import { KalendsError } from '../errors.ts';

/** Whether a write was refused for good: nothing was written, and a repetition is refused too. */
export function isRefusal(error: unknown): boolean {
  if (!KalendsError.isInstance(error)) return false;
  const { status } = error;
  if (isOfAccess(error)) return true;
  return status >= 400 && status < 500 && status !== 409 && status !== 429;
}

/**
 * The error of a step that is finished later, or by a repetition. A provider's 429 becomes a 503: callers take it for granted that nothing
 * was done before a 429.
 */
export function begunFailure(error: unknown): unknown {
  if (!KalendsError.isInstance(error) || error.code !== 'RateLimited') return error;
  const { retryAfterMs } = error;
  return new KalendsError(
    'ProviderUnavailable',
    'The provider limits the rate of requests: what was begun is finished later.',
    {
      cause: error,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  );
}

/** Whether a person has to connect the account again. */
export function isOfAccess(error: unknown): boolean {
  return (
    KalendsError.isInstance(error) && (error.code === 'InvalidRefreshToken' || error.code === 'InvalidCredentials')
  );
}

/** Resolves with null where there is no such event. */
export async function foundOrNull<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (KalendsError.isInstance(error) && error.code === 'NotFound') return null;
    throw error;
  }
}
