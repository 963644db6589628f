import type { ProviderClients } from '../applications/index.ts';
import { type AuditTrail, actorOf } from '../audit/index.ts';
import type { Caller } from '../engine-interface.ts';
import type { AccountRow, Clock, CredentialRow, Logger, Storage } from '../ports/index.ts';
import { describeError, withDeadline } from '../runtime/index.ts';
import type { AccountMessages } from './account-messages.ts';
import type { CredentialVault } from './credential-vault.ts';
import { noAccount } from './provider-failure.ts';
import type { ProviderRegistry } from './provider-registry.ts';

/** Timeout of each provider step: an outage must not keep an account from being deleted. */
const STEP_TIMEOUT_MS = 10_000;

export interface AccountRemoval {
  /**
   * Closes the account's push channels, removes everything of it, and revokes its grant where that works and no other account shares it.
   * @throws KalendsError NotFound
   */
  remove(caller: Caller, account: AccountRow): Promise<void>;
}

export function createAccountRemoval(dependencies: {
  readonly storage: Storage;
  readonly registry: ProviderRegistry;
  readonly clients: ProviderClients;
  readonly vault: CredentialVault;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Closes the push channels of an account at its provider. */
  readonly closeChannels: (account: AccountRow, signal: AbortSignal) => Promise<void>;
  readonly messages: AccountMessages;
  readonly audit: AuditTrail;
}): AccountRemoval {
  const { storage, registry, clients, vault, clock, logger, closeChannels, messages, audit } = dependencies;

  const revoke = async (account: AccountRow, credential: CredentialRow | undefined) => {
    // Credentials without OAuth are the person's own: only the person can end them.
    if (account.providerConfigId === null || credential?.kind !== 'oauth') return;
    const configured = await clients.findById(account.applicationId, account.providerConfigId);
    if (configured === undefined) return;
    const { providerType, providerAccountId, email } = account;
    const { clientId } = configured.client;
    // A provider ends the whole grant of a person to a client, and with it the accounts of other applications that use this client.
    if (await storage.accounts.hasGrant({ providerType, clientId, providerAccountId, email })) return;
    const { refreshToken } = await vault.openTokens(credential);
    await registry.getOAuth(account.providerType).authorization.revoke({ client: configured.client, refreshToken });
  };

  const attempt = async (step: string, account: AccountRow, work: (signal: AbortSignal) => Promise<void>) => {
    try {
      await withDeadline(clock, STEP_TIMEOUT_MS, work);
    } catch (error) {
      logger.warn('account removal: provider step failed', {
        step,
        accountId: account.id,
        error: describeError(error),
      });
    }
  };

  return {
    async remove(caller, account) {
      const isActive = account.status === 'ACTIVE';
      // Channels first: they cannot be closed once the grant is revoked.
      if (isActive) await attempt('close channels', account, (signal) => closeChannels(account, signal));
      const credential = await storage.accounts.findCredential(account.applicationId, account.id);
      const { applicationId, id } = account;
      const entry = audit(actorOf(caller), { applicationId, action: 'account.deleted', target: id });
      if (!(await storage.accounts.delete(applicationId, id, messages.changed, () => entry))) throw noAccount();
      messages.enqueued();
      // Revoked last: requests that are under way must find no account, not one that they are to reconnect.
      if (isActive) await attempt('revoke', account, () => revoke(account, credential));
    },
  };
}
