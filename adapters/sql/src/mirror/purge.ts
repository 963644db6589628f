import type { MirrorStore } from 'kalends/ports';
import type { Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import { type CollectionRef, inCollection, joinedTo } from '../schema/collection-key.ts';
import type { Tables } from '../schema/schema.ts';
import { fragment, piece, statement } from '../statements/statement.ts';
import { joiningBefore, versionsSince } from './versions-of.ts';

interface EndedRow {
  readonly group_id: string;
  readonly member: string;
  readonly from_revision: number;
  readonly body: number | null;
}

interface Purgeable extends CollectionRef {
  readonly line: number;
  readonly cleanedBelow: number;
}

/**
 * Removes old versions. A collection's purge line moves to its last revision before the time, in the same transaction as
 * the first removals; what one call leaves below the line, later calls remove.
 */
export async function purgeVersions(
  context: SqlContext,
  transaction: Transaction<Tables>,
  { before, limit }: Parameters<MirrorStore['purge']>[0],
): Promise<number> {
  let removed = 0;
  for (const purgeable of await findPurgeable(context, transaction, before)) {
    if (removed >= limit) break;
    const { account_id, id, line } = purgeable;
    const rows = await findEnded(context, transaction, purgeable, limit - removed);
    await removeVersions(context, transaction, purgeable, rows);
    const isClean = removed + rows.length < limit;
    await transaction
      .updateTable('kalends_collection')
      .set({ purged_below: line, ...(isClean ? { cleaned_below: line } : {}) })
      .where('account_id', '=', account_id)
      .where('id', '=', id)
      .execute();
    await transaction
      .deleteFrom('kalends_revision_log')
      .where('account_id', '=', account_id)
      .where('collection_id', '=', id)
      .where('revision', '<', line)
      .execute();
    removed += rows.length;
  }
  return removed;
}

/** Finds and locks the collections with something below the line that the time draws, which never moves back. */
async function findPurgeable(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  before: number,
): Promise<readonly Purgeable[]> {
  const run = statement(dialect, transaction);
  const found = await run<CollectionRef & { readonly line: number }>`
    select c.account_id, c.id, max(l.revision) as line
    from kalends_revision_log l join kalends_collection c on ${joinedTo('c', 'l')}
    where l.at < ${before} and l.revision > c.cleaned_below
    group by c.account_id, c.id
    order by c.account_id, c.id`;
  const purgeable: Purgeable[] = [];
  for (const { account_id, id, line } of found) {
    const [collection] = await run<{ readonly purged_below: number; readonly cleaned_below: number }>`
      select purged_below, cleaned_below from kalends_collection
      where account_id = ${account_id} and id = ${id} ${fragment(dialect.forUpdate)}`;
    if (collection === undefined) continue;
    purgeable.push({
      account_id,
      id,
      line: Math.max(line, collection.purged_below),
      cleanedBelow: collection.cleaned_below,
    });
  }
  return purgeable;
}

/**
 * Finds versions that ended at or below the line, then tombstones, which no reader above it sees. The next version of an
 * item in its group ends the one before it, so the search starts from the versions that began since the last cleaning.
 * Ascending, and tombstones last: a version that has gone no longer leads to the one before it.
 */
async function findEnded(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  { account_id, id, line, cleanedBelow }: Purgeable,
  limit: number,
): Promise<readonly EndedRow[]> {
  const run = statement(dialect, transaction);
  const begun = piece`${inCollection({ account_id, id })} and from_revision > ${cleanedBelow} and from_revision <= ${line}`;
  const ended = await run<EndedRow>`
    select v.group_id, v.member, v.from_revision, v.body
    from ${versionsSince(dialect, begun)} as next ${joiningBefore(dialect)}
    where v.body is not null
    order by next.from_revision limit ${limit}`;
  if (ended.length === limit) return ended;
  const tombstones = await run<EndedRow>`
    select group_id, member, from_revision, body from kalends_item_version
    where ${begun} and body is null
    limit ${limit - ended.length}`;
  return [...ended, ...tombstones];
}

async function removeVersions(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  collection: CollectionRef,
  rows: readonly EndedRow[],
): Promise<void> {
  const run = statement(dialect, transaction);
  for (const { group_id, member, from_revision, body } of rows) {
    await run`delete from kalends_item_version where ${inCollection(collection)} and group_id = ${group_id}
      and member = ${member} and from_revision = ${from_revision}`;
    if (body !== null) await run`delete from kalends_item_body where ${inCollection(collection)} and body = ${body}`;
  }
}
