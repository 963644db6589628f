import {
  type ClaimedIntent,
  type IntentBegun,
  type IntentRef,
  type IntentRow,
  type IntentStore,
  KalendsError,
  type StoredIntent,
} from 'kalends/ports';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { fromCalendarKey, toCalendarKey } from './collection-key.ts';
import type { SqlContext } from './context.ts';
import { type IntentTableRow, intentLost, lockIntent } from './intent-hold.ts';
import { findCollection, lockCollection } from './mirror-collections.ts';
import { rowSources } from './row-source.ts';
import type { Tables } from './schema.ts';
import { fragment, statement } from './statement.ts';

type Collection = Selectable<Tables['collection']>;

export function intentStore(context: SqlContext): IntentStore {
  const { database, reader, dialect } = context;
  return {
    begin: (row, ttlMs) => begin(context, row, ttlMs),
    claim: (applicationId, id, ttlMs) =>
      dialect.transaction(database, async (transaction) => {
        const row = await lockIntent(transaction, dialect, { applicationId, id });
        const now = await dialect.now(transaction);
        if (row === undefined || !(isAbandoned(row, dialect.runOutBy(now)) || isLapsed(row, now))) return undefined;
        return await takeOver(transaction, row, now, ttlMs);
      }),
    claimAbandoned: (ttlMs) =>
      dialect.transaction(database, async (transaction) => {
        const now = await dialect.now(transaction);
        const { rows } = await sql<{ readonly application_id: string; readonly id: string }>`
          select i.application_id, i.id from intent i join account a on a.id = i.account_id
          where i.due_at <= ${now} and i.leased_until <= ${dialect.runOutBy(now)} and a.status = 'ACTIVE' and not exists (
            select 1 from schedule s where s.account_id = i.account_id and s.not_before > ${now})
          order by i.due_at, i.id limit 1`.execute(transaction);
        const found = rows[0] && { applicationId: rows[0].application_id, id: rows[0].id };
        const row = found && (await lockIntent(transaction, dialect, found));
        // Another process may have taken it since it was found; that one's end is waited for by nobody.
        if (row === undefined || row.due_at === null || row.due_at > now) return undefined;
        return await takeOver(transaction, row, now, ttlMs);
      }),
    renew: (refs, ttlMs) =>
      dialect.transaction(database, async (transaction) => {
        const until = (await dialect.now(transaction)) + ttlMs;
        const run = statement(dialect, transaction);
        const rows = refs.map(({ applicationId, id, epoch }) => [applicationId, id, epoch]);
        for (const held of rowSources(dialect, rows, ['text', 'text', 'bigint'])) {
          // One that is locked is in use by its holder's own commit.
          await run`update intent set leased_until = ${until}, due_at = ${until} where id in (
            select i.id from intent i join (select column1, column2, column3 from ${held}) as held
              on i.application_id = held.column1 and i.id = held.column2 and i.epoch = held.column3
            where i.state = 'open' and i.leased_until > 0 ${fragment(dialect.lockFreeOf('i'))})`;
        }
      }),
    record: (ref, change) =>
      dialect.transaction(database, async (transaction) => {
        const { row, collection } = await lockWithCollection(context, transaction, ref);
        const groupIds = [...new Set([...groupsOf(row), ...(change.groupIds ?? [])])];
        const added = groupIds.filter((id) => !groupsOf(row).includes(id));
        if ((await findHolder(transaction, collection.id, added)) !== undefined) {
          throw new KalendsError('Conflict', 'Another intent holds the group');
        }
        await hold(transaction, collection.id, ref.id, added);
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
    async find(applicationId, id) {
      const row = await reader
        .selectFrom('intent')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && toIntent(row, dialect.runOutBy(await dialect.now(reader)));
    },
    async nextAbandonedAt() {
      const { rows } = await sql<{ readonly at: number }>`
        select i.due_at as at from intent i join account a on a.id = i.account_id
        where i.due_at is not null and a.status = 'ACTIVE' order by i.due_at limit 1`.execute(reader);
      return rows[0]?.at ?? null;
    },
    async purge(limit) {
      const now = await dialect.now(database);
      const result = await database
        .deleteFrom('intent')
        .where('id', 'in', (query) =>
          query.selectFrom('intent').select('id').where('kept_until', '<=', now).orderBy('kept_until').limit(limit),
        )
        // Once more on the row itself: it may have been opened again since it was found.
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
    // One key under two collections at once: the first has been committed now, and is found.
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
  const now = await dialect.now(transaction);
  const used = await findByKey(transaction, row, now);
  if (used !== undefined) return { kind: 'key-used', by: toIntent(used, dialect.runOutBy(now)) };
  const holder = await findHolder(transaction, collection.id, row.groupIds);
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
  await transaction.insertInto('intent').values(inserted).execute();
  await hold(transaction, collection.id, row.id, groupsOf(inserted));
  return { kind: 'begun', intent: toIntent(inserted, now), writes: collection.writes };
}

/** The intent that has the key; one whose time is over is forgotten first. */
async function findByKey(
  transaction: Transaction<Tables>,
  { key, idempotency }: IntentRow,
  now: number,
): Promise<IntentTableRow | undefined> {
  if (idempotency === null) return undefined;
  const row = await transaction
    .selectFrom('intent')
    .selectAll()
    .where('application_id', '=', key.applicationId)
    .where('idempotency_key', '=', idempotency.key)
    .executeTakeFirst();
  if (row === undefined || row.kept_until === null || row.kept_until > now) return row;
  await transaction.deleteFrom('intent').where('id', '=', row.id).execute();
  return undefined;
}

async function findHolder(
  transaction: Transaction<Tables>,
  collectionId: number,
  groupIds: readonly string[],
): Promise<IntentTableRow | undefined> {
  if (groupIds.length === 0) return undefined;
  return await transaction
    .selectFrom('held_group')
    .innerJoin('intent', 'intent.id', 'held_group.intent_id')
    .selectAll('intent')
    .where('held_group.collection_id', '=', collectionId)
    .where('held_group.group_id', 'in', groupIds)
    .limit(1)
    .executeTakeFirst();
}

async function hold(
  transaction: Transaction<Tables>,
  collectionId: number,
  intentId: string,
  groupIds: readonly string[],
): Promise<void> {
  if (groupIds.length === 0) return;
  const rows = groupIds.map((groupId) => ({ collection_id: collectionId, group_id: groupId, intent_id: intentId }));
  await transaction.insertInto('held_group').values(rows).execute();
}

/** Raises the epoch of a locked intent. */
async function takeOver(
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
  await transaction.updateTable('intent').set(taken).where('id', '=', row.id).execute();
  const collection = await findCollection(transaction, keyOf(row));
  return collection && { intent: toIntent({ ...row, ...taken }, now), writes: collection.writes };
}

/** The intent of a caller who holds it, and its collection, both locked: the collection first, as every commit does. */
async function lockWithCollection(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  ref: IntentRef,
): Promise<{ readonly row: IntentTableRow; readonly collection: Collection }> {
  const known = await transaction
    .selectFrom('intent')
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

/** Ends a locked intent. `kept` says for how long its idempotency key is remembered, and with what result. */
export async function endIntent(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  row: IntentTableRow,
  kept: { readonly keepMs: number; readonly done?: { readonly value: unknown; readonly revision: number } } | undefined,
): Promise<void> {
  if (kept === undefined || row.idempotency_key === null) {
    // Its holds go with it.
    await transaction.deleteFrom('intent').where('id', '=', row.id).execute();
    return;
  }
  if (groupsOf(row).length > 0) await transaction.deleteFrom('held_group').where('intent_id', '=', row.id).execute();
  await transaction
    .updateTable('intent')
    .set({
      state: kept.done === undefined ? 'lapsed' : 'done',
      group_ids: '[]',
      holds_new_items: 0,
      due_at: null,
      result: kept.done === undefined ? null : JSON.stringify(kept.done.value ?? null),
      result_revision: kept.done?.revision ?? null,
      kept_until: (await dialect.now(transaction)) + kept.keepMs,
    })
    .where('id', '=', row.id)
    .execute();
}

function ofRef(database: Kysely<Tables>, { applicationId, id, epoch }: IntentRef) {
  return database
    .updateTable('intent')
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
