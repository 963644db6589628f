import type { MessageRow } from 'kalends/ports';
import type { Selectable, Transaction } from 'kysely';
import type { SqlDialect } from './dialect.ts';
import type { Tables } from './schema.ts';
import { oneOf, type statement } from './statement.ts';

export interface NewMessage {
  readonly applicationId: string;
  readonly targetId: string;
  readonly eventType: MessageRow['eventType'];
  readonly timestamp: number;
  readonly data?: string;
  /** Called only when a message is made. */
  readonly messageId: () => string;
}

/** Puts a message into a target's line, or merges it into one that waits unattempted. Nothing when it is disabled or gone. */
export async function enqueueMessage(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  input: NewMessage,
): Promise<void> {
  const delivery = await transaction
    .selectFrom('delivery')
    .innerJoin('target', 'target.id', 'delivery.target_id')
    .select(['delivery.due_at', 'delivery.next_send_at'])
    .where('target.application_id', '=', input.applicationId)
    .where('target.id', '=', input.targetId)
    .where('target.disabled_at', 'is', null)
    .modifyEnd(dialect.forUpdate)
    .executeTakeFirst();
  if (delivery === undefined) return;
  if (await coalesce(transaction, input)) return;
  const now = await dialect.now(transaction);
  const { seq } = await transaction
    .insertInto('message')
    .values({
      id: input.messageId(),
      application_id: input.applicationId,
      target_id: input.targetId,
      event_type: input.eventType,
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
  await transaction.updateTable('message').set({ place: seq }).where('seq', '=', seq).execute();
  if (delivery.due_at === null) {
    dialect.announce(transaction, 'outbox');
    await transaction
      .updateTable('delivery')
      .set({ due_at: Math.max(now, Math.ceil(delivery.next_send_at)) })
      .where('target_id', '=', input.targetId)
      .execute();
  }
}

async function coalesce(transaction: Transaction<Tables>, input: NewMessage): Promise<boolean> {
  if (input.eventType !== 'calendar.event.changed') return false;
  const waiting = await transaction
    .selectFrom('message')
    .select(['seq', 'changed_at'])
    .where('target_id', '=', input.targetId)
    .where('place', 'is not', null)
    .where('state', '=', 'unattempted')
    .where('event_type', '=', input.eventType)
    .executeTakeFirst();
  if (waiting === undefined) return false;
  if (waiting.changed_at < input.timestamp) {
    await transaction
      .updateTable('message')
      .set({ changed_at: input.timestamp })
      .where('seq', '=', waiting.seq)
      .execute();
  }
  return true;
}

/** The message that is to be sent first, and the sending state of its target. */
export type Head = Selectable<Tables['message']> &
  Pick<Selectable<Tables['delivery']>, 'host' | 'epoch' | 'next_send_at' | 'leased_until'>;

/** The heads of targets' lines, without those that have none. What else waits in a line is not read. */
export function readHeads(run: ReturnType<typeof statement>, targetIds: readonly string[]): Promise<readonly Head[]> {
  return run<Head>`select m.*, d.host, d.epoch, d.next_send_at, d.leased_until
    from delivery d join message m on m.seq = (
      select h.seq from message h where h.target_id = d.target_id and h.place is not null order by h.place limit 1)
    where d.target_id ${oneOf(targetIds)}`;
}

/** When the head may be sent, as far as its target's rate and its own retry go. */
export const dueAtOf = (head: Head) => Math.max(Math.ceil(head.next_send_at), head.retry_at);

export function toMessage(row: Selectable<Tables['message']>): MessageRow {
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
