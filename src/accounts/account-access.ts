import type { AccountRow, Provider, ProviderSession } from '../ports/index.ts';

/** An ACTIVE account with the provider it is registered under. */
export interface ConnectedAccount {
  readonly row: AccountRow;
  readonly provider: Provider;
}

/** How other rooms reach an account and speak to its provider. */
export interface AccountAccess {
  /** @throws KalendsError NotFound, or InvalidRefreshToken (409) when the account is EXPIRED */
  get(applicationId: string, accountId: string): Promise<ConnectedAccount>;
  /**
   * A session for provider calls. Its access token is refreshed under a lease; a dead grant expires the account (once)
   * and rejects with ProviderError invalid-grant.
   */
  session(account: ConnectedAccount, signal?: AbortSignal): ProviderSession;
}
