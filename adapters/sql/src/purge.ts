import type { MirrorStore } from 'kalends/ports';
import { sql, type Transaction } from 'kysely';
import type { SqlContext } from './context.ts';
import type { Tables } from './schema.ts';
import { statement } from './statement.ts';

interface EndedRow {
  readonly group_id: string;
  readonly member: string;
  readonly from_revision: number;
  readonly body: number | null;
}

interface Purgeable {
  readonly id: number;
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
    const { id, line } = purgeable;
    const rows = await findEnded(context, transaction, purgeable, limit - removed);
    await removeVersions(context, transaction, id, rows);
    const isClean = removed + rows.length < limit;
    await transaction
      .updateTable('collection')
      .set({ purged_below: line, ...(isClean ? { cleaned_below: line } : {}) })
      .where('id', '=', id)
      .execute();
    await transaction.deleteFrom('revision_log').where('collection_id', '=', id).where('revision', '<', line).execute();
    removed += rows.length;
  }
  return removed;
}

/** Collections with something below the line that the time draws, which never moves back. */
async function findPurgeable(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  before: number,
): Promise<readonly Purgeable[]> {
  const { rows } = await sql<{ readonly id: number; readonly line: number }>`
    select c.id as id, max(l.revision) as line
    from revision_log l join collection c on c.id = l.collection_id
    where l.at < ${before} and l.revision > c.cleaned_below
    group by c.id
    order by c.id`.execute(transaction);
  const purgeable: Purgeable[] = [];
  for (const { id, line } of rows) {
    const collection = await transaction
      .selectFrom('collection')
      .select(['purged_below', 'cleaned_below'])
      .where('id', '=', id)
      .modifyEnd(dialect.forUpdate)
      .executeTakeFirst();
    if (collection === undefined) continue;
    purgeable.push({
      id,
      line: Math.max(line, collection.purged_below),
      cleanedBelow: collection.cleaned_below,
    });
  }
  return purgeable;
}

/**
 * Versions that ended at or below the line, then tombstones: neither says anything to a reader above it. Every version
 * was ended by the next one of its item in its group, so the search starts from what began since the last cleaning;
 * ascending, since a version that has gone can no longer lead to the one before it, and tombstones last for the same reason.
 */
async function findEnded(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  { id, line, cleanedBelow }: Purgeable,
  limit: number,
): Promise<readonly EndedRow[]> {
  const run = statement(dialect, transaction);
  const ended = await run<EndedRow>`
    select v.group_id, v.member, v.from_revision, v.body
    from item_version next join item_version v on v.collection_id = next.collection_id
      and v.group_id = next.group_id and v.member = next.member and v.to_revision = next.from_revision
    where next.collection_id = ${id} and next.from_revision > ${cleanedBelow} and next.from_revision <= ${line}
      and v.body is not null
    order by next.from_revision limit ${limit}`;
  if (ended.length === limit) return ended;
  const tombstones = await run<EndedRow>`
    select group_id, member, from_revision, body from item_version
    where collection_id = ${id} and from_revision > ${cleanedBelow} and from_revision <= ${line} and body is null
    limit ${limit - ended.length}`;
  return [...ended, ...tombstones];
}

async function removeVersions(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  collectionId: number,
  rows: readonly EndedRow[],
): Promise<void> {
  const run = statement(dialect, transaction);
  for (const { group_id, member, from_revision, body } of rows) {
    await run`delete from item_version where collection_id = ${collectionId} and group_id = ${group_id}
      and member = ${member} and from_revision = ${from_revision}`;
    if (body !== null) await run`delete from item_body where collection_id = ${collectionId} and body = ${body}`;
  }
}
