import type { MirrorStore, Reread } from 'kalends/ports';
import { sql, type Transaction } from 'kysely';
import type { SqlContext } from './context.ts';
import type { SqlDialect } from './dialect.ts';
import { findCollection, isCollection } from './mirror-collections.ts';
import type { Tables } from './schema.ts';
import { batches, lists, oneOf, statement, valueRows } from './statement.ts';

/** The list of items to be read again. */
export function rereadList({ database, reader, dialect }: SqlContext): Pick<MirrorStore, 'listRereads' | 'addRereads'> {
  return {
    async listRereads(key, limit) {
      const rows = await reader
        .selectFrom('reread')
        .innerJoin('collection', 'collection.id', 'reread.collection_id')
        .select(['reread.item_id', 'reread.seq', 'reread.times'])
        .where(isCollection(key))
        .orderBy('reread.seq')
        .limit(limit)
        .execute();
      return rows.map(({ item_id: itemId, seq, times }) => ({ itemId, seq, times }));
    },
    // Without the collection's lock, which a commit holds. A row for a collection that is removed meanwhile is purged.
    addRereads: (key, itemIds) =>
      dialect.transaction(database, async (transaction) => {
        const collection = await findCollection(transaction, key);
        if (collection !== undefined) await addRereads(dialect, transaction, collection.id, itemIds);
      }),
  };
}

/** Puts items on the list; one that is on it counts up. */
export async function addRereads(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  collectionId: number,
  itemIds: readonly string[],
): Promise<void> {
  const run = statement(dialect, transaction);
  // Sorted, so that two who put on the same ids never wait for each other in a circle.
  for (const ids of batches([...new Set(itemIds)].sort())) {
    await run`insert into reread (collection_id, item_id) values ${valueRows(ids.map((id) => [collectionId, id]))}
      on conflict (collection_id, item_id) do update set times = reread.times + 1`;
  }
}

/** Takes entries off the list, unless their id was put on again since they were listed. */
export async function removeRereads(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  collectionId: number,
  entries: readonly Reread[],
): Promise<void> {
  const run = statement(dialect, transaction);
  for (const times of new Set(entries.map((entry) => entry.times))) {
    const seqs = entries.filter((entry) => entry.times === times).map(({ seq }) => seq);
    for (const each of lists(seqs)) {
      await run`delete from reread where collection_id = ${collectionId} and times = ${times} and seq ${oneOf(each)}`;
    }
  }
}

/** Removes entries whose collection has gone. */
export async function purgeRereads(transaction: Transaction<Tables>): Promise<void> {
  await sql`delete from reread where not exists (select 1 from collection c where c.id = reread.collection_id)`.execute(
    transaction,
  );
}
