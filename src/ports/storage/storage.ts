import type { AccountStore } from './account-store.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { ApplicationStore } from './application-store.ts';
import type { AuditStore } from './audit-store.ts';
import type { DataKeyStore } from './data-key-store.ts';
import type { ErasureStore } from './erasure-store.ts';
import type { FeedStore } from './feed-store.ts';
import type { HealthStore } from './health-store.ts';
import type { HoldStore } from './hold-store.ts';
import type { ImportStore } from './import-store.ts';
import type { IntentStore } from './intent-store.ts';
import type { MeasurementStore } from './measurement-store.ts';
import type { MirrorStore } from './mirror-store.ts';
import type { ProviderConfigStore } from './provider-config-store.ts';
import type { PullStore } from './pull-store.ts';
import type { ReadStore } from './read-store.ts';
import type { StorageCommits } from './storage-commits.ts';
import type { ChannelStore, LeaseStore, ScheduleStore } from './sync-stores.ts';
import type { UsedStateStore } from './used-state-store.ts';
import type { EndpointStore, OutboxStore, SubscriptionStore, TargetStore } from './webhook-stores.ts';

/** Kinds of work that a process may have made due for others: pulls and deliveries. */
export type StorageTopic = 'schedule' | 'outbox';

/**
 * Tells workers of work that other processes have just made due, so that they need not wait for their next look. A hint: it
 * may come late, twice, without cause or never, and says nothing about this process's own work.
 */
export interface StorageChanges {
  /** Calls the listener until the returned function is called. A listener must not throw. */
  subscribe(listener: (topic: StorageTopic) => void): () => void;
}

/**
 * Everything the engine keeps. Instants are epoch milliseconds, texts compare by their UTF-8 bytes.
 * Tenant first: every method that reads or writes a tenant's data takes the application id and neither finds nor
 * changes rows of another application. Every method is atomic: it happens wholly or not at all, also when the process
 * dies; methods never span a provider call. Any number of processes may share one storage. Times that decide who owns
 * something (leases, due work) are the storage's own clock. A storage that can be unreachable waits for as long as
 * `outageTimeoutReader` of `kalends/runtime` says, by default 5 s, then throws StorageUnavailableError. One whose disk is
 * full throws it at once from methods that write, and still reads where it can.
 */
export interface Storage {
  /** Brings the schema up to date. Safe to call from several processes at once; idempotent. */
  open(): Promise<void>;
  close(): Promise<void>;
  readonly applications: ApplicationStore;
  readonly providerConfigs: ProviderConfigStore;
  readonly apiKeys: ApiKeyStore;
  readonly feeds: FeedStore;
  readonly imports: ImportStore;
  readonly usedStates: UsedStateStore;
  readonly audit: AuditStore;
  readonly accounts: AccountStore;
  readonly mirror: MirrorStore;
  readonly reads: ReadStore;
  readonly pulls: PullStore;
  readonly schedule: ScheduleStore;
  readonly leases: LeaseStore;
  readonly intents: IntentStore;
  readonly holds: HoldStore;
  readonly channels: ChannelStore;
  readonly subscriptions: SubscriptionStore;
  readonly endpoints: EndpointStore;
  readonly targets: TargetStore;
  readonly outbox: OutboxStore;
  readonly dataKeys: DataKeyStore;
  readonly erasure: ErasureStore;
  readonly measurements: MeasurementStore;
  readonly health: HealthStore;
  readonly commits: StorageCommits;
  /** Absent where workers have to look by themselves. */
  readonly changes?: StorageChanges;
}
