import type { MessageRow } from 'kalends/ports';
import { type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../schema/schema.ts';
import { noteChange } from '../statements/commit-feed.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { oneOf, type statement } from '../statements/statement.ts';

export interface NewMessage {
  readonly applicationId: string;
  readonly targetId: string;
  readonly eventType: MessageRow['eventType'];
  readonly timestamp: number;
  readonly data?: string;
  /** Called only when a message is made. */
  readonly messageId: () => string;
}

/** Enqueues a message, or merges it into one that waits unattempted; nothing when the target is disabled or gone. */
export async function enqueueMessage(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  input: NewMessage,
): Promise<void> {
  const delivery = await transaction
    .selectFrom('kalends_delivery')
    .innerJoin('kalends_target', 'kalends_target.id', 'kalends_delivery.target_id')
    .select(['kalends_delivery.due_at', 'kalends_delivery.next_send_at'])
    .where('kalends_target.application_id', '=', input.applicationId)
    .where('kalends_target.id', '=', input.targetId)
    .where('kalends_target.disabled_at', 'is', null)
    .modifyEnd(sql.raw(dialect.forUpdate))
    .executeTakeFirst();
  if (delivery === undefined) return;
  if (await coalesce(transaction, input)) return;
  const now = await dialect.now(transaction);
  const { applicationId, targetId, eventType } = input;
  const id = input.messageId();
  const { seq } = await transaction
    .insertInto('kalends_message')
    .values({
      id,
      application_id: applicationId,
      target_id: targetId,
      event_type: eventType,
      changed_at: input.timestamp,
      data: input.data ?? null,
      attempts: 0,
      state: 'unattempted',
      place: 0,
      retry_at: 0,
      created_at: now,
    })
    .returning('seq')
    .executeTakeFirstOrThrow();
  await transaction.updateTable('kalends_message').set({ place: seq }).where('seq', '=', seq).execute();
  noteChange(transaction, { kind: 'message', message: { id, applicationId, targetId, eventType } });
  if (delivery.due_at === null) {
    dialect.announce(transaction, 'outbox');
    await transaction
      .updateTable('kalends_delivery')
      .set({ due_at: Math.max(now, Math.ceil(delivery.next_send_at)) })
      .where('target_id', '=', input.targetId)
      .execute();
  }
}

async function coalesce(transaction: Transaction<Tables>, input: NewMessage): Promise<boolean> {
  if (input.eventType !== 'calendar.event.changed') return false;
  const waiting = await transaction
    .selectFrom('kalends_message')
    .select(['seq', 'changed_at'])
    .where('target_id', '=', input.targetId)
    .where('place', 'is not', null)
    .where('state', '=', 'unattempted')
    .where('event_type', '=', input.eventType)
    .executeTakeFirst();
  if (waiting === undefined) return false;
  if (waiting.changed_at < input.timestamp) {
    await transaction
      .updateTable('kalends_message')
      .set({ changed_at: input.timestamp })
      .where('seq', '=', waiting.seq)
      .execute();
  }
  return true;
}

/** The first message of a line, and the sending state of its target. */
export type Head = Selectable<Tables['kalends_message']> &
  Pick<Selectable<Tables['kalends_delivery']>, 'host' | 'epoch' | 'next_send_at' | 'leased_until'>;

/** Reads the heads of targets' lines; targets without one are left out, and the rest of a line is not read. */
export function readHeads(run: ReturnType<typeof statement>, targetIds: readonly string[]): Promise<readonly Head[]> {
  return run<Head>`select m.*, d.host, d.epoch, d.next_send_at, d.leased_until
    from kalends_delivery d join kalends_message m on m.seq = (
      select h.seq from kalends_message h where h.target_id = d.target_id and h.place is not null order by h.place limit 1)
    where d.target_id ${oneOf(targetIds)}`;
}

/** Returns when the head may be sent, by its target's rate and its own retry. */
export const dueAtOf = (head: Head) => Math.max(Math.ceil(head.next_send_at), head.retry_at);

export function toMessage(row: Selectable<Tables['kalends_message']>): MessageRow {
  return {
    id: row.id,
    applicationId: row.application_id,
    targetId: row.target_id,
    eventType: row.event_type as MessageRow['eventType'],
    timestamp: row.changed_at,
    data: row.data,
    attempts: row.attempts,
    createdAt: row.created_at,
  };
}
