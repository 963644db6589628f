import { type CollectionKey, type Commit, KalendsError } from 'kalends/ports';
import type { Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import { type CollectionRef, inCollectionOf } from '../schema/collection-key.ts';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { fragment, statement } from '../statements/statement.ts';
import type { IntentTableRow } from './intent-rows.ts';

/** Groups and items of a collection that open intents hold, as a commit sees them. */
export interface Holds {
  /** Groups that the commit's own intent holds. */
  readonly own: ReadonlySet<string>;
  /** Groups that other intents hold. */
  readonly others: ReadonlySet<string>;
  /** Whether an intent holds items without a live version; never for a commit of an intent, which brings its own. */
  readonly newItems: boolean;
}

export const NO_HOLDS: Holds = { own: new Set(), others: new Set(), newItems: false };

/** Reads the intent's row and locks it until the end of the transaction; another application's is not found. */
export async function lockIntent(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  { applicationId, id }: { readonly applicationId: string; readonly id: string },
): Promise<IntentTableRow | undefined> {
  const run = statement(dialect, transaction);
  const [row] = await run<IntentTableRow>`
    select * from kalends_intent where id = ${id} and application_id = ${applicationId} ${fragment(dialect.forUpdate)}`;
  return row;
}

/** Makes the error of a write whose process stood still for longer than its lease. */
export const intentLost = () =>
  new KalendsError(
    'Conflict',
    'The write took longer than its lease, and another process has taken it up: read the object before writing again.',
  );

/** Checks that a locked intent is the open one that a commit is part of. @throws KalendsError Conflict when it was lost */
export function requireIntent(
  row: IntentTableRow | undefined,
  collection: CollectionRef,
  { epoch }: NonNullable<Commit['intent']>,
): IntentTableRow {
  const isOfCollection = row?.account_id === collection.account_id && row.collection_id === collection.id;
  const isHeld = isOfCollection && row.state === 'open' && row.epoch === epoch;
  if (row === undefined || !isHeld) {
    throw intentLost();
  }
  return row;
}

/** Reads the holds under the collection's lock, which an intent takes too when it begins to hold something. */
export async function findHolds(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  key: CollectionKey,
  ownId: string | undefined,
): Promise<Holds> {
  const run = statement(dialect, transaction);
  const groups: { readonly group_id: string; readonly intent_id: string }[] = [];
  let hasOpen = false;
  await dialect.together([
    async () => {
      groups.push(
        ...(await run<(typeof groups)[number]>`
          select group_id, intent_id from kalends_held_group where ${inCollectionOf(key)}`),
      );
    },
    async () => {
      const open = await run<{ readonly id: string }>`
        select id from kalends_intent where ${inCollectionOf(key)} and holds_new_items = 1`;
      hasOpen = open.length > 0;
    },
  ]);
  const ids = (isOwn: boolean) =>
    new Set(groups.filter(({ intent_id }) => (intent_id === ownId) === isOwn).map(({ group_id }) => group_id));
  return { own: ids(true), others: ids(false), newItems: ownId === undefined && hasOpen };
}
