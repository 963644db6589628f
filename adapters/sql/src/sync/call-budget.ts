import type { LeaseStore } from 'kalends/ports';
import { sql } from 'kysely';
import type { SqlContext } from '../context.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Takes calls out of a shared budget; its contract is LeaseStore.takeCalls. */
export function takeCalls(
  { database, dialect }: SqlContext,
  ...[name, { perMinute, capacity, atMost, keep }]: Parameters<LeaseStore['takeCalls']>
): ReturnType<LeaseStore['takeCalls']> {
  return dialect.transaction(database, async (transaction) => {
    // An update without effect locks the row, so that a purge cannot remove it before it is read. A new one is full at any time.
    const row = await transaction
      .insertInto('kalends_call_budget')
      .values({ name, calls: capacity, at: 0 })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ name }))
      .returning(['calls', 'at'])
      .executeTakeFirstOrThrow();
    // Read under the lock: of two takers none gains time again that the other one had. A clock that was set back gains nothing once.
    const now = await dialect.now(transaction);
    const gained = (Math.max(0, now - row.at) * perMinute) / MINUTE_MS;
    const calls = Math.min(capacity, row.calls + gained);
    const taken = Math.max(0, Math.min(atMost, Math.floor(calls - keep)));
    await transaction
      .updateTable('kalends_call_budget')
      .set({ calls: calls - taken, at: now })
      .where('name', '=', name)
      .execute();
    const waitMs = taken > 0 ? 0 : Math.ceil(((keep + 1 - calls) * MINUTE_MS) / perMinute);
    return { taken, waitMs, left: Math.floor(calls - taken) };
  });
}

/** Gives calls back to a shared budget; its contract is LeaseStore.giveBackCalls. */
export async function giveBackCalls(
  { database }: SqlContext,
  ...[name, { calls, capacity }]: Parameters<LeaseStore['giveBackCalls']>
): Promise<void> {
  const sum = sql<number>`case when calls + ${calls} > ${capacity} then ${capacity} else calls + ${calls} end`;
  await database.updateTable('kalends_call_budget').set({ calls: sum }).where('name', '=', name).execute();
}

/** Removes budgets from which nothing was taken since `before`. */
export async function purgeBudgets({ database }: SqlContext, before: number, limit: number): Promise<void> {
  await database
    .deleteFrom('kalends_call_budget')
    .where('name', 'in', (query) =>
      query.selectFrom('kalends_call_budget').select('name').where('at', '<', before).orderBy('at').limit(limit),
    )
    // Checked again on the row itself: it may have been used since it was found.
    .where('at', '<', before)
    .execute();
}

/** Counts calls of a day; its contract is LeaseStore.takeDayCalls. */
export function takeDayCalls(
  { database, dialect }: SqlContext,
  ...[name, { day, atMost, upTo }]: Parameters<LeaseStore['takeDayCalls']>
): ReturnType<LeaseStore['takeDayCalls']> {
  return dialect.transaction(database, async (transaction) => {
    await transaction
      .insertInto('kalends_call_day')
      .values({ name, day: 0, calls: 0 })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    const row = await transaction
      .selectFrom('kalends_call_day')
      .select(['day', 'calls'])
      .where('name', '=', name)
      .modifyEnd(sql.raw(dialect.forUpdate))
      .executeTakeFirstOrThrow();
    // A day that is far from the storage's own is of a process with a wrong date. Taken as it is, it would begin the count anew, or
    // take the days until then away.
    const today = Math.floor((await dialect.now(transaction)) / DAY_MS);
    const given = Math.min(Math.max(day, today - 1), today + 1);
    const isLatest = row.day === given || row.day === given + 1;
    const used = isLatest ? row.calls : 0;
    const taken = Math.max(0, Math.min(atMost, upTo - used));
    await transaction
      .updateTable('kalends_call_day')
      .set({ day: isLatest ? row.day : given, calls: used + taken })
      .where('name', '=', name)
      .execute();
    return { taken, used: used + taken };
  });
}
