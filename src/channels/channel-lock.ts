import type { HeldLeases } from '../leases/index.ts';
import { createLeaseLock } from '../leases/index.ts';
import type { Clock, CollectionKey } from '../ports/index.ts';

/** Runs work on the channels of one collection exclusively, across processes. */
export type ChannelLock = <Result>(key: CollectionKey, work: () => Promise<Result>) => Promise<Result>;

/**
 * Creates the lock. Without it, a new subscription could join a channel while the deletion of the last other subscription
 * closes that channel, which would leave the new one uncovered.
 */
export function createChannelLock(leases: HeldLeases, clock: Clock): ChannelLock {
  const lock = createLeaseLock(leases, clock);
  return (key, work) => lock(`channel:${key.accountId}:${key.calendarId ?? ''}`, work);
}
