import { type ItemVersion, KalendsError, type MirrorStore } from 'kalends/ports';
import type { Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import { type CollectionRef, inCollection, sameCollection } from '../schema/collection-key.ts';
import { OPEN, type Tables } from '../schema/schema.ts';
import { compareText } from '../statements/compare-text.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { type Fragment, fragment, type Piece, piece, statement } from '../statements/statement.ts';
import { holdsLease } from '../sync/leases.ts';
import { findCollection, lockCollection } from './mirror-collections.ts';
import { toItemVersion, type VersionRow } from './mirror-read.ts';
import { dropUnreadableBefore } from './unreadable-list.ts';
import { HAS_BODY } from './versions-of.ts';

/** Marks and sweeps by generation, for full resyncs. */
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
        await forgetSeen(dialect, transaction, collection);
        await transaction
          .updateTable('kalends_collection')
          .set({ sweep_generation: generation, sweep_revision: collection.revision })
          .where('account_id', '=', collection.account_id)
          .where('id', '=', collection.id)
          .execute();
        return { generation, revision: collection.revision };
      }),
    async listUnseen(key, { generation, after = '', limit }) {
      const collection = await findCollection(dialect, reader, key);
      if (collection === undefined || collection.sweep_revision === null) return [];
      if (collection.sweep_generation !== generation) return [];
      const run = statement(dialect, reader);
      const list = (item: Fragment, isKind: Fragment) => run<VersionRow>`
        select listed.group_id, listed.member, listed.from_revision, listed.etag, listed.provider_tag,
          listed.mapping_version, b.content, b.private_content
        from (select * from kalends_item_version
            where ${inCollection(collection)} and ${item} > ${after} and ${isKind} and to_revision = ${OPEN}
              and ${HAS_BODY} and ${isUnseen(collection, generation, item)}
            order by ${item} limit ${limit}) as listed
          join kalends_item_body b on ${sameCollection('listed', 'b')} and b.body = listed.body
        order by listed.${item}`;
      const own = await list(fragment('group_id'), fragment("member = ''"));
      const members = await list(fragment('member'), fragment("member <> ''"));
      return byItem([...own, ...members].map(toItemVersion)).slice(0, limit);
    },
    endSweep: (key, generation) =>
      dialect.transaction(database, async (transaction) => {
        const collection = await findCollection(dialect, transaction, key);
        if (collection === undefined) return false;
        const ended = await transaction
          .updateTable('kalends_collection')
          .set({ sweep_revision: null })
          .where('account_id', '=', collection.account_id)
          .where('id', '=', collection.id)
          .where('sweep_generation', '=', generation)
          .where('sweep_revision', 'is not', null)
          .executeTakeFirst();
        if (ended.numUpdatedRows === 0n) return false;
        await forgetSeen(dialect, transaction, collection);
        await dropUnreadableBefore(dialect, transaction, collection, generation);
        return true;
      }),
  };
}

/** Correlated subquery on purpose: PostgreSQL underestimates `seen_item`, and would compare each item with all of its rows. */
function isUnseen({ account_id, id }: CollectionRef, generation: number, item: Fragment): Piece {
  return piece`(select 1 from kalends_seen_item s
    where s.account_id = ${account_id} and s.collection_id = ${id} and s.generation = ${generation} and s.item_id = kalends_item_version.${item}) is null`;
}

function forgetSeen(dialect: SqlDialect, transaction: Transaction<Tables>, collection: CollectionRef) {
  return statement(dialect, transaction)`delete from kalends_seen_item where ${inCollection(collection)}`;
}

const byItem = (items: ItemVersion[]) => items.sort((a, b) => compareText(a.itemId, b.itemId));
