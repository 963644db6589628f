import type { HeldLease, LeaseStore } from 'kalends/ports';
import { sql, type Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import { compareText } from '../statements/compare-text.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { rowSources } from '../statements/row-source.ts';
import { batch, clockOf, fragment, type Piece, piece, statement } from '../statements/statement.ts';
import { giveBackCalls, purgeBudgets, takeCalls, takeDayCalls } from './call-budget.ts';

export function leaseStore(context: SqlContext): LeaseStore {
  const { database, dialect } = context;
  return {
    takeCalls: (name, budget) => takeCalls(context, name, budget),
    giveBackCalls: (name, given) => giveBackCalls(context, name, given),
    takeDayCalls: (name, input) => takeDayCalls(context, name, input),
    async claim(name, ttlMs) {
      // Not in a batch: its caller must not find it held by a first run whose answer was lost.
      const [lease] = await dialect.transaction(
        database,
        (transaction) => statement(dialect, transaction)<{ readonly epoch: number }>`${claiming(dialect, name, ttlMs)}`,
      );
      return lease && { epoch: lease.epoch };
    },
    async renew(leases, ttlMs) {
      const rows = leases.map(({ name, epoch }) => [name, epoch]);
      await batch(dialect, database, () =>
        rowSources(dialect, rows, ['text', 'bigint']).map(
          // A locked lease is in use by its holder's own commit.
          (held) => piece`update kalends_lease set leased_until = ${clockOf(dialect)} + ${ttlMs} where name in (
            select l.name from kalends_lease l join (select column1, column2 from ${held}) as held
              on l.name = held.column1 and l.epoch = held.column2 ${fragment(dialect.lockFreeOf('l'))})`,
        ),
      );
    },
    async release(name, epoch) {
      await batch(dialect, database, () => [releasing(dialect, { name, epoch })]);
    },
    async purge({ endedForMs, limit }) {
      const before = (await dialect.now(database)) - endedForMs;
      await purgeMarks(context, before, limit);
      await purgeBudgets(context, before, limit);
      const result = await database
        .deleteFrom('kalends_lease')
        .where('name', 'in', (query) =>
          query
            .selectFrom('kalends_lease')
            .select('name')
            .where('leased_until', '>', releasedAt(before))
            .where('leased_until', '<', before)
            .orderBy('leased_until')
            .limit(limit),
        )
        // Checked again on the row itself: it may have been claimed since it was found.
        .where('leased_until', '>', releasedAt(before))
        .where('leased_until', '<', before)
        .executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

/** Removes old commit marks: the outcome of a commit is read at once or never. */
async function purgeMarks({ database, dialect }: SqlContext, before: number, limit: number): Promise<void> {
  await database
    .deleteFrom('kalends_commit_mark')
    .where('id', 'in', (query) =>
      query
        .selectFrom('kalends_commit_mark')
        .select('id')
        .where('at', '<', before)
        .limit(limit)
        // A locked mark belongs to a running transaction.
        .modifyEnd(sql.raw(dialect.forUpdateSkipLocked)),
    )
    .execute();
}

/** Claims a lease, and returns its epoch; no row when it is held. Run again, it finds it held by its own first run. */
export function claiming(dialect: SqlDialect, name: string, ttlMs: number): Piece {
  return claimingAll(dialect, piece`(values (${name})) as wanted`, ttlMs);
}

/** The same for the names in a source of rows; returns the name of each beside its epoch. */
function claimingAll(dialect: SqlDialect, names: Piece, ttlMs: number): Piece {
  const now = clockOf(dialect);
  // A new row begins at the time: a row that was purged may have had a holder who is still at work, under a lower number.
  return piece`
    insert into kalends_lease (name, epoch, leased_until) select column1, ${now}, ${now} + ${ttlMs} from ${names} where true
    on conflict (name) do update set epoch = kalends_lease.epoch + 1, leased_until = excluded.leased_until
      where kalends_lease.leased_until <= ${now} + ${dialect.runOutBy(0)}
    returning name, epoch`;
}

/** Releases a lease; without effect when it was lost. */
export function releasing(dialect: SqlDialect, { name, epoch }: HeldLease): Piece {
  // The row stays for a while: a new one within the same millisecond could begin at an epoch that was given out.
  return piece`update kalends_lease set leased_until = -${clockOf(dialect)}, epoch = epoch + 1
    where name = ${name} and epoch = ${epoch}`;
}

/** Whether the lease has this epoch still, as a condition of a statement. */
export function isHeld({ name, epoch }: HeldLease): Piece {
  return piece`exists (select 1 from kalends_lease where name = ${name} and epoch = ${epoch})`;
}

/** Claims leases inside a transaction, and returns their epochs by name; those that are held are left out. */
export async function claimLeases(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  names: readonly string[],
  ttlMs: number,
): Promise<ReadonlyMap<string, number>> {
  const run = statement(dialect, transaction);
  const epochs = new Map<string, number>();
  // In the order of their names, as every transaction does that locks several.
  const rows = names.toSorted(compareText).map((name) => [name]);
  for (const source of rowSources(dialect, rows, ['text'])) {
    const claimed = await run<{
      readonly name: string;
      readonly epoch: number;
    }>`${claimingAll(dialect, source, ttlMs)}`;
    for (const { name, epoch } of claimed) epochs.set(name, epoch);
  }
  return epochs;
}

/** Takes a lease from any holder. */
export async function endLease(transaction: Transaction<Tables>, dialect: SqlDialect, name: string): Promise<void> {
  const run = statement(dialect, transaction);
  const now = await dialect.now(transaction);
  await run`update kalends_lease set epoch = epoch + 1, leased_until = ${releasedAt(now)} where name = ${name}`;
}

/**
 * Returns what a released lease has for its end: the time, negated. A lease that ran out during an outage counts as held for a
 * while after it; a released one is free.
 */
function releasedAt(now: number): number {
  return -now;
}

/** Whether the lease still has this epoch; locks it until the end of the transaction. */
export async function holdsLease(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  { name, epoch }: HeldLease,
): Promise<boolean> {
  const run = statement(dialect, transaction);
  const [row] = await run<{ readonly epoch: number }>`
    select epoch from kalends_lease where name = ${name} ${fragment(dialect.forUpdate)}`;
  return row?.epoch === epoch;
}
