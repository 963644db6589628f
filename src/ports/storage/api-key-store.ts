import type { AuditRow } from './audit-store.ts';

export interface ApiKeyRow {
  readonly id: string;
  readonly applicationId: string;
  readonly name: string;
  /** Peppered HMAC of the key, hex. */
  readonly hash: string;
  readonly canReadCredentials: boolean;
  /** Whether it may only read. */
  readonly readOnly: boolean;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Latest use that was noted; null before the first. */
  readonly lastUsedAt: number | null;
  readonly createdAt: number;
}

/** Stores the API keys of applications. */
export interface ApiKeyStore {
  /**
   * Rejects when the id is taken, and writes no entry then.
   * @throws KalendsError NotFound when there is no such application, or its deletion has begun
   */
  create(row: ApiKeyRow, audit?: AuditRow): Promise<void>;
  /**
   * Returns the key that is stored under one of the hashes, at most 256; of several keys, one. All are looked up at the same time: a key whose
   * hash is replaced by another of them meanwhile is found. Searches all applications: the key tells which one the caller is.
   */
  findByHash(...hashes: readonly string[]): Promise<ApiKeyRow | undefined>;
  /** Every key, revoked ones included, ascending by creation. */
  list(applicationId: string): Promise<readonly ApiKeyRow[]>;
  /** Resolves false when there is no such key. A key that is revoked already keeps its `revokedAt`. */
  revoke(applicationId: string, keyId: string, at: number, audit?: AuditRow): Promise<boolean>;
  /** Sets lastUsedAt of the keys to the given times, unless they are later already. */
  noteUses(uses: readonly { readonly id: string; readonly at: number }[]): Promise<void>;
  /** Replaces a key's hash, if it still is `expected`. */
  replaceHash(id: string, expected: string, hash: string): Promise<void>;
}
