import type { AccountStore } from './storage-accounts.ts';
import type { ApplicationStore } from './storage-applications.ts';
import type { MirrorStore } from './storage-mirror.ts';
import type { ChannelStore, LeaseStore, ScheduleStore } from './storage-sync.ts';
import type { OutboxStore, SubscriptionStore } from './storage-webhooks.ts';

/**
 * Everything the engine keeps. Instants are epoch milliseconds, texts compare by their UTF-8 bytes.
 * Tenant first: every method that reads or writes a tenant's data takes the application id and neither finds nor
 * changes rows of another application. Every method is atomic: it happens wholly or not at all, also when the process
 * dies; methods never span a provider call. Any number of processes may share one storage. Times that decide who owns
 * something (leases, due work) are the storage's own clock.
 */
export interface Storage {
  /** Brings the schema up to date. Safe to call from several processes at once; idempotent. */
  open(): Promise<void>;
  close(): Promise<void>;
  readonly applications: ApplicationStore;
  readonly accounts: AccountStore;
  readonly mirror: MirrorStore;
  readonly schedule: ScheduleStore;
  readonly leases: LeaseStore;
  readonly channels: ChannelStore;
  readonly subscriptions: SubscriptionStore;
  readonly outbox: OutboxStore;
}
