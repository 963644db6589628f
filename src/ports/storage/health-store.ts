import type { Finding } from '../finding.ts';

/** Due work of all tenants. Instants are epoch milliseconds; null where there is none. */
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
  /** Objects of providers that cannot be read, or parts of them, counted up to `STATS_LIMIT`. */
  readonly unreadableObjects: number;
  /** OAuth client secrets that have ended or end within SECRET_NOTICE_MS, as far as operators said when, counted up to `STATS_LIMIT`. */
  readonly expiringClientSecrets: number;
}

/** How long before the end of an OAuth client's secret operators are told: 30 days. */
export const SECRET_NOTICE_MS = 30 * 86_400_000;

/** Greatest count in the statistics: counting must not cost more when there is trouble. */
export const STATS_LIMIT = 10_000;

/** State of a database's schema: names of migrations, in their order. */
export interface SchemaState {
  readonly applied: readonly string[];
  /** Migrations that `open` would apply. */
  readonly missing: readonly string[];
}

/** State of a storage that answers. */
export interface StorageState {
  /** Whether every migration of this version has been applied. */
  readonly isMigrated: boolean;
  /** Whether a later version has applied others as well: processes of this one are to be replaced. */
  readonly hasLaterMigrations: boolean;
  /** The tz data that its processes are to have; null when none has been set. */
  readonly zoneData: string | null;
  /** Describes what an operator has to repair (a full disk, damaged pages); null when there is nothing. */
  readonly fault: string | null;
  /**
   * Databases, of a storage over several, that need an operator while the accounts of the others are served; none when all are
   * well. All other fields are of the one that decides. @default none: there is one database
   */
  readonly troubles?: readonly DatabaseTrouble[];
}

/** Why the accounts of one database cannot be served. */
export interface DatabaseTrouble {
  /** Its name. */
  readonly database: string;
  /** Follows the name in a sentence, as "does not answer". */
  readonly problem: string;
}

/** One database of several. */
export interface DatabaseHealth {
  readonly name: string;
  /** Its address without credentials; null when it is not known. */
  readonly address: string | null;
  readonly health: HealthStore;
}

/** The databases of a storage over several. */
export interface Databases {
  /** The one that decides first. */
  readonly given: readonly DatabaseHealth[];
  /** Counts the accounts in databases that the storage has not been given, by their names: they cannot be served. */
  countMissing(): Promise<readonly { readonly name: string; readonly accounts: number }[]>;
}

/** Reports the storage's state to operators. */
export interface HealthStore {
  /** Works before `open`: a database that is empty, or cannot be read, has no migration applied. */
  schema(): Promise<SchemaState>;
  /**
   * Returns the statements that `open` would run, in their order and as one transaction; none when the schema is current.
   * @throws Error when `open` would refuse the database
   */
  migrationSql(): Promise<readonly string[]>;
  /**
   * Checks whether the database can be read and written, and whether its schema is current.
   * @throws what the driver threw when the database cannot be reached
   */
  inspect(): Promise<StorageState>;
  /** Resolves when the database answers. Works before `open`, and creates nothing. @throws Error that says why it cannot be reached */
  reach(): Promise<void>;
  /**
   * Examines the database's surroundings: the version and role of a server; the disk, the permissions and the soundness of a file.
   * Works before `open`, and changes nothing. Every finding that is neither ok nor skipped has a remedy. The signal ends it.
   * @throws the signal's reason, or what the driver threw
   */
  diagnose(signal: AbortSignal): Promise<readonly Finding[]>;
  /** Sets which tz data processes are to have; with `ifNone` only when none is set. */
  setZoneData(version: string, options?: { readonly ifNone?: boolean }): Promise<void>;
  /** Counts due work. It reads the ends of indexes only: the cost does not grow with the tables. */
  stats(): Promise<StorageStats>;
  /** Each database, of a storage over several. @default there is one */
  readonly databases?: Databases;
}
