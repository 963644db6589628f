import { type Attempts, attempt } from './attempt.ts';
import type { Call, Send } from './call.ts';
import { ApiError, ClientError, ConnectionError, TimeoutError } from './errors.ts';
import { jittered, sleep } from './runtime/index.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/** A call that must wait for longer is the caller's to repeat. */
const LONGEST_RETRY_AFTER_MS = 60_000;

export interface TransportOptions extends Attempts {
  /** Most further attempts of a call. */
  readonly retries: number;
}

/** Sends calls, again after failures that a repetition may mend, with growing waits and jitter. */
export function createTransport({ retries: usual, ...attempts }: TransportOptions): Send {
  return async <Result>(call: Call): Promise<Result> => {
    const { signal, retries = usual } = call.options ?? {};
    requireRetries(retries);
    let isUnknown = false;
    for (let number = 1; ; number += 1) {
      signal?.throwIfAborted();
      try {
        return await attempt<Result>(attempts, call, number);
      } catch (error) {
        // The attempt whose outcome was unknown was carried out.
        if (isUnknown && call.whenGone !== undefined && isNotFound(error)) return call.whenGone as Result;
        if (number > retries || !isWorthRepeating(error, call)) throw error;
        isUnknown ||= !isRefusal(error);
        const waitMs = Math.min(LONGEST_WAIT_MS, jittered(FIRST_WAIT_MS * 2 ** (number - 1)));
        await sleep(waitMs + (error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0), signal);
      }
    }
  };
}

/** @throws RangeError for a number that is no number of attempts */
export function requireRetries(retries: number): void {
  if (!Number.isInteger(retries) || retries < 0) throw new RangeError('retries: must be a whole number from 0 on');
}

/** Proxies answer 404 too, while they do not reach the service. */
function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && error.code === 'NotFound';
}

/**
 * Whether the service refused the call before anything was done. It answers 503 also when the provider broke down after the call was sent,
 * and proxies do when they lose a request.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 429 || error.code === 'CalendarSyncing');
}

/** Returns whether another attempt may succeed and does nothing twice. */
function isWorthRepeating(error: unknown, call: Call): boolean {
  if (!(error instanceof ClientError)) return false;
  if (error instanceof ConnectionError || error instanceof TimeoutError) return isRepeatable(call);
  if (!(error instanceof ApiError) || (error.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS) return false;
  if (isRefusal(error)) return true;
  return [500, 502, 503, 504].includes(error.status) && isRepeatable(call);
}

function isRepeatable({ method, headers = {}, isRepeatable: given }: Call): boolean {
  // After a write whose answer was lost, its own condition fails.
  return given ?? (method !== 'POST' && headers['if-match'] === undefined);
}
