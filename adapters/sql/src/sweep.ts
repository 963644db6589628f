import { type ItemVersion, KalendsError, type MirrorStore } from 'kalends/ports';
import { compareText } from './compare-text.ts';
import type { SqlContext } from './context.ts';
import { holdsLease } from './leases.ts';
import { findCollection, lockCollection } from './mirror-collections.ts';
import { toItemVersion, type VersionRow } from './mirror-read.ts';
import { OPEN } from './schema.ts';
import { statement } from './statement.ts';

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
      const own = await run<VersionRow>`
        select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content
        from item_version v join item_body b on b.collection_id = v.collection_id and b.body = v.body
        where v.collection_id = ${id} and v.group_id > ${after} and v.member = '' and v.to_revision = ${OPEN}
          and not exists (select 1 from seen_item s
            where s.collection_id = v.collection_id and s.generation = ${generation} and s.item_id = v.group_id)
        order by v.group_id limit ${limit}`;
      const members = await run<VersionRow>`
        select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content
        from item_version v join item_body b on b.collection_id = v.collection_id and b.body = v.body
        where v.collection_id = ${id} and v.member > ${after} and v.member <> '' and v.to_revision = ${OPEN}
          and not exists (select 1 from seen_item s
            where s.collection_id = v.collection_id and s.generation = ${generation} and s.item_id = v.member)
        order by v.member limit ${limit}`;
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

const byItem = (items: ItemVersion[]) => items.sort((a, b) => compareText(a.itemId, b.itemId));
