import { noApplication } from '../applications/index.ts';
import { EMBEDDED } from '../audit/index.ts';
import type { Actor, OperationsService, SubscriptionService, WebhookEndpointService } from '../engine-interface.ts';
import { PAGE_SIZE, pageSizeOf, parseInput, type Receiver, receiverListQuery } from '../model/index.ts';
import { KalendsError, type ReceiverRow, type Storage } from '../ports/index.ts';
import { createPageTokens, type TokenSealer } from '../runtime/index.ts';
import { maskedUrl, type TargetOperations } from '../webhooks/index.ts';

type ReceiverOperations = Pick<
  OperationsService,
  'listReceivers' | 'listDeliveries' | 'redeliver' | 'recover' | 'enableReceiver'
>;

/** Operations on the receivers of an application: its endpoints, and the subscriptions of its accounts. */
export function createReceiverOperations(dependencies: {
  readonly storage: Pick<Storage, 'applications' | 'targets'>;
  readonly operations: TargetOperations;
  readonly subscriptions: Pick<SubscriptionService, 'enable'>;
  readonly endpoints: Pick<WebhookEndpointService, 'enable'>;
  /** Sealer of purpose `page:receivers`. */
  readonly pageSealer: TokenSealer;
  /** Writes the entry of an act. */
  readonly note: (by: Actor, applicationId: string, action: string, target: string) => Promise<void>;
}): ReceiverOperations {
  const { operations, subscriptions, endpoints, note } = dependencies;
  const { applications, targets } = dependencies.storage;
  const pageTokens = createPageTokens<Record<string, never>>(dependencies.pageSealer);

  const get = async (applicationId: string, receiverId: string): Promise<ReceiverRow> => {
    const row = await targets.find(applicationId, receiverId);
    if (row === undefined) throw new KalendsError('NotFound', 'There is no such receiver.');
    return row;
  };

  return {
    async listReceivers(applicationId, query = {}) {
      const parsed = parseInput(receiverListQuery, query);
      const limit = pageSizeOf(parsed, PAGE_SIZE.subscriptions);
      const { after } = pageTokens.resolve(applicationId, parsed.pageToken, {});
      if ((await applications.find(applicationId)) === undefined) throw noApplication();
      const rows = await targets.list(applicationId, { ...(after === undefined ? {} : { after }), limit: limit + 1 });
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const hasMore = rows.length > limit && last !== undefined;
      return {
        data: page.map(viewReceiver),
        nextPageToken: hasMore ? pageTokens.seal(applicationId, {}, last) : null,
      };
    },

    async listDeliveries(applicationId, receiverId, query = {}) {
      return await operations.listDeliveries(await get(applicationId, receiverId), query);
    },

    async redeliver(applicationId, receiverId, body, by = EMBEDDED) {
      await operations.redeliver(await get(applicationId, receiverId), body);
      await note(by, applicationId, 'receiver.redelivered', receiverId);
    },

    async recover(applicationId, receiverId, body, by = EMBEDDED) {
      const recovered = await operations.recover(await get(applicationId, receiverId), body);
      await note(by, applicationId, 'receiver.recovered', receiverId);
      return recovered;
    },

    async enableReceiver(applicationId, receiverId, by = EMBEDDED) {
      const { accountId } = await get(applicationId, receiverId);
      const caller = { applicationId, actor: by };
      if (accountId === null) await endpoints.enable(caller, receiverId);
      else await subscriptions.enable(caller, accountId, receiverId);
      return viewReceiver(await get(applicationId, receiverId));
    },
  };
}

function viewReceiver(row: ReceiverRow): Receiver {
  return {
    id: row.id,
    kind: row.accountId === null ? 'endpoint' : 'subscription',
    url: maskedUrl(row.url),
    endUserAccountId: row.accountId,
    calendarId: row.calendarId,
    subscriptionType: row.subscriptionType,
    rateLimit: row.rateLimit,
    disabledAt: isoOrNull(row.disabledAt),
    failingSince: isoOrNull(row.failingSince),
    createdAt: isoText(row.createdAt),
    updatedAt: isoText(row.updatedAt),
  };
}

const isoText = (at: number) => new Date(at).toISOString();

const isoOrNull = (at: number | null) => (at === null ? null : isoText(at));
