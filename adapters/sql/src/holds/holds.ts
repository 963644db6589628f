import type { AssignmentOrder, HoldRow, HoldStore, NewHold, SeenCalendar, TakenSlot } from 'kalends/ports';
import type { Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import { rowsOfStandardSize } from '../statements/row-source.ts';
import { lists, oneOf, statement } from '../statements/statement.ts';
import { chooseCandidate, countAssignments, countUntil, STANDING } from './assignments.ts';
import { changeHold, insertHold, listInWay, lockAccounts, readDueHolds, readHold } from './hold-rows.ts';

/** A hold whose accounts are locked, and the storage's time. */
interface LockedHold {
  readonly transaction: Transaction<Tables>;
  readonly hold: HoldRow;
  readonly now: number;
  /** Whether others take a part of its slot. */
  isInWay(except?: string): Promise<boolean>;
  /** Lets its assignment, if it has one, count until then. */
  countUntil(until: number): Promise<void>;
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
        isInWay: async (except = id) =>
          (await listInWay(transaction, accountIds, hold, { now, except: [id, except] })).length > 0,
        countUntil: async (until) => {
          if (hold.pool !== null) await countUntil(transaction, id, until);
        },
      });
    });
  }

  return {
    take: (hold, { seen, ttlMs, keptMs, dueInMs, assign }) =>
      dialect.transaction(database, async (transaction) => {
        const people = [...hold.participants, ...(assign?.candidates ?? [])];
        const accountIds = people.map(({ accountId }) => accountId);
        if (!(await lockAccounts(transaction, dialect, hold.applicationId, accountIds))) return { kind: 'no-account' };
        const now = await dialect.now(transaction);
        const { replaces } = hold;
        if (replaces !== null && (await isReplaced(transaction, hold.applicationId, replaces, now))) {
          return { kind: 'replacing' };
        }
        const except = replaces === null ? [hold.id] : [hold.id, replaces];
        const inWay = await listInWay(transaction, accountIds, hold, { now, except });
        if (hold.participants.some(({ accountId }) => inWay.includes(accountId))) return { kind: 'in-way' };
        if (await hasMoved(context, transaction, hold.applicationId, seen)) return { kind: 'moved' };
        const takenUntil = now + ttlMs;
        const due = dueInMs === null ? null : now + dueInMs;
        const whole = await assigned(context, transaction, hold, assign, { inWay, now });
        if (whole === undefined) return { kind: 'in-way' };
        if (replaces !== null) await removeReplaced(transaction, hold.applicationId, replaces);
        await insertHold(transaction, whole, now, { taken: takenUntil, kept: takenUntil + keptMs, due });
        const participants = whole.participants.map((participant) => ({ ...participant, eventId: null }));
        const state = { state: 'held', takenUntil, isTaken: true, epoch: 0, bodyHash: null, writeTo: null } as const;
        return { kind: 'taken', hold: { ...whole, participants, ...state } };
      }),

    find: async (applicationId, id) => await readHold(reader, applicationId, id, await dialect.now(reader)),

    beginConfirmation: (applicationId, id, { bodyHash, writeTo, notifyAttendees, ttlMs, keptMs }) =>
      withHold(applicationId, id, async ({ transaction, hold, now, isInWay, countUntil }) => {
        if (hold.state === 'releasing') return { kind: 'expired' };
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
          write_to: writeTo,
          notify_attendees: notifyAttendees,
          taken_until: takenUntil,
          kept_until: takenUntil + keptMs,
          due_at: takenUntil,
        });
        await countUntil(takenUntil);
        const state = { state: 'confirming', epoch, takenUntil, isTaken: true } as const;
        return { kind: 'begun', hold: { ...hold, ...state, bodyHash, writeTo, notifyAttendees }, isRepeat };
      }),

    book: (applicationId, id, { eventIds, ttlMs, keptMs }) =>
      withHold(applicationId, id, async ({ transaction, hold, now, isInWay, countUntil }) => {
        if (hold.state === 'booked') return hold;
        if (hold.state !== 'confirming' || (!hold.isTaken && (await isInWay()))) return undefined;
        const takenUntil = now + ttlMs;
        await changeHold(transaction, id, {
          state: 'booked',
          taken_until: takenUntil,
          kept_until: Math.max(hold.endMs, now) + keptMs,
          due_at: hold.tentative === null ? null : now,
        });
        await countUntil(STANDING);
        for (const [accountId, eventId] of Object.entries(eventIds)) {
          await transaction
            .updateTable('kalends_hold_participant')
            .set({ event_id: eventId })
            .where('account_id', '=', accountId)
            .where('hold_id', '=', id)
            .execute();
        }
        const participants = hold.participants.map((each) => ({ ...each, eventId: eventIds[each.accountId] ?? null }));
        return { ...hold, participants, state: 'booked', takenUntil, isTaken: true };
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

    async extend(applicationId, id, { ttlMs }) {
      const extended = await withHold(applicationId, id, async ({ transaction, hold, now, isInWay, countUntil }) => {
        if (hold.state !== 'held' || (!hold.isTaken && (await isInWay(hold.replaces ?? id)))) return false;
        const takenUntil = Math.max(hold.takenUntil, now + ttlMs);
        await changeHold(transaction, id, { taken_until: takenUntil });
        await countUntil(takenUntil);
        return true;
      });
      return extended === true;
    },

    async release(applicationId, id, { state, epoch, dueInMs, notifyAttendees, tentative }) {
      const released = await withHold(applicationId, id, async ({ transaction, hold, now, countUntil }) => {
        if (hold.state !== state || (epoch !== undefined && hold.epoch !== epoch)) return false;
        await changeHold(transaction, id, {
          state: 'releasing',
          taken_until: now,
          due_at: now + dueInMs,
          ...(notifyAttendees === undefined ? {} : { notify_attendees: notifyAttendees }),
          ...(tentative === undefined ? {} : { tentative }),
        });
        await countUntil(now);
        return true;
      });
      return released === true;
    },

    restore: (applicationId, id) =>
      dialect.transaction(database, async (transaction) => {
        const restored = await changed(
          transaction
            .updateTable('kalends_hold')
            .set({ state: 'booked', due_at: null })
            .where('application_id', '=', applicationId)
            .where('id', '=', id)
            .where('state', '=', 'releasing'),
        );
        if (restored) await countUntil(transaction, id, STANDING);
        return restored;
      }),

    async postpone(applicationId, id, dueInMs) {
      const now = await dialect.now(database);
      await database
        .updateTable('kalends_hold')
        .set((eb) => ({ due_at: dueInMs === null ? eb.ref('taken_until') : now + dueInMs }))
        .where('application_id', '=', applicationId)
        .where('id', '=', id)
        .where('due_at', 'is not', null)
        .execute();
    },

    settle: async (applicationId, id, { state, epoch }) =>
      await changed(
        database
          .updateTable('kalends_hold')
          .set({ tentative: null, due_at: null })
          .where('application_id', '=', applicationId)
          .where('id', '=', id)
          .where('state', '=', state)
          .where('epoch', '=', epoch),
      ),

    listDue: async (limit) => await readDueHolds(reader, limit, await dialect.now(reader)),

    remove: (applicationId, id, { state, epoch }) =>
      dialect.transaction(database, async (transaction) => {
        let query = transaction
          .deleteFrom('kalends_hold')
          .where('application_id', '=', applicationId)
          .where('id', '=', id)
          .where('state', '=', state);
        if (epoch !== undefined) query = query.where('epoch', '=', epoch);
        if ((await query.executeTakeFirst()).numDeletedRows === 0n) return false;
        await transaction.deleteFrom('kalends_assignment').where('hold_id', '=', id).execute();
        return true;
      }),

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

    async countAssigned(applicationId, pool, { accountIds, sinceMs }) {
      const now = await dialect.now(reader);
      return await countAssignments(dialect, reader, { applicationId, name: pool, sinceMs }, { accountIds, now });
    },

    purge: (limit) =>
      dialect.transaction(database, async (transaction) => {
        const now = await dialect.now(transaction);
        const rows = await transaction
          .selectFrom('kalends_hold')
          .select('id')
          .where('kept_until', '<=', now)
          .where('due_at', 'is', null)
          .limit(limit)
          .execute();
        if (rows.length === 0) return 0;
        const ids = rows.map(({ id }) => id);
        // Those of bookings go on counting.
        await transaction
          .deleteFrom('kalends_assignment')
          .where('hold_id', 'in', ids)
          .where('counts_until', '<=', now)
          .execute();
        const result = await transaction
          .deleteFrom('kalends_hold')
          .where('id', 'in', ids)
          .where('kept_until', '<=', now)
          .where('due_at', 'is', null)
          .executeTakeFirst();
        return Number(result.numDeletedRows);
      }),
  };
}

async function changed(update: { executeTakeFirst(): Promise<{ readonly numUpdatedRows: bigint }> }): Promise<boolean> {
  return (await update.executeTakeFirst()).numUpdatedRows > 0n;
}

/** Returns a hold with the candidate whom the pool chooses before its participants; undefined when no candidate is left. */
async function assigned(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  hold: NewHold,
  order: AssignmentOrder | undefined,
  { inWay, now }: { readonly inWay: readonly string[]; readonly now: number },
): Promise<(NewHold & Pick<HoldRow, 'pool'>) | undefined> {
  if (order === undefined) return { ...hold, pool: null };
  const candidates = order.candidates.filter(({ accountId }) => !inWay.includes(accountId));
  const chosen = await chooseCandidate(dialect, transaction, hold.applicationId, { ...order, candidates }, now);
  if (chosen === undefined) return undefined;
  const { accountId, calendarIds } = chosen;
  return { ...hold, participants: [{ accountId, calendarIds }, ...hold.participants], pool: order.pool };
}

/** Removes moves of a booking whose time is over: once another one has begun, they must not be finished. */
async function removeReplaced(
  transaction: Transaction<Tables>,
  applicationId: string,
  replaces: string,
): Promise<void> {
  await transaction
    .deleteFrom('kalends_hold')
    .where('application_id', '=', applicationId)
    .where('replaces', '=', replaces)
    .execute();
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
