import { type Clock, KalendsError, type LeaseStore, type Logger, ProviderError } from '../ports/index.ts';

/** A provider that throttles without saying for how long. */
const DEFAULT_REST_MS = 30_000;
const SHORTEST_REST_MS = 1_000;
const LONGEST_REST_MS = 3_600_000;
/** Several calls that are throttled at once are one throttling. */
const SAME_THROTTLING_MS = 60_000;
/** The stretch halves after this long without throttling. */
const RECOVERY_MS = 1_800_000;
const MOST_DOUBLINGS = 3;

/**
 * What a provider leaves to our background work, account by account. The rest of a throttled account is seen by every
 * process: it is the lease that workers claim accounts by. Reads and writes of callers go on meanwhile.
 */
export interface ProviderBudget {
  /** Notes a failed call: one that was throttled lets the account's background work rest as long as the provider asks. */
  noteFailure(accountId: string, error: unknown): Promise<void>;
  /** Factor by which polls and deep checks of the account are stretched: 1, 2, 4 or 8. */
  stretch(accountId: string): number;
}

/** Name of the lease under which an account's background work is done. */
export function accountLeaseName(accountId: string): string {
  return `account:${accountId}`;
}

/** How long an account's background work has to rest after this failure; 0 when the provider did not throttle. */
export function restAfter(error: unknown): number {
  const failure = KalendsError.isInstance(error) ? error.cause : error;
  if (!ProviderError.isInstance(failure)) return 0;
  const { reason, retryAfterMs } = failure;
  // Graph throttles by 503 with Retry-After too.
  if (reason !== 'rate-limited' && (reason !== 'unavailable' || retryAfterMs === undefined)) return 0;
  return Math.min(LONGEST_REST_MS, Math.max(SHORTEST_REST_MS, retryAfterMs ?? DEFAULT_REST_MS));
}

interface Throttling {
  readonly doublings: number;
  readonly at: number;
}

export function createProviderBudget(dependencies: {
  readonly leases: LeaseStore;
  readonly clock: Clock;
  readonly logger: Logger;
}): ProviderBudget {
  const { leases, clock, logger } = dependencies;
  const throttled = new Map<string, Throttling>();

  /** Doublings that are left of it by now. */
  function doublings(accountId: string): number {
    const last = throttled.get(accountId);
    if (last === undefined) return 0;
    const left = last.doublings - Math.floor((clock.now() - last.at) / RECOVERY_MS);
    if (left > 0) return left;
    throttled.delete(accountId);
    return 0;
  }

  return {
    async noteFailure(accountId, error) {
      const restMs = restAfter(error);
      if (restMs === 0) return;
      const now = clock.now();
      const last = throttled.get(accountId);
      if (last === undefined || now - last.at >= SAME_THROTTLING_MS) {
        const stretched = Math.min(MOST_DOUBLINGS, doublings(accountId) + 1);
        throttled.set(accountId, { doublings: stretched, at: now });
        logger.info('the provider throttles an account', { accountId, restMs, stretch: 2 ** stretched });
      }
      // Held by a worker, it is the worker that extends it: it meets the same failure.
      await leases.claim(accountLeaseName(accountId), restMs);
    },
    stretch: (accountId) => 2 ** doublings(accountId),
  };
}
