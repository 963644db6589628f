import type { HeldSlot, HoldRow, NewHold } from 'kalends/ports';
import { type ExpressionBuilder, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';

/** Reads a hold with its participants. */
export async function readHold(
  database: Kysely<Tables>,
  applicationId: string,
  id: string,
  now: number,
): Promise<HoldRow | undefined> {
  const row = await database
    .selectFrom('kalends_hold')
    .selectAll()
    .select(poolOfHold)
    .where('application_id', '=', applicationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? undefined : await withParticipants(database, row, now);
}

/** Lists the holds of all applications that are due, those first that have been longest. */
export async function readDueHolds(database: Kysely<Tables>, limit: number, now: number): Promise<readonly HoldRow[]> {
  const rows = await database
    .selectFrom('kalends_hold')
    .selectAll()
    .select(poolOfHold)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute();
  const holds: HoldRow[] = [];
  for (const row of rows) holds.push(await withParticipants(database, row, now));
  return holds;
}

/** The pool of a hold, while the account that was assigned is there. */
function poolOfHold(builder: ExpressionBuilder<Tables, 'kalends_hold'>) {
  return builder
    .selectFrom('kalends_assignment')
    .select('pool')
    .whereRef('kalends_assignment.hold_id', '=', 'kalends_hold.id')
    .as('pool');
}

async function withParticipants(
  database: Kysely<Tables>,
  row: Selectable<Tables['kalends_hold']> & { readonly pool: string | null },
  now: number,
): Promise<HoldRow> {
  const participants = await database
    .selectFrom('kalends_hold_participant')
    .select(['account_id', 'calendar_ids', 'event_id'])
    .where('hold_id', '=', row.id)
    .orderBy('position')
    .execute();
  return {
    id: row.id,
    applicationId: row.application_id,
    participants: participants.map(({ account_id, calendar_ids, event_id }) => ({
      accountId: account_id,
      calendarIds: JSON.parse(calendar_ids),
      eventId: event_id,
    })),
    startMs: row.start_at,
    endMs: row.end_at,
    timeZone: row.time_zone,
    pool: row.pool,
    replaces: row.replaces,
    tentative: row.tentative,
    search: row.search === null ? null : JSON.parse(row.search),
    notifyAttendees: row.notify_attendees,
    createdAt: row.created_at,
    state: row.state,
    takenUntil: row.taken_until,
    isTaken: row.taken_until > now,
    epoch: row.epoch,
    bodyHash: row.body_hash,
    writeTo: row.write_to,
  };
}

/** Inserts a hold in state `held`. */
export async function insertHold(
  transaction: Transaction<Tables>,
  hold: NewHold & Pick<HoldRow, 'pool'>,
  now: number,
  until: { readonly taken: number; readonly kept: number; readonly due: number | null },
): Promise<void> {
  const slot = { start_at: hold.startMs, end_at: hold.endMs, taken_until: until.taken };
  await transaction
    .insertInto('kalends_hold')
    .values({
      ...slot,
      account_id: hold.participants[0]?.accountId ?? '',
      id: hold.id,
      application_id: hold.applicationId,
      state: 'held',
      time_zone: hold.timeZone,
      replaces: hold.replaces,
      epoch: 0,
      body_hash: null,
      write_to: null,
      tentative: hold.tentative,
      search: hold.search === null ? null : JSON.stringify(hold.search),
      notify_attendees: hold.notifyAttendees,
      created_at: hold.createdAt,
      kept_until: until.kept,
      due_at: until.due,
    })
    .execute();
  await transaction
    .insertInto('kalends_hold_participant')
    .values(
      hold.participants.map(({ accountId, calendarIds }, position) => ({
        ...slot,
        account_id: accountId,
        hold_id: hold.id,
        position,
        calendar_ids: JSON.stringify(calendarIds),
        event_id: null,
      })),
    )
    .execute();
  if (hold.pool === null) return;
  await transaction
    .insertInto('kalends_assignment')
    .values({
      account_id: hold.participants[0]?.accountId ?? '',
      pool: hold.pool,
      assigned_at: now,
      hold_id: hold.id,
      application_id: hold.applicationId,
      counts_until: until.taken,
    })
    .execute();
}

/** Columns of a hold that change. Those of its slot change in the rows of its participants too. */
type HoldChange = Partial<
  Pick<
    Tables['kalends_hold'],
    | 'state'
    | 'start_at'
    | 'end_at'
    | 'time_zone'
    | 'taken_until'
    | 'epoch'
    | 'body_hash'
    | 'write_to'
    | 'tentative'
    | 'notify_attendees'
    | 'kept_until'
    | 'due_at'
  >
>;

export async function changeHold(
  transaction: Transaction<Tables>,
  id: string,
  change: HoldChange & { readonly taken_until: number },
): Promise<void> {
  await transaction.updateTable('kalends_hold').set(change).where('id', '=', id).execute();
  const { taken_until, start_at, end_at } = change;
  await transaction
    .updateTable('kalends_hold_participant')
    .set({
      taken_until,
      ...(start_at === undefined ? {} : { start_at }),
      ...(end_at === undefined ? {} : { end_at }),
    })
    .where('hold_id', '=', id)
    .execute();
}

/**
 * Locks accounts, in one order for all holds, so that changes of their taken time happen one after the other.
 * Returns whether all of them are the application's.
 */
export async function lockAccounts(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  applicationId: string,
  accountIds: readonly string[],
): Promise<boolean> {
  if (accountIds.length === 0) return true;
  const rows = await transaction
    .selectFrom('kalends_account')
    .select('id')
    .where('application_id', '=', applicationId)
    .where('id', 'in', [...accountIds])
    .orderBy('id')
    .modifyEnd(sql.raw(dialect.forUpdate))
    .execute();
  return rows.length === accountIds.length;
}

/** Lists those of the accounts for whom holds other than these take a part of the slot. */
export async function listInWay(
  transaction: Transaction<Tables>,
  accountIds: readonly string[],
  slot: HeldSlot,
  { now, except }: { readonly now: number; readonly except: readonly string[] },
): Promise<readonly string[]> {
  if (accountIds.length === 0) return [];
  const rows = await transaction
    .selectFrom('kalends_hold_participant')
    .select('account_id')
    .distinct()
    .where('account_id', 'in', [...accountIds])
    .where('taken_until', '>', now)
    .where('start_at', '<', slot.endMs)
    .where('end_at', '>', slot.startMs)
    .where('hold_id', 'not in', [...except])
    .execute();
  return rows.map(({ account_id }) => account_id);
}
