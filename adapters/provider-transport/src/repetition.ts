import { ProviderError } from 'kalends/ports';
import { retry as retryOnClock } from 'kalends/runtime';
import type { TransportSettings } from './settings.ts';

/**
 * Effect of repeating a call. `none`: it only reads. `idempotent`: the second time changes nothing more. `harmful`: a
 * creation would be done again, or the first time has undone the condition of a conditional write.
 */
export type Effect = 'none' | 'idempotent' | 'harmful';

/**
 * Outcome of a failed call, as far as it is known. `not-carried-out`: throttled. `unknown`: the provider broke down or was not reached.
 * `timed-out`: the same, after the longest wait. `final`: another attempt would be answered alike.
 */
type Outcome = 'not-carried-out' | 'unknown' | 'timed-out' | 'final';

/** A call that the provider refused or did not answer, as opposed to one that could not be sent. */
export class FailedCall extends Error {
  readonly error: ProviderError;
  readonly outcome: Outcome;

  constructor(error: ProviderError) {
    super(error.message);
    this.error = error;
    this.outcome = outcomeOf(error);
  }
}

function outcomeOf({ reason, status, retryAfterMs }: ProviderError): Outcome {
  if (reason === 'rate-limited') return 'not-carried-out';
  // A refusal for the time being, not a breakdown.
  if ((status === 503 || status === 409) && retryAfterMs !== undefined) return 'not-carried-out';
  // A gateway that answers 504 has answered, often at once.
  if (reason === 'timeout' && status === undefined) return 'timed-out';
  return reason === 'unavailable' || reason === 'timeout' ? 'unknown' : 'final';
}

/** The one rule of repetition; `timeouts` counts the attempts that timed out. */
function mayRepeat(outcome: Outcome, effect: Effect, timeouts: number): boolean {
  switch (outcome) {
    case 'not-carried-out':
      return true;
    case 'unknown':
      return effect !== 'harmful';
    case 'timed-out':
      // The caller has waited long: a read is given one more chance, a write is left to be read.
      return effect === 'none' && timeouts <= 1;
    case 'final':
      return false;
  }
}

/** Wait before the attempt that follows the `failed`th, or undefined for a Retry-After that is too long. */
function delayBefore(
  { retry, random }: Pick<TransportSettings, 'retry' | 'random'>,
  { retryAfterMs }: ProviderError,
  failed: number,
): number | undefined {
  const backoff = backoffMs({ retry, random }, failed);
  if (retryAfterMs === undefined) return backoff;
  if (retryAfterMs > retry.maxWaitMs) return undefined;
  const asked = Math.ceil(retryAfterMs * (1 + random.fraction() / 10));
  // Not less than the backoff: a date that our clock has passed reads as 0. Not more than `maxWaitMs`: the pause would
  // refuse every other call of the mailbox.
  return Math.min(retry.maxWaitMs, Math.max(asked, backoff));
}

/** Returns the wait before the attempt that follows the `failed`th: doubling, bounded, half of it random. */
export function backoffMs({ retry, random }: Pick<TransportSettings, 'retry' | 'random'>, failed: number): number {
  const step = Math.min(retry.maxDelayMs, retry.baseDelayMs * 2 ** (failed - 1));
  return Math.ceil(step * (0.5 + random.fraction() / 2));
}

type RepetitionSettings = Pick<TransportSettings, 'clock' | 'random' | 'retry'>;

export interface Repetition {
  readonly effect: Effect;
  readonly signal: AbortSignal | undefined;
  /** Told of each repetition before its wait. */
  readonly onRepeat?: (failure: FailedCall, attempt: number, delayMs: number) => void;
}

/**
 * Runs `work` until it succeeds or may not be repeated. Only a FailedCall is ever repeated.
 * @throws the last error as it was thrown; a FailedCall as its ProviderError
 */
export async function repeat<Result>(
  settings: RepetitionSettings,
  work: () => Promise<Result>,
  { effect, signal, onRepeat }: Repetition,
): Promise<Result> {
  let timeouts = 0;
  try {
    return await retryOnClock(work, {
      clock: settings.clock,
      attempts: settings.retry.attempts,
      signal,
      shouldRetry(error) {
        if (!(error instanceof FailedCall) || signal?.aborted) return false;
        if (error.outcome === 'timed-out') timeouts += 1;
        return mayRepeat(error.outcome, effect, timeouts);
      },
      delayMs(attempt, error) {
        if (!(error instanceof FailedCall)) return undefined;
        const delayMs = delayBefore(settings, error.error, attempt);
        if (delayMs !== undefined) onRepeat?.(error, attempt, delayMs);
        return delayMs;
      },
    });
  } catch (error) {
    throw error instanceof FailedCall ? error.error : error;
  }
}

/** Repeats under the same rule work whose every ProviderError is the provider's: that of the OAuth endpoints. */
export function repeatTransient<Result>(
  settings: RepetitionSettings,
  work: () => Promise<Result>,
  repetition: Repetition,
): Promise<Result> {
  return repeat(settings, () => work().catch(asFailedCall), repetition);
}

/** Rethrows a ProviderError as a FailedCall, anything else as it is. */
export function asFailedCall(error: unknown): never {
  throw ProviderError.isInstance(error) ? new FailedCall(error) : error;
}
