import type { HeldSlot, HoldParticipant, HoldRow, NewHold } from 'kalends/ports';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
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
    .where('application_id', '=', applicationId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const participants = await database
    .selectFrom('kalends_hold_participant')
    .select(['account_id', 'calendar_ids'])
    .where('hold_id', '=', id)
    .orderBy('position')
    .execute();
  return toHold(
    row,
    participants.map((each) => ({ accountId: each.account_id, calendarIds: JSON.parse(each.calendar_ids) })),
    now,
  );
}

function toHold(
  row: Selectable<Tables['kalends_hold']>,
  participants: readonly HoldParticipant[],
  now: number,
): HoldRow {
  return {
    id: row.id,
    applicationId: row.application_id,
    participants,
    startMs: row.start_at,
    endMs: row.end_at,
    timeZone: row.time_zone,
    replaces: row.replaces,
    createdAt: row.created_at,
    state: row.state,
    takenUntil: row.taken_until,
    isTaken: row.taken_until > now,
    epoch: row.epoch,
    bodyHash: row.body_hash,
    eventId: row.event_id,
  };
}

/** Inserts a hold in state `held`. */
export async function insertHold(
  transaction: Transaction<Tables>,
  hold: NewHold,
  until: { readonly taken: number; readonly kept: number },
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
      event_id: null,
      created_at: hold.createdAt,
      kept_until: until.kept,
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
      })),
    )
    .execute();
}

/** Columns of a hold that change. Those of its slot change in the rows of its participants too. */
type HoldChange = Partial<
  Pick<
    Tables['kalends_hold'],
    'state' | 'start_at' | 'end_at' | 'time_zone' | 'taken_until' | 'epoch' | 'body_hash' | 'event_id' | 'kept_until'
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

/** Whether holds other than these take a part of the slot for one of the accounts. */
export async function isInWay(
  transaction: Transaction<Tables>,
  accountIds: readonly string[],
  slot: HeldSlot,
  { now, except }: { readonly now: number; readonly except: readonly string[] },
): Promise<boolean> {
  if (accountIds.length === 0) return false;
  const row = await transaction
    .selectFrom('kalends_hold_participant')
    .select('hold_id')
    .where('account_id', 'in', [...accountIds])
    .where('taken_until', '>', now)
    .where('start_at', '<', slot.endMs)
    .where('end_at', '>', slot.startMs)
    .where('hold_id', 'not in', [...except])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
