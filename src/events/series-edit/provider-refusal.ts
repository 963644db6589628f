import { ProviderError, type ProviderFailureReason } from '../../ports/index.ts';

const REFUSALS: ReadonlySet<ProviderFailureReason> = new Set([
  'forbidden',
  'not-organizer',
  'not-found',
  'precondition-failed',
  'conflict',
  'unsupported',
  'invalid',
]);
const TURNED_AWAY: ReadonlySet<ProviderFailureReason> = new Set([
  'invalid-grant',
  'operator',
  'unauthorized',
  'rate-limited',
]);

/** Whether the provider has looked at a request and said no: it would say so again. */
export function isRefusal(error: unknown): error is ProviderError {
  return ProviderError.isInstance(error) && REFUSALS.has(error.reason);
}

/** Whether a request has certainly changed nothing. */
export function didNothing(error: unknown): boolean {
  return isRefusal(error) || (ProviderError.isInstance(error) && TURNED_AWAY.has(error.reason));
}
