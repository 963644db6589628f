import type { Clock, HeldLease } from '../ports/index.ts';
import { createKeyedMutex, retry } from '../runtime/index.ts';
import type { HeldLeases } from './held-leases.ts';

const WAIT_STEP_MS = 200;
const WAIT_STEPS = 150;

/** Does work that excludes other work of the same name, across processes. @throws LeaseHeldError */
export type LeaseLock = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

/** Creates a lock that waits up to 30 s for another process, and in order without a limit within this one. */
export function createLeaseLock(leases: HeldLeases, clock: Clock): LeaseLock {
  const mutex = createKeyedMutex();
  const claim = async (name: string): Promise<HeldLease> => {
    const lease = await leases.claim(name);
    if (lease === undefined) throw new LeaseHeldError(name);
    return lease;
  };
  return (name, work) =>
    mutex.run(name, async () => {
      const lease = await retry(() => claim(name), {
        clock,
        attempts: WAIT_STEPS,
        delayMs: () => WAIT_STEP_MS,
        shouldRetry: (error) => error instanceof LeaseHeldError,
      });
      return await leases.during(lease, work);
    });
}

/** Thrown when another process has held the lease for too long. */
export class LeaseHeldError extends Error {
  constructor(name: string) {
    super(`Another process holds the lease ${name}.`);
    this.name = 'LeaseHeldError';
  }
}
