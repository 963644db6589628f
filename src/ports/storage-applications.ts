/** An application: the tenant. */
export interface ApplicationRow {
  readonly id: string;
  readonly name: string;
  /** Registered redirect URLs, exact, the first is the default. */
  readonly redirectUrls: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The application's OAuth client at one provider; `id` is the `providerId` of its accounts. */
export interface ProviderConfigRow {
  readonly id: string;
  readonly applicationId: string;
  readonly providerType: string;
  readonly clientId: string;
  readonly wrappedKey: string;
  readonly sealedClientSecret: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

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

export interface ApplicationStore {
  create(row: ApplicationRow): Promise<void>;
  find(applicationId: string): Promise<ApplicationRow | undefined>;
  /** Ascending by creation. */
  list(input: {
    readonly limit: number;
    readonly after?: { readonly createdAt: number; readonly id: string };
  }): Promise<readonly ApplicationRow[]>;
  /** Resolves false when there is no such application. */
  update(
    applicationId: string,
    patch: { readonly name?: string; readonly redirectUrls?: readonly string[]; readonly updatedAt: number },
  ): Promise<boolean>;

  /** Inserts, or replaces the one of the same (applicationId, providerType), whose id and createdAt stay. Resolves with the row as stored. */
  putProviderConfig(row: ProviderConfigRow): Promise<ProviderConfigRow>;
  findProviderConfig(applicationId: string, providerType: string): Promise<ProviderConfigRow | undefined>;
  /** By id, for accounts that were made under it. */
  findProviderConfigById(applicationId: string, id: string): Promise<ProviderConfigRow | undefined>;

  createKey(row: ApiKeyRow): Promise<void>;
  /** Looks the key up across applications: this is how a caller becomes a tenant. */
  findKeyByHash(hash: string): Promise<ApiKeyRow | undefined>;
  /** All of them, revoked ones too, ascending by creation. */
  listKeys(applicationId: string): Promise<readonly ApiKeyRow[]>;
  /** Resolves false when there is none. A key that was revoked before keeps that time. */
  revokeKey(applicationId: string, keyId: string, at: number): Promise<boolean>;

  /**
   * Marks an authorization's state as used: of any number of concurrent callers exactly one gets true, all others and all
   * later ones false. `stateHash` is the SHA-256 of the state, hex.
   */
  markStateUsed(stateHash: string, expiresAt: number): Promise<boolean>;
  /** Removes marks of states that expired before this time; resolves with their number. */
  purgeUsedStates(before: number): Promise<number>;

  /** Appends to the audit log, which outlives what it speaks of. */
  audit(row: {
    readonly at: number;
    readonly applicationId: string;
    readonly actor: string;
    readonly action: string;
    readonly target: string;
  }): Promise<void>;
  /** Newest first. */
  listAudit(
    applicationId: string,
    limit: number,
  ): Promise<
    readonly { readonly at: number; readonly actor: string; readonly action: string; readonly target: string }[]
  >;
}
