import { type CollectionKey, type ItemVersion, KalendsError, type MirrorStore } from 'kalends/ports';
import type { SqlContext } from '../context.ts';
import { isCollection, sameCollection } from '../schema/collection-key.ts';
import { OPEN } from '../schema/schema.ts';
import { compareText } from '../statements/compare-text.ts';
import { lists, statement } from '../statements/statement.ts';
import { itemIdOf } from './mirror-plan.ts';
import { versionsOfGroups, versionsOfMembers, versionsOfOwnItems } from './versions-of.ts';

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

/** A version with the purge line of its collection at the time of the read. */
export interface KeptRow extends VersionRow {
  readonly purged_below: number;
}

/**
 * Reads items by id. A read as of a revision needs no snapshot, since what held at it never changes: only the purge line is
 * checked, in the same statement or after it.
 */
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
  const { dialect, reader } = context;
  const run = statement(dialect, reader, { isFrequent: true });
  const own = versionsOfOwnItems(dialect, key, [itemId]);
  const others = versionsOfMembers(dialect, key, [itemId]);
  const rows = await run<VersionRow>`
    select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content
    from ${own.from} join kalends_item_body b on ${sameCollection('v', 'b')} and b.body = v.body
    where ${own.where}
      and v.from_revision <= ${asOf} and v.to_revision > ${asOf}
    union all
    select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content
    from ${others.from} join kalends_item_body b on ${sameCollection('v', 'b')} and b.body = v.body
    where ${others.where}
      and v.from_revision <= ${asOf} and v.to_revision > ${asOf}`;
  await requireKept(context, key, asOf);
  return rows[0] && toItemVersion(rows[0]);
}

async function findItems(
  context: SqlContext,
  key: CollectionKey,
  itemIds: readonly string[],
): Promise<readonly ItemVersion[]> {
  const run = statement(context.dialect, context.reader, { isFrequent: true });
  const found: ItemVersion[] = [];
  for (const ids of lists([...new Set(itemIds)])) {
    const own = versionsOfOwnItems(context.dialect, key, ids);
    const others = versionsOfMembers(context.dialect, key, ids);
    const rows = await run<VersionRow>`
      select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content
      from ${own.from} join kalends_item_body b on ${sameCollection('v', 'b')} and b.body = v.body
      where ${own.where} and v.to_revision = ${OPEN}
      union all
      select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content
      from ${others.from} join kalends_item_body b on ${sameCollection('v', 'b')} and b.body = v.body
      where ${others.where} and v.to_revision = ${OPEN}`;
    for (const row of rows) found.push(toItemVersion(row));
  }
  return found;
}

async function findDeletion(context: SqlContext, key: CollectionKey, itemId: string) {
  const run = statement(context.dialect, context.reader);
  const own = versionsOfOwnItems(context.dialect, key, [itemId]);
  const others = versionsOfMembers(context.dialect, key, [itemId]);
  const rows = await run<{ readonly group_id: string; readonly from_revision: number; readonly body: number | null }>`
    select v.group_id, v.from_revision, v.body from ${own.from}
    where ${own.where} and v.to_revision = ${OPEN}
    union all
    select v.group_id, v.from_revision, v.body from ${others.from}
    where ${others.where} and v.to_revision = ${OPEN}`;
  if (rows.some(({ body }) => body !== null)) return undefined;
  // Every change of an item closes all of its rows, and a deletion opens one.
  const [last] = rows;
  return last && { groupId: last.group_id, revision: last.from_revision };
}

async function readGroups(
  context: SqlContext,
  key: CollectionKey,
  groupIds: readonly string[],
  asOf: number,
): Promise<readonly ItemVersion[]> {
  const run = statement(context.dialect, context.reader, { isFrequent: true });
  const found: KeptRow[] = [];
  for (const ids of lists([...new Set(groupIds)])) {
    // The plus keeps SQLite from the index of revisions, which would walk the whole collection.
    const { from, where } = versionsOfGroups(context.dialect, key, ids);
    const rows = await run<KeptRow>`
      select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content,
        (select purged_below from kalends_collection where ${isCollection(key)}) as purged_below
      from ${from} cross join kalends_item_body b
      where ${where}
        and +v.from_revision <= ${asOf} and v.to_revision > ${asOf}
        and ${sameCollection('v', 'b')} and b.body = v.body`;
    for (const row of rows) found.push(row);
  }
  await checkKept(context, key, asOf, found);
  return inOrder(found.map(toItemVersion));
}

/** Sorts by groupId, then itemId; most rows arrive in that order. */
export function inOrder(versions: ItemVersion[]): readonly ItemVersion[] {
  return versions.sort((a, b) => compareText(a.groupId, b.groupId) || compareText(a.itemId, b.itemId));
}

/** Refuses a read as of a purged revision, by the purge line in its rows; without rows the line is read. */
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
  const [line] = await run<{ readonly purged_below: number }>`
    select purged_below from kalends_collection where ${isCollection(key)}`;
  return line;
}

/** Refuses a purged revision. The line moves before versions below it go, so a check after the read is enough. */
export async function requireKept(context: SqlContext, key: CollectionKey, revision: number): Promise<void> {
  const collection = await findLine(context, key);
  if (collection !== undefined && revision < collection.purged_below) {
    throw purged(revision);
  }
}

export function purged(revision: number): KalendsError {
  return new KalendsError('SyncTokenExpired', `Revision ${revision} has been purged`);
}

export function toItemVersion(row: VersionRow): ItemVersion {
  return new StoredVersion(row);
}

/**
 * Most answers need no more of an event's content than its text: it is parsed when it is asked for. A class, since V8 keeps the
 * map of an object with a getter of its own, and with it all that the getter reaches, until the next full collection.
 */
class StoredVersion implements ItemVersion {
  readonly itemId: string;
  readonly groupId: string;
  readonly fromRevision: number;
  readonly etag: string;
  readonly providerTag: string | null;
  readonly mappingVersion: number;
  readonly contentText: string;
  readonly privateContent: unknown;
  #content: unknown;

  constructor(row: VersionRow) {
    this.itemId = itemIdOf(row);
    this.groupId = row.group_id;
    this.fromRevision = row.from_revision;
    this.etag = row.etag;
    this.providerTag = row.provider_tag;
    this.mappingVersion = row.mapping_version;
    this.contentText = row.content;
    this.privateContent = row.private_content === null ? null : JSON.parse(row.private_content);
  }

  get content(): unknown {
    this.#content ??= JSON.parse(this.contentText);
    return this.#content;
  }
}
