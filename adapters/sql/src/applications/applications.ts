import { type ApplicationRow, type ApplicationStore, KalendsError } from 'kalends/ports';
import { type Selectable, sql, type Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { writeAudit } from './audit-log.ts';

/** Stores applications. */
export function applicationStore({ database, reader, dialect }: SqlContext): ApplicationStore {
  return {
    create: (row, audit) =>
      dialect.transaction(database, async (transaction) => {
        await transaction
          .insertInto('kalends_application')
          .values({
            id: row.id,
            name: row.name,
            redirect_urls: JSON.stringify(row.redirectUrls),
            created_at: row.createdAt,
            updated_at: row.updatedAt,
            deleted_at: row.deletedAt,
          })
          .execute();
        await writeAudit(transaction, audit);
      }),
    async find(applicationId) {
      const row = await reader
        .selectFrom('kalends_application')
        .selectAll()
        .where('id', '=', applicationId)
        .executeTakeFirst();
      return row && toApplication(row);
    },
    async list({ limit, after }) {
      let query = reader.selectFrom('kalends_application').selectAll().orderBy('created_at').orderBy('id').limit(limit);
      if (after !== undefined) {
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created_at', 'id'), '>', tuple(after.createdAt, after.id)),
        );
      }
      return (await query.execute()).map(toApplication);
    },
    update: (applicationId, { name, redirectUrls, updatedAt }, audit) =>
      dialect.transaction(database, async (transaction) => {
        const result = await transaction
          .updateTable('kalends_application')
          .set({
            ...(name === undefined ? {} : { name }),
            ...(redirectUrls === undefined ? {} : { redirect_urls: JSON.stringify(redirectUrls) }),
            updated_at: updatedAt,
          })
          .where('id', '=', applicationId)
          .where('deleted_at', 'is', null)
          .executeTakeFirst();
        if (result.numUpdatedRows === 0n) return false;
        await writeAudit(transaction, audit);
        return true;
      }),
    changeRedirectUrls: (applicationId, change, updatedAt, audit) =>
      dialect.transaction(database, async (transaction) => {
        const stored = await transaction
          .selectFrom('kalends_application')
          .selectAll()
          .where('id', '=', applicationId)
          .where('deleted_at', 'is', null)
          .modifyEnd(sql.raw(dialect.forUpdate))
          .executeTakeFirst();
        if (stored === undefined) return undefined;
        const application = toApplication(stored);
        const redirectUrls = change(application.redirectUrls);
        if (redirectUrls === undefined) return application;
        await transaction
          .updateTable('kalends_application')
          .set({ redirect_urls: JSON.stringify(redirectUrls), updated_at: updatedAt })
          .where('id', '=', applicationId)
          .execute();
        await writeAudit(transaction, audit);
        return { ...application, redirectUrls, updatedAt };
      }),
    beginDeletion: (applicationId, at, audit) =>
      dialect.transaction(database, async (transaction) => {
        const begun = await transaction
          .updateTable('kalends_application')
          .set({ deleted_at: at, updated_at: at })
          .where('id', '=', applicationId)
          .where('deleted_at', 'is', null)
          .executeTakeFirst();
        if (begun.numUpdatedRows === 0n) return false;
        await transaction
          .updateTable('kalends_api_key')
          .set({ revoked_at: at })
          .where('application_id', '=', applicationId)
          .where('revoked_at', 'is', null)
          .execute();
        await writeAudit(transaction, audit);
        return true;
      }),
    async listDeleted(limit) {
      const rows = await reader
        .selectFrom('kalends_application')
        .selectAll()
        .where('deleted_at', 'is not', null)
        .orderBy('deleted_at')
        .limit(limit)
        .execute();
      return rows.map(toApplication);
    },
    remove: (applicationId, audit) =>
      dialect.transaction(database, async (transaction) => {
        const removed = await transaction
          .deleteFrom('kalends_application')
          .where('id', '=', applicationId)
          .where('deleted_at', 'is not', null)
          .where(({ not, exists, selectFrom }) =>
            not(exists(selectFrom('kalends_account').select('id').where('application_id', '=', applicationId))),
          )
          .where(({ not, exists, selectFrom }) =>
            not(exists(selectFrom('kalends_target').select('id').where('application_id', '=', applicationId))),
          )
          .executeTakeFirst();
        if (removed.numDeletedRows === 0n) return false;
        await writeAudit(transaction, audit);
        return true;
      }),
  };
}

/**
 * Keeps an application from being deleted until the end of the transaction, which creates something of it.
 * @throws KalendsError NotFound when there is none, or its deletion has begun
 */
export async function holdApplication(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  applicationId: string,
): Promise<void> {
  const row = await transaction
    .selectFrom('kalends_application')
    .select('id')
    .where('id', '=', applicationId)
    .where('deleted_at', 'is', null)
    .modifyEnd(sql.raw(dialect.forUpdate))
    .executeTakeFirst();
  if (row === undefined) throw new KalendsError('NotFound', 'There is no such application.');
}

function toApplication(row: Selectable<Tables['kalends_application']>): ApplicationRow {
  return {
    id: row.id,
    name: row.name,
    redirectUrls: JSON.parse(row.redirect_urls),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  };
}
