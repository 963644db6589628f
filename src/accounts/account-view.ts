import type { Credentials, EndUserAccount } from '../model/index.ts';
import type { AccountRow, CredentialRow } from '../ports/index.ts';
import type { AccountTokens } from './credential-vault.ts';

/** The account as the interface shows it. */
export function viewAccount(row: AccountRow): EndUserAccount {
  return {
    id: row.id,
    createdAt: isoText(row.createdAt),
    updatedAt: isoText(row.updatedAt),
    email: row.email,
    externalId: row.externalId,
    authorizedScopes: [...row.authorizedScopes],
    providerAccountId: row.providerAccountId,
    providerId: row.providerConfigId,
    applicationId: row.applicationId,
    status: row.status,
    providerType: row.providerType,
  };
}

/** The credentials as the interface shows them, tokens included. */
export function viewCredentials(row: CredentialRow, tokens: AccountTokens): Credentials {
  return {
    id: row.id,
    endUserAccountId: row.accountId,
    accessToken: tokens.accessToken,
    refreshToken: tokens.refreshToken,
    expiresAt: isoText(row.expiresAt),
    status: row.status,
    createdAt: isoText(row.createdAt),
    updatedAt: isoText(row.updatedAt),
  };
}

const isoText = (at: number) => new Date(at).toISOString();
