import { sql, type Transaction } from 'kysely';
import type { SqlDialect } from './dialect.ts';
import type { Tables } from './schema.ts';

const CONTENTS = ['item_version', 'item_body', 'revision_log', 'provider_token', 'reread', 'seen_item'] as const;

/** Removes collections (already locked) with all that they hold. */
async function deleteCollections(transaction: Transaction<Tables>, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    for (const table of CONTENTS) {
      await sql`delete from ${sql.table(table)} where collection_id = ${id}`.execute(transaction);
    }
    await transaction.deleteFrom('collection').where('id', '=', id).execute();
  }
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
    .deleteFrom('subscription')
    .where('application_id', '=', key.applicationId)
    .where('account_id', '=', key.accountId)
    .where('calendar_id', '=', key.calendarId)
    .where('subscription_type', '=', 'event')
    .execute();
}
