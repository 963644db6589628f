import type { MessageRow } from 'kalends/ports';
import type { Selectable, Transaction } from 'kysely';
import type { SqlDialect } from './dialect.ts';
import type { Tables } from './schema.ts';

export interface NewMessage {
  readonly applicationId: string;
  readonly subscriptionId: string;
  readonly eventType: MessageRow['eventType'];
  readonly timestamp: number;
  /** Called only when a message is made. */
  readonly messageId: () => string;
}

/** Puts a message into a subscription's line, or merges it into one that waits unattempted. Nothing when it is disabled or gone. */
export async function enqueueMessage(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  input: NewMessage,
): Promise<void> {
  const delivery = await transaction
    .selectFrom('delivery')
    .innerJoin('subscription', 'subscription.id', 'delivery.subscription_id')
    .select(['delivery.due_at', 'delivery.next_send_at', 'delivery.leased_until'])
    .where('subscription.application_id', '=', input.applicationId)
    .where('subscription.id', '=', input.subscriptionId)
    .where('subscription.disabled_at', 'is', null)
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
      subscription_id: input.subscriptionId,
      event_type: input.eventType,
      changed_at: input.timestamp,
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
    await transaction
      .updateTable('delivery')
      .set({ due_at: Math.max(now, Math.ceil(delivery.next_send_at)) })
      .where('subscription_id', '=', input.subscriptionId)
      .execute();
  }
}

async function coalesce(transaction: Transaction<Tables>, input: NewMessage): Promise<boolean> {
  if (input.eventType !== 'calendar.event.changed') return false;
  const waiting = await transaction
    .selectFrom('message')
    .select(['seq', 'changed_at'])
    .where('subscription_id', '=', input.subscriptionId)
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

/** The message that is to be sent first. */
export function findHead(transaction: Transaction<Tables>, subscriptionId: string) {
  return transaction
    .selectFrom('message')
    .selectAll()
    .where('subscription_id', '=', subscriptionId)
    .where('place', 'is not', null)
    .orderBy('place')
    .limit(1)
    .executeTakeFirst();
}

export function toMessage(row: Selectable<Tables['message']>): MessageRow {
  return {
    id: row.id,
    applicationId: row.application_id,
    subscriptionId: row.subscription_id,
    eventType: row.event_type as MessageRow['eventType'],
    timestamp: row.changed_at,
    attempts: row.attempts,
    createdAt: row.created_at,
  };
}
