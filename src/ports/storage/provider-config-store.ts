import type { AuditRow } from './audit-store.ts';

/** The application's OAuth client at one provider; `id` is the `providerId` of its accounts. */
export interface ProviderConfigRow {
  readonly id: string;
  readonly applicationId: string;
  readonly providerType: string;
  readonly clientId: string;
  readonly wrappedKey: string;
  readonly sealedClientSecret: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Scopes to ask for; null for the provider's own. */
  readonly scopes: readonly string[] | null;
  /** When the secret ends at the provider, as the operator said; null when unknown. */
  readonly secretExpiresAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Stores the OAuth clients of applications, at most one for each provider. */
export interface ProviderConfigStore {
  /**
   * Inserts the row, or replaces the one of the same (applicationId, providerType), whose id and createdAt stay. Resolves with
   * the row as stored.
   * @throws KalendsError NotFound when there is no such application, or its deletion has begun
   */
  put(row: ProviderConfigRow, audit?: AuditRow): Promise<ProviderConfigRow>;
  find(applicationId: string, providerType: string): Promise<ProviderConfigRow | undefined>;
  /** By id, for accounts that were connected under it. */
  findById(applicationId: string, id: string): Promise<ProviderConfigRow | undefined>;
  /** Ascending by provider type. */
  list(applicationId: string): Promise<readonly ProviderConfigRow[]>;
  /**
   * Removes the client. Resolves `used`, changing nothing, while accounts that were connected under it exist, and `unknown`
   * when there is none.
   */
  remove(applicationId: string, providerType: string, audit?: AuditRow): Promise<'removed' | 'used' | 'unknown'>;
}
