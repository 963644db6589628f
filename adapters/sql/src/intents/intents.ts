import {
  type ClaimedIntent,
  type IntentBegun,
  type IntentRef,
  type IntentRow,
  type IntentStore,
  KalendsError,
  type StoredIntent,
} from 'kalends/ports';
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import { findCollection, lockCollection } from '../mirror/mirror-collections.ts';
import { type CollectionRef, fromCalendarKey, toCalendarKey } from '../schema/collection-key.ts';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { rowSources } from '../statements/row-source.ts';
import { batches, fragment, lists, oneOf, statement, valueRows } from '../statements/statement.ts';
import { type IntentTableRow, intentLost, lockIntent } from './intent-hold.ts';

type Collection = Selectable<Tables['kalends_collection']>;

export function intentStore(context: SqlContext): IntentStore {
  const { database, reader, dialect } = context;
  return {
    begin: (row, ttlMs) => begin(context, row, ttlMs),
    claim: (applicationId, id, ttlMs) =>
      dialect.transaction(database, async (transaction) => {
        const row = await lockIntent(transaction, dialect, { applicationId, id });
        const now = await dialect.now(transaction);
        if (row === undefined || !(isAbandoned(row, dialect.runOutBy(now)) || isLapsed(row, now))) return undefined;
        return await takeOver(dialect, transaction, row, now, ttlMs);
      }),
    claimAbandoned: (ttlMs) =>
      dialect.transaction(database, async (transaction) => {
        const now = await dialect.now(transaction);
        const run = statement(dialect, transaction);
        const [first] = await run<{ readonly application_id: string; readonly id: string }>`
          select i.application_id, i.id from kalends_intent i join kalends_account a on a.id = i.account_id
          where i.due_at <= ${now} and i.leased_until <= ${dialect.runOutBy(now)} and a.status = 'ACTIVE' and not exists (
            select 1 from kalends_schedule s where s.account_id = i.account_id and s.not_before > ${now})
          order by i.due_at, i.id limit 1`;
        const found = first && { applicationId: first.application_id, id: first.id };
        const row = found && (await lockIntent(transaction, dialect, found));
        // Another process may have taken it over since it was found.
        if (row === undefined || row.due_at === null || row.due_at > now) return undefined;
        return await takeOver(dialect, transaction, row, now, ttlMs);
      }),
    renew: (refs, ttlMs) =>
      dialect.transaction(database, async (transaction) => {
        const until = (await dialect.now(transaction)) + ttlMs;
        const run = statement(dialect, transaction);
        const rows = refs.map(({ applicationId, id, epoch }) => [applicationId, id, epoch]);
        for (const held of rowSources(dialect, rows, ['text', 'text', 'bigint'])) {
          // A locked intent is in use by its holder's own commit.
          await run`update kalends_intent set leased_until = ${until}, due_at = ${until} where id in (
            select i.id from kalends_intent i join (select column1, column2, column3 from ${held}) as held
              on i.application_id = held.column1 and i.id = held.column2 and i.epoch = held.column3
            where i.state = 'open' and i.leased_until > 0 ${fragment(dialect.lockFreeOf('i'))})`;
        }
      }),
    record: (ref, change) =>
      dialect.transaction(database, async (transaction) => {
        const { row, collection } = await lockWithCollection(context, transaction, ref);
        const groupIds = [...new Set([...groupsOf(row), ...(change.groupIds ?? [])])];
        const added = groupIds.filter((id) => !groupsOf(row).includes(id));
        if ((await findHolder(dialect, transaction, collection, added)) !== undefined) {
          throw new KalendsError('Conflict', 'Another intent holds the group');
        }
        await hold(dialect, transaction, collection, ref.id, added);
        const holdsNew = change.holdsNewItems ?? row.holds_new_items === 1;
        await ofRef(transaction, ref)
          .set({
            data: JSON.stringify(change.data),
            group_ids: JSON.stringify(groupIds),
            holds_new_items: holdsNew ? 1 : 0,
          })
          .execute();
      }),
    abandon: (ref, retryInMs) =>
      dialect.transaction(database, async (transaction) => {
        const now = await dialect.now(transaction);
        const { numUpdatedRows } = await ofRef(transaction, ref)
          .set({ leased_until: 0, due_at: now + retryInMs })
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      }),
    end: (ref, outcome) =>
      dialect.transaction(database, async (transaction) => {
        const row = await lockIntent(transaction, dialect, ref);
        if (row === undefined || !isOpen(row, ref.epoch)) return false;
        const kept = outcome === undefined ? undefined : { keepMs: outcome.keepMs };
        await endIntent(context, transaction, row, kept);
        return true;
      }),
    async nextAbandonedAt() {
      const run = statement(dialect, reader);
      const [first] = await run<{ readonly at: number }>`
        select i.due_at as at from kalends_intent i join kalends_account a on a.id = i.account_id
        where i.due_at is not null and a.status = 'ACTIVE' order by i.due_at limit 1`;
      return first?.at ?? null;
    },
    async purge(limit) {
      const now = await dialect.now(database);
      const result = await database
        .deleteFrom('kalends_intent')
        .where(({ eb, refTuple }) =>
          eb(
            refTuple('account_id', 'id'),
            'in',
            eb
              .selectFrom('kalends_intent')
              .select(['account_id', 'id'])
              .where('kept_until', '<=', now)
              .orderBy('kept_until')
              .limit(limit)
              .$asTuple('account_id', 'id'),
          ),
        )
        // Checked again on the row itself: it may have been opened since it was found.
        .where('kept_until', '<=', now)
        .executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

async function begin(context: SqlContext, row: IntentRow, ttlMs: number): Promise<IntentBegun> {
  const { database, dialect } = context;
  const attempt = () => dialect.transaction(database, (transaction) => beginLocked(context, transaction, row, ttlMs));
  try {
    return await attempt();
  } catch (error) {
    // The same key came for two collections at once: the first is committed by now, and is found.
    if (row.idempotency === null || !dialect.isUniqueViolation(error)) throw error;
    return await attempt();
  }
}

async function beginLocked(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  row: IntentRow,
  ttlMs: number,
): Promise<IntentBegun> {
  const collection = await lockCollection(transaction, dialect, row.key);
  let now = 0;
  let used: IntentTableRow | undefined;
  let holder: IntentTableRow | undefined;
  await dialect.together([
    async () => {
      now = await dialect.now(transaction);
    },
    async () => {
      used = await findByKey(dialect, transaction, row);
    },
    async () => {
      holder = await findHolder(dialect, transaction, collection, row.groupIds);
    },
  ]);
  if (used !== undefined && !isOver(used, now)) return { kind: 'key-used', by: toIntent(used, dialect.runOutBy(now)) };
  if (used !== undefined) await deleteIntent(dialect, transaction, used);
  if (holder !== undefined) return { kind: 'group-held', by: toIntent(holder, dialect.runOutBy(now)) };
  const inserted: IntentTableRow = {
    id: row.id,
    application_id: row.key.applicationId,
    account_id: row.key.accountId,
    calendar_id: toCalendarKey(row.key.calendarId),
    collection_id: collection.id,
    kind: row.kind,
    state: 'open',
    group_ids: JSON.stringify([...new Set(row.groupIds)]),
    holds_new_items: row.holdsNewItems ? 1 : 0,
    data: JSON.stringify(row.data),
    idempotency_key: row.idempotency?.key ?? null,
    body_hash: row.idempotency?.bodyHash ?? null,
    created_at: row.createdAt,
    epoch: 1,
    leased_until: now + ttlMs,
    due_at: now + ttlMs,
    result: null,
    result_revision: null,
    kept_until: null,
  };
  const columns = Object.keys(inserted).join(', ');
  const run = statement(dialect, transaction);
  await dialect.together([
    () => run`insert into kalends_intent (${fragment(columns)}) values ${valueRows([Object.values(inserted)])}`,
    () => hold(dialect, transaction, collection, row.id, groupsOf(inserted)),
  ]);
  return { kind: 'begun', intent: toIntent(inserted, now), basedOn: collection.write_count };
}

/** Reads the intent that has the key. */
async function findByKey(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  { key, idempotency }: IntentRow,
): Promise<IntentTableRow | undefined> {
  if (idempotency === null) return undefined;
  const run = statement(dialect, transaction);
  const [row] = await run<IntentTableRow>`
    select * from kalends_intent where application_id = ${key.applicationId} and idempotency_key = ${idempotency.key}`;
  return row;
}

/** Whether the time is over for which the intent's key is kept. */
function isOver({ kept_until }: IntentTableRow, now: number): boolean {
  return kept_until !== null && kept_until <= now;
}

async function findHolder(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  collection: CollectionRef,
  groupIds: readonly string[],
): Promise<IntentTableRow | undefined> {
  const run = statement(dialect, transaction);
  for (const ids of lists(groupIds)) {
    const [holder] = await run<IntentTableRow>`
      select i.* from kalends_held_group h join kalends_intent i on i.account_id = h.account_id and i.id = h.intent_id
      where h.account_id = ${collection.account_id} and h.collection_id = ${collection.id} and h.group_id ${oneOf(ids)}
      limit 1`;
    if (holder !== undefined) return holder;
  }
  return undefined;
}

async function hold(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  { account_id, id }: CollectionRef,
  intentId: string,
  groupIds: readonly string[],
): Promise<void> {
  const run = statement(dialect, transaction);
  for (const ids of batches(groupIds)) {
    const rows = ids.map((groupId) => [account_id, id, groupId, intentId]);
    await run`insert into kalends_held_group (account_id, collection_id, group_id, intent_id) values ${valueRows(rows)}`;
  }
}

/** Raises the epoch of a locked intent. */
async function takeOver(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  row: IntentTableRow,
  now: number,
  ttlMs: number,
): Promise<ClaimedIntent | undefined> {
  const taken = {
    state: 'open' as const,
    epoch: row.epoch + 1,
    leased_until: now + ttlMs,
    due_at: now + ttlMs,
    kept_until: null,
  };
  await transaction
    .updateTable('kalends_intent')
    .set(taken)
    .where('account_id', '=', row.account_id)
    .where('id', '=', row.id)
    .execute();
  const collection = await findCollection(dialect, transaction, keyOf(row));
  return collection && { intent: toIntent({ ...row, ...taken }, now), basedOn: collection.write_count };
}

/** Locks a caller's intent and its collection: the collection first, as every commit does. */
async function lockWithCollection(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  ref: IntentRef,
): Promise<{ readonly row: IntentTableRow; readonly collection: Collection }> {
  const known = await transaction
    .selectFrom('kalends_intent')
    .selectAll()
    .where('application_id', '=', ref.applicationId)
    .where('id', '=', ref.id)
    .executeTakeFirst();
  if (known === undefined) throw intentLost();
  const collection = await lockCollection(transaction, dialect, keyOf(known));
  const row = await lockIntent(transaction, dialect, ref);
  if (row === undefined || !isOpen(row, ref.epoch)) throw intentLost();
  return { row, collection };
}

/** Ends a locked intent. @param kept how long its idempotency key is remembered, and with which result */
export async function endIntent(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  row: IntentTableRow,
  kept: { readonly keepMs: number; readonly done?: { readonly value: unknown; readonly revision: number } } | undefined,
): Promise<void> {
  if (kept === undefined || row.idempotency_key === null) {
    // Its holds are removed with it.
    await deleteIntent(dialect, transaction, row);
    return;
  }
  if (groupsOf(row).length > 0) {
    await transaction
      .deleteFrom('kalends_held_group')
      .where('account_id', '=', row.account_id)
      .where('intent_id', '=', row.id)
      .execute();
  }
  await transaction
    .updateTable('kalends_intent')
    .set({
      state: kept.done === undefined ? 'lapsed' : 'done',
      group_ids: '[]',
      holds_new_items: 0,
      due_at: null,
      result: kept.done === undefined ? null : JSON.stringify(kept.done.value ?? null),
      result_revision: kept.done?.revision ?? null,
      kept_until: (await dialect.now(transaction)) + kept.keepMs,
    })
    .where('account_id', '=', row.account_id)
    .where('id', '=', row.id)
    .execute();
}

async function deleteIntent(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  { account_id, id }: IntentTableRow,
): Promise<void> {
  const run = statement(dialect, transaction);
  await run`delete from kalends_intent where account_id = ${account_id} and id = ${id}`;
}

function ofRef(database: Kysely<Tables>, { applicationId, id, epoch }: IntentRef) {
  return database
    .updateTable('kalends_intent')
    .where('application_id', '=', applicationId)
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('state', '=', 'open');
}

function isOpen(row: IntentTableRow, epoch: number): boolean {
  return row.state === 'open' && row.epoch === epoch;
}

function isAbandoned(row: IntentTableRow, runOutBy: number): boolean {
  return row.state === 'open' && row.leased_until <= runOutBy;
}

function isLapsed(row: IntentTableRow, now: number): boolean {
  return row.state === 'lapsed' && row.kept_until !== null && row.kept_until > now;
}

function groupsOf(row: IntentTableRow): readonly string[] {
  return JSON.parse(row.group_ids) as readonly string[];
}

function keyOf(row: IntentTableRow) {
  return {
    applicationId: row.application_id,
    accountId: row.account_id,
    calendarId: fromCalendarKey(row.calendar_id),
  };
}

function toIntent(row: IntentTableRow, runOutBy: number): StoredIntent {
  return {
    id: row.id,
    key: keyOf(row),
    kind: row.kind,
    groupIds: groupsOf(row),
    holdsNewItems: row.holds_new_items === 1,
    data: JSON.parse(row.data) as unknown,
    idempotency: row.idempotency_key === null ? null : { key: row.idempotency_key, bodyHash: row.body_hash ?? '' },
    createdAt: row.created_at,
    epoch: row.epoch,
    state: row.state === 'open' ? (isAbandoned(row, runOutBy) ? 'abandoned' : 'held') : row.state,
    result:
      row.result === null ? null : { value: JSON.parse(row.result) as unknown, revision: row.result_revision ?? 0 },
  };
}
