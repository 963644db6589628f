import type { Commit, MirrorStore, UnreadableRow, UnreadableWrite } from 'kalends/ports';
import type { Selectable, Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import { type CollectionRef, fromCalendarKey, inCollection, isCollection, joinedTo } from '../schema/collection-key.ts';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { batches, fragment, lists, oneOf, statement, valueRows } from '../statements/statement.ts';

interface ListedRow {
  readonly calendar_id: string;
  readonly collection_id: number;
  readonly object_id: string;
  readonly group_id: string;
  readonly is_part: number;
  readonly reason: string;
  readonly since: number;
}

const COLUMNS = fragment('c.calendar_id, u.collection_id, u.object_id, u.group_id, u.is_part, u.reason, u.since');

/** Stores the objects of providers that cannot be read. */
export function unreadableList({
  reader,
  dialect,
}: SqlContext): Pick<MirrorStore, 'listUnreadable' | 'countUnreadable' | 'findUnreadable'> {
  return {
    async listUnreadable(applicationId, accountId, { after = { collection: 0, objectId: '' }, limit }) {
      const run = statement(dialect, reader);
      // Collections are numbered from 1.
      const rows = await run<ListedRow>`
        select ${COLUMNS} from kalends_unreadable_object u join kalends_collection c on ${joinedTo('c', 'u')}
        where u.account_id = ${accountId} and c.application_id = ${applicationId}
          and (u.collection_id, u.object_id) > (${after.collection}, ${after.objectId})
        order by u.collection_id, u.object_id limit ${limit}`;
      return rows.map(toRow);
    },
    async countUnreadable(applicationId, accountId) {
      const run = statement(dialect, reader);
      const rows = await run<{ readonly calendar_id: string; readonly objects: number }>`
        select c.calendar_id, count(*) as objects
        from kalends_unreadable_object u join kalends_collection c on ${joinedTo('c', 'u')}
        where u.account_id = ${accountId} and c.application_id = ${applicationId}
        group by c.calendar_id`;
      return rows.map((row) => ({ calendarId: fromCalendarKey(row.calendar_id), count: Number(row.objects) }));
    },
    async findUnreadable(key, objectId) {
      const run = statement(dialect, reader);
      const [row] = await run<ListedRow>`
        select ${COLUMNS} from kalends_collection c join kalends_unreadable_object u on ${joinedTo('c', 'u')}
        where ${isCollection(key, 'c')} and u.object_id = ${objectId}`;
      return row && toRow(row);
    },
  };
}

function toRow(row: ListedRow): UnreadableRow {
  return {
    calendarId: fromCalendarKey(row.calendar_id),
    objectId: row.object_id,
    groupId: row.group_id,
    isPart: row.is_part === 1,
    reason: row.reason,
    since: row.since,
    place: { collection: row.collection_id, objectId: row.object_id },
  };
}

type Collection = CollectionRef & Pick<Selectable<Tables['kalends_collection']>, 'sweep_generation'>;

/** Changes the list for a commit. Returns the ids of the objects that were not on it. */
export async function changeUnreadable(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  collection: Collection,
  { unreadable, at }: Pick<Commit, 'unreadable' | 'at'>,
): Promise<readonly string[]> {
  if (unreadable === undefined) return [];
  const { found, readIds, readGroupIds } = unreadable;
  const foundIds = new Set(found.map(({ objectId }) => objectId));
  const listed = await findListed(dialect, transaction, collection, [...foundIds]);
  // The list is empty nearly always.
  if (await hasAny(dialect, transaction, collection)) {
    await takeOff(dialect, transaction, collection, { readIds, readGroupIds, foundIds });
  }
  await putOn(dialect, transaction, collection, found, at);
  return [...foundIds].filter((id) => !listed.has(id));
}

async function findListed(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  collection: CollectionRef,
  objectIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const run = statement(dialect, transaction);
  const listed = new Set<string>();
  for (const ids of lists(objectIds)) {
    const rows = await run<{ readonly object_id: string }>`
      select object_id from kalends_unreadable_object where ${inCollection(collection)} and object_id ${oneOf(ids)}`;
    for (const { object_id } of rows) listed.add(object_id);
  }
  return listed;
}

async function hasAny(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  collection: CollectionRef,
): Promise<boolean> {
  const run = statement(dialect, transaction);
  const rows = await run`select 1 as listed from kalends_unreadable_object where ${inCollection(collection)} limit 1`;
  return rows.length > 0;
}

/** Takes entries off, except those that are found again: their `since` stays. */
async function takeOff(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  collection: CollectionRef,
  read: {
    readonly readIds: readonly string[];
    readonly readGroupIds: readonly string[];
    readonly foundIds: ReadonlySet<string>;
  },
): Promise<void> {
  const run = statement(dialect, transaction);
  const groups = await idsOfGroups(dialect, transaction, collection, read.readGroupIds);
  const gone = [...new Set([...read.readIds, ...groups])].filter((id) => !read.foundIds.has(id));
  for (const ids of lists(gone)) {
    await run`delete from kalends_unreadable_object where ${inCollection(collection)} and object_id ${oneOf(ids)}`;
  }
}

async function idsOfGroups(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  collection: CollectionRef,
  groupIds: readonly string[],
): Promise<readonly string[]> {
  const run = statement(dialect, transaction);
  const found: string[] = [];
  for (const ids of lists(groupIds)) {
    const rows = await run<{ readonly object_id: string }>`
      select object_id from kalends_unreadable_object where ${inCollection(collection)} and group_id ${oneOf(ids)}`;
    found.push(...rows.map(({ object_id }) => object_id));
  }
  return found;
}

async function putOn(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  { account_id, id, sweep_generation }: Collection,
  found: readonly UnreadableWrite[],
  at: number,
): Promise<void> {
  const run = statement(dialect, transaction);
  // One statement may not write a row twice.
  const last = [...new Map(found.map((each) => [each.objectId, each])).values()];
  for (const part of batches(last)) {
    const rows = part.map(({ objectId, groupId, isPart, reason }) => [
      account_id,
      id,
      objectId,
      groupId,
      isPart ? 1 : 0,
      reason,
      at,
      sweep_generation,
    ]);
    await run`insert into kalends_unreadable_object (account_id, collection_id, object_id, group_id, is_part, reason,
        since, generation) values ${valueRows(rows)}
      on conflict (account_id, collection_id, object_id) do update set group_id = excluded.group_id,
        is_part = excluded.is_part, reason = excluded.reason, generation = excluded.generation`;
  }
}

/** Takes off what a full pass has not shown again. */
export async function dropUnreadableBefore(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  collection: CollectionRef,
  generation: number,
): Promise<void> {
  const run = statement(dialect, transaction);
  await run`delete from kalends_unreadable_object where ${inCollection(collection)} and generation < ${generation}`;
}
