import type { CalendarContext, ReadContext, ReadStore } from 'kalends/ports';
import type { Selectable } from 'kysely';
import { toAccount } from '../accounts/accounts.ts';
import type { SqlContext } from '../context.ts';
import { joinedTo } from '../schema/collection-key.ts';
import { CALENDAR_LIST, OPEN, type Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { inSameTurn } from '../statements/in-same-turn.ts';
import { rowsOfStandardSize } from '../statements/row-source.ts';
import { batch, type Fragment, fragment, LIST_LIMIT, type Piece, piece, statement } from '../statements/statement.ts';
import { toSchedule } from '../sync/schedule.ts';
import { toState } from './mirror-collections.ts';
import { itemsBesideMember, itemsOfGroups, toPresentItems } from './present-items.ts';

type CollectionRow = Selectable<Tables['kalends_collection']>;
type ScheduleRow = Selectable<Tables['kalends_schedule']>;

type AccountColumns = Selectable<Tables['kalends_account']>;

export interface CalendarColumns
  extends Pick<CollectionRow, 'calendar_id' | 'revision' | 'write_count' | 'tag' | 'time_zone' | 'at'>,
    Pick<CollectionRow, 'completed_at' | 'purged_below'>,
    Omit<
      ScheduleRow,
      'application_id' | 'account_id' | 'calendar_id' | 'hint_seq' | 'is_active' | 'error_code' | 'error_at'
    > {
  /** Null where the calendar has no schedule yet. */
  readonly hint_seq: number | null;
  readonly is_listed: number;
  readonly push_until: number | null;
}

type StartRow = AccountColumns & (CalendarColumns | { readonly calendar_id: null });

/** An application's account and calendars of it. */
interface StartQuery {
  readonly applicationId: string;
  readonly accountId: string;
  readonly calendarIds: readonly string[];
}

/** Reads everything that a read of events begins with in one statement: on a server each statement is a round trip. */
export function readStore(context: SqlContext): ReadStore {
  const look = inSameTurn((queries: readonly StartQuery[]) => readStarts(context, queries), LIST_LIMIT, weightOf);
  return {
    async start(applicationId, accountId, calendarIds) {
      const query = { applicationId, accountId, calendarIds };
      const rows = (await look(query)).filter((row) => row.id === accountId && row.application_id === applicationId);
      return rows[0] && toStart(rows[0], rows, calendarIds);
    },
    async startWrite(key, ids) {
      const { applicationId, accountId, calendarId } = key;
      const list = { ...key, calendarId: null };
      const [starts = [], listed = [], ...items] = await batch(context.dialect, context.database, () => [
        startsOf(context.dialect, [{ applicationId, accountId, calendarIds: [calendarId] }]),
        itemsOfGroups(context.dialect, list, [calendarId]),
        itemsOfGroups(context.dialect, key, ids),
        ...ids.map((id) => itemsBesideMember(context.dialect, key, id)),
      ]);
      const rows = starts as readonly StartRow[];
      const start = rows[0] && toStart(rows[0], rows, [calendarId]);
      return start && { ...start, listed: toPresentItems(listed)[0], items: toPresentItems(...items) };
    },
  };
}

/** Columns of a collection `c` and its schedule `s`. */
export const COLLECTION = fragment(
  'c.calendar_id, c.revision, c.write_count, c.tag, c.time_zone, c.at, c.completed_at, c.purged_below',
);
export const SCHEDULE =
  fragment(`s.hint_seq, s.cleared_hint_seq, s.full_hint_seq, s.synced_at, s.last_read_at, s.due_at, s.failures,
  s.repeats_left, s.not_before, s.poll_every_ms, s.unannounced_at`);

function readStarts({ dialect, reader }: SqlContext, queries: readonly StartQuery[]): Promise<readonly StartRow[]> {
  return statement(dialect, reader, { isFrequent: true })<StartRow>`${startsOf(dialect, queries)}`;
}

function startsOf(dialect: SqlDialect, queries: readonly StartQuery[]): Piece {
  const asked = piece`${rowsOfStandardSize(askedOf(queries))} as asked`;
  if (!dialect.hasLateral) return startsFrom(piece`${asked} cross join kalends_account a`);
  // The offset keeps PostgreSQL from a scan of all accounts, which it may expect to be cheaper than some hundred lookups.
  return piece`
    select found.* from ${asked} cross join lateral (${startsFrom(fragment('kalends_account a'))} offset 0) as found`;
}

/** @param source has the account `a`; the wanted ids are its columns, or those around it */
function startsFrom(source: Piece | Fragment): Piece {
  return piece`
    select a.id, a.application_id, a.provider_type, a.provider_config_id, a.provider_account_id, a.email, a.email_key,
      a.external_id, a.authorized_scopes, a.status, a.created_at, a.updated_at,
      ${COLLECTION}, ${SCHEDULE},
      case when exists (
        select 1 from kalends_collection l join kalends_item_version v on ${joinedTo('l', 'v')}
        where l.account_id = a.id and l.calendar_id = ${CALENDAR_LIST} and l.completed_at is not null
          and v.group_id = c.calendar_id and v.member = '' and v.to_revision = ${OPEN} and v.body is not null
      ) then 1 else 0 end as is_listed,
      (
        select max(h.expires_at) from kalends_channel h
        where h.account_id = a.id and h.calendar_id = c.calendar_id
          and h.kind = 'push' and h.provider_channel_id is not null
      ) as push_until
    from ${source}
      left join kalends_collection c on c.account_id = a.id and c.calendar_id = column3
      left join kalends_schedule s on s.account_id = a.id and s.calendar_id = c.calendar_id
    where a.id = column2 and a.application_id = column1`;
}

/** Returns a row for each wanted calendar, or one for an account without any. */
function askedOf(queries: readonly StartQuery[]): readonly (readonly (string | null)[])[] {
  const asked = new Map<string, readonly (string | null)[]>();
  for (const { applicationId, accountId, calendarIds } of queries) {
    for (const calendarId of calendarIds.length === 0 ? [null] : calendarIds) {
      const row = [applicationId, accountId, calendarId];
      asked.set(JSON.stringify(row), row);
    }
  }
  return [...asked.values()];
}

function weightOf({ calendarIds }: StartQuery): number {
  return Math.max(calendarIds.length, 1);
}

/** Makes the answer for one caller; the rows may hold calendars of the account that other callers want. */
function toStart(account: AccountColumns, rows: readonly StartRow[], calendarIds: readonly string[]): ReadContext {
  return {
    account: toAccount(account),
    calendars: rows.flatMap((row) =>
      row.calendar_id !== null && calendarIds.includes(row.calendar_id) ? [toCalendar(row)] : [],
    ),
  };
}

function toCalendar(row: CalendarColumns): CalendarContext {
  return {
    calendarId: row.calendar_id,
    isListed: row.is_listed === 1,
    state: toState(row),
    schedule: scheduleOf(row),
    pushUntil: row.push_until,
  };
}

export function scheduleOf(
  row: Omit<Parameters<typeof toSchedule>[0] & object, 'hint_seq'> & { readonly hint_seq: number | null },
) {
  return toSchedule(row.hint_seq === null ? undefined : { ...row, hint_seq: row.hint_seq });
}
