import type { CollectionKey } from 'kalends/ports';
import type { Selectable } from 'kysely';
import { type Fragment, fragment, type Piece, piece } from '../statements/statement.ts';
import { CALENDAR_LIST, type Tables } from './schema.ts';

/** Returns the stored form of a collection's calendar id. */
export function toCalendarKey(calendarId: string | null): string {
  return calendarId ?? CALENDAR_LIST;
}

export function fromCalendarKey(calendarKey: string): string | null {
  return calendarKey === CALENDAR_LIST ? null : calendarKey;
}

/** How the rows of a collection refer to it. */
export type CollectionRef = Pick<Selectable<Tables['kalends_collection']>, 'account_id' | 'id'>;

/** Returns the condition of a collection's rows, in tables that refer to it. */
export function inCollection({ account_id, id }: CollectionRef): Piece {
  return piece`account_id = ${account_id} and collection_id = ${id}`;
}

/** Returns the condition of the rows of a collection that is known by its key; of another application's there are none. */
export function inCollectionOf(key: CollectionKey, alias?: string): Piece {
  const qualifier: Fragment = fragment(alias === undefined ? '' : `${alias}.`);
  // A value: from a join, PostgreSQL reads an index that it takes for small from end to end.
  return piece`${qualifier}account_id = ${key.accountId} and ${qualifier}collection_id = (
    select id from kalends_collection where ${isCollection(key)})`;
}

/** Returns the condition of a collection's own row; another application's is not found. */
export function isCollection({ applicationId, accountId, calendarId }: CollectionKey, alias?: string): Piece {
  const qualifier: Fragment = fragment(alias === undefined ? '' : `${alias}.`);
  return piece`${qualifier}account_id = ${accountId} and ${qualifier}calendar_id = ${toCalendarKey(calendarId)}
    and ${qualifier}application_id = ${applicationId}`;
}

/** Joins rows of the mirror to the row of their collection, by alias. */
export function joinedTo(collection: string, alias: string): Fragment {
  return fragment(`${alias}.account_id = ${collection}.account_id and ${alias}.collection_id = ${collection}.id`);
}

/** Joins the rows of the mirror of one collection to others of it, by alias. */
export function sameCollection(one: string, other: string): Fragment {
  return fragment(`${other}.account_id = ${one}.account_id and ${other}.collection_id = ${one}.collection_id`);
}
