import { sql, type Transaction } from 'kysely';
import type { SqlDialect } from './dialect.ts';
import { enqueueMessage } from './messages.ts';
import type { Tables } from './schema.ts';

/** What a collection holds, by table: the columns that tell its rows apart. */
const CONTENTS = {
  item_version: ['group_id', 'member', 'from_revision'],
  item_body: ['body'],
  revision_log: ['revision'],
  provider_token: ['token'],
  reread: ['item_id'],
  seen_item: ['generation', 'item_id'],
  held_group: ['group_id'],
  intent: ['id'],
} as const satisfies Partial<Record<keyof Tables, readonly string[]>>;

/** Rows that one statement removes: a statement of SQLite holds the event loop. */
const PART = 1_000;

/** Removes collections (already locked) with all that they hold. */
async function deleteCollections(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  ids: readonly number[],
): Promise<void> {
  for (const id of ids) {
    for (const [table, columns] of Object.entries(CONTENTS)) {
      while ((await deletePart(transaction, table, columns, id)) === PART) await dialect.pause();
    }
    await transaction.deleteFrom('collection').where('id', '=', id).execute();
  }
}

async function deletePart(
  transaction: Transaction<Tables>,
  table: string,
  columns: readonly string[],
  collectionId: number,
): Promise<number> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const result = await sql`delete from ${sql.table(table)} where collection_id = ${collectionId} and (${names}) in (
    select ${names} from ${sql.table(table)} where collection_id = ${collectionId} limit ${PART})`.execute(transaction);
  return Number(result.numAffectedRows);
}

/** Removes the mirror of an account. */
export async function deleteAccountCollections(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  accountId: string,
): Promise<void> {
  const rows = await transaction
    .selectFrom('collection')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('calendar_id')
    .modifyEnd(dialect.forUpdate)
    .execute();
  await deleteCollections(
    dialect,
    transaction,
    rows.map(({ id }) => id),
  );
}

interface CalendarKey {
  readonly applicationId: string;
  readonly accountId: string;
  readonly calendarId: string;
}

interface LastMessage {
  readonly at: number;
  readonly messageId: () => string;
}

/** Removes one collection and its schedule, and ends its subscriptions; nothing when it is another application's. */
export async function deleteCollection(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  key: CalendarKey,
  last: LastMessage,
): Promise<void> {
  const rows = await transaction
    .selectFrom('collection')
    .select('id')
    .where('application_id', '=', key.applicationId)
    .where('account_id', '=', key.accountId)
    .where('calendar_id', '=', key.calendarId)
    .modifyEnd(dialect.forUpdate)
    .execute();
  await deleteCollections(
    dialect,
    transaction,
    rows.map(({ id }) => id),
  );
  await transaction.deleteFrom('schedule').where(ofCalendar(key)).execute();
  // Upkeep closes them at the provider.
  await transaction.updateTable('channel').set({ renew_at: 0 }).where(ofCalendar(key)).execute();
  await endSubscriptions(dialect, transaction, key, last);
}

/** A subscription of the type `calendar` covers the whole account and outlives any one calendar. */
async function endSubscriptions(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  key: CalendarKey,
  { at, messageId }: LastMessage,
): Promise<void> {
  const targets = await transaction
    .selectFrom('target')
    .select(['id', 'disabled_at'])
    .where(ofCalendar(key))
    .where('subscription_type', '=', 'event')
    .where('ended_at', 'is', null)
    .orderBy('id')
    .modifyEnd(dialect.forUpdate)
    .execute();
  for (const { id, disabled_at } of targets) {
    if (disabled_at !== null) {
      await transaction.deleteFrom('target').where('id', '=', id).execute();
      continue;
    }
    await transaction
      .deleteFrom('message')
      .where('target_id', '=', id)
      .where('place', 'is not', null)
      .where('state', '=', 'unattempted')
      .execute();
    const eventType = 'calendar.event.unknown';
    await enqueueMessage(transaction, dialect, {
      applicationId: key.applicationId,
      targetId: id,
      eventType,
      timestamp: at,
      messageId,
    });
    await transaction.updateTable('target').set({ ended_at: at, updated_at: at }).where('id', '=', id).execute();
  }
}

function ofCalendar({ applicationId, accountId, calendarId }: CalendarKey) {
  return sql<boolean>`(application_id = ${applicationId} and account_id = ${accountId} and calendar_id = ${calendarId})`;
}
