import { credentialKeyOwner } from '../data-keys/index.ts';
import type { AccountCredentials, CredentialRow, Sealer, SignInRow, TokenRow } from '../ports/index.ts';

export interface AccountTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

type CredentialOwner = Pick<CredentialRow, 'applicationId' | 'accountId'>;
type SealedTokens = Pick<TokenRow, 'kind' | 'sealedAccessToken' | 'sealedRefreshToken'>;
type SealedSignIn = Pick<SignInRow, 'kind' | 'sealedCredentials'>;

/** Seals secrets of one account under its data key. Needs no keyring: a rotated token, which may be the last one, is not lost to an outage. */
export interface SecretsSealer {
  tokens(tokens: AccountTokens): SealedTokens;
  credentials(credentials: AccountCredentials): SealedSignIn;
}

/** Seals the secrets of accounts, one data key per account, and opens them. */
export interface CredentialVault {
  /** Creates a data key, with the sealer under it. */
  createKey(owner: CredentialOwner): Promise<Pick<CredentialRow, 'wrappedKey'> & { readonly seal: SecretsSealer }>;
  /** Returns the sealer under the data key of the row. */
  sealerOf(row: CredentialOwner & Pick<CredentialRow, 'wrappedKey'>): Promise<SecretsSealer>;
  /** Resolves when secrets can be sealed under new data keys now. */
  ready(): Promise<void>;
  /** @throws KalendsError InternalError when the row was altered or sealed under a lost secret */
  openTokens(row: TokenRow): Promise<AccountTokens>;
  /** @throws KalendsError InternalError when the row was altered or sealed under a lost secret */
  openCredentials(row: SignInRow): Promise<AccountCredentials>;
}

export function createCredentialVault(sealer: Sealer): CredentialVault {
  const keyOf = (row: CredentialOwner & Pick<CredentialRow, 'wrappedKey'>) =>
    sealer.unwrap(row.wrappedKey, credentialKeyOwner(row));

  const sealerOf: CredentialVault['sealerOf'] = async (row) => {
    const key = await keyOf(row);
    return {
      tokens: ({ accessToken, refreshToken }) => ({
        kind: 'oauth',
        sealedAccessToken: key.seal('accessToken', accessToken),
        sealedRefreshToken: key.seal('refreshToken', refreshToken),
      }),
      credentials: (credentials) => ({
        kind: credentials.kind,
        sealedCredentials: key.seal('credentials', JSON.stringify(credentials)),
      }),
    };
  };

  return {
    ready: () => sealer.ready(),
    sealerOf,
    async createKey(owner) {
      const wrappedKey = await sealer.createKey(credentialKeyOwner(owner));
      return { wrappedKey, seal: await sealerOf({ ...owner, wrappedKey }) };
    },
    async openTokens(row) {
      const key = await keyOf(row);
      return {
        accessToken: key.open('accessToken', row.sealedAccessToken),
        refreshToken: key.open('refreshToken', row.sealedRefreshToken),
      };
    },
    async openCredentials(row) {
      const key = await keyOf(row);
      // Ours, and authenticated: its form needs no check.
      return JSON.parse(key.open('credentials', row.sealedCredentials)) as AccountCredentials;
    },
  };
}
