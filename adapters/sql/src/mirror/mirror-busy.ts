import { type BusyItem, type BusyItems, type BusyQuery, KalendsError, MAX_BUSY_COLLECTIONS } from 'kalends/ports';
import type { SqlContext } from '../context.ts';
import { CALENDAR_LIST, OPEN } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { rowsOfStandardSize } from '../statements/row-source.ts';
import { fragment, type Piece, piece, statement } from '../statements/statement.ts';
import { RANGE_CLASSES, rangeClass } from './range-index.ts';

/** A calendar that is there, or an item of one. */
interface BusyRow {
  readonly calendar: number;
  /** Null for the calendar itself, whose zone is in the column `busy`. */
  readonly group_id: string | null;
  readonly member: string;
  readonly etag: string;
  readonly range_start: number;
  readonly range_end: number | null;
  readonly busy: string;
}

/** Reads the busy items of many calendars with one statement; `MirrorStore.readBusy` is its contract. */
export async function readBusy(context: SqlContext, query: BusyQuery): Promise<BusyItems> {
  const { calendars, limit } = query;
  if (calendars.length > MAX_BUSY_COLLECTIONS) {
    const message = `must be at most ${MAX_BUSY_COLLECTIONS}`;
    throw new KalendsError('InvalidRequest', `calendars: ${message}`, { details: [{ path: 'calendars', message }] });
  }
  if (calendars.length === 0) return { timeZones: [], items: [], isCut: false };
  const rows = await readRows(context, query);
  const timeZones = new Array<string | undefined>(calendars.length).fill(undefined);
  const items: BusyItem[] = [];
  for (const { calendar, group_id: groupId, member, etag, range_start, range_end, busy } of rows) {
    if (groupId === null) timeZones[calendar] = busy;
    else
      items.push({
        calendar,
        groupId,
        itemId: member === '' ? groupId : member,
        etag,
        rangeStart: range_start,
        rangeEnd: range_end,
        busy,
      });
  }
  return { timeZones, items: items.slice(0, limit), isCut: items.length > limit };
}

/** Items are sought by class of length, as in `listedGroups`. The other items of a series are read with it, wherever they are. */
function readRows({ dialect, reader }: SqlContext, query: BusyQuery): Promise<readonly BusyRow[]> {
  const run = statement(dialect, reader);
  const { applicationId, from, to, limit } = query;
  const asked = rowsOfStandardSize(query.calendars.map(({ accountId, calendarId }, at) => [at, accountId, calendarId]));
  const isMet = piece`range_start <= ${to} and (range_end is null or range_end >= ${from})`;
  const inClass = piece`v.account_id = found.account_id and v.collection_id = found.id and ${rangeClass} = class.column1
    and v.range_start >= ${from} - class.column2 and v.body is not null and ${isMet}`;
  const ofSeries = piece`v.account_id = met.account_id and v.collection_id = met.collection_id
    and v.group_id = met.group_id and v.member > '' and not (${isMet})`;
  return run<BusyRow>`
    with found as materialized (
      select cast(asked.column1 as integer) as calendar, c.account_id, c.id, c.time_zone
      from ${asked} as asked cross join kalends_collection c
      where c.account_id = asked.column2 and c.calendar_id = asked.column3 and c.application_id = ${applicationId}
        and c.calendar_id <> ${CALENDAR_LIST}
    ), met as materialized (
      select found.calendar, v.account_id, v.collection_id, ${ITEM}
      from found cross join (values ${CLASSES}) as class cross join ${versions(dialect, inClass)}
      limit ${limit + 1}
    )
    select calendar, null as group_id, null as member, null as etag, null as range_start, null as range_end,
      time_zone as busy
    from found
    union all
    select calendar, group_id, member, etag, range_start, range_end, busy from met
    union all
    select met.calendar, ${ITEM}
    from (
      select calendar, account_id, collection_id, group_id from met where member = '' and busy like ${SERIES}
    ) as met cross join ${versions(dialect, ofSeries)}`;
}

const ITEM = fragment('v.group_id, v.member, v.etag, v.range_start, v.range_end, v.busy');

/** How the busy text of a series begins. */
const SERIES = '{"series":%';

/** Classes of ranges, each with its greatest length. */
const CLASSES = fragment([...RANGE_CLASSES, OPEN].map((length, index) => `(${index}, ${length})`).join(', '));

/** Joins present versions with a busy text; the offset makes PostgreSQL seek them for each row. */
function versions({ hasLateral }: SqlDialect, condition: Piece): Piece {
  const isBusy = piece`v.to_revision = ${OPEN} and v.busy is not null`;
  return hasLateral
    ? piece`lateral (select * from kalends_item_version v where ${condition} and ${isBusy} offset 0) as v`
    : piece`kalends_item_version v where ${condition} and ${isBusy}`;
}
