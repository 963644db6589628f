import type {
  CollectionKey,
  Commit,
  MirrorStore,
  UnreadableChanges,
  UnreadableRow,
  UnreadableWrite,
} from 'kalends/ports';
import type { Selectable, Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import {
  type CollectionRef,
  fromCalendarKey,
  inCollection,
  inCollectionOf,
  isCollection,
  joinedTo,
} from '../schema/collection-key.ts';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import {
  batches,
  type Fragment,
  fragment,
  lists,
  oneOf,
  type Piece,
  piece,
  statement,
  valueRows,
} from '../statements/statement.ts';

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

/** Entries that a commit finds on the list. */
export interface ListedUnreadable {
  readonly isEmpty: boolean;
  /** Those of the found objects that are on it. */
  readonly found: ReadonlySet<string>;
  /** Objects of groups that were read whole. */
  readonly ofGroups: readonly string[];
}

export const NONE_LISTED: ListedUnreadable = { isEmpty: true, found: new Set(), ofGroups: [] };

/** Reads what a change of the list depends on. */
export async function listUnreadable(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  key: CollectionKey,
  { found, readGroupIds }: UnreadableChanges,
): Promise<ListedUnreadable> {
  const run = statement(dialect, transaction);
  const [first] = await run`select 1 as listed from kalends_unreadable_object where ${inCollectionOf(key)} limit 1`;
  // The list is empty nearly always.
  if (first === undefined) return NONE_LISTED;
  const find = async (which: Fragment, ids: readonly string[]) => {
    const listed: string[] = [];
    for (const each of lists(ids)) {
      const rows = await run<{ readonly object_id: string }>`
        select object_id from kalends_unreadable_object where ${inCollectionOf(key)} and ${which} ${oneOf(each)}`;
      listed.push(...rows.map(({ object_id }) => object_id));
    }
    return listed;
  };
  const foundIds = [...new Set(found.map(({ objectId }) => objectId))];
  return {
    isEmpty: false,
    found: new Set(await find(fragment('object_id'), foundIds)),
    ofGroups: await find(fragment('group_id'), readGroupIds),
  };
}

/** Returns the ids of the found objects that were not on the list. */
export function newlyUnreadable(
  unreadable: UnreadableChanges | undefined,
  listed: ListedUnreadable,
): readonly string[] {
  const foundIds = new Set(unreadable?.found.map(({ objectId }) => objectId));
  return [...foundIds].filter((id) => !listed.found.has(id));
}

/** Changes the list for a commit. */
export function changingUnreadable(
  collection: Collection,
  { unreadable, at }: Pick<Commit, 'unreadable' | 'at'>,
  listed: ListedUnreadable,
): readonly Piece[] {
  if (unreadable === undefined) return [];
  return [...takingOff(collection, unreadable, listed), ...puttingOn(collection, unreadable.found, at)];
}

/** Takes entries off, except those that are found again: their `since` stays. */
function takingOff(
  collection: CollectionRef,
  { found, readIds }: UnreadableChanges,
  { isEmpty, ofGroups }: ListedUnreadable,
): readonly Piece[] {
  if (isEmpty) return [];
  const foundIds = new Set(found.map(({ objectId }) => objectId));
  const gone = [...new Set([...readIds, ...ofGroups])].filter((id) => !foundIds.has(id));
  return lists(gone).map(
    (ids) => piece`delete from kalends_unreadable_object where ${inCollection(collection)} and object_id ${oneOf(ids)}`,
  );
}

function puttingOn(
  { account_id, id, sweep_generation }: Collection,
  found: readonly UnreadableWrite[],
  at: number,
): readonly Piece[] {
  // One statement may not write a row twice.
  const last = [...new Map(found.map((each) => [each.objectId, each])).values()];
  return batches(last).map((part) => {
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
    return piece`insert into kalends_unreadable_object (account_id, collection_id, object_id, group_id, is_part, reason,
        since, generation) values ${valueRows(rows)}
      on conflict (account_id, collection_id, object_id) do update set group_id = excluded.group_id,
        is_part = excluded.is_part, reason = excluded.reason, generation = excluded.generation`;
  });
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
