import { type AccountAccess, type AccountExpiry, type ProviderRegistry, viewAccount } from '../accounts/index.ts';
import { type AuditTrail, EMBEDDED } from '../audit/index.ts';
import type { ChannelKeeper } from '../channels/index.ts';
import type { Actor, OperationsService, SubscriptionService, WebhookEndpointService } from '../engine-interface.ts';
import type { ProviderBudget } from '../leases/index.ts';
import { parseInput, syncHealthQuery } from '../model/index.ts';
import type { Clock, Storage } from '../ports/index.ts';
import type { TokenSealer } from '../runtime/index.ts';
import type { TargetOperations } from '../webhooks/index.ts';
import { createAfterRestore } from './after-restore.ts';
import { createReceiverOperations } from './receiver-operations.ts';
import { createReconnectLinks } from './reconnect-links.ts';
import { createSyncHealth } from './sync-health.ts';
import { beginSync, progressOf } from './sync-now.ts';

/** Operations on accounts and receivers that are for operators only. */
export function createOperationsService(dependencies: {
  readonly storage: Storage;
  readonly accounts: AccountAccess;
  readonly registry: ProviderRegistry;
  readonly expiry: AccountExpiry;
  readonly budget: Pick<ProviderBudget, 'backoffFactor'>;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  /** Without a trailing slash. */
  readonly publicUrl: string | undefined;
  readonly operations: TargetOperations;
  readonly subscriptions: Pick<SubscriptionService, 'enable'>;
  readonly endpoints: Pick<WebhookEndpointService, 'enable'>;
  /** Sealer of purpose `page:receivers`. */
  readonly pageSealer: TokenSealer;
  /** Wakes the pulls of this process. */
  readonly wake: () => void;
  readonly diagnose: OperationsService['diagnose'];
  readonly channels: Pick<ChannelKeeper, 'announceGap'>;
  readonly listMeasurements: OperationsService['listMeasurements'];
}): OperationsService {
  const { storage, accounts, expiry, audit, clock, wake, diagnose, listMeasurements } = dependencies;
  const readHealth = createSyncHealth(dependencies);
  const linkOf = createReconnectLinks(dependencies);

  const note = (by: Actor, applicationId: string, action: string, target: string) =>
    storage.audit.append(audit(by, { applicationId, action, target }));

  return {
    async getSyncHealth(applicationId, accountId, query = {}) {
      const { since } = parseInput(syncHealthQuery, query);
      return await readHealth(applicationId, accountId, since === undefined ? undefined : Date.parse(since));
    },

    async sync(applicationId, accountId, by = EMBEDDED) {
      const account = await accounts.get(applicationId, accountId);
      const since = clock.now();
      await beginSync(storage.schedule, { applicationId, accountId: account.row.id });
      wake();
      await note(by, applicationId, 'account.sync.begun', accountId);
      return progressOf(await storage.schedule.list({ applicationId, accountId }), since);
    },

    async expire(applicationId, accountId, by = EMBEDDED) {
      return viewAccount(await expiry.expire(applicationId, accountId, by));
    },

    async createReconnectLink(applicationId, accountId, by = EMBEDDED) {
      const url = await linkOf(applicationId, accountId);
      await note(by, applicationId, 'account.reconnectLink.created', accountId);
      return { url };
    },

    diagnose,

    listMeasurements,

    resumeAfterRestore: createAfterRestore(dependencies),

    ...createReceiverOperations({ ...dependencies, note }),
  };
}
