import type { CredentialRow, DataKeyRow, ProviderConfigRow, TargetRow } from '../ports/index.ts';

// The owners are sealed into stored keys: with a changed text, no key opens any more.

/** Owner of the data key of an account's credentials. */
export const credentialKeyOwner = (row: Pick<CredentialRow, 'applicationId' | 'accountId'>) =>
  `${row.applicationId}/${row.accountId}`;

/**
 * Owner of the data key of an OAuth client: its type and not its id, because replacing a client keeps the stored id, which is
 * unknown before the write.
 */
export const clientKeyOwner = (row: Pick<ProviderConfigRow, 'applicationId' | 'providerType'>) =>
  `${row.applicationId}/provider/${row.providerType}`;

/** Owner of the data key of a subscription or an endpoint. */
export const targetKeyOwner = (row: Pick<TargetRow, 'applicationId' | 'id'>) => `${row.applicationId}/${row.id}`;

/** Returns the owner of a row's data key. */
export function keyOwner(row: DataKeyRow): string {
  switch (row.kind) {
    case 'client':
      return clientKeyOwner(row);
    case 'credential':
      return credentialKeyOwner(row);
    case 'target':
      return targetKeyOwner(row);
  }
}
