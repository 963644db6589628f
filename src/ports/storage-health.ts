/** How much is waiting, over all tenants. Instants are epoch milliseconds; null where there is none. */
export interface StorageStats {
  /** The storage's own clock, which decides what is due. */
  readonly now: number;
  /** Collections that are due to be pulled, counted up to `STATS_LIMIT`, and since when the first is. */
  readonly dueCollections: number;
  readonly oldestDueAt: number | null;
  /** Subscriptions and endpoints with a message that is due, counted up to `STATS_LIMIT`, and since when the first is. */
  readonly dueDeliveries: number;
  readonly oldestDeliveryDueAt: number | null;
  /** Push channels whose renewal is overdue, counted up to `STATS_LIMIT`, and since when the first is. */
  readonly overdueRenewals: number;
  readonly oldestRenewalDueAt: number | null;
}

/** What is counted is counted so far and no further: a count must not cost more when there is trouble. */
export const STATS_LIMIT = 10_000;

/** How far a database has been brought: names of migrations, in their order. */
export interface SchemaState {
  readonly applied: readonly string[];
  /** What `open` would apply. */
  readonly missing: readonly string[];
}

/** State of a storage that answers. */
export interface StorageState {
  /** Whether every migration of this version has been applied, and no other. */
  readonly isMigrated: boolean;
  /** The tz data that its processes are to have; null when none has been set. */
  readonly zoneData: string | null;
  /** What an operator has to mend before the storage works as it should (a full disk, damaged pages), in words; null for nothing. */
  readonly fault: string | null;
}

/** What operators ask of a storage. */
export interface HealthStore {
  /** May be asked before `open`: a database that is empty, or cannot be read, has had nothing applied. */
  schema(): Promise<SchemaState>;
  /**
   * Asks the database whether it can be read and written, and how far it has been brought.
   * @throws what the driver threw when the database cannot be reached
   */
  inspect(): Promise<StorageState>;
  /** Says which tz data processes are to have; with `ifNone` only when nobody has said yet. */
  setZoneData(version: string, options?: { readonly ifNone?: boolean }): Promise<void>;
  /** Reads the ends of indexes only: the cost does not grow with the tables. */
  stats(): Promise<StorageStats>;
}
