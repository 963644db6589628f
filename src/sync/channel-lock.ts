import type { Clock, CollectionKey } from '../ports/index.ts';
import type { HeldLeases } from '../runtime/index.ts';
import { createLeaseLock } from './lease-lock.ts';

/** Exclusive care for the channels of one collection, across processes. */
export type ChannelLock = <Result>(key: CollectionKey, work: () => Promise<Result>) => Promise<Result>;

/**
 * Without it, a subscription that joins a channel and the deletion of the last one that used it would pass each other, and
 * leave a subscription without a channel.
 */
export function createChannelLock(leases: HeldLeases, clock: Clock): ChannelLock {
  const lock = createLeaseLock(leases, clock);
  return (key, work) => lock(`channel:${key.accountId}:${key.calendarId ?? ''}`, work);
}
