import { type Commit, KalendsError } from 'kalends/ports';
import type { Selectable, Transaction } from 'kysely';
import type { SqlContext } from './context.ts';
import type { SqlDialect } from './dialect.ts';
import type { Tables } from './schema.ts';
import { statement } from './statement.ts';

export type IntentTableRow = Selectable<Tables['intent']>;

/** What open intents hold of a collection, as a commit sees it. */
export interface Holds {
  /** Groups that the commit's own intent holds. */
  readonly own: ReadonlySet<string>;
  /** Groups that others hold. */
  readonly others: ReadonlySet<string>;
  /** Whether another one holds items that are not there yet. */
  readonly newItems: boolean;
}

/** The intent's row, locked until the end of the transaction; another application's is not found. */
export async function lockIntent(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  { applicationId, id }: { readonly applicationId: string; readonly id: string },
): Promise<IntentTableRow | undefined> {
  return await transaction
    .selectFrom('intent')
    .selectAll()
    .where('application_id', '=', applicationId)
    .where('id', '=', id)
    .modifyEnd(dialect.forUpdate)
    .executeTakeFirst();
}

/** What the caller of a write hears whose process stood still for longer than its lease. */
export const intentLost = () =>
  new KalendsError(
    'Conflict',
    'The write took longer than its lease, and another process has taken it up: read the object before writing again.',
  );

/** The open intent that a commit is part of, locked. @throws KalendsError Conflict when it was lost */
export async function requireIntent(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  { application_id: applicationId, id: collectionId }: Pick<Selectable<Tables['collection']>, 'application_id' | 'id'>,
  { id, epoch }: NonNullable<Commit['intent']>,
): Promise<IntentTableRow> {
  const row = await lockIntent(transaction, dialect, { applicationId, id });
  const isHeld = row?.collection_id === collectionId && row.state === 'open' && row.epoch === epoch;
  if (row === undefined || !isHeld) {
    throw intentLost();
  }
  return row;
}

/** Read under the collection's lock, which whoever begins to hold something takes as well. */
export async function findHolds(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  collectionId: number,
  ownId: string | undefined,
): Promise<Holds> {
  const run = statement(dialect, transaction);
  const groups = await run<{ readonly group_id: string; readonly intent_id: string }>`
    select group_id, intent_id from held_group where collection_id = ${collectionId}`;
  const open = await run<{ readonly id: string }>`
    select id from intent where collection_id = ${collectionId} and holds_new_items = 1`;
  const ids = (isOwn: boolean) =>
    new Set(groups.filter(({ intent_id }) => (intent_id === ownId) === isOwn).map(({ group_id }) => group_id));
  return { own: ids(true), others: ids(false), newItems: open.some(({ id }) => id !== ownId) };
}
