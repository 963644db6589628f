import { type CollectionKey, type HeldLease, KalendsError } from 'kalends/ports';
import type { Selectable, Transaction } from 'kysely';
import { type CollectionRef, inCollection, isCollection } from '../schema/collection-key.ts';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { fragment, statement } from '../statements/statement.ts';
import { holdsLease } from '../sync/leases.ts';
import { enqueueMessage, planRecords, toChange } from '../webhooks/messages.ts';

/** Tables with the rows of a collection, and the columns that tell those apart. */
const CONTENTS = {
  kalends_item_version: 'group_id, member, from_revision',
  kalends_item_body: 'body',
  kalends_revision_log: 'revision',
  kalends_provider_token: 'token',
  kalends_reread: 'item_id',
  kalends_unreadable_object: 'object_id',
  kalends_seen_item: 'generation, item_id',
  kalends_held_group: 'group_id',
  kalends_intent: 'id',
} as const satisfies Partial<Record<keyof Tables, string>>;

/** Rows that one statement removes: a statement of SQLite blocks the event loop. */
const PART = 1_000;

/** Removes locked collections with all of their rows. */
async function deleteCollections(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  collections: readonly CollectionRef[],
): Promise<void> {
  for (const { account_id, id } of collections) {
    for (const [table, columns] of Object.entries(CONTENTS)) {
      while ((await deletePart(dialect, transaction, table, columns, { account_id, id })) === PART)
        await dialect.pause();
    }
    await transaction
      .deleteFrom('kalends_collection')
      .where('account_id', '=', account_id)
      .where('id', '=', id)
      .execute();
  }
}

async function deletePart(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  table: string,
  columns: string,
  collection: CollectionRef,
): Promise<number> {
  const run = statement(dialect, transaction);
  const [from, names] = [fragment(table), fragment(columns)];
  const removed = await run`delete from ${from} where ${inCollection(collection)} and (${names}) in (
    select ${names} from ${from} where ${inCollection(collection)} limit ${PART}) returning 1 as removed`;
  return removed.length;
}

/** Removes the mirror of an account. */
export async function deleteAccountCollections(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  accountId: string,
): Promise<void> {
  const run = statement(dialect, transaction);
  const collections = await run<CollectionRef>`select account_id, id from kalends_collection
    where account_id = ${accountId} order by calendar_id ${fragment(dialect.forUpdate)}`;
  await deleteCollections(dialect, transaction, collections);
}

interface LastMessage {
  readonly at: number;
  readonly messageId: () => string;
  /** Fences the removal. */
  readonly lease?: HeldLease | undefined;
}

/**
 * Removes a collection and its schedule, and ends its subscriptions; nothing when it is another application's.
 * @throws KalendsError Conflict when the lease was lost
 */
export async function deleteCollection(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  key: CollectionKey,
  last: LastMessage,
): Promise<void> {
  const run = statement(dialect, transaction);
  const collections = await run<CollectionRef>`select account_id, id from kalends_collection
    where ${isCollection(key)} ${fragment(dialect.forUpdate)}`;
  if (last.lease !== undefined && !(await holdsLease(transaction, dialect, last.lease))) {
    throw new KalendsError('Conflict', 'The lease was lost');
  }
  await deleteCollections(dialect, transaction, collections);
  await run`delete from kalends_schedule where ${isCollection(key)}`;
  // Upkeep closes them at the provider.
  await run`update kalends_channel set renew_at = 0 where ${isCollection(key)}`;
  await endSubscriptions(dialect, transaction, key, last);
  await replaceRecords(dialect, transaction, key, last);
}

/** Ends the subscriptions of one calendar; those of the type `calendar` cover the whole account and stay. */
async function endSubscriptions(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  key: CollectionKey,
  { at, messageId }: LastMessage,
): Promise<void> {
  const run = statement(dialect, transaction);
  const targets = await run<Pick<Selectable<Tables['kalends_target']>, 'id' | 'disabled_at'>>`
    select id, disabled_at from kalends_target
    where ${isCollection(key)} and subscription_type = 'event' and ended_at is null
    order by id ${fragment(dialect.forUpdate)}`;
  for (const { id, disabled_at } of targets) {
    if (disabled_at !== null) {
      await transaction.deleteFrom('kalends_target').where('id', '=', id).execute();
      continue;
    }
    await transaction
      .deleteFrom('kalends_message')
      .where('target_id', '=', id)
      .where('place', 'is not', null)
      .where('state', '=', 'unattempted')
      .execute();
    await enqueueMessage(transaction, dialect, {
      applicationId: key.applicationId,
      targetId: id,
      eventType: 'calendar.event.unknown',
      timestamp: at,
      messageId,
    });
    await transaction
      .updateTable('kalends_target')
      .set({ ended_at: at, updated_at: at })
      .where('id', '=', id)
      .execute();
  }
}

/**
 * Puts one message that changes are not known in the place of those that wait for a subscription to the whole account, when
 * there are any with a record of the removed calendar: each of these would say so by itself.
 */
async function replaceRecords(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  { applicationId, accountId, calendarId }: CollectionKey,
  { at, messageId }: LastMessage,
): Promise<void> {
  const run = statement(dialect, transaction);
  const waiting = await run<Pick<Selectable<Tables['kalends_message']>, 'target_id' | 'change'>>`
    select m.target_id, m.change from kalends_target t join kalends_message m on m.target_id = t.id
    where t.application_id = ${applicationId} and t.account_id = ${accountId} and t.subscription_type = 'calendar'
      and t.detail = 'record' and m.place is not null and m.state = 'unattempted' and m.change is not null
    order by m.target_id`;
  const lost = waiting.filter(({ change }) => toChange(change)?.calendarId === calendarId);
  for (const targetId of new Set(lost.map((row) => row.target_id))) {
    const unknown = { applicationId, targetId, timestamp: at, messageId };
    for (const planned of await planRecords(transaction, dialect, unknown, undefined)) await run`${planned}`;
  }
}
