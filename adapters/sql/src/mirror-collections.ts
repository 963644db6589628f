import { type CollectionKey, type CollectionState, KalendsError, type MirrorStore } from 'kalends/ports';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { toCalendarKey } from './collection-key.ts';
import { deleteCollection } from './collection-removal.ts';
import type { SqlContext } from './context.ts';
import type { SqlDialect } from './dialect.ts';
import type { Tables } from './schema.ts';

type CollectionMethods = 'find' | 'ensure' | 'findRevision' | 'findProviderToken' | 'remove';

/** The collections themselves: state, revision log, resume point. */
export function mirrorCollections({ database, reader, dialect }: SqlContext): Pick<MirrorStore, CollectionMethods> {
  return {
    async find(key) {
      const row = await findCollection(reader, key);
      return row && toState(row);
    },
    ensure: (key, init) =>
      dialect.transaction(database, async (transaction) => {
        const stored = await findCollection(transaction, key);
        if (stored !== undefined) return toState(stored);
        await createCollection(transaction, dialect, key, init);
        const created = await findCollection(transaction, key);
        if (created === undefined) throw noSuchAccount();
        return toState(created);
      }),
    async findRevision(key, revision) {
      const row = await reader
        .selectFrom('revision_log')
        .innerJoin('collection', 'collection.id', 'revision_log.collection_id')
        .select(['revision_log.tag', 'revision_log.time_zone', 'revision_log.at'])
        .where(isCollection(key))
        .where('revision_log.revision', '=', revision)
        .whereRef('revision_log.revision', '>=', 'collection.purged_below')
        .executeTakeFirst();
      return row && { tag: row.tag, timeZone: row.time_zone, at: row.at };
    },
    async findProviderToken(key) {
      const row = await reader
        .selectFrom('provider_token')
        .innerJoin('collection', 'collection.id', 'provider_token.collection_id')
        .select('token')
        .where(isCollection(key))
        .executeTakeFirst();
      return row?.token ?? null;
    },
    remove: (key, last) =>
      dialect.transaction(database, async (transaction) => {
        await deleteCollection(dialect, transaction, { ...key, calendarId: toCalendarKey(key.calendarId) }, last);
      }),
  };
}

/** The collection's row; another application's is not found. */
export function findCollection(
  database: Kysely<Tables>,
  key: CollectionKey,
): Promise<Selectable<Tables['collection']> | undefined> {
  return database.selectFrom('collection').selectAll().where(isCollection(key)).executeTakeFirst();
}

/** The collection's row, locked until the end of the transaction. @throws KalendsError NotFound */
export async function lockCollection(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  key: CollectionKey,
): Promise<Selectable<Tables['collection']>> {
  const row = await transaction
    .selectFrom('collection')
    .selectAll()
    .where(isCollection(key))
    .modifyEnd(dialect.forUpdate)
    .executeTakeFirst();
  if (row === undefined) throw new KalendsError('NotFound', 'There is no such collection in the mirror');
  return row;
}

async function createCollection(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  key: CollectionKey,
  init: { readonly at: number; readonly tag: string; readonly timeZone: string },
): Promise<void> {
  const account = await transaction
    .selectFrom('account')
    .select('id')
    .where('id', '=', key.accountId)
    .where('application_id', '=', key.applicationId)
    .modifyEnd(dialect.forUpdate)
    .executeTakeFirst();
  if (account === undefined) throw noSuchAccount();
  const created = await transaction
    .insertInto('collection')
    .values({
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
    .insertInto('revision_log')
    .values({ collection_id: created.id, revision: 0, at: init.at, tag: init.tag, time_zone: init.timeZone })
    .execute();
}

const noSuchAccount = () => new KalendsError('NotFound', 'There is no such account');

/** Whether a joined collection row is the one of this key. */
export function isCollection(key: CollectionKey) {
  return sql<boolean>`(collection.application_id = ${key.applicationId} and collection.account_id = ${key.accountId}
    and collection.calendar_id = ${toCalendarKey(key.calendarId)})`;
}

type StateColumns = 'revision' | 'writes' | 'tag' | 'time_zone' | 'at' | 'completed_at' | 'purged_below';

export function toState(row: Pick<Selectable<Tables['collection']>, StateColumns>): CollectionState {
  return {
    revision: row.revision,
    writes: row.writes,
    tag: row.tag,
    timeZone: row.time_zone,
    at: row.at,
    completedAt: row.completed_at,
    purgedBelow: row.purged_below,
  };
}
