import type { IntentRef, IntentStore } from 'kalends/ports';
import type { ShardedContext } from './context.ts';
import { overGroups } from './leases.ts';
import { routedStore } from './routed-store.ts';
import type { Shard } from './shard.ts';
import { earliest, purgeInTurns } from './sums.ts';

/** Stores intents with their accounts. An idempotency key is unique within the shard: the engine's keys name the account. */
export function shardedIntents(context: ShardedContext): IntentStore {
  const { shards, router, intents: known } = context;
  const byRef = routedStore(
    context,
    'intents',
    { record: 'write', abandon: 'write', end: 'write' },
    async ([ref]) => (await known.find((ref as IntentRef).id)) ?? null,
  );
  const byId = routedStore(context, 'intents', { claim: 'write' }, async ([, id]) => {
    return (await known.find(id as string)) ?? null;
  });
  return {
    ...byRef,
    ...byId,
    async begin(row, ttlMs) {
      const begun = await router.write(row.key.accountId, ({ intents }) => intents.begin(row, ttlMs));
      const { id, key } = begun.kind === 'begun' ? begun.intent : begun.by;
      known.note(id, key.accountId);
      return begun;
    },
    async claimAbandoned(ttlMs) {
      for (const shard of shards.rotated()) {
        const claimed = (await shards.askInTime(shard, ({ intents }) => intents.claimAbandoned(ttlMs)))?.answer;
        if (claimed === undefined) continue;
        known.note(claimed.intent.id, claimed.intent.key.accountId);
        return claimed;
      }
      return undefined;
    },
    async renew(refs, ttlMs) {
      const { accounts } = await known.findMany(refs.map(({ id }) => id));
      const groups = new Map<Shard, IntentRef[]>();
      for (const ref of refs) {
        const accountId = accounts.get(ref.id);
        if (accountId == null) continue;
        const { shard } = await router.shardOf(accountId);
        groups.set(shard, [...(groups.get(shard) ?? []), ref]);
      }
      await overGroups(groups, (shard, held) => shard.use(({ intents }) => intents.renew(held, ttlMs)));
    },
    nextAbandonedAt: () => earliest(shards, ({ intents }) => intents.nextAbandonedAt()),
    purge: (limit) => purgeInTurns(shards, limit, ({ intents }, left) => intents.purge(left)),
  };
}
