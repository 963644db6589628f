import { KalendsError, ProviderError, type ProviderFailureReason } from '../ports/index.ts';

/** The provider has looked at the request. */
const REFUSED: ReadonlySet<ProviderFailureReason> = new Set([
  'forbidden',
  'not-organizer',
  'not-found',
  'precondition-failed',
  'conflict',
  'unsupported',
  'invalid',
]);
/** The provider has not looked at the request. */
const TURNED_AWAY: ReadonlySet<ProviderFailureReason> = new Set([
  'invalid-grant',
  'operator',
  'unauthorized',
  'rate-limited',
]);
/** None, part or all of a write of several requests may have been made: throttling may meet a later one. */
const UNCLEAR: ReadonlySet<ProviderFailureReason> = new Set([
  'timeout',
  'unavailable',
  'malformed',
  'unreadable',
  'partly-taken',
  'rate-limited',
]);

/** Returns whether the provider has looked at a request and refused it: it would refuse it again. */
export function isRefusal(error: unknown): error is ProviderError {
  return ProviderError.isInstance(error) && REFUSED.has(error.reason);
}

/** Returns whether the last request of a call was certainly not carried out; an earlier one may have been. */
export function wasNotCarriedOut(error: unknown): boolean {
  return isRefusal(error) || (ProviderError.isInstance(error) && TURNED_AWAY.has(error.reason));
}

/** Returns whether a whole write changed nothing for certain: the provider, or the engine before it, rejected it. */
export function changedNothing(error: unknown): boolean {
  return ProviderError.isInstance(error) ? !UNCLEAR.has(error.reason) : KalendsError.isInstance(error);
}
