import type { Clock, LeaseStore, Logger } from '../ports/index.ts';
import { describeError } from '../runtime/index.ts';

export interface HeldLease {
  readonly name: string;
  readonly epoch: number;
}

export interface LeaseKeeping {
  readonly leases: LeaseStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Does work under a lease, which is extended every third of its time and given up at the end. Whether it was lost meanwhile
 * (a process that stood still) is for the fence of each commit to say. `keepMs` is asked at the end: more than 0 leaves the
 * lease held for so long. One that cannot be given up then runs out: what was done stays done.
 */
export async function whileHeld<Result>(
  { leases, clock, logger }: LeaseKeeping,
  lease: HeldLease,
  ttlMs: number,
  work: () => Promise<Result>,
  keepMs: () => number = () => 0,
): Promise<Result> {
  const working = new AbortController();
  const { signal } = working;
  const extend = async () => {
    while (!signal.aborted) {
      await clock.sleep(ttlMs / 3, signal);
      if (!(await leases.renew(lease.name, lease.epoch, ttlMs))) return;
    }
  };
  const extending = extend().catch((error) => {
    if (!signal.aborted)
      logger.warn('a lease could not be extended', { lease: lease.name, error: describeError(error) });
  });
  const giveUp = async (restMs: number) => {
    if (restMs > 0) await leases.renew(lease.name, lease.epoch, restMs);
    else await leases.release(lease.name, lease.epoch);
  };
  try {
    return await work();
  } finally {
    working.abort();
    await extending;
    await giveUp(keepMs()).catch((error) => {
      logger.warn('a lease could not be given up', { lease: lease.name, error: describeError(error) });
    });
  }
}
