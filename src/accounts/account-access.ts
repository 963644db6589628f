import type { AccountRow, Provider, ProviderSession, Storage } from '../ports/index.ts';
import { expiredAccount, noAccount } from './provider-failure.ts';
import type { ProviderRegistry } from './provider-registry.ts';
import type { TokenRefresh } from './token-refresh.ts';

/** An ACTIVE account with the provider it is registered under. */
export interface ConnectedAccount {
  readonly row: AccountRow;
  readonly provider: Provider;
}

/** How other rooms reach an account and speak to its provider. */
export interface AccountAccess {
  /**
   * The account, looked up unless its row has just been read.
   * @throws KalendsError NotFound, or InvalidRefreshToken (409) when the account is EXPIRED
   */
  get(applicationId: string, accountId: string, known?: AccountRow): Promise<ConnectedAccount>;
  /**
   * A session for provider calls. Its access token is refreshed under a lease; a dead grant expires the account (once)
   * and rejects with ProviderError invalid-grant.
   */
  session(account: ConnectedAccount, signal?: AbortSignal): ProviderSession;
}

export function createAccountAccess(dependencies: {
  readonly storage: Storage;
  readonly registry: ProviderRegistry;
  readonly tokens: TokenRefresh;
  /** Waits until a call may be made for the account. @throws ProviderError rate-limited */
  readonly admit: (account: AccountRow, isBackground: boolean, signal: AbortSignal | undefined) => Promise<void>;
}): AccountAccess {
  const { storage, registry, tokens, admit } = dependencies;
  return {
    async get(applicationId, accountId, known) {
      const row = known ?? (await storage.accounts.find(applicationId, accountId));
      if (row === undefined) throw noAccount();
      if (row.status === 'EXPIRED') throw expiredAccount();
      return { row, provider: registry.get(row.providerType) };
    },
    session: ({ row }, signal) => ({
      accountId: row.id,
      email: row.email,
      accessToken: async (refused) => {
        signal?.throwIfAborted();
        return (await tokens.obtain(row, refused === undefined ? {} : { refused })).accessToken;
      },
      admit: (isBackground) => admit(row, isBackground, signal),
      ...(signal === undefined ? {} : { signal }),
    }),
  };
}
