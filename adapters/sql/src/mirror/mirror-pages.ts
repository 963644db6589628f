import type {
  CollectionKey,
  GroupQuery,
  ItemVersion,
  MirrorStore,
  TouchedGroup,
  TouchedItems,
  TouchedQuery,
} from 'kalends/ports';
import type { SqlContext } from '../context.ts';
import { inCollectionOf, isCollection, joinedTo, sameCollection } from '../schema/collection-key.ts';
import { compareText } from '../statements/compare-text.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { fragment, type Piece, piece, statement } from '../statements/statement.ts';
import { earliestStart, listedGroups } from './group-range.ts';
import { findRevision } from './mirror-collections.ts';
import {
  checkKept,
  inOrder,
  type KeptRow,
  purged,
  requireKept,
  toItemVersion,
  type VersionRow,
} from './mirror-read.ts';
import { HAS_BODY, joiningVersions, leftJoiningVersions, versionsSince } from './versions-of.ts';

type PageMethods = 'findFirstStart' | 'listGroups' | 'readListed' | 'listTouched' | 'readTouched';

/** Reads groups page by page, as ids or with their items. */
export function mirrorPages(context: SqlContext): Pick<MirrorStore, PageMethods> {
  return {
    findFirstStart: (key) => findFirstStart(context, key),
    listGroups: (key, query) => listGroups(context, key, query),
    readListed: (key, query) => readListed(context, key, query),
    listTouched: (key, query) => listTouched(context, key, query),
    readTouched: (key, query) => readTouched(context, key, query),
  };
}

async function findFirstStart(context: SqlContext, key: CollectionKey): Promise<number | null> {
  const run = statement(context.dialect, context.reader);
  const [row] = await run<{ readonly start: number | null }>`${earliestStart(inCollectionOf(key))}`;
  return row?.start ?? null;
}

interface GroupRow {
  readonly group_id: string;
}

async function listGroups(context: SqlContext, key: CollectionKey, query: GroupQuery): Promise<readonly string[]> {
  const run = statement(context.dialect, context.reader);
  const rows = await run<GroupRow>`${listed(key, query)}`;
  await requireKept(context, key, query.asOf);
  return rows.map((row) => row.group_id);
}

async function readListed(context: SqlContext, key: CollectionKey, query: GroupQuery): Promise<readonly ItemVersion[]> {
  const rows =
    query.range === undefined ? await readAll(context, key, query) : await readGroupwise(context, key, query);
  await checkKept(context, key, query.asOf, rows);
  return inOrder(rows.map(toItemVersion));
}

/** Reads without a window: rows as they lie there. Most groups have one, so their ids need not be found first. */
async function readAll(context: SqlContext, key: CollectionKey, query: GroupQuery): Promise<readonly KeptRow[]> {
  const { asOf, after = '', limit } = query;
  const run = statement(context.dialect, context.reader, { isFrequent: true });
  const rows = await run<KeptRow>`
    select listed.group_id, listed.member, listed.from_revision, listed.etag, listed.provider_tag, listed.mapping_version,
      b.content, b.private_content,
      (select purged_below from kalends_collection where ${isCollection(key)}) as purged_below
    from (
        select * from kalends_item_version
        where ${inCollectionOf(key)} and group_id > ${after}
          and +from_revision <= ${asOf} and to_revision > ${asOf} and ${HAS_BODY}
        order by group_id, member, from_revision limit ${limit + 1}
      ) as listed
      ${context.dialect.hasLateral ? BODY_BY_BODY : ALL_BODIES}
    where ${sameCollection('listed', 'b')} and b.body = listed.body
    order by listed.group_id`;
  const end = rows.at(-1)?.group_id;
  if (rows.length <= limit || end === undefined) return rows;
  // Of the last group there may be more.
  const whole = rows.filter((row) => row.group_id !== end);
  const found = new Set(whole.map((row) => row.group_id)).size;
  if (found === limit) return whole;
  const rest = { ...query, after: whole.at(-1)?.group_id ?? after, limit: limit - found };
  const others = await readGroupwise(context, key, rest);
  // By itself: a purge since the first statement may have left nothing of the rest.
  await checkKept(context, key, asOf, others);
  return [...whole, ...others];
}

async function readGroupwise(context: SqlContext, key: CollectionKey, query: GroupQuery): Promise<readonly KeptRow[]> {
  const { asOf } = query;
  const run = statement(context.dialect, context.reader);
  // SQLite does cross joins in the order of the text; the plus keeps it from the index of revisions.
  return await run<KeptRow>`
    select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content,
      c.purged_below
    from kalends_collection c
      cross join (${listed(key, query)}) as listed
      ${joiningVersions(context.dialect)}
      cross join kalends_item_body b
    where ${isCollection(key, 'c')}
      and ${joinedTo('c', 'v')} and v.group_id = listed.group_id
      and +v.from_revision <= ${asOf} and v.to_revision > ${asOf}
      and ${sameCollection('v', 'b')} and b.body = v.body`;
}

const ALL_BODIES = fragment('cross join kalends_item_body b');

/** Body by body: the offset keeps PostgreSQL from reading those of the whole collection to join them with the list. */
const BODY_BY_BODY = fragment(`cross join lateral (
  select * from kalends_item_body b where ${sameCollection('listed', 'b').text} and b.body = listed.body offset 0) as b`);

function listed(key: CollectionKey, { asOf, after = '', limit, range }: GroupQuery): Piece {
  return listedGroups(inCollectionOf(key), range, { asOf, after, limit });
}

async function listTouched(
  context: SqlContext,
  key: CollectionKey,
  query: TouchedQuery,
): Promise<readonly TouchedGroup[]> {
  const run = statement(context.dialect, context.reader);
  const rows = await run<GroupRow & { readonly revision: number }>`${touched(context.dialect, key, query)}`;
  await requireKept(context, key, query.since);
  return rows.map((row) => ({ groupId: row.group_id, revision: row.revision }));
}

interface TouchedRow {
  readonly touched_id: string;
  readonly revision: number;
  /** 1 when the version still holds at the later revision. */
  readonly is_last: number;
  readonly purged_below: number;
  readonly since_tag: string | null;
}

async function readTouched(
  context: SqlContext,
  key: CollectionKey,
  query: TouchedQuery,
): Promise<readonly TouchedItems[]> {
  const { since, until } = query;
  const run = statement(context.dialect, context.reader, { isFrequent: true });
  const rows = await run<TouchedRow & (VersionRow | { readonly group_id: null })>`
    select listed.group_id as touched_id, listed.revision, case when v.to_revision > ${until} then 1 else 0 end as is_last,
      v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content,
      c.purged_below,
      (
        select l.tag from kalends_revision_log l where ${joinedTo('c', 'l')} and l.revision = ${since}
      ) as since_tag
    from kalends_collection c
      cross join (${touched(context.dialect, key, query)}) as listed
      ${leftJoiningVersions(context.dialect)} v.body is not null
        and +v.from_revision <= ${until} and v.to_revision > ${since}
        and (v.from_revision <= ${since} or v.to_revision > ${until})
      left join kalends_item_body b on ${sameCollection('v', 'b')} and b.body = v.body
    where ${isCollection(key, 'c')}`;
  await checkKept(context, key, since, rows);
  if (query.tag !== undefined) await checkTag(context, key, since, query.tag, rows);
  const groups = new Map<string, { revision: number; before: ItemVersion[]; after: ItemVersion[] }>();
  for (const row of rows) {
    const group = groups.get(row.touched_id) ?? { revision: row.revision, before: [], after: [] };
    groups.set(row.touched_id, group);
    if (row.group_id === null) continue;
    const version = toItemVersion(row);
    if (row.from_revision <= since) group.before.push(version);
    if (row.is_last === 1) group.after.push(version);
  }
  return [...groups]
    .map(([groupId, { revision, before, after }]) => ({
      groupId,
      revision,
      before: inOrder(before),
      after: inOrder(after),
    }))
    .sort((a, b) => a.revision - b.revision || compareText(a.groupId, b.groupId));
}

/** Refuses a revision of another history, by the tag in the rows of a read; without rows the tag is read. */
async function checkTag(
  context: SqlContext,
  key: CollectionKey,
  revision: number,
  tag: string,
  rows: readonly { readonly since_tag: string | null }[],
): Promise<void> {
  const found = rows[0] === undefined ? (await findRevision(context, key, revision))?.tag : rows[0].since_tag;
  if (found !== tag) throw purged(revision);
}

function touched(dialect: SqlDialect, key: CollectionKey, { since, until, after, limit }: TouchedQuery): Piece {
  const { revision = 0, groupId = '' } = after ?? {};
  const changed = piece`${inCollectionOf(key)}
      and from_revision > ${since} and from_revision >= ${revision} and from_revision <= ${until}`;
  return piece`
    select group_id, max(from_revision) as revision from ${versionsSince(dialect, changed)} as changed
    group by group_id
    having max(from_revision) > ${revision} or (max(from_revision) = ${revision} and group_id > ${groupId})
    order by revision, group_id limit ${limit}`;
}
