import { credentialKeyOwner } from '../data-keys/index.ts';
import type { CredentialRow, Sealer } from '../ports/index.ts';

export interface AccountTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

type CredentialOwner = Pick<CredentialRow, 'applicationId' | 'accountId'>;
type SealedTokens = Pick<CredentialRow, 'sealedAccessToken' | 'sealedRefreshToken'>;

/** Seals the tokens of accounts, one data key per account, and opens them. */
export interface CredentialVault {
  /** Under a new data key. */
  sealNew(owner: CredentialOwner, tokens: AccountTokens): Promise<SealedTokens & Pick<CredentialRow, 'wrappedKey'>>;
  /** Under the data key that the row has. */
  seal(row: CredentialOwner & Pick<CredentialRow, 'wrappedKey'>, tokens: AccountTokens): Promise<SealedTokens>;
  /** @throws KalendsError InternalError when the row was altered or sealed under a lost secret */
  open(row: CredentialRow): Promise<AccountTokens>;
}

export function createCredentialVault(sealer: Sealer): CredentialVault {
  const seal: CredentialVault['seal'] = async (row, tokens) => ({
    sealedAccessToken: await sealer.seal(row.wrappedKey, credentialKeyOwner(row), 'accessToken', tokens.accessToken),
    sealedRefreshToken: await sealer.seal(row.wrappedKey, credentialKeyOwner(row), 'refreshToken', tokens.refreshToken),
  });
  return {
    seal,
    async sealNew(owner, tokens) {
      const wrappedKey = await sealer.createKey(credentialKeyOwner(owner));
      return { wrappedKey, ...(await seal({ ...owner, wrappedKey }, tokens)) };
    },
    open: async (row) => ({
      accessToken: await sealer.open(row.wrappedKey, credentialKeyOwner(row), 'accessToken', row.sealedAccessToken),
      refreshToken: await sealer.open(row.wrappedKey, credentialKeyOwner(row), 'refreshToken', row.sealedRefreshToken),
    }),
  };
}
