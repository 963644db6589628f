import type { CollectionKey, ItemVersion } from 'kalends/ports';
import { inCollectionOf, sameCollection } from '../schema/collection-key.ts';
import { OPEN } from '../schema/schema.ts';
import { isOneOf, type Piece, piece } from '../statements/statement.ts';
import { inOrder, toItemVersion, type VersionRow } from './mirror-read.ts';

/** Selects the present items of groups. */
export function itemsOfGroups(key: CollectionKey, groupIds: readonly string[]): Piece {
  return presentItems(key, isOneOf('v.group_id', groupIds));
}

/** Selects the present items of the group of a member that is no group's own item. */
export function itemsBesideMember(key: CollectionKey, itemId: string): Piece {
  return presentItems(
    key,
    piece`v.group_id = (select m.group_id from kalends_item_version m where ${inCollectionOf(key, 'm')}
      and m.member = ${itemId} and m.member <> '' and m.to_revision = ${OPEN} and m.body is not null limit 1)`,
  );
}

function presentItems(key: CollectionKey, ofGroups: Piece): Piece {
  return piece`
    select v.group_id, v.member, v.from_revision, v.etag, v.provider_tag, v.mapping_version, b.content, b.private_content
    from kalends_item_version v join kalends_item_body b on ${sameCollection('v', 'b')} and b.body = v.body
    where ${inCollectionOf(key, 'v')} and (${ofGroups}) and v.to_revision = ${OPEN}`;
}

/** Reads the answers of these statements, each item once. */
export function toPresentItems(...answers: readonly (readonly unknown[])[]): readonly ItemVersion[] {
  const items = answers.flat().map((row) => toItemVersion(row as VersionRow));
  return inOrder([...new Map(items.map((item) => [item.itemId, item])).values()]);
}
