import {
  type BusyItem,
  type BusyItems,
  type BusyQuery,
  type BusyRanges,
  KalendsError,
  MAX_BUSY_COLLECTIONS,
} from 'kalends/ports';
import type { SqlContext } from '../context.ts';
import { CALENDAR_LIST, OPEN } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { rowsOfStandardSize } from '../statements/row-source.ts';
import { type Fragment, fragment, type Piece, piece, statement } from '../statements/statement.ts';
import { RANGE_CLASSES, rangeClass } from './range-index.ts';

/** A calendar that is there, the ranges of some of its items, or one of its items. */
interface BusyRow {
  readonly calendar: number;
  /** Null for a calendar and for ranges. */
  readonly group_id: string | null;
  readonly member: string;
  readonly etag: string;
  readonly range_start: number;
  readonly range_end: number | null;
  /** The zone, in the row of a calendar. */
  readonly busy: string;
  /** Starts and ends, separated by commas; null but for ranges. */
  readonly bounds: string | null;
}

/** Reads the busy items of many calendars with one statement; `MirrorStore.readBusy` is its contract. */
export async function readBusy(context: SqlContext, query: BusyQuery): Promise<BusyItems> {
  const { calendars, limit } = query;
  if (calendars.length > MAX_BUSY_COLLECTIONS) {
    const message = `must be at most ${MAX_BUSY_COLLECTIONS}`;
    throw new KalendsError('InvalidRequest', `calendars: ${message}`, { details: [{ path: 'calendars', message }] });
  }
  if (calendars.length === 0) return { timeZones: [], ranges: [], items: [], isCut: false };
  // A shorter window, which would be asked for next, leaves out none of the other items of a single calendar.
  const isCounted = ({ range_start, range_end }: BusyRow) =>
    calendars.length > 1 || (range_end !== null && range_end >= query.from && range_start <= query.to);
  const rows = await readRows(context, query);
  const timeZones = new Array<string | undefined>(calendars.length).fill(undefined);
  const ranges: BusyRanges[] = [];
  const items: BusyItem[] = [];
  let count = 0;
  for (const row of rows) {
    const { calendar, group_id: groupId, member, etag, range_start, range_end, busy, bounds: joined } = row;
    if (joined !== null) {
      // The quickest way from a text to numbers.
      const bounds: readonly number[] = JSON.parse(`[${joined}]`);
      ranges.push({ calendar, busy, bounds });
      count += bounds.length / 2;
    } else if (groupId === null) timeZones[calendar] = busy;
    else {
      const itemId = member === '' ? groupId : member;
      items.push({ calendar, groupId, itemId, etag, rangeStart: range_start, rangeEnd: range_end, busy });
      if (isCounted(row)) count += 1;
    }
  }
  return count > limit ? { timeZones, ranges: [], items: [], isCut: true } : { timeZones, ranges, items, isCut: false };
}

/**
 * Items are sought by class of length, as in `listedGroups`. Those of a word come joined, since a row costs a driver more than an
 * item costs the database. The other items of a series are read with it, wherever they are.
 */
function readRows({ dialect, reader }: SqlContext, query: BusyQuery): Promise<readonly BusyRow[]> {
  // Each join below is forced into look-ups by an index, so a plan that knows neither calendars nor window is as good, and planning
  // takes a third of the time.
  const run = statement(dialect, reader, { isFrequent: true });
  const { applicationId, from, to, limit } = query;
  const asked = rowsOfStandardSize(query.calendars.map(({ accountId, calendarId }, at) => [at, accountId, calendarId]));
  const isAsked = piece`c.account_id = asked.column2 and c.calendar_id = asked.column3 and c.application_id = ${applicationId}
    and c.calendar_id <> ${CALENDAR_LIST}`;
  const isMet = piece`range_start <= ${to} and (range_end is null or range_end >= ${from})`;
  const inClass = piece`v.account_id = found.account_id and v.collection_id = found.id and ${rangeClass} = class.column1
    and v.range_start >= ${from} - class.column2 and v.body is not null and ${isMet}`;
  const metIn = (classes: Fragment, end: Fragment, most: number) => piece`
      select * from (
        select found.calendar, v.account_id, v.collection_id, ${ITEM}
        from found cross join (values ${classes}) as class
          cross join ${versions(dialect, piece`${inClass} and v.range_end ${end}`)}
        limit ${most + 1}) as listed`;
  const ofSeries = piece`v.account_id = met.account_id and v.collection_id = met.collection_id
    and v.group_id = met.group_id and v.member > '' and substr(v.busy, 1, 1) = '{' and not (${isMet})`;
  return run<BusyRow>`
    with found as materialized (
      select cast(asked.column1 as integer) as calendar, c.account_id, c.id, c.time_zone
      from ${asked} as asked cross join ${lateral(dialect, 'kalends_collection', 'c', isAsked)}
    ), met as materialized (
      ${metIn(CLASSES, fragment('is not null'), limit)}
      union all
      ${metIn(ENDLESS, fragment('is null'), query.calendars.length > 1 ? limit : Number.MAX_SAFE_INTEGER - 1)}
    )
    select calendar, null as group_id, null as member, null as etag, null as range_start, null as range_end,
      time_zone as busy, null as bounds
    from found
    union all
    select calendar, group_id, member, etag, range_start, range_end, busy, null
    from met where substr(busy, 1, 1) = '{'
    union all
    select met.calendar, ${ITEM}, null
    from (
      select calendar, account_id, collection_id, group_id from met where member = '' and busy like ${SERIES}
    ) as met cross join ${versions(dialect, ofSeries)}
    union all
    select calendar, null, null, null, null, null, busy,
      string_agg(concat(range_start, ',', coalesce(range_end, range_start)), ',')
    from met where substr(busy, 1, 1) <> '{' group by calendar, busy`;
}

const ITEM = fragment('v.group_id, v.member, v.etag, v.range_start, v.range_end, v.busy');

/** How the busy text of a series begins. */
const SERIES = '{"series":%';

const ALL_CLASSES = [...RANGE_CLASSES, OPEN].map((length, index) => `(${index}, ${length})`);

/** Classes of ranges, each with its greatest length. */
const CLASSES = fragment(ALL_CLASSES.join(', '));

/** That of endless ranges. */
const ENDLESS = fragment(ALL_CLASSES.at(-1) ?? '');

/** Present versions with a busy text. */
function versions(dialect: SqlDialect, condition: Piece): Piece {
  return lateral(
    dialect,
    'kalends_item_version',
    'v',
    piece`${condition} and v.to_revision = ${OPEN} and v.busy is not null`,
  );
}

/** Joins the rows of a table that meet a condition on those before it; the offset makes PostgreSQL seek them for each row. */
function lateral({ hasLateral }: SqlDialect, table: string, alias: string, condition: Piece): Piece {
  const rows = fragment(`${table} ${alias}`);
  return hasLateral
    ? piece`lateral (select * from ${rows} where ${condition} offset 0) as ${fragment(alias)}`
    : piece`${rows} where ${condition}`;
}
