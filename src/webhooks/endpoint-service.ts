import type { Caller, WebhookEndpointService } from '../engine-interface.ts';
import {
  PAGE_SIZE,
  pageSizeOf,
  parseInput,
  type WebhookEndpoint,
  webhookEndpointCreate,
  webhookEndpointListQuery,
} from '../model/index.ts';
import { type Clock, KalendsError, type Random, type Sealer, type Storage, type TargetRow } from '../ports/index.ts';
import { createId, createPageTokens, type TokenSealer } from '../runtime/index.ts';
import type { ReceiverCheck } from './on-message.ts';
import { createEndpointSecret } from './signature.ts';
import type { TargetOperations } from './target-operations.ts';
import { sealSecret } from './target-secret.ts';

/** Creates the service of an application's endpoints, which receive the messages about its accounts. */
export function createEndpointService(dependencies: {
  readonly storage: Pick<Storage, 'endpoints'>;
  readonly operations: TargetOperations;
  readonly checkReceiver: ReceiverCheck;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly random: Random;
  /** Sealer of purpose `page:endpoints`. */
  readonly pageSealer: TokenSealer;
}): WebhookEndpointService {
  const { storage, operations, checkReceiver, sealer, clock, random } = dependencies;
  const pageTokens = createPageTokens<Record<string, never>>(dependencies.pageSealer);

  const get = async ({ applicationId }: Caller, endpointId: string): Promise<TargetRow> => {
    const row = await storage.endpoints.find(applicationId, endpointId);
    if (row === undefined) throw noEndpoint();
    return row;
  };

  return {
    async list({ applicationId }, query = {}) {
      const parsed = parseInput(webhookEndpointListQuery, query);
      const limit = pageSizeOf(parsed, PAGE_SIZE.subscriptions);
      const { after } = pageTokens.resolve(applicationId, parsed.pageToken, {});
      const rows = await storage.endpoints.list(applicationId, {
        ...(after === undefined ? {} : { after }),
        limit: limit + 1,
      });
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const hasMore = rows.length > limit && last !== undefined;
      return {
        data: page.map(viewEndpoint),
        nextPageToken: hasMore ? pageTokens.seal(applicationId, {}, last) : null,
      };
    },

    async create(caller, body) {
      const { applicationId } = caller;
      const { webhookUrl, rateLimit } = parseInput(webhookEndpointCreate, body);
      await checkReceiver(webhookUrl, caller);
      const id = createId(random, 'whe');
      const endpointSecret = createEndpointSecret(random);
      const now = clock.now();
      await storage.endpoints.insert({
        id,
        applicationId,
        url: webhookUrl,
        ...(await sealSecret(sealer, { applicationId, id }, endpointSecret)),
        previousSecret: null,
        rateLimit: rateLimit ?? null,
        disabledAt: null,
        failingSince: null,
        createdAt: now,
        updatedAt: now,
      });
      return { webhookEndpointId: id, endpointSecret };
    },

    async delete({ applicationId }, endpointId) {
      if (!(await storage.endpoints.delete(applicationId, endpointId))) throw noEndpoint();
    },

    async enable(caller, endpointId) {
      await operations.enable(caller, await get(caller, endpointId), null);
      return viewEndpoint(await get(caller, endpointId));
    },

    listDeliveries: async (caller, endpointId, query) =>
      operations.listDeliveries(await get(caller, endpointId), query),
    redeliver: async (caller, endpointId, body) => operations.redeliver(await get(caller, endpointId), body),
    recover: async (caller, endpointId, body) => operations.recover(await get(caller, endpointId), body),
    rotateSecret: async (caller, endpointId) => operations.rotateSecret(caller, await get(caller, endpointId)),
  };
}

function viewEndpoint(row: TargetRow): WebhookEndpoint {
  return {
    id: row.id,
    url: row.url,
    rateLimit: row.rateLimit,
    disabledAt: row.disabledAt === null ? null : isoText(row.disabledAt),
    createdAt: isoText(row.createdAt),
    updatedAt: isoText(row.updatedAt),
  };
}

const isoText = (at: number) => new Date(at).toISOString();

const noEndpoint = () => new KalendsError('NotFound', 'There is no such webhook endpoint.');
