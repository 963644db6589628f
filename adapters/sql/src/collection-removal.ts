import { sql, type Transaction } from 'kysely';
import type { SqlDialect } from './dialect.ts';
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

/** Removes one collection, its schedule, channels and subscriptions; nothing when it is another application's. */
export async function deleteCollection(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  key: { readonly applicationId: string; readonly accountId: string; readonly calendarId: string },
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
  for (const table of ['schedule', 'channel'] as const) {
    await transaction
      .deleteFrom(table)
      .where('application_id', '=', key.applicationId)
      .where('account_id', '=', key.accountId)
      .where('calendar_id', '=', key.calendarId)
      .execute();
  }
  // A subscription of the type `calendar` covers the whole account and outlives any one calendar.
  await transaction
    .deleteFrom('target')
    .where('application_id', '=', key.applicationId)
    .where('account_id', '=', key.accountId)
    .where('calendar_id', '=', key.calendarId)
    .where('subscription_type', '=', 'event')
    .execute();
}
