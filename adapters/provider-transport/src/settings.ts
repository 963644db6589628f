import type { Clock, Fetch, Logger, Random } from 'kalends/ports';
import { systemClock, systemRandom } from 'kalends/runtime';

/** Bounds of the calls on behalf of one mailbox, per process. */
export interface CallLimits {
  /** Calls in flight at the same time. */
  readonly concurrency: number;
  /** Calls begun in any `intervalMs`. `Infinity`: no pacing. */
  readonly callsPerInterval: number;
  readonly intervalMs: number;
  /** Longest wait for one answer, its body included. @default 30_000 */
  readonly timeoutMs: number;
  /** Largest body of an answer, in bytes after decompression. @default 67_108_864 */
  readonly maxAnswerBytes: number;
}

/** How often a failed call is repeated, and how long it waits. */
export interface RetryLimits {
  /** Attempts in all, the first included. @default 4 */
  readonly attempts: number;
  /** Wait before the second attempt. It doubles with each further one; half of it is random. @default 500 */
  readonly baseDelayMs: number;
  /** Upper bound of the doubled waits. @default 5_000 */
  readonly maxDelayMs: number;
  /**
   * Longest wait for a Retry-After, a paused mailbox or a turn. A call that would wait longer rejects at once with
   * `rate-limited` and `retryAfterMs`. @default 10_000
   */
  readonly maxWaitMs: number;
}

/** Options that every provider takes. */
export interface TransportOptions<Limits extends CallLimits = CallLimits> {
  /** @default globalThis.fetch */
  readonly fetch?: Fetch;
  /** Clock of pacing, pauses, waits and time limits. @default the system clock */
  readonly clock?: Clock;
  /** @default node:crypto */
  readonly random?: Random;
  /** @default silent */
  readonly logger?: Logger;
  readonly limits?: Partial<Limits>;
  readonly retry?: Partial<RetryLimits>;
}

/** Defaults that differ from provider to provider. */
export type TransportDefaults<Limits extends CallLimits> = Omit<Limits, 'timeoutMs' | 'maxAnswerBytes'>;

/** The options with every default filled in. */
export interface TransportSettings<Limits extends CallLimits = CallLimits> {
  /** Name of the provider in errors and log lines. */
  readonly provider: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger | undefined;
  readonly limits: Limits;
  readonly retry: RetryLimits;
}

const DEFAULT_RETRY: RetryLimits = { attempts: 4, baseDelayMs: 500, maxDelayMs: 5_000, maxWaitMs: 10_000 };

const DEFAULT_LIMITS = { timeoutMs: 30_000, maxAnswerBytes: 64 * 2 ** 20 };

/** Fills in the defaults. */
export function readTransportOptions<Limits extends CallLimits>(
  provider: string,
  options: TransportOptions<Limits>,
  defaults: TransportDefaults<Limits>,
): TransportSettings<Limits> {
  const limits = { ...DEFAULT_LIMITS, ...defaults, ...options.limits };
  return {
    provider,
    // Looked up at each call, so that a host may wrap the global one later.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    logger: options.logger,
    limits: limits as unknown as Limits,
    retry: { ...DEFAULT_RETRY, ...options.retry },
  };
}
