import type { ScheduleStore } from 'kalends/ports';
import type { ShardedContext } from './context.ts';
import { ofKey, routedStore } from './routed-store.ts';
import { earliest } from './sums.ts';

/** Stores schedules with their accounts. */
export function shardedSchedule(context: ShardedContext): ScheduleStore {
  const { shards } = context;
  return {
    ...routedStore(
      context,
      'schedule',
      {
        get: 'read',
        list: 'read',
        hint: 'write',
        noteRead: 'write',
        dueBy: 'write',
        noteMissing: 'write',
        noteFound: 'change',
        listMissing: 'read',
        finish: 'change',
        coolDown: 'write',
      },
      ofKey,
    ),
    async tightenPolls(input) {
      const { home } = shards;
      const { providerConfigId, after = '' } = input;
      // The home database has the rows of all accounts, and decides where a page ends.
      const last = await home.storage.schedule.tightenPolls(input);
      await shards.askReachable(async ({ schedule }, shard) => {
        if (shard.isHome) return;
        const [page] = await shard.read<{ readonly accounts: number }>(
          `select count(*)::int8 as accounts from kalends_account
            where provider_config_id = $1 and id > $2 and ($3::text is null or id <= $3)`,
          [providerConfigId, after, last ?? null],
        );
        if (page !== undefined && page.accounts > 0) await schedule.tightenPolls({ ...input, limit: page.accounts });
      });
      return last;
    },
    async claimDueAccount(ttlMs) {
      let claim: Awaited<ReturnType<ScheduleStore['claimDueAccount']>>;
      await shards.inTurns(async ({ schedule }) => {
        claim = await schedule.claimDueAccount(ttlMs);
        return claim === undefined;
      });
      return claim;
    },
    nextDueAt: () => earliest(shards, ({ schedule }) => schedule.nextDueAt()),
  };
}
