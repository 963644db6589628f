import type { CredentialRow, DataKeyRow, ProviderConfigRow, TargetRow } from '../ports/index.ts';

// These texts are sealed into what is stored: a changed one opens nothing any more.

/** Whose the data key of an account's credentials is. */
export const credentialKeyOwner = (row: Pick<CredentialRow, 'applicationId' | 'accountId'>) =>
  `${row.applicationId}/${row.accountId}`;

/** Whose the data key of an OAuth client is. By type, not by id: replacing a client keeps the stored id, which is not known before the write. */
export const clientKeyOwner = (row: Pick<ProviderConfigRow, 'applicationId' | 'providerType'>) =>
  `${row.applicationId}/provider/${row.providerType}`;

/** Whose the data key of a subscription or an endpoint is. */
export const targetKeyOwner = (row: Pick<TargetRow, 'applicationId' | 'id'>) => `${row.applicationId}/${row.id}`;

/** Whose the data key of a row is. */
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
