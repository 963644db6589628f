import type { Clock, HeldLease, LeaseStore, Logger } from '../ports/index.ts';
import { describeError } from '../runtime/index.ts';
import { createLeaseKeeper, LEASE_MS } from './lease-keeper.ts';

/** Claims leases by name, for exclusive work across processes. */
export interface HeldLeases {
  /** Claims the lease; undefined when it is held. The lease expires soon unless `during` renews it. */
  claim(name: string): Promise<HeldLease | undefined>;
  /**
   * Does work under the lease, renews it meanwhile and releases it at the end. A lease can be lost while the process is
   * suspended: each commit is fenced by the lease's epoch.
   * @param work calls `released` once it has released the lease itself
   */
  during<Result>(lease: HeldLease, work: (released: () => void) => Promise<Result>): Promise<Result>;
  /** Releases the lease. A failure is only logged: the lease then expires by itself. */
  release(lease: HeldLease): Promise<void>;
}

export function createHeldLeases(
  leases: LeaseStore,
  runtime: { readonly clock: Clock; readonly logger: Logger },
): HeldLeases {
  const keeper = createLeaseKeeper((held: readonly HeldLease[]) => leases.renew(held, LEASE_MS), runtime);

  const release = async ({ name, epoch }: HeldLease) => {
    await leases.release(name, epoch).catch((error) => {
      runtime.logger.warn('lease not released', { ...described(name), error: describeError(error) });
    });
  };

  return {
    async claim(name) {
      const claimed = await leases.claim(name, LEASE_MS);
      return claimed && { name, epoch: claimed.epoch };
    },
    async during(lease, work) {
      let isReleased = false;
      try {
        const released = () => {
          isReleased = true;
        };
        return await keeper.during(lease, () => work(released));
      } finally {
        if (!isReleased) await release(lease);
      }
    },
    release,
  };
}

/** Names a lease in the log by its kind and account: some names end with a calendar id, at Google an e-mail address. */
function described(name: string) {
  const [leaseKind, ...ids] = name.split(':');
  return { leaseKind, accountId: ids.find((id) => id.startsWith('acc_')) };
}
