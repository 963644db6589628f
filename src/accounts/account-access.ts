import type { CallNeed } from '../leases/index.ts';
import type { AccountCredentials, AccountRow, Clock, Provider, ProviderSession, Storage } from '../ports/index.ts';
import type { CredentialProof, OpenSignIn } from './credential-proof.ts';
import { expiredAccount, noAccount } from './provider-failure.ts';
import { isOAuth, type ProviderRegistry } from './provider-registry.ts';
import type { OpenTokens, TokenRefresh } from './token-refresh.ts';

/** Maximum age of a session's credential: a long pull must see that its account was deleted or reconnected. */
const CREDENTIAL_AGE_MS = 30_000;

/** An ACTIVE account with the provider it is registered under. */
export interface ConnectedAccount {
  readonly row: AccountRow;
  readonly provider: Provider;
}

/** Access of other modules to an account and its provider. */
export interface AccountAccess {
  /**
   * The account, looked up unless its row has just been read.
   * @throws KalendsError NotFound, or InvalidRefreshToken (409) when the account is EXPIRED
   */
  get(applicationId: string, accountId: string, known?: AccountRow): Promise<ConnectedAccount>;
  /**
   * Opens a session for the provider calls of one operation. The credential is read at the first call, and again after
   * half a minute or when its access token is about to end or was refused. The token is refreshed, and other credentials are proved,
   * under a lease; a dead grant expires the account (once) and rejects with ProviderError invalid-grant. `need` decides about a short budget (by default a caller waits).
   */
  session(account: ConnectedAccount, signal?: AbortSignal, need?: CallNeed): ProviderSession;
}

export function createAccountAccess(dependencies: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly registry: ProviderRegistry;
  readonly tokens: TokenRefresh;
  readonly proof: CredentialProof;
  /** Waits until a call may be made for the account. @throws ProviderError rate-limited */
  readonly admit: (account: AccountRow, need: CallNeed, signal: AbortSignal | undefined) => Promise<void>;
}): AccountAccess {
  const { storage, clock, registry, tokens, proof, admit } = dependencies;

  const accessTokens = (row: AccountRow, signal: AbortSignal | undefined): ProviderSession['accessToken'] => {
    let known: OpenTokens | undefined;
    let readAt = Number.NEGATIVE_INFINITY;
    return async (refused) => {
      signal?.throwIfAborted();
      const askedAt = clock.now();
      const recent = askedAt - readAt < CREDENTIAL_AGE_MS ? known : undefined;
      known = await tokens.obtain(row, { known: recent, refused });
      if (known !== recent) readAt = askedAt;
      return known.accessToken;
    };
  };

  const signIns = (row: AccountRow, signal: AbortSignal | undefined): NonNullable<ProviderSession['credentials']> => {
    let known: OpenSignIn | undefined;
    let readAt = Number.NEGATIVE_INFINITY;
    return async (refused?: AccountCredentials) => {
      signal?.throwIfAborted();
      const askedAt = clock.now();
      if (known === undefined || refused !== undefined || askedAt - readAt >= CREDENTIAL_AGE_MS) {
        known = await proof.obtain(row, refused);
        readAt = askedAt;
      }
      return known.credentials;
    };
  };

  return {
    async get(applicationId, accountId, known) {
      const row = known ?? (await storage.accounts.find(applicationId, accountId));
      if (row === undefined) throw noAccount();
      if (row.status === 'EXPIRED') throw expiredAccount();
      return { row, provider: registry.get(row.providerType) };
    },
    session({ row, provider }, signal, need = 'caller') {
      return {
        accountId: row.id,
        email: row.email,
        ...(isOAuth(provider)
          ? { accessToken: accessTokens(row, signal) }
          : { accessToken: noTokens, credentials: signIns(row, signal) }),
        admit: () => admit(row, need, signal),
        isBackground: need !== 'caller',
        isRoutine: need === 'routine',
        ...(signal === undefined ? {} : { signal }),
      };
    },
  };
}

const noTokens = () => Promise.reject(new Error('Accounts of this provider have no access tokens'));
