import type { FeedRow, FeedStore } from 'kalends/ports';
import type { Kysely, Selectable } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { fragment, statement } from '../statements/statement.ts';
import { holdApplication } from './applications.ts';
import { writeAudit } from './audit-log.ts';

/** Stores feeds, and the calendars of each in a table of their own, whose rows go with their account. */
export function feedStore({ database, reader, dialect }: SqlContext): FeedStore {
  const withCalendars = async (rows: readonly Selectable<Tables['kalends_feed']>[]): Promise<readonly FeedRow[]> => {
    if (rows.length === 0) return [];
    const calendars = await reader
      .selectFrom('kalends_feed_calendar')
      .selectAll()
      .where(
        'feed_id',
        'in',
        rows.map(({ id }) => id),
      )
      .orderBy('feed_id')
      .orderBy('position')
      .execute();
    return rows.map((row) =>
      toFeed(
        row,
        calendars.filter(({ feed_id }) => feed_id === row.id),
      ),
    );
  };
  return {
    create: (row, audit) =>
      dialect.transaction(database, async (transaction) => {
        await holdApplication(transaction, dialect, row.applicationId);
        const accountIds = [...new Set(row.calendars.map(({ accountId }) => accountId))];
        const own = await transaction
          .selectFrom('kalends_account')
          .select('id')
          .where('application_id', '=', row.applicationId)
          .where('id', 'in', accountIds)
          .execute();
        if (own.length < accountIds.length) return false;
        await transaction
          .insertInto('kalends_feed')
          .values({
            id: row.id,
            application_id: row.applicationId,
            name: row.name,
            detail: row.detail,
            hash: row.hash,
            created_at: row.createdAt,
          })
          .execute();
        await transaction
          .insertInto('kalends_feed_calendar')
          .values(
            row.calendars.map(({ accountId, calendarId }, position) => ({
              account_id: accountId,
              calendar_id: calendarId,
              feed_id: row.id,
              position,
            })),
          )
          .execute();
        await writeAudit(transaction, audit);
        return true;
      }),
    async findByHash(...hashes) {
      const rows = await reader.selectFrom('kalends_feed').selectAll().where('hash', 'in', hashes).limit(1).execute();
      const [feed] = await withCalendars(rows);
      return feed;
    },
    async list(applicationId, { limit, after }) {
      let query = reader
        .selectFrom('kalends_feed')
        .selectAll()
        .where('application_id', '=', applicationId)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit);
      if (after !== undefined) {
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created_at', 'id'), '>', tuple(after.createdAt, after.id)),
        );
      }
      return await withCalendars(await query.execute());
    },
    delete: (applicationId, feedId, audit) =>
      dialect.transaction(database, async (transaction) => {
        const deleted = await transaction
          .deleteFrom('kalends_feed')
          .where('application_id', '=', applicationId)
          .where('id', '=', feedId)
          .executeTakeFirst();
        if (deleted.numDeletedRows === 0n) return false;
        await writeAudit(transaction, audit);
        return true;
      }),
    async replaceHash(id, expected, hash) {
      await database
        .updateTable('kalends_feed')
        .set({ hash })
        .where('id', '=', id)
        .where('hash', '=', expected)
        .execute();
    },
  };
}

/** Deletes the feeds that have calendars of an account and of no other, before the account itself: their names may name its person. */
export async function deleteFeedsOf(
  transaction: Kysely<Tables>,
  dialect: SqlDialect,
  accountId: string,
): Promise<void> {
  const run = statement(dialect, transaction);
  // Of accounts that are deleted at once each must see that the others' calendars are gone.
  await run`select id from kalends_feed where id in (select feed_id from kalends_feed_calendar where account_id = ${accountId})
    order by id ${fragment(dialect.forUpdate)}`;
  await run`delete from kalends_feed where id in (select feed_id from kalends_feed_calendar where account_id = ${accountId})
    and not exists (select 1 from kalends_feed_calendar other
      where other.feed_id = kalends_feed.id and other.account_id <> ${accountId})`;
}

function toFeed(
  row: Selectable<Tables['kalends_feed']>,
  calendars: readonly Selectable<Tables['kalends_feed_calendar']>[],
): FeedRow {
  return {
    id: row.id,
    applicationId: row.application_id,
    name: row.name,
    detail: row.detail as FeedRow['detail'],
    hash: row.hash,
    calendars: calendars.map((each) => ({ accountId: each.account_id, calendarId: each.calendar_id })),
    createdAt: row.created_at,
  };
}
