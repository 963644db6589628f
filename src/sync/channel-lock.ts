import type { Clock, CollectionKey, LeaseStore } from '../ports/index.ts';
import { createKeyedMutex, retry } from '../runtime/index.ts';

/** Longer than opening or closing a channel takes, handshake and provider retries included. */
const LEASE_MS = 120_000;
const WAIT_STEP_MS = 200;
const WAIT_STEPS = 150;

/** Exclusive care for the channels of one collection, across processes. */
export type ChannelLock = <Result>(key: CollectionKey, work: () => Promise<Result>) => Promise<Result>;

/**
 * Without it, a subscription that joins a channel and the deletion of the last one that used it would pass each other, and
 * leave a subscription without a channel.
 */
export function createChannelLock(leases: LeaseStore, clock: Clock): ChannelLock {
  const mutex = createKeyedMutex();
  const claim = async (name: string) => {
    const lease = await leases.claim(name, LEASE_MS);
    if (lease === undefined) throw new LeaseHeldError(name);
    return lease;
  };
  return (key, work) => {
    const name = `channel:${key.accountId}:${key.calendarId ?? ''}`;
    return mutex.run(name, async () => {
      const lease = await retry(() => claim(name), {
        clock,
        attempts: WAIT_STEPS,
        delayMs: () => WAIT_STEP_MS,
        shouldRetry: (error) => error instanceof LeaseHeldError,
      });
      try {
        return await work();
      } finally {
        await leases.release(name, lease.epoch);
      }
    });
  };
}

/** Another process cares for these channels at the moment. */
class LeaseHeldError extends Error {
  constructor(name: string) {
    super(`The lease ${name} is held by another process.`);
    this.name = 'LeaseHeldError';
  }
}
