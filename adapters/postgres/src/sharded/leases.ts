import { type HeldLease, KalendsError, type LeaseStore, StorageUnavailableError } from 'kalends/ports';
import { accountOfLease } from './account-tables.ts';
import type { ShardedContext } from './context.ts';
import type { Shard } from './shard.ts';
import { purgeInTurns } from './sums.ts';

/** Stores the leases of work on an account with the account, so that its commits are fenced there; all others in the home database. */
export function shardedLeases({ shards, router }: ShardedContext, reconcile: () => Promise<void>): LeaseStore {
  const { home } = shards;
  const { takeCalls, giveBackCalls, takeDayCalls } = home.storage.leases;
  return {
    ...{ takeCalls, giveBackCalls, takeDayCalls },
    claim(name, ttlMs) {
      const accountId = accountOfLease(name);
      if (accountId === null) return home.storage.leases.claim(name, ttlMs);
      return router.write(accountId, ({ leases }) => leases.claim(name, ttlMs));
    },
    async release(name, epoch) {
      const accountId = accountOfLease(name);
      if (accountId === null) return await home.storage.leases.release(name, epoch);
      return await router.change(accountId, ({ leases }) => leases.release(name, epoch));
    },
    async renew(leases, ttlMs) {
      const groups = new Map<Shard, HeldLease[]>();
      for (const lease of leases) {
        const accountId = accountOfLease(lease.name);
        const shard = accountId === null ? home : (await router.shardOf(accountId)).shard;
        groups.set(shard, [...(groups.get(shard) ?? []), lease]);
      }
      await overGroups(groups, (shard, held) => shard.use((storage) => storage.leases.renew(held, ttlMs)));
    },
    async purge({ endedForMs, limit }) {
      await reconcile();
      return await purgeInTurns(shards, limit, ({ leases }, left) => leases.purge({ endedForMs, limit: left }));
    },
  };
}

/** Does short work on groups of rows by shard at once. A shard that is away, or does not answer in time, keeps no other from its work. */
export async function overGroups<Row>(
  groups: ReadonlyMap<Shard, readonly Row[]>,
  work: (shard: Shard, rows: readonly Row[]) => Promise<unknown>,
): Promise<{ readonly isComplete: boolean }> {
  const ends = await Promise.allSettled(
    [...groups].map(([shard, rows]) => (shard.isHome ? work(shard, rows) : shard.inTime(() => work(shard, rows)))),
  );
  const failed = ends.find((end) => end.status === 'rejected' && !StorageUnavailableError.isInstance(end.reason));
  if (failed?.status === 'rejected') throw failed.reason;
  return { isComplete: ends.every(({ status }) => status === 'fulfilled') };
}

/**
 * Runs work that is fenced by a lease of the home database on another one: the lease's row stays locked meanwhile, and is lent to
 * the shard, which compares its epoch. Leases of work on the account are with it, and need none of this.
 * @throws KalendsError Conflict when it is not held
 */
export function underLease<Result>(
  home: Shard,
  shard: Shard,
  lease: HeldLease | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (shard.isHome || lease === undefined || accountOfLease(lease.name) !== null) return work();
  return home.transaction(async (run) => {
    const [held] = await run<{ readonly epoch: number }>('select epoch from kalends_lease where name = $1 for update', [
      lease.name,
    ]);
    if (held?.epoch !== lease.epoch) throw new KalendsError('Conflict', 'The lease was lost');
    await shard.write(
      `insert into kalends_lease (name, epoch, leased_until) values ($1, $2, 0)
        on conflict (name) do update set epoch = excluded.epoch`,
      [lease.name, lease.epoch],
    );
    try {
      return await work();
    } finally {
      await shard.write('delete from kalends_lease where name = $1', [lease.name]);
    }
  });
}
