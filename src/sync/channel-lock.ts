import type { Clock, CollectionKey, LeaseStore } from '../ports/index.ts';
import { createLeaseLock } from './lease-lock.ts';

/** Longer than opening or closing a channel takes, handshake and provider retries included. */
const LEASE_MS = 120_000;

/** Exclusive care for the channels of one collection, across processes. */
export type ChannelLock = <Result>(key: CollectionKey, work: () => Promise<Result>) => Promise<Result>;

/**
 * Without it, a subscription that joins a channel and the deletion of the last one that used it would pass each other, and
 * leave a subscription without a channel.
 */
export function createChannelLock(leases: LeaseStore, clock: Clock): ChannelLock {
  const lock = createLeaseLock(leases, clock, LEASE_MS);
  return (key, work) => lock(`channel:${key.accountId}:${key.calendarId ?? ''}`, work);
}
