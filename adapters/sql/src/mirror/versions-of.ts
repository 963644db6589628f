import type { CollectionKey } from 'kalends/ports';
import { inCollectionOf, joinedTo, sameCollection } from '../schema/collection-key.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { rowSources } from '../statements/row-source.ts';
import { fragment, isOneOf, type Piece, piece } from '../statements/statement.ts';

/*
 * How statements find the versions of a few groups or members. PostgreSQL may expect any index that begins with the collection to
 * be as good as the right one: before it has statistics of the table, and where one account among thousands has most of the items.
 * Then it reads a whole collection for one item of it. Each group is therefore looked up by itself (the offset keeps the
 * lookup apart) and in an order that only the right index has.
 */

/** Versions `v`: a source, and the condition that the statement adds. */
export interface VersionSource {
  readonly from: Piece;
  readonly where: Piece;
}

/** All versions of groups. */
export function versionsOfGroups(dialect: SqlDialect, key: CollectionKey, groupIds: readonly string[]): VersionSource {
  return versionsBy(dialect, key, groupIds, { column: 'group_id', order: 'member, from_revision' });
}

/** All versions of the own items of groups, which have the groups' ids. */
export function versionsOfOwnItems(dialect: SqlDialect, key: CollectionKey, ids: readonly string[]): VersionSource {
  // No equation, which would leave an order that other indexes have too.
  const lookup = { column: 'group_id', part: `and member <= ''`, order: 'member, from_revision' } as const;
  const { from, where } = versionsBy(dialect, key, ids, lookup);
  return { from, where: piece`${where} and v.member = ''` };
}

/** All versions of the group with the id that a subselect finds. */
export function versionsOfGroup(dialect: SqlDialect, key: CollectionKey, groupId: Piece): VersionSource {
  if (!dialect.hasLateral) {
    return {
      from: piece`kalends_item_version v`,
      where: piece`${inCollectionOf(key, 'v')} and v.group_id = ${groupId}`,
    };
  }
  return {
    from: piece`(select * from kalends_item_version where ${inCollectionOf(key)} and group_id = ${groupId}
      order by member, from_revision offset 0) as v`,
    where: piece`true`,
  };
}

/** All versions of items that are members of a group and not its own item. */
export function versionsOfMembers(dialect: SqlDialect, key: CollectionKey, ids: readonly string[]): VersionSource {
  const lookup = { column: 'member', part: `and member <> ''`, order: 'from_revision' } as const;
  const { from, where } = versionsBy(dialect, key, ids, lookup);
  return { from, where: piece`${where} and v.member <> ''` };
}

interface Lookup {
  readonly column: 'group_id' | 'member';
  /** Further condition of the lookup. */
  readonly part?: string;
  readonly order: string;
}

function versionsBy(
  dialect: SqlDialect,
  key: CollectionKey,
  ids: readonly string[],
  { column, part = '', order }: Lookup,
): VersionSource {
  if (!dialect.hasLateral) {
    return {
      from: piece`kalends_item_version v`,
      where: piece`${inCollectionOf(key, 'v')} and (${isOneOf(`v.${column}`, ids)})`,
    };
  }
  const rows = ids.length === 0 ? [[null]] : ids.map((id) => [id]);
  const [wanted = piece``] = rowSources(dialect, rows, ['text']);
  return {
    from: piece`(select column1 as id from ${wanted}) as wanted cross join lateral (
      select * from kalends_item_version where ${inCollectionOf(key)} and ${fragment(column)} = wanted.id ${fragment(part)}
      order by ${fragment(order)} offset 0) as v`,
    where: piece`true`,
  };
}

/** Source of the versions that begin at some revisions, deletions among them. @param condition of columns without an alias */
export function versionsSince({ hasLateral }: SqlDialect, condition: Piece): Piece {
  const end = fragment(hasLateral ? 'order by from_revision, group_id offset 0' : '');
  return piece`(select * from kalends_item_version where ${condition} ${end})`;
}

/**
 * Whether a version is no deletion, in words that keep PostgreSQL from the index of ranges, which has just these versions: it is
 * small, and seems the best for any of them.
 */
export const HAS_BODY = fragment('coalesce(body, -1) <> -1');

/** Joins, as `v`, the version of the same item that ended where `next` begins. */
export function joiningBefore({ hasLateral }: SqlDialect) {
  const same = sameCollection('next', 'v').text;
  return fragment(
    hasLateral
      ? `cross join lateral (select * from kalends_item_version v where ${same} and v.group_id = next.group_id
          and v.member >= next.member and v.member <= next.member and v.to_revision = next.from_revision
          order by v.member, v.from_revision offset 0) as v`
      : `join kalends_item_version v on ${same} and v.group_id = next.group_id and v.member = next.member
          and v.to_revision = next.from_revision`,
  );
}

const OF_LISTED_GROUP = `select * from kalends_item_version v where ${joinedTo('c', 'v').text} and group_id = listed.group_id`;

/** Text that joins the versions `v` of the groups `listed` of a collection `c`. */
export function joiningVersions({ hasLateral }: SqlDialect) {
  return fragment(
    hasLateral
      ? `cross join lateral (${OF_LISTED_GROUP} order by member, from_revision offset 0) as v`
      : 'cross join kalends_item_version v',
  );
}

/** The same, with a row for each group without any that meets the conditions behind it. */
export function leftJoiningVersions({ hasLateral }: SqlDialect) {
  return fragment(
    hasLateral
      ? `left join lateral (${OF_LISTED_GROUP} order by member, from_revision offset 0) as v on`
      : `left join kalends_item_version v on ${joinedTo('c', 'v').text} and v.group_id = listed.group_id and`,
  );
}
