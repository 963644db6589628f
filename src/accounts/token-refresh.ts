import type { ProviderClients } from '../applications/index.ts';
import {
  type AccountRow,
  type Clock,
  type Logger,
  ProviderError,
  type Storage,
  type TokenGrant,
  type TokenRow,
} from '../ports/index.ts';
import { describeError } from '../runtime/index.ts';
import type { AccountEnding } from './account-ending.ts';
import type { AccountMessages } from './account-messages.ts';
import type { CredentialVault } from './credential-vault.ts';
import { noAccount, otherSignIn } from './provider-failure.ts';
import type { ProviderRegistry } from './provider-registry.ts';
import type { Renewals } from './renewals.ts';

/** A token with less than this left is refreshed before it is used. */
const MINIMUM_LIFE_MS = 60_000;
const MAX_ROUNDS = 5;

/** The stored tokens, opened. */
export interface OpenTokens {
  readonly row: TokenRow;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Access tokens of accounts, refreshed when they are about to end. */
export interface TokenRefresh {
  /**
   * Returns credentials whose access token has at least `minimumLifeMs` left (or has just been refreshed) and is not
   * `refused`. `known` are credentials that the caller obtained before: the storage is not read while they still do.
   * The provider is asked once, however many callers and processes ask at the same time.
   * A dead grant expires the account; exactly one of the callers does that.
   * @throws ProviderError invalid-grant when the grant is dead; no other reason expires the account
   * @throws KalendsError NotFound when the account has been deleted meanwhile
   */
  obtain(
    account: AccountRow,
    options?: {
      readonly minimumLifeMs?: number;
      readonly refused?: string | undefined;
      readonly known?: OpenTokens | undefined;
    },
  ): Promise<OpenTokens>;
}

export function createTokenRefresh(dependencies: {
  readonly storage: Storage;
  readonly registry: ProviderRegistry;
  readonly clients: ProviderClients;
  readonly vault: CredentialVault;
  readonly renewals: Renewals;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ending: AccountEnding;
  readonly messages: AccountMessages;
}): TokenRefresh {
  const { storage, registry, clients, vault, renewals, clock, logger, ending, messages } = dependencies;
  const read = async (account: AccountRow): Promise<OpenTokens> => {
    const row = await storage.accounts.findCredential(account.applicationId, account.id);
    if (row === undefined) throw noAccount();
    if (row.status !== 'ACTIVE') throw deadGrant();
    if (row.kind !== 'oauth') throw otherSignIn(account.providerType);
    return { row, ...(await vault.openTokens(row)) };
  };

  /** Asks the provider and stores the answer, unless the credentials have changed since `seen` was read. */
  const refresh = async (account: AccountRow, seen: OpenTokens): Promise<void> => {
    const { providerConfigId } = account;
    const configured = providerConfigId && (await clients.findById(account.applicationId, providerConfigId));
    if (!configured) throw new ProviderError('operator', 'The OAuth client of the account is gone.');
    const { authorization } = registry.getOAuth(account.providerType);
    const seal = await vault.sealerOf(seen.row);
    let grant: TokenGrant;
    try {
      grant = await renewals.untilStopped((signal) =>
        authorization.refresh({
          client: configured.client,
          refreshToken: seen.refreshToken,
          scopes: account.authorizedScopes,
          signal,
        }),
      );
    } catch (error) {
      if (ProviderError.isInstance(error) && error.reason === 'invalid-grant') {
        if (await ending.end(account, seen.row.version)) throw error;
        return;
      }
      logger.warn('token refresh failed', { accountId: account.id, error: describeError(error) });
      throw error;
    }
    const { sealedAccessToken, sealedRefreshToken } = seal.tokens({
      accessToken: grant.accessToken,
      refreshToken: grant.refreshToken ?? seen.refreshToken,
    });
    const { scopes } = grant;
    const replaced = grant.replacesScopes === true && scopes !== undefined ? { authorizedScopes: scopes } : {};
    const sealed = { sealedAccessToken, sealedRefreshToken };
    const tokens = { ...sealed, ...replaced, expiresAt: grant.expiresAt, updatedAt: clock.now() };
    const { applicationId, id } = account;
    // The old refresh token may be used up, and nothing else has the new one.
    await renewals.store(() =>
      storage.accounts.replaceTokens(applicationId, id, seen.row.version, tokens, messages.changed),
    );
    if (replaced.authorizedScopes !== undefined) messages.enqueued();
  };

  /** Refreshes, or waits for the refresh under way. Afterwards the stored tokens are newer than `seen`. */
  const refreshOnce = (account: AccountRow, seen: OpenTokens): Promise<void> =>
    renewals.run({
      accountId: account.id,
      readVersion: async () => (await read(account)).row.version,
      seenVersion: seen.row.version,
      async renew() {
        const current = await read(account);
        if (current.row.version === seen.row.version) await refresh(account, current);
      },
    });

  return {
    async obtain(account, { minimumLifeMs = MINIMUM_LIFE_MS, refused, known } = {}) {
      const isAlive = ({ row }: OpenTokens) => row.expiresAt - clock.now() >= minimumLifeMs;
      if (known !== undefined && known.accessToken !== refused && isAlive(known)) return known;
      let credential = await read(account);
      const firstVersion = credential.row.version;
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        // A token that was refreshed meanwhile is taken as it is: some providers issue tokens of under a minute.
        const isUsable = credential.row.version > firstVersion || isAlive(credential);
        if (isUsable && credential.accessToken !== refused) return credential;
        await refreshOnce(account, credential);
        credential = await read(account);
      }
      throw new ProviderError('unauthorized', 'The provider keeps issuing an access token that was refused.');
    },
  };
}

const deadGrant = () => new ProviderError('invalid-grant', 'The refresh token is no longer valid.');
