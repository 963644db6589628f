import type { CollectionKey, ScheduleState, ScheduleStore } from 'kalends/ports';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { fromCalendarKey, toCalendarKey } from './collection-key.ts';
import type { SqlContext } from './context.ts';
import { claimLease } from './leases.ts';
import type { Tables } from './schema.ts';

const NOTHING: ScheduleState = {
  hintSeq: 0,
  clearedHintSeq: 0,
  syncedAt: null,
  lastReadAt: null,
  dueAt: null,
  failures: 0,
  repeatsLeft: 0,
  notBefore: 0,
};

/** Claims that other processes may win before we stop trying for this time. */
const CLAIM_ROUNDS = 10;

export function scheduleStore(context: SqlContext): ScheduleStore {
  const { database, reader, dialect } = context;
  return {
    async get(key) {
      return toSchedule(await reader.selectFrom('schedule').selectAll().where(ofCollection(key)).executeTakeFirst());
    },
    hint: (key) =>
      dialect.transaction(database, async (transaction) => {
        await ensureRow(transaction, key);
        const now = await dialect.now(transaction);
        const row = await transaction
          .updateTable('schedule')
          .set((eb) => ({ hint_seq: eb('hint_seq', '+', 1), due_at: earlierDue(now) }))
          .where(ofCollection(key))
          .returning('hint_seq')
          .executeTakeFirst();
        dialect.announce(transaction, 'schedule');
        return row?.hint_seq ?? 0;
      }),
    noteRead: (key, at) =>
      dialect.transaction(database, async (transaction) => {
        await ensureRow(transaction, key);
        await transaction
          .updateTable('schedule')
          .set({ last_read_at: later('last_read_at', at) })
          .where(ofCollection(key))
          .execute();
      }),
    dueBy: (key, at) =>
      dialect.transaction(database, async (transaction) => {
        await ensureRow(transaction, key);
        await transaction
          .updateTable('schedule')
          .set({ due_at: earlierDue(at) })
          .where(ofCollection(key))
          .execute();
        dialect.announce(transaction, 'schedule');
      }),
    finish: (key, result) =>
      dialect.transaction(database, async (transaction) => {
        await ensureRow(transaction, key);
        const row = await transaction
          .selectFrom('schedule')
          .select('hint_seq')
          .where(ofCollection(key))
          .modifyEnd(dialect.forUpdate)
          .executeTakeFirst();
        // Only a pull that says which hint it saw can miss a later one; a failed pull keeps to its backoff.
        const isHintMissed = result.clearedHintSeq !== undefined && (row?.hint_seq ?? 0) > result.clearedHintSeq;
        const dueAt = isHintMissed ? await dialect.now(transaction) : result.dueAt;
        await transaction
          .updateTable('schedule')
          .set({
            failures: result.failures,
            ...(result.repeatsLeft === undefined ? {} : { repeats_left: result.repeatsLeft }),
            due_at: dueAt === null ? null : afterCoolDown(dueAt),
            ...(result.syncedAt === undefined ? {} : { synced_at: later('synced_at', result.syncedAt) }),
            ...(result.clearedHintSeq === undefined
              ? {}
              : { cleared_hint_seq: later('cleared_hint_seq', result.clearedHintSeq) }),
          })
          .where(ofCollection(key))
          .execute();
      }),
    noteMissing: (key, at) =>
      dialect.transaction(database, async (transaction) => {
        await ensureRow(transaction, key);
        await sql`update schedule set missing_since = coalesce(missing_since, ${at}), due_at = null
          where ${ofCollection(key)}`.execute(transaction);
      }),
    async noteFound(key) {
      await database.updateTable('schedule').set({ missing_since: null }).where(ofCollection(key)).execute();
    },
    async listMissing({ applicationId, accountId }) {
      const rows = await reader
        .selectFrom('schedule')
        .select(['calendar_id', 'missing_since'])
        .where('application_id', '=', applicationId)
        .where('account_id', '=', accountId)
        .where('missing_since', 'is not', null)
        .orderBy('calendar_id')
        .execute();
      return rows.map((row) => ({ calendarId: row.calendar_id, since: row.missing_since ?? 0 }));
    },
    coolDown: ({ applicationId, accountId }, forMs) =>
      dialect.transaction(database, async (transaction) => {
        // An account without a schedule has nothing that could keep it.
        await ensureRow(transaction, { applicationId, accountId, calendarId: null });
        const until = (await dialect.now(transaction)) + forMs;
        await sql`update schedule set not_before = ${until}, due_at = case when due_at < ${until} then ${until} else due_at end
          where account_id = ${accountId} and application_id = ${applicationId} and not_before < ${until}`.execute(
          transaction,
        );
      }),
    claimDueAccount: (ttlMs) => claimDueAccount(context, ttlMs),
    nextDueAt: () => nextDueAt(context),
  };
}

type StateColumns =
  | 'hint_seq'
  | 'cleared_hint_seq'
  | 'synced_at'
  | 'last_read_at'
  | 'due_at'
  | 'failures'
  | 'repeats_left'
  | 'not_before';

export function toSchedule(row: Pick<Selectable<Tables['schedule']>, StateColumns> | undefined): ScheduleState {
  if (row === undefined) return NOTHING;
  return {
    hintSeq: row.hint_seq,
    clearedHintSeq: row.cleared_hint_seq,
    syncedAt: row.synced_at,
    lastReadAt: row.last_read_at,
    dueAt: row.due_at,
    failures: row.failures,
    repeatsLeft: row.repeats_left,
    notBefore: row.not_before,
  };
}

function claimDueAccount(
  { database, dialect }: SqlContext,
  ttlMs: number,
): ReturnType<ScheduleStore['claimDueAccount']> {
  return dialect.transaction(database, async (transaction) => {
    const now = await dialect.now(transaction);
    for (let round = 0; round < CLAIM_ROUNDS; round += 1) {
      const account = await findDueAccount(transaction, now, dialect.runOutBy(now));
      if (account === undefined) return undefined;
      const lease = await claimLease(transaction, dialect, `account:${account.account_id}`, ttlMs, now);
      if (lease === undefined) continue;
      const { application_id: applicationId, account_id: accountId } = account;
      const due = await transaction
        .selectFrom('schedule')
        .select('calendar_id')
        .where('account_id', '=', accountId)
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .orderBy('calendar_id')
        .execute();
      const collections = due.map((row) => ({
        applicationId,
        accountId,
        calendarId: fromCalendarKey(row.calendar_id),
      }));
      return { applicationId, accountId, epoch: lease.epoch, collections };
    }
    return undefined;
  });
}

async function findDueAccount(transaction: Transaction<Tables>, now: number, runOutBy: number) {
  const { rows } = await sql<{ readonly application_id: string; readonly account_id: string }>`
    select s.application_id, s.account_id
    from schedule s join account a on a.id = s.account_id
    where s.is_active = 1 and s.due_at <= ${now} and a.status = 'ACTIVE'
      and not exists (select 1 from lease l where l.name = 'account:' || s.account_id and l.leased_until > ${runOutBy})
    order by s.due_at, s.account_id
    limit 1`.execute(transaction);
  return rows[0];
}

/** Accounts that are being worked on are due again when their lease ends. */
async function nextDueAt({ reader, dialect }: SqlContext): Promise<number | null> {
  const now = await dialect.now(reader);
  const { rows } = await sql<{ readonly at: number }>`
    select s.due_at as at
    from schedule s
    where s.is_active = 1 and s.due_at is not null
      and not exists (select 1 from lease l where l.name = 'account:' || s.account_id and l.leased_until > ${now})
    order by s.due_at
    limit 1`.execute(reader);
  const held = await sql<{ readonly at: number | null }>`
    select min(case when s.due_at > l.leased_until then s.due_at else l.leased_until end) as at
    from lease l
      join schedule s on s.account_id = substr(l.name, 9)
    where l.leased_until > ${now} and l.name like 'account:%' and s.is_active = 1 and s.due_at is not null`.execute(
    reader,
  );
  const times = [rows[0]?.at, held.rows[0]?.at].filter((at) => at !== undefined && at !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** Makes the collection's row if there is none. An account that is gone, or another application's, gets none. */
async function ensureRow(database: Kysely<Tables>, key: CollectionKey): Promise<void> {
  await sql`
    insert into schedule (application_id, account_id, calendar_id, hint_seq, cleared_hint_seq, failures, is_active,
      not_before)
    select a.application_id, a.id, ${calendarText(key)}, 0, 0, 0, case when a.status = 'ACTIVE' then 1 else 0 end,
      coalesce((select max(o.not_before) from schedule o where o.account_id = a.id), 0)
    from account a where a.id = ${key.accountId} and a.application_id = ${key.applicationId}
    on conflict (account_id, calendar_id) do update set is_active = excluded.is_active
      where schedule.is_active <> excluded.is_active`.execute(database);
}

const calendarText = (key: CollectionKey) => sql`cast(${toCalendarKey(key.calendarId)} as text)`;

function ofCollection(key: CollectionKey) {
  return sql<boolean>`(application_id = ${key.applicationId} and account_id = ${key.accountId}
    and calendar_id = ${toCalendarKey(key.calendarId)})`;
}

/** The row's due time, or this one if it is earlier. */
function earlierDue(at: number) {
  return sql<number>`case when due_at < ${at} then due_at else ${afterCoolDown(at)} end`;
}

function afterCoolDown(at: number) {
  return sql<number>`case when not_before > ${at} then not_before else ${at} end`;
}

function later(column: 'synced_at' | 'last_read_at' | 'cleared_hint_seq', value: number) {
  return sql<number>`case when ${sql.ref(column)} > ${value} then ${sql.ref(column)} else ${value} end`;
}

/** Tells the schedule of an account that its status has changed, in the transaction that changes it. */
export async function setActive(
  transaction: Transaction<Tables>,
  accountId: string,
  status: 'ACTIVE' | 'EXPIRED',
): Promise<void> {
  await transaction
    .updateTable('schedule')
    .set({ is_active: status === 'ACTIVE' ? 1 : 0 })
    .where('account_id', '=', accountId)
    .execute();
}
