import { KalendsError, ProviderError, type ProviderFailureReason } from '../ports/index.ts';

/** After these nobody knows what has been done: part of it, all, or nothing. */
const UNCLEAR: ReadonlySet<ProviderFailureReason> = new Set(['timeout', 'unavailable', 'malformed', 'rate-limited']);

/** Whether a failed call has certainly changed nothing: the provider, or we before it, said no. */
export function wasRefused(error: unknown): boolean {
  return ProviderError.isInstance(error) ? !UNCLEAR.has(error.reason) : KalendsError.isInstance(error);
}
