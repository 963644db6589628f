import {
  type AccountCredentials,
  type AccountRow,
  type Clock,
  type Logger,
  ProviderError,
  type SignInRow,
  type Storage,
} from '../ports/index.ts';
import { describeError } from '../runtime/index.ts';
import type { AccountEnding } from './account-ending.ts';
import type { CredentialVault } from './credential-vault.ts';
import { noAccount, otherSignIn } from './provider-failure.ts';
import type { ProviderRegistry } from './provider-registry.ts';
import type { Renewals } from './renewals.ts';

/** The stored credentials of an account without OAuth, opened. */
export interface OpenSignIn {
  readonly row: SignInRow;
  readonly credentials: AccountCredentials;
}

/** Credentials of accounts without OAuth, proved again when a server refuses them. */
export interface CredentialProof {
  /**
   * Returns credentials that differ from `refused`, or have just been proved by a real request. Credentials that the server refuses
   * once more expire the account; exactly one of the callers does that.
   * @throws ProviderError invalid-grant when the server refuses them; what `verify` throws
   * @throws KalendsError NotFound when the account has been deleted meanwhile
   */
  obtain(account: AccountRow, refused?: AccountCredentials): Promise<OpenSignIn>;
}

export function createCredentialProof(dependencies: {
  readonly storage: Pick<Storage, 'accounts'>;
  readonly registry: ProviderRegistry;
  readonly vault: CredentialVault;
  readonly renewals: Renewals;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ending: AccountEnding;
}): CredentialProof {
  const { storage, registry, vault, renewals, clock, logger, ending } = dependencies;

  const read = async (account: AccountRow): Promise<OpenSignIn> => {
    const row = await storage.accounts.findCredential(account.applicationId, account.id);
    if (row === undefined) throw noAccount();
    if (row.status !== 'ACTIVE') throw deadCredentials();
    if (row.kind === 'oauth') throw otherSignIn(account.providerType);
    return { row, credentials: await vault.openCredentials(row) };
  };

  /** Proves the credentials, and stores them as proved: a server may have moved the account. */
  const prove = async (account: AccountRow, seen: OpenSignIn): Promise<void> => {
    const { authorization } = registry.getWithCredentials(account.providerType);
    const { applicationId, id } = account;
    try {
      const seal = await vault.sealerOf(seen.row);
      const verified = await renewals.untilStopped((signal) => authorization.verify(seen.credentials, signal));
      const { sealedCredentials } = seal.credentials(verified.credentials);
      const renewed = { sealedCredentials, updatedAt: clock.now() };
      await storage.accounts.replaceCredentials(applicationId, id, seen.row.version, renewed);
    } catch (error) {
      const isDead = ProviderError.isInstance(error) && DEAD.includes(error.reason);
      if (!isDead) logger.warn('credentials not proved', { accountId: id, error: describeError(error) });
      if (!isDead) throw error;
      if (await ending.end(account, seen.row.version)) throw deadCredentials(error);
    }
  };

  return {
    async obtain(account, refused) {
      const seen = await read(account);
      if (refused === undefined || !isSame(seen.credentials, refused)) return seen;
      await renewals.run({
        accountId: account.id,
        seenVersion: seen.row.version,
        readVersion: async () => (await read(account)).row.version,
        async renew() {
          const current = await read(account);
          if (current.row.version === seen.row.version) await prove(account, current);
        },
      });
      return await read(account);
    },
  };
}

/** A second 401, whichever name the provider gives it. */
const DEAD: readonly ProviderError['reason'][] = ['invalid-grant', 'unauthorized'];

const deadCredentials = (cause?: unknown) =>
  new ProviderError('invalid-grant', 'The server refuses the credentials.', cause === undefined ? {} : { cause });

/** Whether two credentials are the same; their members may stand in another order. */
function isSame(one: AccountCredentials, other: AccountCredentials): boolean {
  const textOf = (credentials: AccountCredentials) => JSON.stringify(Object.entries(credentials).sort());
  return textOf(one) === textOf(other);
}
