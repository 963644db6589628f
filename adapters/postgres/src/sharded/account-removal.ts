import { ACCOUNT_TABLES } from './account-tables.ts';
import { lockAccount } from './fence.ts';
import type { Run } from './run.ts';
import type { Shard } from './shard.ts';

/** Rows that one statement removes. */
const PART = 10_000;

/**
 * Removes the rows of an account from a shard that it has left, or that had only a part of them. In the home database the
 * account's own row stays. Its leases must have been carried along. Idempotent.
 */
export async function deleteRows(run: Run, shard: Shard, accountId: string, applicationId: string): Promise<void> {
  await lockAccount(run, accountId);
  if (!shard.isHome) await run('delete from kalends_account_place where account_id = $1', [accountId]);
  for (const { name, rows } of ACCOUNT_TABLES.toReversed()) {
    const parameters = rows.includes('$2') ? [accountId, applicationId] : [accountId];
    // In parts: a large account must not run into the timeout of a statement.
    for (let removed = PART; removed === PART; ) {
      const [part] = await run<{ readonly rows: number }>(
        `with removed as (delete from ${name}
            where ctid = any(array(select ctid from ${name} where ${rows} limit ${PART})) returning 1)
          select count(*)::int8 as rows from removed`,
        parameters,
      );
      removed = part?.rows ?? 0;
    }
  }
  if (!shard.isHome) await run('delete from kalends_account where id = $1', [accountId]);
}

/**
 * Removes what a deleted account has in its shard, then its place. Its leases go to the home database, released and under a
 * higher epoch: a former holder stays refused.
 */
export async function removeAccount(
  home: Shard,
  shard: Shard,
  { accountId, applicationId }: { readonly accountId: string; readonly applicationId: string },
): Promise<void> {
  if (shard.isHome) return;
  await shard.transaction(async (run, now) => {
    const { rows = '' } = ACCOUNT_TABLES.find(({ name }) => name === 'kalends_lease') ?? {};
    const leases = await run<{ readonly name: string; readonly epoch: number }>(
      `select name, epoch from kalends_lease where ${rows} for update`,
      [accountId, applicationId],
    );
    for (const { name, epoch } of leases) {
      await home.write(
        `insert into kalends_lease (name, epoch, leased_until) values ($1, $2, $3) on conflict (name) do update
          set epoch = greatest(kalends_lease.epoch + 1, excluded.epoch), leased_until = excluded.leased_until`,
        [name, epoch + 1, -(await now())],
      );
    }
    await deleteRows(run, shard, accountId, applicationId);
  });
}
