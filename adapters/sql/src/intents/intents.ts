import { type ClaimedIntent, type IntentRef, type IntentStore, KalendsError } from 'kalends/ports';
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import { findCollection, lockCollection } from '../mirror/mirror-collections.ts';
import type { CollectionRef } from '../schema/collection-key.ts';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { rowSources } from '../statements/row-source.ts';
import {
  batch,
  batches,
  clockOf,
  finish,
  fragment,
  lists,
  oneOf,
  type Piece,
  piece,
  statement,
  valueRows,
} from '../statements/statement.ts';
import { beginIntent } from './intent-begin.ts';
import { intentLost, lockIntent } from './intent-hold.ts';
import { groupsOf, type IntentTableRow, isAbandoned, isOpen, keyOf, toIntent } from './intent-rows.ts';

type Collection = Selectable<Tables['kalends_collection']>;

export function intentStore(context: SqlContext): IntentStore {
  const { database, reader, dialect } = context;
  return {
    begin: (row, ttlMs) => beginIntent(context, row, ttlMs),
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
    async renew(refs, ttlMs) {
      const rows = refs.map(({ applicationId, id, epoch }) => [applicationId, id, epoch]);
      await batch(dialect, database, () => {
        const until = piece`${clockOf(dialect)} + ${ttlMs}`;
        return rowSources(dialect, rows, ['text', 'text', 'bigint']).map(
          // A locked intent is in use by its holder's own commit.
          (held) => piece`update kalends_intent set leased_until = ${until}, due_at = ${until} where id in (
            select i.id from kalends_intent i join (select column1, column2, column3 from ${held}) as held
              on i.application_id = held.column1 and i.id = held.column2 and i.epoch = held.column3
            where i.state = 'open' and i.leased_until > 0 ${fragment(dialect.lockFreeOf('i'))})`,
        );
      });
    },
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
    async abandon({ applicationId, id, epoch }, retryInMs) {
      const [abandoned] = await batch(dialect, database, () => [
        piece`update kalends_intent set leased_until = 0, due_at = ${clockOf(dialect)} + ${retryInMs}
          where application_id = ${applicationId} and id = ${id} and epoch = ${epoch} and state = 'open' returning id`,
      ]);
      return abandoned !== undefined && abandoned.length > 0;
    },
    end: (ref, outcome) =>
      dialect.transaction(
        database,
        async (transaction) => {
          const row = await lockIntent(transaction, dialect, ref);
          if (row === undefined || !isOpen(row, ref.epoch)) return false;
          const kept = outcome === undefined ? undefined : { keepMs: outcome.keepMs };
          await finish(dialect, transaction, endingIntent(dialect, row, kept));
          return true;
        },
        { finishes: true },
      ),
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
export function endingIntent(
  dialect: SqlDialect,
  row: IntentTableRow,
  kept: { readonly keepMs: number; readonly done?: { readonly value: unknown; readonly revision: number } } | undefined,
): readonly Piece[] {
  const { account_id, id } = row;
  // Its holds are removed with it.
  if (kept === undefined || row.idempotency_key === null) return [deleting(row)];
  const { keepMs, done } = kept;
  return [
    piece`delete from kalends_held_group where account_id = ${account_id} and intent_id = ${id}`,
    piece`update kalends_intent set state = ${done === undefined ? 'lapsed' : 'done'}, group_ids = '[]', holds_new_items = 0,
      due_at = null, result = ${done === undefined ? null : JSON.stringify(done.value ?? null)},
      result_revision = ${done?.revision ?? null}, kept_until = ${clockOf(dialect)} + ${keepMs}
      where account_id = ${account_id} and id = ${id}`,
  ];
}

function deleting({ account_id, id }: IntentTableRow): Piece {
  return piece`delete from kalends_intent where account_id = ${account_id} and id = ${id}`;
}

function ofRef(database: Kysely<Tables>, { applicationId, id, epoch }: IntentRef) {
  return database
    .updateTable('kalends_intent')
    .where('application_id', '=', applicationId)
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('state', '=', 'open');
}

function isLapsed(row: IntentTableRow, now: number): boolean {
  return row.state === 'lapsed' && row.kept_until !== null && row.kept_until > now;
}
