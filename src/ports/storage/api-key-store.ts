export interface ApiKeyRow {
  readonly id: string;
  readonly applicationId: string;
  readonly name: string;
  /** Peppered HMAC of the key, hex. */
  readonly hash: string;
  readonly canReadCredentials: boolean;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly createdAt: number;
}

/** Stores the API keys of applications. */
export interface ApiKeyStore {
  create(row: ApiKeyRow): Promise<void>;
  /** Searches all applications: the key tells which one the caller is. */
  findByHash(hash: string): Promise<ApiKeyRow | undefined>;
  /** Every key, revoked ones included, ascending by creation. */
  list(applicationId: string): Promise<readonly ApiKeyRow[]>;
  /** Resolves false when there is no such key. A key that is revoked already keeps its `revokedAt`. */
  revoke(applicationId: string, keyId: string, at: number): Promise<boolean>;
}
