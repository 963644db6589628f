import { type AuditTrail, SYSTEM } from '../audit/index.ts';
import type { AccountRow, Clock, Logger, Storage, Telemetry } from '../ports/index.ts';
import type { AccountMessages } from './account-messages.ts';

/** Ends accounts whose provider refuses their credentials. */
export interface AccountEnding {
  /**
   * Marks the account EXPIRED if the refused credentials are still the stored ones: a reconnection meanwhile must not be undone.
   * Of all callers exactly one gets true.
   */
  end(account: AccountRow, refusedVersion: number): Promise<boolean>;
}

export function createAccountEnding(dependencies: {
  readonly storage: Pick<Storage, 'accounts'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly messages: AccountMessages;
  readonly audit: AuditTrail;
  readonly telemetry: Telemetry;
}): AccountEnding {
  const { storage, clock, logger, messages, audit, telemetry } = dependencies;
  return {
    async end({ applicationId, id, providerType }, refusedVersion) {
      const expired = () => audit(SYSTEM, { applicationId, action: 'account.expired', target: id });
      const isEnded = await storage.accounts.expire(
        applicationId,
        id,
        refusedVersion,
        clock.now(),
        messages.changed,
        expired,
      );
      if (!isEnded) return false;
      messages.enqueued();
      telemetry.count('kalends_accounts_expired_total', { provider: providerType });
      logger.warn('account expired', { accountId: id, providerType });
      return true;
    },
  };
}
