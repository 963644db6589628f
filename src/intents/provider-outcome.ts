import { KalendsError, ProviderError, type ProviderFailureReason } from '../ports/index.ts';

/** Failures that leave the outcome unknown: none, part or all of the write may have been made. */
const UNCLEAR: ReadonlySet<ProviderFailureReason> = new Set(['timeout', 'unavailable', 'malformed', 'rate-limited']);

/** Whether a failed call changed nothing for certain: the provider, or the engine before it, refused it. */
export function wasRefused(error: unknown): boolean {
  return ProviderError.isInstance(error) ? !UNCLEAR.has(error.reason) : KalendsError.isInstance(error);
}
