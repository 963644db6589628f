import { type ItemVersion, KalendsError, type MirrorStore } from 'kalends/ports';
import { compareText } from './compare-text.ts';
import type { SqlContext } from './context.ts';
import { holdsLease } from './leases.ts';
import { findCollection, lockCollection } from './mirror-collections.ts';
import { toItemVersion, type VersionRow } from './mirror-read.ts';
import { OPEN } from './schema.ts';
import { type Fragment, fragment, type Piece, piece, statement } from './statement.ts';

/** Full resyncs: mark and sweep by generation. */
export function mirrorSweep(context: SqlContext): Pick<MirrorStore, 'startSweep' | 'listUnseen' | 'endSweep'> {
  const { database, reader, dialect } = context;
  return {
    startSweep: (key, fence) =>
      dialect.transaction(database, async (transaction) => {
        const collection = await lockCollection(transaction, dialect, key);
        if (fence !== undefined && !(await holdsLease(transaction, dialect, fence))) {
          throw new KalendsError('Conflict', 'The lease was lost');
        }
        const generation = collection.sweep_generation + 1;
        await transaction.deleteFrom('seen_item').where('collection_id', '=', collection.id).execute();
        await transaction
          .updateTable('collection')
          .set({ sweep_generation: generation, sweep_revision: collection.revision })
          .where('id', '=', collection.id)
          .execute();
        return { generation, revision: collection.revision };
      }),
    async listUnseen(key, { generation, after = '', limit }) {
      const collection = await findCollection(reader, key);
      if (collection === undefined || collection.sweep_revision === null) return [];
      if (collection.sweep_generation !== generation) return [];
      const run = statement(dialect, reader);
      const { id } = collection;
      const list = (item: Fragment, isKind: Fragment) => run<VersionRow>`
        select listed.group_id, listed.member, listed.from_revision, listed.etag, listed.provider_tag,
          listed.mapping_version, b.content, b.private_content
        from (select * from item_version
            where collection_id = ${id} and ${item} > ${after} and ${isKind} and to_revision = ${OPEN} and body is not null
              and ${isUnseen({ id, generation }, item)}
            order by ${item} limit ${limit}) as listed
          join item_body b on b.collection_id = listed.collection_id and b.body = listed.body
        order by listed.${item}`;
      const own = await list(fragment('group_id'), fragment("member = ''"));
      const members = await list(fragment('member'), fragment("member <> ''"));
      return byItem([...own, ...members].map(toItemVersion)).slice(0, limit);
    },
    endSweep: (key, generation) =>
      dialect.transaction(database, async (transaction) => {
        const collection = await findCollection(transaction, key);
        if (collection === undefined) return false;
        const ended = await transaction
          .updateTable('collection')
          .set({ sweep_revision: null })
          .where('id', '=', collection.id)
          .where('sweep_generation', '=', generation)
          .where('sweep_revision', 'is not', null)
          .executeTakeFirst();
        if (ended.numUpdatedRows === 0n) return false;
        await transaction.deleteFrom('seen_item').where('collection_id', '=', collection.id).execute();
        return true;
      }),
  };
}

/** Each looked up by itself: joined, PostgreSQL would compare each with all that have been seen, while it takes those for few. */
function isUnseen({ id, generation }: { readonly id: number; readonly generation: number }, item: Fragment): Piece {
  return piece`(select 1 from seen_item s
    where s.collection_id = ${id} and s.generation = ${generation} and s.item_id = item_version.${item}) is null`;
}

const byItem = (items: ItemVersion[]) => items.sort((a, b) => compareText(a.itemId, b.itemId));
