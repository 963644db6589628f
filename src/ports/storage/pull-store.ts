import type { CollectionKey, CollectionState, ItemVersion } from './mirror-store.ts';
import type { FinishedPull, HeldLease, ScheduleState } from './sync-stores.ts';

/** Everything that a pull of a collection begins with, as the stores' own methods return it. */
export interface PullStart {
  readonly schedule: ScheduleState;
  /** Time left of the account's cool-down by the storage's clock, which goes by `schedule.notBefore`; 0 for none. */
  readonly coolDownMs: number;
  /** The calendar as its account's calendar list has it; undefined for the list itself. */
  readonly calendar: ItemVersion | undefined;
  /** Undefined before the collection's first pull. */
  readonly state: CollectionState | undefined;
  readonly providerToken: string | null;
  /** Whether there is anything on the re-read list. */
  readonly hasRereads: boolean;
  /** Whether a sweep has been started and not ended: it is running, or its process was stopped. */
  readonly isSweeping: boolean;
  /** The collection's push channels that the provider has confirmed; null: there is none. */
  readonly push: PushCover | null;
  /** Whether an enabled subscription covers the collection. */
  readonly isSubscribed: boolean;
}

/** How far push channels cover a collection, epoch milliseconds. */
export interface PushCover {
  /** Creation of the first of them that ends after now. */
  readonly since: number;
  /** End of the last one. */
  readonly until: number;
}

/** Begins and ends pulls with one call each: on a database server, a round trip. */
export interface PullStore {
  /**
   * Claims the lease as `LeaseStore.claim` does, then reads everything as of one moment. Without such an account there is nothing
   * of it. `epoch` is undefined when the lease is held.
   */
  begin(
    key: CollectionKey,
    lease: { readonly name: string; readonly ttlMs: number },
  ): Promise<{ readonly epoch: number | undefined; readonly start: PullStart }>;
  /** Reads the same for work under another lease. */
  read(key: CollectionKey): Promise<PullStart>;
  /**
   * Stores the resume point at the provider, if one is given, records the end as `ScheduleStore.finish` does and releases the
   * lease. False, and without effect, when the lease was lost; also after an end whose answer was lost with its connection, since a
   * repetition finds the lease released.
   * @throws KalendsError NotFound, with the lease released, when there is no such collection
   */
  end(
    key: CollectionKey,
    lease: HeldLease,
    end: { readonly providerToken?: string; readonly finished: FinishedPull },
  ): Promise<boolean>;
}
