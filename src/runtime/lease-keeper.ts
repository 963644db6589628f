import type { Clock, Logger } from '../ports/index.ts';
import { describeError } from './background-loop.ts';
import { withPatience } from './outage-patience.ts';

/** A lease outlives its holder's last sign of life by this: so long does a killed process hold others up. */
export const LEASE_MS = 10_000;
/** Renewals in the time of a lease. */
const RENEWALS = 3;
/** A storage that is away is waited for: after its return the first to ask is the holder. */
const PATIENCE_MS = 30_000;

/** Renews the leases of this process, all together, while the work under them goes on. */
export interface LeaseKeeper<Lease> {
  /** Does work under a lease that is renewed until the work ends. To give the lease up is the work's own business. */
  during<Result>(lease: Lease, work: () => Promise<Result>): Promise<Result>;
}

/**
 * Builds a keeper that renews whatever it holds every third of `leaseMs`, in one call: the cost does not grow with the number
 * of leases. A lease that was lost is not noticed here: the storage refuses what is done under an old epoch.
 */
export function createLeaseKeeper<Lease>(
  renew: (leases: readonly Lease[]) => Promise<unknown>,
  { clock, logger, leaseMs = LEASE_MS }: { readonly clock: Clock; readonly logger: Logger; readonly leaseMs?: number },
): LeaseKeeper<Lease> {
  const held = new Set<Lease>();
  let renewing: AbortController | undefined;

  async function renewUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(leaseMs / RENEWALS, signal).catch(() => undefined);
      if (signal.aborted) return;
      await withPatience({ limitMs: PATIENCE_MS, signal }, () => renew([...held])).catch((error) => {
        if (!signal.aborted) logger.warn('leases could not be renewed', { error: describeError(error) });
      });
    }
  }

  return {
    async during(lease, work) {
      held.add(lease);
      if (renewing === undefined) {
        renewing = new AbortController();
        void renewUntil(renewing.signal);
      }
      try {
        return await work();
      } finally {
        held.delete(lease);
        if (held.size === 0) {
          renewing?.abort();
          renewing = undefined;
        }
      }
    },
  };
}
