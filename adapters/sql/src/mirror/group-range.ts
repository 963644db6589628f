import { OPEN } from '../schema/schema.ts';
import { type Piece, piece } from '../statements/statement.ts';
import { NARROW_WINDOW_MS, RANGE_CLASSES, rangeClass } from './range-index.ts';
import { HAS_BODY } from './versions-of.ts';

interface Range {
  readonly from: number | null;
  readonly to: number | null;
}

interface Page {
  readonly asOf: number;
  readonly after: string;
  readonly limit: number;
}

/**
 * Selects the ids of groups with an item, ascending; with a window, of those whose range meets it.
 * @param ofCollection the condition of the collection's rows
 */
export function listedGroups(ofCollection: Piece, range: Range | undefined, page: Page): Piece {
  if (range === undefined) return piece`${anyOf(ofCollection, page)} order by group_id limit ${page.limit}`;
  const from = range.from ?? -OPEN;
  const to = range.to ?? OPEN;
  if (to - from <= NARROW_WINDOW_MS) return byRange(ofCollection, from, to, page);
  return piece`${anyOf(ofCollection, page)}
      and range_start <= ${to} and (range_end is null or range_end >= ${from})
    order by group_id limit ${page.limit}`;
}

function anyOf(ofCollection: Piece, { asOf, after }: Page): Piece {
  return piece`
    select distinct group_id from kalends_item_version
    where ${ofCollection} and group_id > ${after}
      and from_revision <= ${asOf} and to_revision > ${asOf} and ${HAS_BODY}`;
}

/** Searches by class of length: an item meets the window if it begins in it, or before it by at most the class's length. */
function byRange(ofCollection: Piece, from: number, to: number, { asOf, after, limit }: Page): Piece {
  const [short, middle, long] = RANGE_CLASSES;
  const endless = RANGE_CLASSES.length;
  return piece`
    select group_id from (
      select group_id, from_revision, to_revision from kalends_item_version
      where ${ofCollection} and ${rangeClass} = 0 and body is not null
        and range_start >= ${from - short} and range_start <= ${to} and range_end >= ${from}
      union all
      select group_id, from_revision, to_revision from kalends_item_version
      where ${ofCollection} and ${rangeClass} = 1 and body is not null
        and range_start >= ${from - middle} and range_start <= ${to} and range_end >= ${from}
      union all
      select group_id, from_revision, to_revision from kalends_item_version
      where ${ofCollection} and ${rangeClass} = 2 and body is not null
        and range_start >= ${from - long} and range_start <= ${to} and range_end >= ${from}
      union all
      select group_id, from_revision, to_revision from kalends_item_version
      where ${ofCollection} and ${rangeClass} = ${endless} and body is not null
        and range_start <= ${to} and (range_end is null or range_end >= ${from})
    ) as met
    where group_id > ${after} and +from_revision <= ${asOf} and to_revision > ${asOf}
    group by group_id order by group_id limit ${limit}`;
}

/** Selects the earliest start of a range; of each class it is the first entry of the index. */
export function earliestStart(ofCollection: Piece): Piece {
  const ofClass = (index: number) => piece`
      select min(range_start) as start from kalends_item_version
      where ${ofCollection} and ${rangeClass} = ${index} and body is not null and range_start is not null`;
  const endless = RANGE_CLASSES.length;
  return piece`
    select min(start) as start from (
      ${ofClass(0)} union all ${ofClass(1)} union all ${ofClass(2)} union all ${ofClass(endless)}
    ) as of_class`;
}
