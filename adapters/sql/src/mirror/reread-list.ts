import type { MirrorStore, Reread } from 'kalends/ports';
import type { Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import { type CollectionRef, inCollection, inCollectionOf, joinedTo } from '../schema/collection-key.ts';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { batches, lists, oneOf, type Piece, piece, statement, valueRows } from '../statements/statement.ts';
import { findCollection } from './mirror-collections.ts';

interface RereadRow {
  readonly item_id: string;
  readonly seq: number;
  readonly times: number;
}

/** Stores the ids of items that are to be read again. */
export function rereadList({ database, reader, dialect }: SqlContext): Pick<MirrorStore, 'listRereads' | 'addRereads'> {
  return {
    async listRereads(key, limit) {
      const run = statement(dialect, reader);
      const rows = await run<RereadRow>`
        select item_id, seq, times from kalends_reread where ${inCollectionOf(key)} order by seq limit ${limit}`;
      return rows.map(({ item_id: itemId, seq, times }) => ({ itemId, seq, times }));
    },
    // Without the collection's lock, which a commit holds. A row for a collection that is removed meanwhile is purged.
    addRereads: (key, itemIds) =>
      dialect.transaction(database, async (transaction) => {
        const collection = await findCollection(dialect, transaction, key);
        if (collection === undefined) return;
        const run = statement(dialect, transaction);
        for (const adding of addingRereads(collection, itemIds)) await run`${adding}`;
      }),
  };
}

/** Puts items on the list; one that is already on it counts up. */
export function addingRereads(collection: CollectionRef, itemIds: readonly string[]): readonly Piece[] {
  // Sorted, so that two transactions with the same ids never wait for each other in a circle.
  return batches([...new Set(itemIds)].sort()).map((ids) => {
    const rows = ids.map((id) => [collection.account_id, collection.id, id]);
    return piece`insert into kalends_reread (account_id, collection_id, item_id) values ${valueRows(rows)}
      on conflict (account_id, collection_id, item_id) do update set times = kalends_reread.times + 1`;
  });
}

/** Takes entries off the list, except those whose id was put on again since they were listed. */
export function removingRereads(collection: CollectionRef, entries: readonly Reread[]): readonly Piece[] {
  return [...new Set(entries.map((entry) => entry.times))].flatMap((times) => {
    const seqs = entries.filter((entry) => entry.times === times).map(({ seq }) => seq);
    return lists(seqs).map(
      (each) => piece`delete from kalends_reread
        where ${inCollection(collection)} and times = ${times} and seq ${oneOf(each)}`,
    );
  });
}

/** Removes entries whose collection has gone. */
export async function purgeRereads(dialect: SqlDialect, transaction: Transaction<Tables>): Promise<void> {
  const run = statement(dialect, transaction);
  await run`delete from kalends_reread where not exists (
    select 1 from kalends_collection c where ${joinedTo('c', 'kalends_reread')})`;
}
