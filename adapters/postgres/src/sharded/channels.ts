import { type ChannelRow, type ChannelStore, StorageUnavailableError } from 'kalends/ports';
import type { ShardedContext } from './context.ts';
import { overGroups } from './leases.ts';
import { ofKey, routedStore } from './routed-store.ts';
import type { Shard } from './shard.ts';
import { earliest } from './sums.ts';

/** Stores push channels with their accounts. */
export function shardedChannels(context: ShardedContext): ChannelStore {
  const { shards, router, channels: known } = context;
  /** Groups channels by the shards of their accounts. */
  const byShard = async <Row>(rows: readonly Row[], idOf: (row: Row) => string) => {
    const { accounts, isPartial } = await known.findMany(rows.map(idOf));
    const groups = new Map<Shard, Row[]>();
    for (const row of rows) {
      const accountId = accounts.get(idOf(row));
      if (accountId == null) continue;
      const { shard } = await router.shardOf(accountId);
      groups.set(shard, [...(groups.get(shard) ?? []), row]);
    }
    return { groups, isPartial };
  };

  return {
    ...routedStore(context, 'channels', { insert: 'write', list: 'read' }, ofKey),
    ...routedStore(context, 'channels', { update: 'change', delete: 'change' }, async ([, id]) => {
      return (await known.find(id as string)) ?? null;
    }),
    async findMany(channelIds) {
      const { groups, isPartial } = await byShard(channelIds, (id) => id);
      const found: ChannelRow[] = [];
      const { isComplete } = await overGroups(groups, async (shard, ids) => {
        found.push(...(await shard.use(({ channels }) => channels.findMany(ids))));
      });
      // Those that were found can be served; a caller for whom none was found tries again.
      if (found.length === 0 && (isPartial || !isComplete)) {
        throw new StorageUnavailableError('A database cannot be reached that may have the channel', undefined);
      }
      return [...found];
    },
    async claimRenewals({ holdMs, limit }) {
      const claimed: ChannelRow[] = [];
      for (const shard of shards.rotated()) {
        if (claimed.length >= limit) break;
        const rest = limit - claimed.length;
        const turn = await shards.askInTime(shard, ({ channels }) => channels.claimRenewals({ holdMs, limit: rest }));
        claimed.push(...(turn?.answer ?? []));
      }
      for (const { id, accountId } of claimed) known.note(id, accountId);
      return claimed;
    },
    async extendHold(held, holdMs) {
      const { groups } = await byShard(held, ({ id }) => id);
      // One time for all, by which they are compared the next time: the clocks of servers differ.
      const until = holdMs + (await shards.home.transaction((_run, now) => now()));
      await overGroups(groups, (shard, rows) =>
        shard.transaction(async (run) => {
          for (const { id, renewAt } of rows) {
            await run('update kalends_channel set renew_at = $1 where id = $2 and renew_at = $3', [until, id, renewAt]);
          }
        }),
      );
      return until;
    },
    async dueUnlessAddress(providerType, address) {
      const counts = await shards.askReachable(({ channels }) => channels.dueUnlessAddress(providerType, address));
      return counts.reduce((sum, each) => sum + each, 0);
    },
    nextRenewalAt: () => earliest(shards, ({ channels }) => channels.nextRenewalAt()),
  };
}
