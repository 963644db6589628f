import type { AuditTrail } from '../audit/index.ts';
import type { Actor } from '../engine-interface.ts';
import { type AccountRow, type Clock, KalendsError, type Storage } from '../ports/index.ts';
import type { AccountMessages } from './account-messages.ts';
import { noAccount } from './provider-failure.ts';

const MAX_ROUNDS = 5;

/** Ends accounts as a dead grant does. */
export interface AccountExpiry {
  /**
   * Marks the account EXPIRED, with its messages and its audit entry; without effect when it is. Resolves with the account.
   * @throws KalendsError NotFound
   */
  expire(applicationId: string, accountId: string, by: Actor): Promise<AccountRow>;
}

export function createAccountExpiry(dependencies: {
  readonly storage: Pick<Storage, 'accounts'>;
  readonly clock: Clock;
  readonly messages: AccountMessages;
  readonly audit: AuditTrail;
}): AccountExpiry {
  const { storage, clock, messages, audit } = dependencies;
  return {
    async expire(applicationId, accountId, by) {
      const { accounts } = storage;
      const expired = () => audit(by, { applicationId, action: 'account.expired', target: accountId });
      // A refresh or a reconnection meanwhile has replaced the tokens: the new ones are ended too.
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const account = await accounts.find(applicationId, accountId);
        if (account === undefined) throw noAccount();
        if (account.status === 'EXPIRED') return account;
        const credential = await accounts.findCredential(applicationId, accountId);
        if (credential === undefined) continue;
        const { version } = credential;
        if (await accounts.expire(applicationId, accountId, version, clock.now(), messages.changed, expired)) {
          messages.enqueued();
        }
      }
      throw new KalendsError('Conflict', 'The account is being reconnected all the time. Try again.');
    },
  };
}
