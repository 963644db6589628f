import { type Clock, KalendsError, type PullFailure } from '../ports/index.ts';

/** Code of a failure that is no error of the interface: a fault of ours. */
const INTERNAL = 'InternalError';

/** Returns what is kept of a failed pull: a code and the time. The provider's texts may name people. */
export function failureOf(
  { clock, toPublicError }: { readonly clock: Clock; readonly toPublicError: (error: unknown) => unknown },
  error: unknown,
): PullFailure {
  const failure = toPublicError(error);
  return { code: KalendsError.isInstance(failure) ? failure.code : INTERNAL, at: clock.now() };
}
