import type { LeaseStore } from 'kalends/ports';
import { sql, type Transaction } from 'kysely';
import { takeCalls } from './call-budget.ts';
import type { SqlContext } from './context.ts';
import type { SqlDialect } from './dialect.ts';
import type { Tables } from './schema.ts';

export function leaseStore(context: SqlContext): LeaseStore {
  const { database, dialect } = context;
  return {
    takeCalls: (name, budget) => takeCalls(context, name, budget),
    claim: (name, ttlMs) =>
      dialect.transaction(database, async (transaction) =>
        claimLease(transaction, name, ttlMs, await dialect.now(transaction)),
      ),
    renew: (name, epoch, ttlMs) =>
      dialect.transaction(database, async (transaction) => {
        const now = await dialect.now(transaction);
        const result = await transaction
          .updateTable('lease')
          .set({ leased_until: now + ttlMs })
          .where('name', '=', name)
          .where('epoch', '=', epoch)
          .where('leased_until', '>', now)
          .executeTakeFirst();
        return result.numUpdatedRows > 0n;
      }),
    async release(name, epoch) {
      // The row stays for a while: epochs go on counting, so that an old holder never meets its own number again.
      await database
        .updateTable('lease')
        .set({ leased_until: await dialect.now(database) })
        .where('name', '=', name)
        .where('epoch', '=', epoch)
        .execute();
    },
    async purge({ endedForMs, limit }) {
      const before = (await dialect.now(database)) - endedForMs;
      await purgeMarks(context, before, limit);
      const result = await database
        .deleteFrom('lease')
        .where('name', 'in', (query) =>
          query
            .selectFrom('lease')
            .select('name')
            .where('leased_until', '<', before)
            .orderBy('leased_until')
            .limit(limit),
        )
        // Once more on the row itself: it may have been claimed since it was found.
        .where('leased_until', '<', before)
        .executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

/** Removes marks that nobody asks for any more: what became of a commit is asked at once or never. */
async function purgeMarks({ database, dialect }: SqlContext, before: number, limit: number): Promise<void> {
  await database
    .deleteFrom('commit_mark')
    .where('id', 'in', (query) =>
      query
        .selectFrom('commit_mark')
        .select('id')
        .where('at', '<', before)
        .limit(limit)
        // Whoever writes its mark again is in the midst of a transaction.
        .modifyEnd(dialect.forUpdateSkipLocked),
    )
    .execute();
}

/** Claims a lease inside a transaction; undefined when somebody holds it. */
export async function claimLease(
  transaction: Transaction<Tables>,
  name: string,
  ttlMs: number,
  now: number,
): Promise<{ readonly epoch: number } | undefined> {
  const { rows } = await sql<{ readonly epoch: number }>`
    insert into lease (name, epoch, leased_until) values (${name}, 1, ${now + ttlMs})
    on conflict (name) do update set epoch = lease.epoch + 1, leased_until = excluded.leased_until
      where lease.leased_until <= ${now}
    returning epoch`.execute(transaction);
  return rows[0] && { epoch: rows[0].epoch };
}

/** Whether the lease is held with this epoch; locks it until the end of the transaction. */
export async function holdsLease(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  { name, epoch }: { readonly name: string; readonly epoch: number },
): Promise<boolean> {
  const row = await transaction
    .selectFrom('lease')
    .select(['epoch', 'leased_until'])
    .where('name', '=', name)
    .modifyEnd(dialect.forUpdate)
    .executeTakeFirst();
  return row !== undefined && row.epoch === epoch && row.leased_until > (await dialect.now(transaction));
}
