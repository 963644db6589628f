import type { Credentials, EndUserAccount, TokenCredentials } from '../model/index.ts';
import type { AccountCredentials, AccountRow, CredentialRow, SignInRow, TokenRow } from '../ports/index.ts';
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

/** The tokens of an account with OAuth as the interface shows them. */
export function viewTokens(row: TokenRow, { accessToken, refreshToken }: AccountTokens): TokenCredentials {
  return { ...storedIn(row), accessToken, refreshToken, expiresAt: isoText(row.expiresAt), ...stateOf(row) };
}

/** The credentials of an account without OAuth as the interface shows them, secrets included. */
export function viewSignIn(row: SignInRow, credentials: AccountCredentials): Exclude<Credentials, TokenCredentials> {
  return { ...storedIn(row), ...credentials, ...stateOf(row) };
}

const storedIn = ({ id, accountId }: CredentialRow) => ({ id, endUserAccountId: accountId });

const stateOf = ({ status, createdAt, updatedAt }: CredentialRow) => ({
  status,
  createdAt: isoText(createdAt),
  updatedAt: isoText(updatedAt),
});

const isoText = (at: number) => new Date(at).toISOString();
