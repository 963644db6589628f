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
  /**
   * Returns the function that seals under the data key of the row. It needs no keyring any more: a rotated token, which may be
   * the last one, is not lost to an outage.
   */
  sealerOf(row: CredentialOwner & Pick<CredentialRow, 'wrappedKey'>): Promise<(tokens: AccountTokens) => SealedTokens>;
  /** Resolves when tokens can be sealed under new data keys now. */
  ready(): Promise<void>;
  /** @throws KalendsError InternalError when the row was altered or sealed under a lost secret */
  open(row: CredentialRow): Promise<AccountTokens>;
}

export function createCredentialVault(sealer: Sealer): CredentialVault {
  const sealerOf: CredentialVault['sealerOf'] = async (row) => {
    const key = await sealer.unwrap(row.wrappedKey, credentialKeyOwner(row));
    return ({ accessToken, refreshToken }) => ({
      sealedAccessToken: key.seal('accessToken', accessToken),
      sealedRefreshToken: key.seal('refreshToken', refreshToken),
    });
  };
  return {
    ready: () => sealer.ready(),
    sealerOf,
    async sealNew(owner, tokens) {
      const wrappedKey = await sealer.createKey(credentialKeyOwner(owner));
      const seal = await sealerOf({ ...owner, wrappedKey });
      return { wrappedKey, ...seal(tokens) };
    },
    async open(row) {
      const key = await sealer.unwrap(row.wrappedKey, credentialKeyOwner(row));
      return {
        accessToken: key.open('accessToken', row.sealedAccessToken),
        refreshToken: key.open('refreshToken', row.sealedRefreshToken),
      };
    },
  };
}
