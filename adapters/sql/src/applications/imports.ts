import {
  type ImportHold,
  type ImportItemState,
  type ImportProblem,
  type ImportRef,
  type ImportRow,
  type ImportState,
  type ImportStore,
  ITEM_LENGTH,
  KalendsError,
} from 'kalends/ports';
import type { Selectable, Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import { batches, lists, oneOf, piece, statement, valueRows } from '../statements/statement.ts';
import { holdsLease } from '../sync/leases.ts';
import { writeAudit } from './audit-log.ts';

type Row = Selectable<Tables['kalends_import']>;
type ItemRow = Selectable<Tables['kalends_import_item']>;

const ofImport = ({ accountId, id }: ImportRef) => piece`account_id = ${accountId} and import_id = ${id}`;

/** Stores imports, and the components of each UID in a table of their own. */
export function importStore(context: SqlContext): ImportStore {
  const { database, reader, dialect } = context;
  const read = () => statement(dialect, reader);
  /** Changes an import whose lease is still the caller's. */
  const held = <Result>({ lease }: ImportHold, change: (transaction: Transaction<Tables>) => Promise<Result>) =>
    dialect.transaction(database, async (transaction) => {
      if (await holdsLease(transaction, dialect, lease)) return await change(transaction);
      throw new KalendsError('Conflict', 'The lease was lost');
    });
  return {
    begin: (row, audit) =>
      dialect.transaction(database, async (transaction) => {
        const run = statement(dialect, transaction);
        const [owner] = await run`select 1 as found from kalends_account
          where id = ${row.accountId} and application_id = ${row.applicationId}`;
        if (owner === undefined) return 'unknown';
        const now = await dialect.now(transaction);
        const [added] =
          await run`insert into kalends_import (account_id, id, application_id, calendar_id, state, is_dry_run,
            frame, problems, error_code, created_at, finished_at, due_at)
          values (${row.accountId}, ${row.id}, ${row.applicationId}, ${row.calendarId}, ${row.state}, ${row.isDryRun ? 1 : 0},
            ${row.frame}, ${JSON.stringify(row.problems)}, ${row.errorCode}, ${row.createdAt}, ${row.finishedAt}, ${now})
          on conflict do nothing returning 1 as added`;
        if (added === undefined) return 'running';
        await writeAudit(transaction, audit);
        return 'begun';
      }),
    addItems: (ref, items) =>
      held(ref, async (transaction) => {
        const run = statement(dialect, transaction);
        const [found] =
          await run`select 1 as found from kalends_import where account_id = ${ref.accountId} and id = ${ref.id}`;
        if (found === undefined) return;
        for (const part of batches(items)) {
          const rows = part.map(({ uidKey, uid, components }) => [
            ref.accountId,
            ref.id,
            uidKey,
            uid,
            components,
            0,
            0,
            'waiting',
          ]);
          await run`insert into kalends_import_item (account_id, import_id, uid_key, uid, components, is_too_long, failures, state)
            values ${valueRows(rows)}
            on conflict (account_id, import_id, uid_key) do update set
              is_too_long = case when length(kalends_import_item.components) + length(excluded.components) > ${ITEM_LENGTH}
                then 1 else kalends_import_item.is_too_long end,
              components = case when length(kalends_import_item.components) + length(excluded.components) > ${ITEM_LENGTH}
                then kalends_import_item.components else kalends_import_item.components || excluded.components end`;
        }
      }),
    change: (hold, { state, frame, problems, errorCode, finishedAt, dueInMs }) =>
      held(hold, async (transaction) => {
        const due = dueInMs === undefined ? {} : { due_at: (await dialect.now(transaction)) + dueInMs };
        await transaction
          .updateTable('kalends_import')
          .set({
            ...due,
            ...(state === undefined ? {} : { state }),
            ...(frame === undefined ? {} : { frame }),
            ...(problems === undefined ? {} : { problems: JSON.stringify(problems) }),
            ...(errorCode === undefined ? {} : { error_code: errorCode }),
            ...(finishedAt === undefined ? {} : { finished_at: finishedAt, due_at: null }),
          })
          .where('account_id', '=', hold.accountId)
          .where('id', '=', hold.id)
          .where('finished_at', 'is', null)
          .execute();
      }),
    async find({ applicationId, accountId, id }) {
      const [row] = await read()<Row>`select * from kalends_import
        where account_id = ${accountId} and id = ${id} and application_id = ${applicationId}`;
      return row && toImport(row);
    },
    async count(ref) {
      const rows = await read()<{ readonly state: string; readonly items: number }>`
        select state, count(*) as items from kalends_import_item where ${ofImport(ref)} group by state`;
      return Object.fromEntries(rows.map(({ state, items }) => [state as ImportItemState, Number(items)]));
    },
    async listProblems(ref, { limit, after = '' }) {
      const rows = await read()<Pick<ItemRow, 'uid_key' | 'uid' | 'problems'>>`
        select uid_key, uid, problems from kalends_import_item
        where ${ofImport(ref)} and problems is not null and state <> 'waiting' and uid_key > ${after} order by uid_key limit ${limit}`;
      return rows.map((row) => ({ uidKey: row.uid_key, uid: row.uid, problems: toProblems(row.problems) }));
    },
    async listDue(limit) {
      const now = await dialect.now(database);
      const rows = await read()<Row>`select * from kalends_import where due_at <= ${now} and not exists (
          select 1 from kalends_lease l where l.name = 'import:' || account_id || ':' || id
            and l.leased_until > ${dialect.runOutBy(now)})
          order by due_at, id limit ${limit}`;
      return rows.map(toImport);
    },
    match: (ref, events) =>
      held(ref, async (transaction) => {
        const run = statement(dialect, transaction);
        const idOf = new Map(events.map(({ uidKey, eventId }) => [uidKey, eventId]));
        for (const keys of lists([...idOf.keys()])) {
          const found = await run<Pick<ItemRow, 'uid_key'>>`select uid_key from kalends_import_item
            where ${ofImport(ref)} and uid_key ${oneOf(keys)}`;
          for (const { uid_key } of found) {
            await run`update kalends_import_item set event_id = ${idOf.get(uid_key) ?? null}
              where ${ofImport(ref)} and uid_key = ${uid_key}`;
          }
        }
      }),
    beginItem: (ref, uidKey) =>
      held(ref, async (transaction) => {
        // Where 0.1.0, which may go on with the import, does not look: it takes any event_id for that of an event.
        await statement(dialect, transaction)`update kalends_import_item set problems = '[]'
          where ${ofImport(ref)} and uid_key = ${uidKey} and state = 'waiting'`;
      }),
    async nextItems(ref, limit) {
      const rows = await read()<ItemRow>`select * from kalends_import_item
        where ${ofImport(ref)} and state = 'waiting' order by failures, uid_key limit ${limit}`;
      return rows.map((row) => ({
        uidKey: row.uid_key,
        uid: row.uid,
        components: row.components,
        isTooLong: row.is_too_long === 1,
        eventId: row.event_id,
        isBegun: row.problems !== null,
        failures: row.failures,
      }));
    },
    settleItem: (ref, uidKey, { state, problems }) =>
      held(ref, async (transaction) => {
        const told = problems.length === 0 ? null : JSON.stringify(problems);
        await statement(dialect, transaction)`update kalends_import_item
          set state = ${state}, problems = ${told}, components = '' where ${ofImport(ref)} and uid_key = ${uidKey} and state = 'waiting'`;
      }),
    failItem: (ref, uidKey) =>
      held(ref, async (transaction) => {
        await statement(dialect, transaction)`update kalends_import_item set failures = failures + 1
          where ${ofImport(ref)} and uid_key = ${uidKey} and state = 'waiting'`;
      }),
    discard: (hold) =>
      held(hold, async (transaction) => {
        await transaction
          .deleteFrom('kalends_import')
          .where('account_id', '=', hold.accountId)
          .where('id', '=', hold.id)
          .execute();
      }),
    async purge(before, limit) {
      const removed = await dialect.transaction(
        database,
        (transaction) =>
          statement(dialect, transaction)`delete from kalends_import where (account_id, id) in (
          select account_id, id from kalends_import where finished_at < ${before} order by finished_at limit ${limit})
          returning 1 as removed`,
      );
      return removed.length;
    },
  };
}

function toImport(row: Row): ImportRow {
  return {
    id: row.id,
    applicationId: row.application_id,
    accountId: row.account_id,
    calendarId: row.calendar_id,
    state: row.state as ImportState,
    isDryRun: row.is_dry_run === 1,
    frame: row.frame,
    problems: toProblems(row.problems),
    errorCode: row.error_code,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}

function toProblems(text: string | null): readonly ImportProblem[] {
  return text === null ? [] : (JSON.parse(text) as readonly ImportProblem[]);
}
