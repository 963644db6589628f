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

/** A browser's way through the authorization flow, remembered on our side between the two redirects. */
export interface AuthorizationRow {
  /** SHA-256 of the state sent to the provider, hex. */
  readonly stateHash: string;
  readonly applicationId: string;
  readonly providerType: string;
  readonly redirectUrl: string;
  readonly state: string | null;
  readonly loginHint: string | null;
  readonly externalId: string | null;
  /** SHA-256 of the nonce in the browser's cookie, hex. */
  readonly cookieHash: string;
  readonly wrappedKey: string;
  readonly sealedVerifier: string;
  readonly nonce: string;
  readonly expiresAt: number;
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

  createAuthorization(row: AuthorizationRow): Promise<void>;
  /** Removes and returns the row: of any number of concurrent callers exactly one receives it. Expired rows are removed and not returned. */
  takeAuthorization(stateHash: string, now: number): Promise<AuthorizationRow | undefined>;
  /** Removes the oldest rows of an application that has more than `above`, until nine tenths of that are left; resolves with their number. */
  trimAuthorizations(applicationId: string, above: number): Promise<number>;
  /** Removes expired rows; resolves with their number. */
  purgeAuthorizations(now: number): Promise<number>;

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
