import { type CollectionKey, type ItemVersion, KalendsError, type MirrorStore } from 'kalends/ports';
import { toCalendarKey } from './collection-key.ts';
import { compareText } from './compare-text.ts';
import type { SqlContext } from './context.ts';
import { itemIdOf } from './mirror-plan.ts';
import { OPEN } from './schema.ts';
import { lists, oneOf, type Piece, piece, statement } from './statement.ts';

type ReadMethods = 'findItem' | 'findItems' | 'findDeletion' | 'readGroups';

export interface VersionRow {
  readonly group_id: string;
  readonly member: string;
  readonly from_revision: number;
  readonly etag: string;
  readonly provider_tag: string | null;
  readonly mapping_version: number;
  readonly content: string;
  readonly private_content: string | null;
}

/** A version and the line below which its collection had been purged when it was read. */
export interface KeptRow extends VersionRow {
  readonly purged_below: number;
}

/** Reads of items by id. What held at a revision never changes, so a read as of one needs no snapshot: only the purge line is checked, in the same statement or after it. */
export function mirrorReads(context: SqlContext): Pick<MirrorStore, ReadMethods> {
  return {
    findItem: (key, itemId, asOf) => findItem(context, key, itemId, asOf),
    findItems: (key, itemIds) => findItems(context, key, itemIds),
    findDeletion: (key, itemId) => findDeletion(context, key, itemId),
    readGroups: (key, groupIds, asOf) => readGroups(context, key, groupIds, asOf),
  };
}

async function findItem(
  context: SqlContext,
  key: CollectionKey,
  itemId: string,
  asOf: number | undefined,
): Promise<ItemVersion | undefined> {
  if (asOf === undefined) return (await findItems(context, key, [itemId]))[0];
  const collection = await findLine(context, key);
  if (collection === undefined) return undefined;
  const run = statement(context.dialect, context.reader);
  const rows = await run<VersionRow>`
    select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content
    from item_version v join item_body b on b.collection_id = v.collection_id and b.body = v.body
    where v.collection_id = ${collection.id} and v.group_id = ${itemId} and v.member = ''
      and v.from_revision <= ${asOf} and v.to_revision > ${asOf}
    union all
    select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content
    from item_version v join item_body b on b.collection_id = v.collection_id and b.body = v.body
    where v.collection_id = ${collection.id} and v.member = ${itemId} and v.member <> ''
      and v.from_revision <= ${asOf} and v.to_revision > ${asOf}`;
  await requireKept(context, key, asOf);
  return rows[0] && toItemVersion(rows[0]);
}

async function findItems(
  context: SqlContext,
  key: CollectionKey,
  itemIds: readonly string[],
): Promise<readonly ItemVersion[]> {
  const run = statement(context.dialect, context.reader);
  const found: ItemVersion[] = [];
  for (const ids of lists([...new Set(itemIds)])) {
    const rows = await run<VersionRow>`
      select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content
      from item_version v join item_body b on b.collection_id = v.collection_id and b.body = v.body
      where v.collection_id = ${idOf(key)} and v.group_id ${oneOf(ids)} and v.member = '' and v.to_revision = ${OPEN}
      union all
      select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content
      from item_version v join item_body b on b.collection_id = v.collection_id and b.body = v.body
      where v.collection_id = ${idOf(key)} and v.member ${oneOf(ids)} and v.member <> '' and v.to_revision = ${OPEN}`;
    for (const row of rows) found.push(toItemVersion(row));
  }
  return found;
}

async function findDeletion(context: SqlContext, key: CollectionKey, itemId: string) {
  const run = statement(context.dialect, context.reader);
  const rows = await run<{ readonly group_id: string; readonly from_revision: number; readonly body: number | null }>`
    select group_id, from_revision, body from item_version
    where collection_id = ${idOf(key)} and group_id = ${itemId} and member = '' and to_revision = ${OPEN}
    union all
    select group_id, from_revision, body from item_version
    where collection_id = ${idOf(key)} and member = ${itemId} and member <> '' and to_revision = ${OPEN}`;
  if (rows.some(({ body }) => body !== null)) return undefined;
  const last = rows.toSorted((a, b) => b.from_revision - a.from_revision)[0];
  return last && { groupId: last.group_id, revision: last.from_revision };
}

async function readGroups(
  context: SqlContext,
  key: CollectionKey,
  groupIds: readonly string[],
  asOf: number,
): Promise<readonly ItemVersion[]> {
  const run = statement(context.dialect, context.reader);
  const found: KeptRow[] = [];
  for (const ids of lists([...new Set(groupIds)])) {
    // The plus keeps SQLite from taking the index of revisions for it, which would walk the whole collection.
    const rows = await run<KeptRow>`
      select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content,
        c.purged_below
      from collection c
        cross join item_version v
        cross join item_body b
      where ${isCollection(key)}
        and v.collection_id = c.id and v.group_id ${oneOf(ids)}
        and +v.from_revision <= ${asOf} and v.to_revision > ${asOf}
        and b.collection_id = v.collection_id and b.body = v.body`;
    for (const row of rows) found.push(row);
  }
  await checkKept(context, key, asOf, found);
  return inOrder(found.map(toItemVersion));
}

/** Ascending by groupId then itemId, as most rows come by themselves. */
export function inOrder(versions: ItemVersion[]): readonly ItemVersion[] {
  return versions.sort((a, b) => compareText(a.groupId, b.groupId) || compareText(a.itemId, b.itemId));
}

/** Whether the row `c` is this collection's; another application's is none. */
export function isCollection({ applicationId, accountId, calendarId }: CollectionKey): Piece {
  return piece`c.account_id = ${accountId} and c.calendar_id = ${toCalendarKey(calendarId)}
    and c.application_id = ${applicationId}`;
}

/** The id of this collection, as a value: where it comes from a join, PostgreSQL reads an index that it takes for small from end to end. */
export function idOf({ applicationId, accountId, calendarId }: CollectionKey): Piece {
  return piece`(select id from collection where account_id = ${accountId}
    and calendar_id = ${toCalendarKey(calendarId)} and application_id = ${applicationId})`;
}

/** Refuses what was read as of a revision that has been purged. The rows tell themselves; where there are none, it is asked. */
export async function checkKept(
  context: SqlContext,
  key: CollectionKey,
  revision: number,
  rows: readonly { readonly purged_below: number }[],
): Promise<void> {
  if (rows.length === 0) await requireKept(context, key, revision);
  else if (rows.some(({ purged_below }) => revision < purged_below)) throw purged(revision);
}

async function findLine({ dialect, reader }: SqlContext, key: CollectionKey) {
  const run = statement(dialect, reader);
  const rows = await run<{ readonly id: number; readonly purged_below: number }>`
    select id, purged_below from collection
    where account_id = ${key.accountId} and calendar_id = ${toCalendarKey(key.calendarId)}
      and application_id = ${key.applicationId}`;
  return rows[0];
}

/** The line moves before anything below it goes: a line that still lies below after the read did so during it. */
export async function requireKept(context: SqlContext, key: CollectionKey, revision: number): Promise<void> {
  const collection = await findLine(context, key);
  if (collection !== undefined && revision < collection.purged_below) {
    throw purged(revision);
  }
}

const purged = (revision: number) => new KalendsError('SyncTokenExpired', `Revision ${revision} has been purged`);

export function toItemVersion(row: VersionRow): ItemVersion {
  return {
    itemId: itemIdOf(row),
    groupId: row.group_id,
    fromRevision: row.from_revision,
    etag: row.etag,
    providerTag: row.provider_tag,
    mappingVersion: row.mapping_version,
    content: JSON.parse(row.content),
    privateContent: row.private_content === null ? null : JSON.parse(row.private_content),
  };
}
