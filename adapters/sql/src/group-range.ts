import { NARROW_WINDOW_MS, RANGE_CLASSES, rangeClass } from './range-index.ts';
import { OPEN } from './schema.ts';
import { type Piece, piece } from './statement.ts';

interface Range {
  readonly from: number | null;
  readonly to: number | null;
}

interface Page {
  readonly asOf: number;
  readonly after: string;
  readonly limit: number;
}

/** Selects the ids of groups with an item, of those whose range meets the window where there is one, ascending. */
export function listedGroups(collectionId: Piece, range: Range | undefined, page: Page): Piece {
  if (range === undefined) return piece`${anyOf(collectionId, page)} order by group_id limit ${page.limit}`;
  const from = range.from ?? -OPEN;
  const to = range.to ?? OPEN;
  if (to - from <= NARROW_WINDOW_MS) return byRange(collectionId, from, to, page);
  return piece`${anyOf(collectionId, page)}
      and range_start <= ${to} and (range_end is null or range_end >= ${from})
    order by group_id limit ${page.limit}`;
}

function anyOf(collectionId: Piece, { asOf, after }: Page): Piece {
  return piece`
    select distinct group_id from item_version
    where collection_id = ${collectionId} and group_id > ${after}
      and from_revision <= ${asOf} and to_revision > ${asOf} and body is not null`;
}

/** By class of length: what begins within the window, or before it by no more than the class is long. */
function byRange(collectionId: Piece, from: number, to: number, { asOf, after, limit }: Page): Piece {
  const [short, middle, long] = RANGE_CLASSES;
  const rest = RANGE_CLASSES.length;
  return piece`
    select group_id from (
      select group_id, from_revision, to_revision from item_version
      where collection_id = ${collectionId} and ${rangeClass} = 0 and body is not null
        and range_start >= ${from - short} and range_start <= ${to} and range_end >= ${from}
      union all
      select group_id, from_revision, to_revision from item_version
      where collection_id = ${collectionId} and ${rangeClass} = 1 and body is not null
        and range_start >= ${from - middle} and range_start <= ${to} and range_end >= ${from}
      union all
      select group_id, from_revision, to_revision from item_version
      where collection_id = ${collectionId} and ${rangeClass} = 2 and body is not null
        and range_start >= ${from - long} and range_start <= ${to} and range_end >= ${from}
      union all
      select group_id, from_revision, to_revision from item_version
      where collection_id = ${collectionId} and ${rangeClass} = ${rest} and body is not null
        and range_start <= ${to} and (range_end is null or range_end >= ${from})
    ) as met
    where group_id > ${after} and +from_revision <= ${asOf} and to_revision > ${asOf}
    group by group_id order by group_id limit ${limit}`;
}
