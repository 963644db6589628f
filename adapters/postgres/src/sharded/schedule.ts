import type { DueAccount, ScheduleStore } from 'kalends/ports';
import type { ShardedContext } from './context.ts';
import { createLateClaims } from './late-claims.ts';
import { ofKey, routedStore } from './routed-store.ts';
import { earliest } from './sums.ts';

/** Stores schedules with their accounts. */
export function shardedSchedule(context: ShardedContext): ScheduleStore {
  const { shards } = context;
  const overdue = createLateClaims<DueAccount>();
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
      await shards.workInReachable(async ({ schedule }, shard) => {
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
    async claimDueAccounts(ttlMs, limit, options) {
      const kept = overdue.take(limit);
      if (kept.length > 0) return kept;
      // Those of the first database that has any: their leases do not wait for one that is slow.
      for (const shard of shards.rotated()) {
        const askedAt = overdue.now();
        const claimed = await shards.askInTime(
          shard,
          ({ schedule }) => schedule.claimDueAccounts(ttlMs, limit, options),
          (late) => overdue.keep(late, askedAt, ttlMs),
        );
        if (claimed !== undefined && claimed.answer.length > 0) return claimed.answer;
      }
      return [];
    },
    async nextDueAt() {
      return overdue.hasAny() ? 0 : await earliest(shards, ({ schedule }) => schedule.nextDueAt());
    },
  };
}
