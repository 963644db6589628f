import type { Clock, Fetch, Logger, Random } from 'kalends/ports';
import { checkNames, checkProcessPorts, systemClock, systemRandom } from 'kalends/runtime';
import { readNumbers, wrongOption } from './option-checks.ts';

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

/** Names of the options that every provider takes. */
const NAMES = [
  'fetch',
  'clock',
  'random',
  'logger',
  'limits',
  'retry',
] as const satisfies readonly (keyof TransportOptions)[];

/** Defaults that differ from provider to provider. */
export type TransportDefaults<Limits extends CallLimits> = Omit<Limits, 'timeoutMs' | 'maxAnswerBytes'> &
  Partial<Pick<CallLimits, 'timeoutMs' | 'maxAnswerBytes'>>;

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

/**
 * Refuses options that a provider does not have: a misspelt one would count as left out, without a word.
 * @param own names of its options beside the shared ones
 * @throws KalendsError InvalidRequest naming the option
 */
export function checkTransportNames(options: object, own: readonly string[]): void {
  if (typeof options !== 'object' || options === null) throw wrongOption('options', 'must be an object of options');
  checkNames(options, [...own, ...NAMES]);
}

/** Checks the shared options and fills in the defaults. @throws KalendsError InvalidRequest naming the option and its rule */
export function readTransportOptions<Limits extends CallLimits>(
  provider: string,
  options: TransportOptions<Limits>,
  defaults: TransportDefaults<Limits>,
): TransportSettings<Limits> {
  const { fetch: given, clock, random, logger } = options;
  if (given !== undefined && typeof given !== 'function') throw wrongOption('fetch', 'must be a function');
  checkProcessPorts({ clock, random, logger });
  const limits = readNumbers('limits', options.limits, { ...DEFAULT_LIMITS, ...defaults });
  return {
    provider,
    // Looked up at each call, so that a host may wrap the global one later.
    fetch: given ?? ((input, init) => fetch(input, init)),
    clock: clock ?? systemClock,
    random: random ?? systemRandom,
    logger,
    limits: limits as unknown as Limits,
    retry: readNumbers('retry', options.retry, DEFAULT_RETRY),
  };
}
