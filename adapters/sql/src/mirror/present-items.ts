import type { CollectionKey, ItemVersion } from 'kalends/ports';
import { sameCollection } from '../schema/collection-key.ts';
import { OPEN } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { type Piece, piece } from '../statements/statement.ts';
import { inOrder, toItemVersion, type VersionRow } from './mirror-read.ts';
import { type VersionSource, versionsOfGroup, versionsOfGroups, versionsOfMembers } from './versions-of.ts';

/** Selects the present items of groups. */
export function itemsOfGroups(dialect: SqlDialect, key: CollectionKey, groupIds: readonly string[]): Piece {
  return presentItems(versionsOfGroups(dialect, key, groupIds));
}

/** Selects the present items of the group of a member that is no group's own item. */
export function itemsBesideMember(dialect: SqlDialect, key: CollectionKey, itemId: string): Piece {
  const members = versionsOfMembers(dialect, key, [itemId]);
  const groupId = piece`(select v.group_id from ${members.from}
    where ${members.where} and v.to_revision = ${OPEN} and v.body is not null limit 1)`;
  return presentItems(versionsOfGroup(dialect, key, groupId));
}

function presentItems({ from, where }: VersionSource): Piece {
  return piece`
    select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content
    from ${from} join kalends_item_body b on ${sameCollection('v', 'b')} and b.body = v.body
    where ${where} and v.to_revision = ${OPEN}`;
}

/** Reads the answers of these statements, each item once. */
export function toPresentItems(...answers: readonly (readonly unknown[])[]): readonly ItemVersion[] {
  const items = answers.flat().map((row) => toItemVersion(row as VersionRow));
  return inOrder([...new Map(items.map((item) => [item.itemId, item])).values()]);
}
