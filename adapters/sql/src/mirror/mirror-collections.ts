import { type CollectionKey, type CollectionState, KalendsError, type MirrorStore } from 'kalends/ports';
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import { inCollectionOf, isCollection, joinedTo, toCalendarKey } from '../schema/collection-key.ts';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { fragment, statement } from '../statements/statement.ts';
import { deleteCollection } from './collection-removal.ts';

type CollectionMethods = 'find' | 'ensure' | 'findRevision' | 'findProviderToken' | 'remove';
type CollectionRow = Selectable<Tables['kalends_collection']>;

/** Stores collections: their state, revision log and resume point at the provider. */
export function mirrorCollections({ database, reader, dialect }: SqlContext): Pick<MirrorStore, CollectionMethods> {
  return {
    async find(key) {
      const row = await findCollection(dialect, reader, key);
      return row && toState(row);
    },
    async ensure(key, init) {
      // Nearly always there: a look takes no transaction.
      const stored = await findCollection(dialect, reader, key);
      if (stored !== undefined) return toState(stored);
      return await dialect.transaction(database, async (transaction) => {
        await createCollection(transaction, key, init);
        const created = await findCollection(dialect, transaction, key);
        if (created === undefined) throw noSuchAccount();
        return toState(created);
      });
    },
    findRevision: (key, revision) => findRevision({ dialect, reader }, key, revision),
    async findProviderToken(key) {
      const run = statement(dialect, reader);
      const [row] = await run<{ readonly token: string }>`
        select token from kalends_provider_token where ${inCollectionOf(key)}`;
      return row?.token ?? null;
    },
    remove: (key, last) =>
      dialect.transaction(database, async (transaction) => {
        await deleteCollection(dialect, transaction, key, last);
      }),
  };
}

/** Finds a revision that has not been purged. */
export async function findRevision(
  { dialect, reader }: Pick<SqlContext, 'dialect' | 'reader'>,
  key: CollectionKey,
  revision: number,
): ReturnType<MirrorStore['findRevision']> {
  const run = statement(dialect, reader, { isFrequent: true });
  const [row] = await run<Pick<CollectionRow, 'tag' | 'time_zone' | 'at'>>`
    select l.tag, l.time_zone, l.at
    from kalends_collection c join kalends_revision_log l on ${joinedTo('c', 'l')}
    where ${isCollection(key, 'c')} and l.revision = ${revision} and l.revision >= c.purged_below`;
  return row && { tag: row.tag, timeZone: row.time_zone, at: row.at };
}

/** Reads the collection's row; another application's is not found. */
export async function findCollection(
  dialect: SqlDialect,
  database: Kysely<Tables>,
  key: CollectionKey,
): Promise<CollectionRow | undefined> {
  const run = statement(dialect, database);
  const [row] = await run<CollectionRow>`select * from kalends_collection where ${isCollection(key)}`;
  return row;
}

/** Reads the collection's row and locks it until the end of the transaction. @throws KalendsError NotFound */
export async function lockCollection(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  key: CollectionKey,
): Promise<CollectionRow> {
  const run = statement(dialect, transaction);
  const [row] = await run<CollectionRow>`
    select * from kalends_collection where ${isCollection(key)} ${fragment(dialect.forUpdate)}`;
  if (row === undefined) throw new KalendsError('NotFound', 'There is no such collection in the mirror');
  return row;
}

async function createCollection(
  transaction: Transaction<Tables>,
  key: CollectionKey,
  init: { readonly at: number; readonly tag: string; readonly timeZone: string },
): Promise<void> {
  const account = await transaction
    .updateTable('kalends_account')
    .set((eb) => ({ collections: eb('collections', '+', 1) }))
    .where('id', '=', key.accountId)
    .where('application_id', '=', key.applicationId)
    .returning('collections')
    .executeTakeFirst();
  if (account === undefined) throw noSuchAccount();
  const created = await transaction
    .insertInto('kalends_collection')
    .values({
      id: account.collections,
      application_id: key.applicationId,
      account_id: key.accountId,
      calendar_id: toCalendarKey(key.calendarId),
      revision: 0,
      tag: init.tag,
      time_zone: init.timeZone,
      at: init.at,
      completed_at: null,
      purged_below: 0,
      cleaned_below: 0,
      next_body: 0,
      sweep_generation: 0,
      sweep_revision: null,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'calendar_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (created === undefined) return;
  await transaction
    .insertInto('kalends_revision_log')
    .values({
      account_id: key.accountId,
      collection_id: created.id,
      revision: 0,
      at: init.at,
      tag: init.tag,
      time_zone: init.timeZone,
    })
    .execute();
}

const noSuchAccount = () => new KalendsError('NotFound', 'There is no such account');

type StateColumns = 'revision' | 'write_count' | 'tag' | 'time_zone' | 'at' | 'completed_at' | 'purged_below';

export function toState(row: Pick<CollectionRow, StateColumns>): CollectionState {
  return {
    revision: row.revision,
    writeCount: row.write_count,
    tag: row.tag,
    timeZone: row.time_zone,
    at: row.at,
    completedAt: row.completed_at,
    purgedBelow: row.purged_below,
  };
}
