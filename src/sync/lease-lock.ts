import type { Clock, HeldLease } from '../ports/index.ts';
import { createKeyedMutex, type HeldLeases, retry } from '../runtime/index.ts';

const WAIT_STEP_MS = 200;
const WAIT_STEPS = 150;

/** Does work that nothing else of the same name passes, in this process or another. @throws LeaseHeldError */
export type LeaseLock = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

/** Waits up to half a minute for another process; within this one for as long as it takes, in order. */
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

/** Another process has been at this work for too long. */
export class LeaseHeldError extends Error {
  constructor(name: string) {
    super(`The lease ${name} is held by another process.`);
    this.name = 'LeaseHeldError';
  }
}
