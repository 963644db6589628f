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

/** Stores the OAuth clients of applications, at most one for each provider. */
export interface ProviderConfigStore {
  /**
   * Inserts the row, or replaces the one of the same (applicationId, providerType), whose id and createdAt stay. Resolves with
   * the row as stored.
   */
  put(row: ProviderConfigRow): Promise<ProviderConfigRow>;
  find(applicationId: string, providerType: string): Promise<ProviderConfigRow | undefined>;
  /** By id, for accounts that were connected under it. */
  findById(applicationId: string, id: string): Promise<ProviderConfigRow | undefined>;
}
