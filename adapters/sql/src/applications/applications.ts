import type { ApplicationRow, ApplicationStore } from 'kalends/ports';
import type { Selectable } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';

/** Stores applications. */
export function applicationStore({ database, reader }: SqlContext): ApplicationStore {
  return {
    async create(row) {
      await database
        .insertInto('kalends_application')
        .values({
          id: row.id,
          name: row.name,
          redirect_urls: JSON.stringify(row.redirectUrls),
          created_at: row.createdAt,
          updated_at: row.updatedAt,
        })
        .execute();
    },
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
    async update(applicationId, { name, redirectUrls, updatedAt }) {
      const result = await database
        .updateTable('kalends_application')
        .set({
          ...(name === undefined ? {} : { name }),
          ...(redirectUrls === undefined ? {} : { redirect_urls: JSON.stringify(redirectUrls) }),
          updated_at: updatedAt,
        })
        .where('id', '=', applicationId)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
  };
}

function toApplication(row: Selectable<Tables['kalends_application']>): ApplicationRow {
  return {
    id: row.id,
    name: row.name,
    redirectUrls: JSON.parse(row.redirect_urls),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
