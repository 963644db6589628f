import type { HoldRow, HoldStore, SeenCalendar, TakenSlot } from 'kalends/ports';
import type { Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import { rowsOfStandardSize } from '../statements/row-source.ts';
import { lists, oneOf, statement } from '../statements/statement.ts';
import { changeHold, insertHold, isInWay, lockAccounts, readHold } from './hold-rows.ts';

/** A hold whose accounts are locked, and the storage's time. */
interface LockedHold {
  readonly transaction: Transaction<Tables>;
  readonly hold: HoldRow;
  readonly now: number;
  /** Whether others take a part of its slot. */
  isInWay(except?: string): Promise<boolean>;
}

/** Stores holds. Each change of who has taken the time of an account is made under the account's row lock. */
export function holdStore(context: SqlContext): HoldStore {
  const { database, reader, dialect } = context;

  function withHold<Result>(
    applicationId: string,
    id: string,
    work: (locked: LockedHold) => Promise<Result>,
  ): Promise<Result | undefined> {
    return dialect.transaction(database, async (transaction) => {
      const before = await readHold(transaction, applicationId, id, 0);
      if (before === undefined) return undefined;
      const accountIds = before.participants.map(({ accountId }) => accountId);
      await lockAccounts(transaction, dialect, applicationId, accountIds);
      const now = await dialect.now(transaction);
      const hold = await readHold(transaction, applicationId, id, now);
      if (hold === undefined) return undefined;
      return await work({
        transaction,
        hold,
        now,
        isInWay: async (except = id) => await isInWay(transaction, accountIds, hold, { now, except: [id, except] }),
      });
    });
  }

  return {
    take: (hold, { seen, ttlMs, keptMs }) =>
      dialect.transaction(database, async (transaction) => {
        const accountIds = hold.participants.map(({ accountId }) => accountId);
        if (!(await lockAccounts(transaction, dialect, hold.applicationId, accountIds))) return { kind: 'no-account' };
        const now = await dialect.now(transaction);
        const { replaces } = hold;
        if (replaces !== null && (await isReplaced(transaction, hold.applicationId, replaces, now))) {
          return { kind: 'replacing' };
        }
        const except = replaces === null ? [hold.id] : [hold.id, replaces];
        if (await isInWay(transaction, accountIds, hold, { now, except })) return { kind: 'in-way' };
        if (await hasMoved(context, transaction, hold.applicationId, seen)) return { kind: 'moved' };
        const takenUntil = now + ttlMs;
        await insertHold(transaction, hold, { taken: takenUntil, kept: takenUntil + keptMs });
        const state = { state: 'held', takenUntil, isTaken: true, epoch: 0, bodyHash: null, eventId: null } as const;
        return { kind: 'taken', hold: { ...hold, ...state } };
      }),

    find: async (applicationId, id) => await readHold(reader, applicationId, id, await dialect.now(reader)),

    beginConfirmation: (applicationId, id, { bodyHash, ttlMs, keptMs }) =>
      withHold(applicationId, id, async ({ transaction, hold, now, isInWay }) => {
        if (hold.bodyHash !== null && hold.bodyHash !== bodyHash) return { kind: 'other-body' };
        if (hold.state === 'booked') return { kind: 'booked', hold };
        const isRepeat = hold.state === 'confirming';
        if (!hold.isTaken) {
          if (!isRepeat) return { kind: 'expired' };
          if (await isInWay()) return { kind: 'in-way' };
        }
        const takenUntil = Math.max(hold.takenUntil, now + ttlMs);
        const epoch = hold.epoch + 1;
        await changeHold(transaction, id, {
          state: 'confirming',
          body_hash: bodyHash,
          epoch,
          taken_until: takenUntil,
          kept_until: takenUntil + keptMs,
        });
        const begun: HoldRow = { ...hold, state: 'confirming', bodyHash, epoch, takenUntil, isTaken: true };
        return { kind: 'begun', hold: begun, isRepeat };
      }),

    book: (applicationId, id, { eventId, ttlMs, keptMs }) =>
      withHold(applicationId, id, async ({ transaction, hold, now, isInWay }) => {
        if (hold.state === 'booked') return hold;
        if (hold.state !== 'confirming' || (!hold.isTaken && (await isInWay()))) return undefined;
        const takenUntil = now + ttlMs;
        await changeHold(transaction, id, {
          state: 'booked',
          event_id: eventId,
          taken_until: takenUntil,
          kept_until: Math.max(hold.endMs, now) + keptMs,
        });
        return { ...hold, state: 'booked', eventId, takenUntil, isTaken: true };
      }),

    async replace(applicationId, id, { by, ttlMs, keptMs }) {
      const replaced = await withHold(applicationId, by, async ({ transaction, hold, now, isInWay }) => {
        if (hold.replaces !== id || (!hold.isTaken && (await isInWay(id)))) return false;
        const booked = await readHold(transaction, applicationId, id, now);
        if (booked?.state !== 'booked') return false;
        await transaction.deleteFrom('kalends_hold').where('id', '=', by).execute();
        await changeHold(transaction, id, {
          start_at: hold.startMs,
          end_at: hold.endMs,
          time_zone: hold.timeZone,
          taken_until: now + ttlMs,
          kept_until: Math.max(hold.endMs, now) + keptMs,
        });
        return true;
      });
      return replaced === true;
    },

    async remove(applicationId, id, { state, epoch }) {
      let query = database
        .deleteFrom('kalends_hold')
        .where('application_id', '=', applicationId)
        .where('id', '=', id)
        .where('state', '=', state);
      if (epoch !== undefined) query = query.where('epoch', '=', epoch);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },

    async listTaken(applicationId, accountIds, { startMs, endMs }) {
      if (accountIds.length === 0) return [];
      const now = await dialect.now(reader);
      const run = statement(dialect, reader);
      const taken: TakenSlot[] = [];
      for (const part of lists(accountIds)) {
        const rows = await run<TakenSlot>`
          select p.hold_id as "holdId", p.account_id as "accountId", p.start_at as "startMs", p.end_at as "endMs"
          from kalends_hold_participant p join kalends_hold h on h.id = p.hold_id
          where p.account_id ${oneOf(part)} and p.taken_until > ${now} and p.start_at < ${endMs} and p.end_at > ${startMs}
            and h.application_id = ${applicationId}`;
        taken.push(...rows);
      }
      return taken;
    },

    purge: (limit) =>
      dialect.transaction(database, async (transaction) => {
        const now = await dialect.now(transaction);
        const result = await transaction
          .deleteFrom('kalends_hold')
          .where('id', 'in', (from) =>
            from.selectFrom('kalends_hold').select('id').where('kept_until', '<=', now).limit(limit),
          )
          .executeTakeFirst();
        return Number(result.numDeletedRows);
      }),
  };
}

async function isReplaced(
  transaction: Transaction<Tables>,
  applicationId: string,
  replaces: string,
  now: number,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('kalends_hold')
    .select('id')
    .where('application_id', '=', applicationId)
    .where('replaces', '=', replaces)
    .where('taken_until', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Whether a calendar has another revision than the one that was read. Without a lock: a commit that ends after this read comes
 * after the hold.
 */
async function hasMoved(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  applicationId: string,
  seen: readonly SeenCalendar[],
): Promise<boolean> {
  if (seen.length === 0) return false;
  const run = statement(dialect, transaction);
  const asked = rowsOfStandardSize(
    seen.map(({ accountId, calendarId, revision }) => [revision, accountId, calendarId]),
  );
  const rows = await run<{ readonly calendar_id: string; readonly is_same: number }>`
    select distinct c.account_id, c.calendar_id, case when c.revision = cast(asked.column1 as bigint) then 1 else 0 end as is_same
    from ${asked} as asked cross join kalends_collection c
    where c.account_id = asked.column2 and c.calendar_id = asked.column3 and c.application_id = ${applicationId}`;
  return rows.length < seen.length || rows.some((row) => row.is_same === 0);
}
