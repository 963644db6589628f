import type { OutboxStore } from 'kalends/ports';
import { sql, type Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { statement } from '../statements/statement.ts';
import { allowedFromNow, headDueAt } from './due-times.ts';

type Refusal = 'disabled' | 'unknown';

/** Puts messages that were delivered, are dead or wait for a retry back into line. */
export function redelivery({ database, dialect }: SqlContext): Pick<OutboxStore, 'redeliver' | 'recover'> {
  /** Runs the work under the target's lock, unless it is disabled or gone; then makes it due. */
  const inLine = <Result>(
    applicationId: string,
    targetId: string,
    work: (transaction: Transaction<Tables>) => Promise<Result>,
  ): Promise<Result | Refusal> =>
    dialect.transaction(database, async (transaction) => {
      const target = await transaction
        .selectFrom('kalends_delivery')
        .innerJoin('kalends_target', 'kalends_target.id', 'kalends_delivery.target_id')
        .select('kalends_target.disabled_at')
        .where('kalends_target.application_id', '=', applicationId)
        .where('kalends_target.id', '=', targetId)
        .modifyEnd(sql.raw(dialect.forUpdate))
        .executeTakeFirst();
      if (target === undefined) return 'unknown';
      if (target.disabled_at !== null) return 'disabled';
      const result = await work(transaction);
      // A refused call has no effect.
      if (result !== 'unknown') await makeDue(transaction, dialect, targetId);
      return result;
    });

  return {
    redeliver: (applicationId, targetId, messageId) =>
      inLine(applicationId, targetId, async (transaction) => {
        const message = await transaction
          .selectFrom('kalends_message')
          .select(['seq', 'state'])
          .where('target_id', '=', targetId)
          .where('id', '=', messageId)
          .executeTakeFirst();
        if (message === undefined) return 'unknown';
        // A message that waits for its first attempt stays unattempted, so that others can coalesce into it.
        if (message.state !== 'unattempted') {
          await putBack(transaction).where('seq', '=', message.seq).execute();
        }
        return 'enqueued';
      }),
    recover: (applicationId, targetId, since) =>
      inLine(applicationId, targetId, async (transaction) => {
        const result = await putBack(transaction)
          .where('target_id', '=', targetId)
          .where('created_at', '>=', since)
          .where('state', 'in', ['dead', 'retrying'])
          .executeTakeFirst();
        return Number(result.numUpdatedRows);
      }),
  };
}

/** Puts messages back at the place of their age: before those that were made after them. */
function putBack(transaction: Transaction<Tables>) {
  return transaction
    .updateTable('kalends_message')
    .set((eb) => ({ state: 'retrying' as const, attempts: 0, retry_at: 0, place: eb.ref('seq') }));
}

/** Makes a target due for its head, after its line has changed. */
export async function makeDue(transaction: Transaction<Tables>, dialect: SqlDialect, targetId: string): Promise<void> {
  const run = statement(dialect, transaction);
  // A held target becomes due when its sender releases it, or its lease ends.
  await run`update kalends_delivery set due_at = ${headDueAt(allowedFromNow(dialect))} where target_id = ${targetId} and leased_until = 0`;
  dialect.announce(transaction, 'outbox');
}
