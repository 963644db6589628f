import type { AuditRow } from './audit-store.ts';
import type { CreationKey } from './creation-key.ts';

/** An application: the tenant. */
export interface ApplicationRow {
  readonly id: string;
  readonly name: string;
  /** Registered redirect URLs, compared exactly; the first is the default. */
  readonly redirectUrls: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When its deletion began; null for a living application. */
  readonly deletedAt: number | null;
}

/** Stores applications. An `audit` entry is written in the transaction of the change, and not without one. */
export interface ApplicationStore {
  /** Rejects when the id is taken, and writes no entry then. */
  create(row: ApplicationRow, audit?: AuditRow): Promise<void>;
  find(applicationId: string): Promise<ApplicationRow | undefined>;
  /** Ascending by creation, those whose deletion has begun included. */
  list(input: { readonly limit: number; readonly after?: CreationKey }): Promise<readonly ApplicationRow[]>;
  /** Resolves false when there is no such application, or its deletion has begun. */
  update(
    applicationId: string,
    patch: { readonly name?: string; readonly redirectUrls?: readonly string[]; readonly updatedAt: number },
    audit?: AuditRow,
  ): Promise<boolean>;
  /**
   * Replaces the redirect URLs by what `change` makes of the present ones, within one transaction; undefined leaves them, and
   * writes no entry. Resolves with the row as stored; undefined when there is no such application, or its deletion has begun.
   */
  changeRedirectUrls(
    applicationId: string,
    change: (redirectUrls: readonly string[]) => readonly string[] | undefined,
    updatedAt: number,
    audit?: AuditRow,
  ): Promise<ApplicationRow | undefined>;
  /** Begins the deletion and revokes the application's keys. Resolves false when there is none, or it had begun before. */
  beginDeletion(applicationId: string, at: number, audit?: AuditRow): Promise<boolean>;
  /** Lists applications whose deletion has begun, earliest first. */
  listDeleted(limit: number): Promise<readonly ApplicationRow[]>;
  /**
   * Removes an application whose deletion has begun, with its OAuth clients and keys. Resolves false, changing nothing, while
   * it has accounts or receivers, and when there is none.
   */
  remove(applicationId: string, audit?: AuditRow): Promise<boolean>;
}
