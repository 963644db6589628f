import { type AuditTrail, SYSTEM } from '../audit/index.ts';
import type { Actor } from '../engine-interface.ts';
import type { HeldLeases } from '../leases/index.ts';
import type { AccountRow, Clock, Logger, Storage } from '../ports/index.ts';
import { describeError, type WakeUp } from '../runtime/index.ts';
import { noApplication } from './no-application.ts';

/** Removed between two looks at the lease and the signal. */
const ACCOUNTS_AT_ONCE = 20;
const APPLICATIONS_AT_ONCE = 20;
/** How often a process looks for deletions that another process began or left. */
const EVERY_MS = 5_000;

/** The end of applications. */
export interface ApplicationRemoval {
  /**
   * Begins the deletion: from now on the application's keys are refused and nothing can be added to it. Background work removes
   * the rest. Without effect when it has begun before. @throws KalendsError NotFound
   */
  begin(applicationId: string, by: Actor): Promise<void>;
  /** Removes applications whose deletion has begun until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export function createApplicationRemoval(dependencies: {
  readonly storage: Pick<Storage, 'applications' | 'accounts' | 'endpoints'>;
  readonly leases: HeldLeases;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly wakeUp: WakeUp;
  /** Closes the account's channels, removes everything of it and revokes its grant. */
  readonly removeAccount: (account: AccountRow) => Promise<void>;
}): ApplicationRemoval {
  const { storage, leases, audit, clock, logger, wakeUp, removeAccount } = dependencies;
  const { applications, accounts, endpoints } = storage;

  /** Removes what is left of an application; the signal ends it between two accounts. */
  const remove = async (applicationId: string, signal: AbortSignal): Promise<void> => {
    for (;;) {
      const left = await accounts.list(applicationId, { limit: ACCOUNTS_AT_ONCE });
      for (const account of left) {
        signal.throwIfAborted();
        await removeAccount(account);
      }
      if (left.length < ACCOUNTS_AT_ONCE) break;
      logger.info('application deletion: accounts removed', { applicationId, removed: left.length });
    }
    for (const endpoint of await endpoints.list(applicationId, { limit: Number.MAX_SAFE_INTEGER })) {
      signal.throwIfAborted();
      await endpoints.delete(applicationId, endpoint.id);
    }
    const entry = audit(SYSTEM, { applicationId, action: 'application.deleted', target: applicationId });
    if (await applications.remove(applicationId, entry)) logger.info('application deleted', { applicationId });
  };

  const removeDue = async (signal: AbortSignal): Promise<void> => {
    for (const { id } of await applications.listDeleted(APPLICATIONS_AT_ONCE)) {
      const lease = await leases.claim(`application-removal:${id}`);
      if (lease === undefined) continue;
      // One application's trouble must not keep the others; the next look tries again.
      await leases
        .during(lease, () => remove(id, signal))
        .catch((error) => {
          signal.throwIfAborted();
          logger.error('application deletion failed', { applicationId: id, error: describeError(error) });
        });
    }
  };

  return {
    async begin(applicationId, by) {
      const entry = audit(by, { applicationId, action: 'application.deletion.begun', target: applicationId });
      const isBegun = await applications.beginDeletion(applicationId, clock.now(), entry);
      if (!isBegun && (await applications.find(applicationId)) === undefined) throw noApplication();
      wakeUp.notify();
    },
    async run(signal) {
      while (!signal.aborted) {
        await removeDue(signal);
        await wakeUp.wait(EVERY_MS, signal);
      }
    },
  };
}
