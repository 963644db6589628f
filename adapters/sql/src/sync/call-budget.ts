import type { LeaseStore } from 'kalends/ports';
import { sql } from 'kysely';
import type { SqlContext } from '../context.ts';

const MINUTE_MS = 60_000;

/** Takes calls out of a shared budget; its contract is LeaseStore.takeCalls. */
export function takeCalls(
  { database, dialect }: SqlContext,
  ...[name, { perMinute, capacity, atMost, keep }]: Parameters<LeaseStore['takeCalls']>
): ReturnType<LeaseStore['takeCalls']> {
  return dialect.transaction(database, async (transaction) => {
    const now = await dialect.now(transaction);
    await transaction
      .insertInto('kalends_call_budget')
      .values({ name, calls: capacity, at: now })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    const row = await transaction
      .selectFrom('kalends_call_budget')
      .select(['calls', 'at'])
      .where('name', '=', name)
      .modifyEnd(sql.raw(dialect.forUpdate))
      .executeTakeFirstOrThrow();
    const gained = (Math.max(0, now - row.at) * perMinute) / MINUTE_MS;
    const calls = Math.min(capacity, row.calls + gained);
    const taken = Math.max(0, Math.min(atMost, Math.floor(calls - keep)));
    await transaction
      .updateTable('kalends_call_budget')
      .set({ calls: calls - taken, at: Math.max(now, row.at) })
      .where('name', '=', name)
      .execute();
    return { taken, waitMs: taken > 0 ? 0 : Math.ceil(((keep + 1 - calls) * MINUTE_MS) / perMinute) };
  });
}
