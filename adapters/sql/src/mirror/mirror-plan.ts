import type { CollectionKey, Commit, ItemWrite } from 'kalends/ports';
import type { Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Holds } from '../intents/intent-hold.ts';
import type { CollectionRef } from '../schema/collection-key.ts';
import { OPEN, type Tables } from '../schema/schema.ts';
import { lists, type SqlValue, statement } from '../statements/statement.ts';
import { type VersionSource, versionsOfMembers, versionsOfOwnItems } from './versions-of.ts';

/** An open row of an item: its live version, or a tombstone. */
interface OpenRow {
  readonly group_id: string;
  readonly member: string;
  readonly from_revision: number;
  readonly body: number | null;
  readonly etag: string;
  readonly provider_tag: string | null;
  readonly mapping_version: number;
  readonly range_start: number | null;
  readonly range_end: number | null;
  readonly busy: string | null;
  readonly write_count: number;
}

export type GroupChange = 'created' | 'updated' | 'deleted';

/** Changes that a commit makes to the version tables. Rows have the order of their tables' columns, without those that the statement fills in. */
export interface WritePlan {
  readonly changed: readonly string[];
  /** Groups with changed items, and what became of their own item; that of a group whose other items changed is updated. */
  readonly groups: ReadonlyMap<string, GroupChange>;
  readonly deferred: readonly string[];
  /** Items whose open rows end: those that bear their group's id, and other members of groups. */
  readonly closing: { readonly groupItems: readonly string[]; readonly memberItems: readonly string[] };
  /** Without the collection. */
  readonly bodies: readonly (readonly SqlValue[])[];
  /** Without the collection, the revisions and `write_count`. */
  readonly versions: readonly (readonly SqlValue[])[];
  /** Open versions whose private columns change in place. */
  readonly refreshed: readonly (readonly SqlValue[])[];
  /** Bodies of open versions whose private content may change in place. */
  readonly privates: readonly (readonly SqlValue[])[];
  readonly nextBody: number;
  /** `write_count` of the collection after the commit, and so of the new versions. */
  readonly writeCount: number;
  /** Whether the provider has sent an unchanged item under another tag. */
  readonly hasNewTags: boolean;
}

/** Returns the id of the item that a row belongs to. */
export function itemIdOf({ group_id, member }: { readonly group_id: string; readonly member: string }): string {
  return member === '' ? group_id : member;
}

/** Reads the open rows of the written items. An item that moved between groups has a tombstone in the old one besides. */
export async function findLatest(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  key: CollectionKey,
  writes: readonly ItemWrite[],
): Promise<readonly OpenRow[]> {
  const run = statement(dialect, transaction);
  const rows: OpenRow[] = [];
  const read =
    ({ from, where }: VersionSource) =>
    async () => {
      rows.push(
        ...(await run<OpenRow>`
        select v.group_id, v.member, v.from_revision, v.body, v.etag, v.provider_tag, v.mapping_version, v.range_start,
          v.range_end, v.busy, v.write_count
        from ${from} where ${where} and v.to_revision = ${OPEN}`),
      );
    };
  await dialect.together(
    lists(writes.map(({ itemId }) => itemId)).flatMap((ids) => [
      read(versionsOfOwnItems(dialect, key, ids)),
      read(versionsOfMembers(dialect, key, ids)),
    ]),
  );
  return rows;
}

/** Decides about each write. The later of two writes of one item stands. */
export function planWrites(
  commit: Commit,
  openRows: readonly OpenRow[],
  collection: CollectionRef & { readonly revision: number; readonly write_count: number; readonly next_body: number },
  holds: Holds,
): WritePlan {
  const rowsByItem = groupByItem(openRows);
  const writeCount = collection.write_count + 1;
  const changed: string[] = [];
  const deferred: string[] = [];
  const groups = new Map<string, GroupChange>();
  const groupItems = new Set<string>();
  const memberItems = new Set<string>();
  const bodies: SqlValue[][] = [];
  const versions: SqlValue[][] = [];
  const refreshed: SqlValue[][] = [];
  const privates: SqlValue[][] = [];
  let nextBody = collection.next_body;
  let hasNewTags = false;

  const tombstone = (row: OpenRow) => versions.push([row.group_id, row.member, null, '', null, 0, null, null, null]);

  for (const write of new Map(commit.writes.map((entry) => [entry.itemId, entry])).values()) {
    const rows = rowsByItem.get(write.itemId) ?? [];
    const live = rows.find(({ body }) => body !== null);
    if (write.force !== true && isDeferred(write, rows, commit.basedOn, holds)) {
      deferred.push(write.itemId);
      continue;
    }
    const member = write.itemId === write.groupId ? '' : write.itemId;
    if (write.content === null ? live === undefined : live && isSameContent(live, write)) {
      if (live !== undefined && isStale(live, write)) {
        const isNewTag = live.provider_tag !== write.providerTag;
        hasNewTags ||= isNewTag;
        refreshed.push([...refreshedRow(collection, live, write), isNewTag ? writeCount : live.write_count]);
      }
      if (live !== undefined && write.privateContent !== undefined) {
        privates.push([collection.account_id, collection.id, live.body, '', privateText(write)]);
      }
      continue;
    }
    changed.push(write.itemId);
    noteGroups(groups, write, live);
    for (const row of rows) (row.member === '' ? groupItems : memberItems).add(write.itemId);
    if (live !== undefined && (write.content === null || live.group_id !== write.groupId)) tombstone(live);
    if (write.content === null) continue;
    bodies.push([nextBody, JSON.stringify(write.content), privateText(write)]);
    versions.push([
      write.groupId,
      member,
      nextBody,
      write.etag,
      write.providerTag,
      write.mappingVersion,
      write.rangeStart,
      write.rangeEnd,
      write.busy ?? null,
    ]);
    nextBody += 1;
  }
  return {
    changed,
    groups,
    deferred,
    closing: { groupItems: [...groupItems], memberItems: [...memberItems] },
    bodies,
    versions,
    refreshed,
    privates,
    nextBody,
    writeCount,
    hasNewTags,
  };
}

/** Notes the groups of a changed item: the one that it has left, and the one that it is in. */
function noteGroups(groups: Map<string, GroupChange>, write: ItemWrite, live: OpenRow | undefined): void {
  const note = (groupId: string, isOwn: boolean, change: GroupChange) => {
    if (isOwn) groups.set(groupId, change);
    else if (!groups.has(groupId)) groups.set(groupId, 'updated');
  };
  const stays = live !== undefined && live.group_id === write.groupId;
  if (live !== undefined && (write.content === null || !stays)) note(live.group_id, live.member === '', 'deleted');
  if (write.content !== null) note(write.groupId, write.itemId === write.groupId, stays ? 'updated' : 'created');
}

/** Whether the mirror may know a later state of the item, or another write is changing it at the provider. */
function isDeferred(write: ItemWrite, rows: readonly OpenRow[], basedOn: number, holds: Holds): boolean {
  const groupIds = [write.groupId, ...rows.map((row) => row.group_id)];
  if (groupIds.some((id) => holds.others.has(id))) return true;
  // A deletion too: what the intent creates may have been deleted by others before its answer is mirrored.
  const isAbsent = rows.every(({ body }) => body === null);
  if (isAbsent && holds.newItems) return true;
  if (groupIds.some((id) => holds.own.has(id))) return false;
  return rows.some((row) => row.write_count > basedOn);
}

function privateText({ privateContent }: ItemWrite): string | null {
  return privateContent === undefined || privateContent === null ? null : JSON.stringify(privateContent);
}

function groupByItem(rows: readonly OpenRow[]): ReadonlyMap<string, readonly OpenRow[]> {
  const byItem = new Map<string, OpenRow[]>();
  for (const row of rows) {
    const itemId = itemIdOf(row);
    const group = byItem.get(itemId);
    if (group === undefined) byItem.set(itemId, [row]);
    else group.push(row);
  }
  return byItem;
}

function isSameContent(live: OpenRow, write: ItemWrite): boolean {
  return live.etag === write.etag && live.group_id === write.groupId;
}

function isStale(live: OpenRow, write: ItemWrite): boolean {
  return (
    live.provider_tag !== write.providerTag ||
    live.mapping_version !== write.mappingVersion ||
    live.range_start !== write.rangeStart ||
    live.range_end !== write.rangeEnd ||
    live.busy !== (write.busy ?? null)
  );
}

function refreshedRow(collection: CollectionRef, live: OpenRow, write: ItemWrite): SqlValue[] {
  return [
    collection.account_id,
    collection.id,
    live.group_id,
    live.member,
    live.from_revision,
    OPEN,
    live.body,
    live.etag,
    write.providerTag,
    write.mappingVersion,
    write.rangeStart,
    write.rangeEnd,
    write.busy ?? null,
  ];
}
