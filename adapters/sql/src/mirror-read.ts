import { type CollectionKey, type ItemVersion, KalendsError, type MirrorStore } from 'kalends/ports';
import { toCalendarKey } from './collection-key.ts';
import { compareText } from './compare-text.ts';
import type { SqlContext } from './context.ts';
import { itemIdOf } from './mirror-plan.ts';
import { OPEN } from './schema.ts';
import { inList, lists, statement } from './statement.ts';

type ReadMethods = 'findItem' | 'findItems' | 'findDeletion' | 'readGroups' | 'listGroups' | 'listTouched';

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

/** Reads of items. What held at a revision never changes, so a read as of one needs no snapshot: only the purge line is checked, after it. */
export function mirrorReads(context: SqlContext): Pick<MirrorStore, ReadMethods> {
  return {
    findItem: (key, itemId, asOf) => findItem(context, key, itemId, asOf),
    findItems: (key, itemIds) => findItems(context, key, itemIds),
    findDeletion: (key, itemId) => findDeletion(context, key, itemId),
    readGroups: (key, groupIds, asOf) => readGroups(context, key, groupIds, asOf),
    listGroups: (key, input) => listGroups(context, key, input),
    listTouched: (key, input) => listTouched(context, key, input),
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
      from collection c
        join item_version v on v.collection_id = c.id
        join item_body b on b.collection_id = v.collection_id and b.body = v.body
      where c.application_id = ${key.applicationId} and c.account_id = ${key.accountId}
        and c.calendar_id = ${toCalendarKey(key.calendarId)}
        and v.group_id in ${inList(ids)} and v.member = '' and v.to_revision = ${OPEN}
      union all
      select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content
      from collection c
        join item_version v on v.collection_id = c.id
        join item_body b on b.collection_id = v.collection_id and b.body = v.body
      where c.application_id = ${key.applicationId} and c.account_id = ${key.accountId}
        and c.calendar_id = ${toCalendarKey(key.calendarId)}
        and v.member in ${inList(ids)} and v.member <> '' and v.to_revision = ${OPEN}`;
    for (const row of rows) found.push(toItemVersion(row));
  }
  return found;
}

async function findDeletion(context: SqlContext, key: CollectionKey, itemId: string) {
  const run = statement(context.dialect, context.reader);
  const rows = await run<{ readonly group_id: string; readonly from_revision: number; readonly body: number | null }>`
    select v.group_id, v.from_revision, v.body
    from collection c join item_version v on v.collection_id = c.id
    where c.application_id = ${key.applicationId} and c.account_id = ${key.accountId}
      and c.calendar_id = ${toCalendarKey(key.calendarId)}
      and v.group_id = ${itemId} and v.member = '' and v.to_revision = ${OPEN}
    union all
    select v.group_id, v.from_revision, v.body
    from collection c join item_version v on v.collection_id = c.id
    where c.application_id = ${key.applicationId} and c.account_id = ${key.accountId}
      and c.calendar_id = ${toCalendarKey(key.calendarId)}
      and v.member = ${itemId} and v.member <> '' and v.to_revision = ${OPEN}`;
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
  const collection = await findLine(context, key);
  if (collection === undefined) return [];
  const run = statement(context.dialect, context.reader);
  const found: ItemVersion[] = [];
  for (const ids of lists([...new Set(groupIds)])) {
    // The plus keeps SQLite from taking the index of revisions for it, which would walk the whole collection.
    const rows = await run<VersionRow>`
      select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content
      from item_version v join item_body b on b.collection_id = v.collection_id and b.body = v.body
      where v.collection_id = ${collection.id} and v.group_id in ${inList(ids)}
        and +v.from_revision <= ${asOf} and v.to_revision > ${asOf}`;
    for (const row of rows) found.push(toItemVersion(row));
  }
  await requireKept(context, key, asOf);
  return found.sort((a, b) => compareText(a.groupId, b.groupId) || compareText(a.itemId, b.itemId));
}

async function listGroups(
  context: SqlContext,
  key: CollectionKey,
  { asOf, after, limit, range }: Parameters<MirrorStore['listGroups']>[1],
): Promise<readonly string[]> {
  const collection = await findLine(context, key);
  if (collection === undefined) return [];
  const run = statement(context.dialect, context.reader);
  const rows =
    range === undefined
      ? await run<{ readonly group_id: string }>`
          select distinct group_id from item_version
          where collection_id = ${collection.id} and group_id > ${after ?? ''}
            and from_revision <= ${asOf} and to_revision > ${asOf} and body is not null
          order by group_id limit ${limit}`
      : await run<{ readonly group_id: string }>`
          select distinct group_id from item_version
          where collection_id = ${collection.id} and group_id > ${after ?? ''}
            and from_revision <= ${asOf} and to_revision > ${asOf} and body is not null
            and range_start <= ${range.to ?? OPEN} and (range_end is null or range_end >= ${range.from ?? -OPEN})
          order by group_id limit ${limit}`;
  await requireKept(context, key, asOf);
  return rows.map((row) => row.group_id);
}

async function listTouched(
  context: SqlContext,
  key: CollectionKey,
  { since, until, after, limit }: Parameters<MirrorStore['listTouched']>[1],
): Promise<readonly { readonly groupId: string; readonly revision: number }[]> {
  const collection = await findLine(context, key);
  if (collection === undefined) return [];
  const run = statement(context.dialect, context.reader);
  const rows = await run<{ readonly group_id: string; readonly revision: number }>`
    select group_id, max(from_revision) as revision from item_version
    where collection_id = ${collection.id}
      and from_revision > ${since} and from_revision >= ${after?.revision ?? 0} and from_revision <= ${until}
    group by group_id
    having max(from_revision) > ${after?.revision ?? 0}
      or (max(from_revision) = ${after?.revision ?? 0} and group_id > ${after?.groupId ?? ''})
    order by revision, group_id limit ${limit}`;
  await requireKept(context, key, since);
  return rows.map((row) => ({ groupId: row.group_id, revision: row.revision }));
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
async function requireKept(context: SqlContext, key: CollectionKey, revision: number): Promise<void> {
  const collection = await findLine(context, key);
  if (collection !== undefined && revision < collection.purged_below) {
    throw new KalendsError('SyncTokenExpired', `Revision ${revision} has been purged`);
  }
}

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
