import type { Clock, Logger } from '../ports/index.ts';
import { describeError, withOutageTimeout } from '../runtime/index.ts';

/** Duration of a lease: a killed process blocks the others for this long. */
export const LEASE_MS = 10_000;
/** Renewals per duration of a lease. */
const RENEWALS = 3;
/** Wait for a storage that is down: the holder should be the first to claim the lease again. */
const OUTAGE_TIMEOUT_MS = 30_000;

/** Renews the leases of this process together, while the work under them goes on. */
export interface LeaseKeeper<Lease> {
  /** Does work and renews its lease until the work ends. Does not release the lease. */
  during<Result>(lease: Lease, work: () => Promise<Result>): Promise<Result>;
}

/**
 * Creates a keeper that renews its leases every third of `leaseMs` in one call, whose cost does not grow with their number.
 * It does not notice a lost lease: the storage rejects commits under an old epoch.
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
      await withOutageTimeout({ limitMs: OUTAGE_TIMEOUT_MS, signal }, () => renew([...held])).catch((error) => {
        if (!signal.aborted) logger.warn('leases not renewed', { error: describeError(error) });
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
