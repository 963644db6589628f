import type { Clock, HeldLease, LeaseStore, Logger } from '../ports/index.ts';
import { describeError } from './background-loop.ts';
import { createLeaseKeeper, LEASE_MS } from './lease-keeper.ts';

/** Exclusive work by name, across processes. */
export interface HeldLeases {
  /** Claims the lease; undefined when it is held. It is lost soon without `during` or `release`. */
  claim(name: string): Promise<HeldLease | undefined>;
  /**
   * Does work under the lease, which is renewed meanwhile and given up at the end. Whether it was lost meanwhile (a process
   * that stood still) is for the fence of each commit to say.
   */
  during<Result>(lease: HeldLease, work: () => Promise<Result>): Promise<Result>;
  /** Gives it up. A lease that cannot be given up runs out: what was done stays done. */
  release(lease: HeldLease): Promise<void>;
}

export function createHeldLeases(
  leases: LeaseStore,
  runtime: { readonly clock: Clock; readonly logger: Logger },
): HeldLeases {
  const keeper = createLeaseKeeper((held: readonly HeldLease[]) => leases.renew(held, LEASE_MS), runtime);

  const release = async ({ name, epoch }: HeldLease) => {
    await leases.release(name, epoch).catch((error) => {
      runtime.logger.warn('a lease could not be given up', { lease: name, error: describeError(error) });
    });
  };

  return {
    async claim(name) {
      const claimed = await leases.claim(name, LEASE_MS);
      return claimed && { name, epoch: claimed.epoch };
    },
    async during(lease, work) {
      try {
        return await keeper.during(lease, work);
      } finally {
        await release(lease);
      }
    },
    release,
  };
}
