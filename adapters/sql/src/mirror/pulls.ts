import { type CollectionKey, type HeldLease, KalendsError, type PullStart, type PullStore } from 'kalends/ports';
import type { SqlContext } from '../context.ts';
import { isCollection, joinedTo, sameCollection, toCalendarKey } from '../schema/collection-key.ts';
import { CALENDAR_LIST, OPEN } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { batch, clockOf, fragment, type Piece, piece, statement } from '../statements/statement.ts';
import { claiming, isHeld, releasing } from '../sync/leases.ts';
import { ensuring, finishing, toSchedule } from '../sync/schedule.ts';
import { covering } from '../webhooks/subscriptions.ts';
import { toState } from './mirror-collections.ts';
import { toItemVersion, type VersionRow } from './mirror-read.ts';
import { type CalendarColumns, COLLECTION, SCHEDULE, scheduleOf } from './reads.ts';

/** Begins and ends pulls, each in one round trip: none of their statements needs the answer of another. */
export function pullStore({ database, reader, dialect }: SqlContext): PullStore {
  return {
    async begin(key, { name, ttlMs }) {
      const [claimed, rows] = await batch(dialect, database, () => [
        claiming(dialect, name, ttlMs),
        starting(dialect, key),
      ]);
      return { epoch: (claimed?.[0] as { readonly epoch: number } | undefined)?.epoch, start: toStart(rows?.[0]) };
    },
    async read(key) {
      const run = statement(dialect, reader, { isFrequent: true });
      return toStart((await run<StartRow>`${starting(dialect, key)}`)[0]);
    },
    async end(key, lease, { providerToken, finished }) {
      const [collections, held] = await batch(dialect, database, () => {
        const isOurs = piece`and ${isHeld(lease)} and exists (select 1 from kalends_collection where ${isCollection(key)})`;
        return [
          // In the order in which commits lock them.
          piece`select 1 from kalends_collection where ${isCollection(key)} ${fragment(dialect.forUpdate)}`,
          holding(dialect, lease),
          ensuring(key, isOurs),
          finishing(dialect, key, finished, isOurs),
          ...(providerToken === undefined ? [] : [keepingToken(key, lease, providerToken)]),
          releasing(dialect, lease),
        ];
      });
      if (collections?.length === 0) throw new KalendsError('NotFound', 'There is no such collection in the mirror');
      return held !== undefined && held.length > 0;
    },
  };
}

/** Each column is null where its table has no row. */
type StartRow = Partial<VersionRow> &
  Omit<CalendarColumns, 'revision' | 'is_listed' | 'push_until'> & {
    readonly revision: number | null;
    readonly token: string | null;
    readonly cool_down_ms: number;
    readonly has_rereads: number;
    readonly is_sweeping: number;
    readonly push_since: number | null;
    readonly push_until: number | null;
    readonly is_subscribed: number;
  };

function starting(dialect: SqlDialect, key: CollectionKey): Piece {
  const calendar = toCalendarKey(key.calendarId);
  const ofChannels = piece`from kalends_channel h where h.account_id = a.id and h.calendar_id = ${calendar}
    and h.kind = 'push' and h.provider_channel_id is not null and h.expires_at > ${clockOf(dialect)}`;
  const now = clockOf(dialect);
  return piece`
    select ${COLLECTION}, ${SCHEDULE}, case when s.not_before > ${now} then s.not_before - ${now} else 0 end as cool_down_ms, t.token, v.group_id, v.member, v.from_revision, v.etag, v.provider_tag,
      v.mapping_version, b.content, b.private_content,
      case when exists (select 1 from kalends_reread r where ${joinedTo('c', 'r')}) then 1 else 0 end as has_rereads,
      case when c.sweep_revision is null then 0 else 1 end as is_sweeping,
      (select min(h.created_at) ${ofChannels}) as push_since, (select max(h.expires_at) ${ofChannels}) as push_until,
      case when exists (select 1 from kalends_target g where g.account_id = a.id and ${covering(key.calendarId)})
        then 1 else 0 end as is_subscribed
    from kalends_account a
      left join kalends_collection c on c.account_id = a.id and c.calendar_id = ${calendar}
      left join kalends_schedule s on s.account_id = a.id and s.calendar_id = ${calendar}
      left join kalends_provider_token t on ${joinedTo('c', 't')}
      left join kalends_collection l on l.account_id = a.id and l.calendar_id = ${CALENDAR_LIST}
      left join kalends_item_version v on ${joinedTo('l', 'v')}
        and v.group_id = ${calendar} and v.member = '' and v.to_revision = ${OPEN} and v.body is not null
      left join kalends_item_body b on ${sameCollection('v', 'b')} and b.body = v.body
    where a.id = ${key.accountId} and a.application_id = ${key.applicationId}`;
}

function toStart(found: unknown): PullStart {
  if (found === undefined) return NO_START;
  const row = found as StartRow;
  const { push_since: since, push_until: until } = row;
  return {
    schedule: scheduleOf(row),
    coolDownMs: row.cool_down_ms,
    calendar: row.content == null ? undefined : toItemVersion(row as VersionRow),
    state: row.revision === null ? undefined : toState({ ...row, revision: row.revision }),
    providerToken: row.token,
    hasRereads: row.has_rereads === 1,
    isSweeping: row.is_sweeping === 1,
    push: since === null || until === null ? null : { since, until },
    isSubscribed: row.is_subscribed === 1,
  };
}

const NO_START: PullStart = {
  schedule: toSchedule(undefined),
  coolDownMs: 0,
  calendar: undefined,
  state: undefined,
  providerToken: null,
  hasRereads: false,
  isSweeping: false,
  push: null,
  isSubscribed: false,
};

/** Locks the lease until the end of the transaction; a row as long as it has this epoch. */
function holding(dialect: SqlDialect, { name, epoch }: HeldLease): Piece {
  return piece`select 1 from kalends_lease where name = ${name} and epoch = ${epoch} ${fragment(dialect.forUpdate)}`;
}

function keepingToken(key: CollectionKey, lease: HeldLease, token: string): Piece {
  return piece`insert into kalends_provider_token (account_id, collection_id, token)
    select account_id, id, cast(${token} as text) from kalends_collection where ${isCollection(key)} and ${isHeld(lease)}
    on conflict (account_id, collection_id) do update set token = excluded.token`;
}
