import type { CollectionKey, DueAccount, HeldLease, ScheduleState, ScheduleStore } from 'kalends/ports';
import { type Selectable, sql, type Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import { fromCalendarKey, isCollection, toCalendarKey } from '../schema/collection-key.ts';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { rowSources } from '../statements/row-source.ts';
import { batch, clockOf, fragment, LIST_LIMIT, oneOf, type Piece, piece, statement } from '../statements/statement.ts';
import { claimLeases, isHeld } from './leases.ts';

const NOTHING: ScheduleState = {
  hintSeq: 0,
  clearedHintSeq: 0,
  fullHintSeq: 0,
  syncedAt: null,
  lastReadAt: null,
  dueAt: null,
  failures: 0,
  repeatsLeft: 0,
  pollEveryMs: null,
  unannouncedAt: null,
  notBefore: 0,
};

/** Claims that other processes may win before this one gives up. */
const CLAIM_ROUNDS = 10;

export function scheduleStore(context: SqlContext): ScheduleStore {
  const { database, reader, dialect } = context;
  return {
    async get(key) {
      return toSchedule(
        await reader.selectFrom('kalends_schedule').selectAll().where(ofCollection(key)).executeTakeFirst(),
      );
    },
    async list({ applicationId, accountId }) {
      const rows = await reader
        .selectFrom('kalends_schedule')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('account_id', '=', accountId)
        .orderBy('calendar_id')
        .execute();
      return rows.map((row) => ({
        ...toSchedule(row),
        calendarId: fromCalendarKey(row.calendar_id),
        missingSince: row.missing_since,
        lastFailure:
          row.error_code === null || row.error_at === null ? null : { code: row.error_code, at: row.error_at },
      }));
    },
    async hint(key, { isNamed } = { isNamed: false }) {
      const named = isNamed ? piece`` : piece`, full_hint_seq = hint_seq + 1`;
      const [, hinted] = await batch(dialect, database, () => [
        ensuring(key),
        piece`update kalends_schedule set hint_seq = hint_seq + 1, due_at = ${earlierDue(clockOf(dialect))}${named}
          where ${isCollection(key)} returning hint_seq`,
      ]);
      dialect.announce(database, 'schedule');
      return (hinted?.[0] as { readonly hint_seq: number } | undefined)?.hint_seq ?? 0;
    },
    async noteRead(key, at) {
      await batch(dialect, database, () => [
        ensuring(key),
        piece`update kalends_schedule set last_read_at = ${laterOf('last_read_at', at)} where ${isCollection(key)}`,
      ]);
    },
    async dueBy(key, at, now) {
      await batch(dialect, database, () => [
        ensuring(key),
        piece`update kalends_schedule set due_at = ${earlierDue(ownTime(dialect, at, now))} where ${isCollection(key)}`,
      ]);
      dialect.announce(database, 'schedule');
    },
    finish: (key, result, lease) => finish(context, key, result, lease),
    tightenPolls: (input) => dialect.transaction(database, (transaction) => tightenPolls(dialect, transaction, input)),
    async noteMissing(key, at) {
      await batch(dialect, database, () => [
        ensuring(key),
        piece`update kalends_schedule set missing_since = coalesce(missing_since, ${at}), due_at = null
          where ${isCollection(key)}`,
      ]);
    },
    async noteFound(key) {
      await database.updateTable('kalends_schedule').set({ missing_since: null }).where(ofCollection(key)).execute();
    },
    async listMissing({ applicationId, accountId }) {
      const rows = await reader
        .selectFrom('kalends_schedule')
        .select(['calendar_id', 'missing_since'])
        .where('application_id', '=', applicationId)
        .where('account_id', '=', accountId)
        .where('missing_since', 'is not', null)
        .orderBy('calendar_id')
        .execute();
      return rows.map((row) => ({ calendarId: row.calendar_id, since: row.missing_since ?? 0 }));
    },
    async coolDown({ applicationId, accountId }, forMs) {
      await batch(dialect, database, () => {
        const until = piece`${clockOf(dialect)} + ${forMs}`;
        return [
          // The cool-down is kept in the account's schedules: it needs at least one.
          ensuring({ applicationId, accountId, calendarId: null }),
          piece`update kalends_schedule
            set not_before = ${until}, due_at = case when due_at < ${until} then ${until} else due_at end
            where account_id = ${accountId} and application_id = ${applicationId} and not_before < ${until}`,
        ];
      });
    },
    claimDueAccounts: (ttlMs, limit, options) => claimDueAccounts(context, ttlMs, limit, options),
    nextDueAt: () => nextDueAt(context),
  };
}

async function finish(
  { database, dialect }: SqlContext,
  key: CollectionKey,
  result: Parameters<ScheduleStore['finish']>[1],
  lease?: HeldLease,
): Promise<void> {
  const condition = lease === undefined ? piece`` : piece`and ${isHeld(lease)}`;
  const run = statement(dialect, database);
  const finished = await run`${finishing(dialect, key, result, condition)}`;
  if (finished.length > 0) return;
  await dialect.transaction(database, async (transaction) => {
    const within = statement(dialect, transaction);
    // A calendar that was removed meanwhile gets no schedule again.
    const mirrored =
      await within`select 1 from kalends_collection where ${isCollection(key)} ${fragment(dialect.forUpdate)}`;
    if (mirrored.length === 0) return;
    await within`${ensuring(key, condition)}`;
    await within`${finishing(dialect, key, result, condition)}`;
  });
}

/** Records the end of a pull as `ScheduleStore.finish` does; returns a row where there is a schedule. */
export function finishing(
  dialect: SqlDialect,
  key: CollectionKey,
  {
    syncedAt,
    clearedHintSeq,
    failures,
    lastFailure,
    repeatsLeft,
    dueAt,
    now: ofCaller,
    polls,
  }: Parameters<ScheduleStore['finish']>[1],
  condition: Piece = piece``,
): Piece {
  const now = clockOf(dialect);
  let set = piece`failures = ${failures}`;
  if (lastFailure !== undefined) {
    set = piece`${set}, error_code = ${lastFailure?.code ?? null}, error_at = ${lastFailure?.at ?? null}`;
  }
  if (repeatsLeft !== undefined) set = piece`${set}, repeats_left = ${repeatsLeft}`;
  if (syncedAt !== undefined) set = piece`${set}, synced_at = ${laterOf('synced_at', syncedAt, ofCaller)}`;
  if (clearedHintSeq !== undefined) {
    set = piece`${set}, cleared_hint_seq = ${laterOf('cleared_hint_seq', clearedHintSeq)}`;
  }
  // Polls that were tightened since the pull read their interval stay so.
  const tightened = polls?.readEveryMs == null ? undefined : piece`poll_every_ms < ${polls.readEveryMs}`;
  if (polls !== undefined) {
    const every = piece`cast(${polls.everyMs} as bigint)`;
    const kept = tightened === undefined ? every : piece`case when ${tightened} then poll_every_ms else ${every} end`;
    set = piece`${set}, poll_every_ms = ${kept}, unannounced_at = ${polls.unannouncedAt}`;
  }
  let next = dueAt === null ? piece`cast(null as bigint)` : ownTime(dialect, dueAt, ofCaller);
  if (tightened !== undefined && dueAt !== null) {
    const tightenedAt = piece`${now} + poll_every_ms`;
    next = piece`case when ${tightened} and ${tightenedAt} < ${next} then ${tightenedAt} else ${next} end`;
  }
  // Only a pull that names the hint it saw can have missed a later one; a failed pull keeps its backoff.
  if (clearedHintSeq !== undefined) next = piece`case when hint_seq > ${clearedHintSeq} then ${now} else ${next} end`;
  return piece`update kalends_schedule set ${set}, due_at = case when not_before > ${next} then not_before else ${next} end
    where ${isCollection(key)} ${condition} returning hint_seq`;
}

async function tightenPolls(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  { providerConfigId, everyMs, limit, after = '' }: Parameters<ScheduleStore['tightenPolls']>[0],
): Promise<string | undefined> {
  const accounts = await transaction
    .selectFrom('kalends_account')
    .select('id')
    .where('provider_config_id', '=', providerConfigId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  const now = await dialect.now(transaction);
  const run = statement(dialect, transaction);
  const rows = accounts.map(({ id }) => [id]);
  for (const found of rowSources(dialect, rows, ['text'])) {
    await run`update kalends_schedule
      set poll_every_ms = ${everyMs}, due_at = case when due_at <= ${now + everyMs} or failures > 0 then due_at
        when not_before > ${now} + (due_at - ${now}) * ${everyMs} / poll_every_ms then not_before
        else ${now} + (due_at - ${now}) * ${everyMs} / poll_every_ms end
      where account_id in (select column1 from ${found}) and poll_every_ms > ${everyMs}`;
  }
  return accounts.length < limit ? undefined : accounts.at(-1)?.id;
}

type StateColumns =
  | 'hint_seq'
  | 'cleared_hint_seq'
  | 'full_hint_seq'
  | 'synced_at'
  | 'last_read_at'
  | 'due_at'
  | 'failures'
  | 'repeats_left'
  | 'poll_every_ms'
  | 'unannounced_at'
  | 'not_before';

export function toSchedule(row: Pick<Selectable<Tables['kalends_schedule']>, StateColumns> | undefined): ScheduleState {
  if (row === undefined) return NOTHING;
  return {
    hintSeq: row.hint_seq,
    clearedHintSeq: row.cleared_hint_seq,
    fullHintSeq: row.full_hint_seq,
    syncedAt: row.synced_at,
    lastReadAt: row.last_read_at,
    dueAt: row.due_at,
    failures: row.failures,
    repeatsLeft: row.repeats_left,
    pollEveryMs: row.poll_every_ms,
    unannouncedAt: row.unannounced_at,
    notBefore: row.not_before,
  };
}

function claimDueAccounts(
  { database, dialect }: SqlContext,
  ttlMs: number,
  limit: number,
  { soundOnly } = { soundOnly: false },
): Promise<readonly DueAccount[]> {
  return dialect.transaction(database, async (transaction) => {
    const now = await dialect.now(transaction);
    for (let round = 0; round < CLAIM_ROUNDS; round += 1) {
      const due = await findDueAccounts(dialect, transaction, now, Math.min(limit, LIST_LIMIT), soundOnly);
      if (due.length === 0) break;
      const leases = await claimLeases(transaction, dialect, due.map(leaseName), ttlMs);
      const claimed = due.flatMap((account) => {
        const epoch = leases.get(leaseName(account));
        return epoch === undefined ? [] : [{ ...account, epoch }];
      });
      if (claimed.length > 0) return await withCollections(dialect, transaction, claimed, now);
    }
    return [];
  });
}

interface DueRow {
  readonly application_id: string;
  readonly account_id: string;
}

const leaseName = ({ account_id }: DueRow) => `account:${account_id}`;

/** Due collections that are read to find an account each: most accounts have few that are due at the same time. */
const ROWS_PER_ACCOUNT = 4;

/** Finds accounts with due collections, earliest first: some of them where an account has many that are due. */
async function findDueAccounts(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  now: number,
  limit: number,
  soundOnly: boolean,
): Promise<readonly DueRow[]> {
  const runOutBy = dialect.runOutBy(now);
  const wanted = soundOnly ? piece`and s.failures = 0` : piece``;
  const run = statement(dialect, transaction);
  const rows = await run<DueRow>`
    select s.application_id, s.account_id
    from kalends_schedule s join kalends_account a on a.id = s.account_id
    where s.is_active = 1 and s.due_at <= ${now} and a.status = 'ACTIVE' ${wanted}
      and not exists (select 1 from kalends_lease l where l.name = 'account:' || s.account_id and l.leased_until > ${runOutBy})
    order by s.due_at, s.account_id
    limit ${limit === 1 ? 1 : limit * ROWS_PER_ACCOUNT}`;
  return [...new Map(rows.map((row) => [row.account_id, row])).values()].slice(0, limit);
}

/** Reads the due collections of claimed accounts. */
async function withCollections(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  claimed: readonly (DueRow & { readonly epoch: number })[],
  now: number,
): Promise<readonly DueAccount[]> {
  const run = statement(dialect, transaction);
  const rows = await run<{ readonly account_id: string; readonly calendar_id: string; readonly failures: number }>`
    select account_id, calendar_id, failures from kalends_schedule
    where account_id ${oneOf(claimed.map(({ account_id }) => account_id))} and due_at <= ${now}
    order by due_at, calendar_id`;
  return claimed.map(({ application_id: applicationId, account_id: accountId, epoch }) => {
    const due = rows.filter(({ account_id }) => account_id === accountId);
    return {
      ...{ applicationId, accountId, epoch },
      collections: due.map(({ calendar_id }) => ({
        ...{ applicationId, accountId },
        calendarId: fromCalendarKey(calendar_id),
      })),
      isFailing: due.every(({ failures }) => failures > 0),
    };
  });
}

/** Reads the earliest due time; an account that is being worked on is not due before its lease ends. */
async function nextDueAt({ reader, dialect }: SqlContext): Promise<number | null> {
  const now = await dialect.now(reader);
  const run = statement(dialect, reader);
  const [free] = await run<{ readonly at: number }>`
    select s.due_at as at
    from kalends_schedule s join kalends_account a on a.id = s.account_id
    where s.is_active = 1 and s.due_at is not null and a.status = 'ACTIVE'
      and not exists (select 1 from kalends_lease l where l.name = 'account:' || s.account_id and l.leased_until > ${now})
    order by s.due_at
    limit 1`;
  const [held] = await run<{ readonly at: number | null }>`
    select min(case when s.due_at > l.leased_until then s.due_at else l.leased_until end) as at
    from kalends_lease l
      join kalends_schedule s on s.account_id = substr(l.name, 9)
      join kalends_account a on a.id = s.account_id
    where l.leased_until > ${now} and l.name like 'account:%' and s.is_active = 1 and s.due_at is not null
      and a.status = 'ACTIVE'`;
  const times = [free?.at, held?.at].filter((at) => at !== undefined && at !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** Creates the collection's row if there is none; an account that is gone, or another application's, gets none. */
export function ensuring(key: CollectionKey, condition: Piece = piece``): Piece {
  return piece`
    insert into kalends_schedule (application_id, account_id, calendar_id, hint_seq, cleared_hint_seq, failures, is_active,
      not_before)
    select a.application_id, a.id, cast(${toCalendarKey(key.calendarId)} as text), 0, 0, 0, case when a.status = 'ACTIVE' then 1 else 0 end,
      coalesce((select max(o.not_before) from kalends_schedule o where o.account_id = a.id), 0)
    from kalends_account a where a.id = ${key.accountId} and a.application_id = ${key.applicationId} ${condition}
    on conflict (account_id, calendar_id) do update set is_active = excluded.is_active
      where kalends_schedule.is_active <> excluded.is_active`;
}

function ofCollection(key: CollectionKey) {
  return sql<boolean>`(application_id = ${key.applicationId} and account_id = ${key.accountId}
    and calendar_id = ${toCalendarKey(key.calendarId)})`;
}

/** A time by the clock of a caller that says `now`, by the storage's. */
function ownTime(dialect: SqlDialect, at: number, now: number | undefined): Piece {
  return now === undefined ? piece`cast(${at} as bigint)` : piece`${clockOf(dialect)} + cast(${at - now} as bigint)`;
}

/** The row's due time, or this one if it is earlier; not within a cool-down. */
function earlierDue(at: Piece): Piece {
  return piece`case when due_at < ${at} then due_at when not_before > ${at} then not_before else ${at} end`;
}

/** The later of a column and a value; the value where the column has more than is possible. */
function laterOf(column: 'synced_at' | 'cleared_hint_seq' | 'last_read_at', value: number, possible?: number): Piece {
  const name = fragment(column);
  const isPossible = possible === undefined ? piece`` : piece`and ${name} <= ${possible}`;
  return piece`case when ${name} > ${value} ${isPossible} then ${name} else ${value} end`;
}

/** Tells the schedule of an account that its status has changed, in the transaction that changes it. */
export async function setActive(
  transaction: Transaction<Tables>,
  accountId: string,
  status: 'ACTIVE' | 'EXPIRED',
): Promise<void> {
  await transaction
    .updateTable('kalends_schedule')
    .set({ is_active: status === 'ACTIVE' ? 1 : 0 })
    .where('account_id', '=', accountId)
    .execute();
}
