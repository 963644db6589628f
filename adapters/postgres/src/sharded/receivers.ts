import type { AuditRow, CreationKey, EndpointStore, ReceiverRow, SubscriptionStore, TargetStore } from 'kalends/ports';
import { forwardAudit } from './audit.ts';
import type { ShardedContext } from './context.ts';
import { type AccountOf, ofKey, ofSecond, routedStore } from './routed-store.ts';

/** Finds the account of the target whose id is the second argument; endpoints, and what there is not, are in the home database. */
export function ofTarget({ targets }: ShardedContext): AccountOf {
  return async ([, id]) => (await targets.find(id as string)) ?? null;
}

/** Stores subscriptions with their accounts. */
export function shardedSubscriptions(context: ShardedContext): SubscriptionStore {
  return {
    ...routedStore(context, 'subscriptions', { insert: 'write' }, ofKey),
    ...routedStore(
      context,
      'subscriptions',
      { find: 'read', list: 'read', countCovering: 'read', delete: 'change' },
      ofSecond,
    ),
  };
}

/** Stores endpoints in the home database, where the messages about accounts are made. */
export function shardedEndpoints({ shards }: ShardedContext): EndpointStore {
  return shards.home.storage.endpoints;
}

/** Stores what subscriptions and endpoints have in common. */
export function shardedTargets(context: ShardedContext): TargetStore {
  const { shards, router, targets } = context;
  const ways = { find: 'read', rotateSecret: 'write', enable: 'write' } as const;
  const routed = routedStore(context, 'targets', ways, ofTarget(context));
  /** Brings the entry of a change of a target to the log. */
  const forward = async (id: string) => {
    const accountId = await targets.find(id);
    if (accountId != null) await forwardAudit(shards.home, (await router.shardOf(accountId)).shard);
  };
  return {
    ...routed,
    async list(applicationId, input) {
      const lists = await shards.askAll((storage) => storage.targets.list(applicationId, input));
      const merged = new Map<string, ReceiverRow>();
      // The same subscription is in two lists while its account moves.
      for (const row of lists.flat().toSorted(byCreation)) merged.set(row.id, row);
      return [...merged.values()].slice(0, input.limit);
    },
    async rotateSecret(applicationId, id, rotation, audit?: AuditRow) {
      const isRotated = await routed.rotateSecret(applicationId, id, rotation, audit);
      if (isRotated && audit !== undefined) await forward(id);
      return isRotated;
    },
    async enable(applicationId, id, input, audit?: AuditRow) {
      const isEnabled = await routed.enable(applicationId, id, input, audit);
      if (isEnabled && audit !== undefined) await forward(id);
      return isEnabled;
    },
  };
}

function byCreation(one: CreationKey, other: CreationKey): number {
  if (one.createdAt !== other.createdAt) return one.createdAt - other.createdAt;
  return Buffer.compare(Buffer.from(one.id), Buffer.from(other.id));
}
