import { type CallOptions, given, type Send } from './call.ts';
import { ApiError, CopyMismatchError } from './errors.ts';
import { inTurn } from './in-turn.ts';
import { createListing, isPageOfSync, type ListPage } from './listing.ts';
import type { QueryBoolean } from './model/primitives.ts';

/** A query of a list as it is now. Changes since a sync token have deleted records too, on each of their pages. */
export type PresentQuery<Query> = Query & { readonly syncToken?: undefined };

/** The changes since a token, and the token of the next call. */
export interface SyncResult<Item> {
  /** Changed records; a record with `isDeleted: true` is to be dropped. */
  readonly records: readonly Item[];
  /** Token of the next call, as it is: a sync token and behind it the query of its list. Store it together with the records. */
  readonly syncToken: string;
  /** Whether the records are the whole list: every other record is to be dropped. */
  readonly isFull: boolean;
  /** Of a calendar's events: the revision that messages with records follow on, see `mergeSync`. */
  readonly revision?: string;
  /** Of a calendar's events, with `digest`: the digest of the list, see `digestOf`. */
  readonly digest?: string;
  /** With `verify` and a token that was accepted: whether the digest that sync results have advanced to is that of a full read. */
  readonly isVerified?: boolean;
}

/** The changes that bring a copy up to date. */
export interface CopyChanges<Item> {
  /** Whether `records` are the whole list: all others leave the copy. */
  readonly isFull: boolean;
  /** Records to put into the copy, by their id. */
  readonly records: readonly Item[];
  /** Ids of records to drop. */
  readonly deletedIds: readonly string[];
  /** Token that the copy must still have: the changes follow it. Undefined for a copy without one. */
  readonly since: string | undefined;
  /** Token to keep with the copy, as it is: that of the sync. */
  readonly syncToken: string;
  /** Digest of the list, where the query asks for it. */
  readonly digest?: string;
}

/**
 * A local copy of one list, in memory or in a database of the application's own. Its methods must not wait for a `syncInto` on the
 * same store: calls on one store take turns.
 */
export interface RecordStore<Item> {
  /** Returns the token of the changes that were applied last; undefined before the first ones. */
  readToken(): Promise<string | undefined> | string | undefined;
  /**
   * Applies changes and keeps their token, all or nothing. When the copy no longer has the token `changes.since`, another call has
   * brought it further: applies nothing then, and returns false, all in the same transaction.
   */
  apply(changes: CopyChanges<Item>): Promise<boolean> | boolean;
  /** Returns the digest of the records, as `digestOf` of `@kalends/client/digest` does. With it, a sync with `digest` checks the copy. */
  readDigest?(): Promise<string> | string;
}

/** The fields of a query that sync and its pages read; the others are filters. */
interface SyncQuery {
  readonly limit?: number | string | undefined;
  readonly pageSize?: number | string | undefined;
  readonly syncToken?: string | undefined;
  readonly verify?: QueryBoolean | undefined;
}

/** Parameters of a single call or page. */
const NOT_OF_LISTS = ['syncToken', 'pageToken', 'limit', 'pageSize', 'verify'];

/** Parameters that choose no records. A token whose list has no digest is of no use to a query that asks for it; the service says so. */
const NO_FILTERS = ['timeZone', 'orderBy', 'digest'];

const TIMES = ['startDateTime', 'endDateTime', 'updatedAfter'];
const OFFSET = /(?:z|[+-]\d\d:?\d\d)$/i;

/** Codes of a token that the service has forgotten, cannot open, as after a change of its secrets, or made for another query. */
const USELESS_TOKEN: readonly string[] = ['SyncTokenExpired', 'InvalidSyncToken', 'SyncTokenMismatch'];

/**
 * Returns the changes since a token, or the whole list: without a token, when the service has forgotten it or cannot open it, and
 * when it is that of a list with other filters, or without the `digest` that the query asks for. Filters that are left out beside a
 * token are those of the token, unless one that is sent contradicts it.
 * @param hasFilters whether lists of this kind have any
 * @throws ClientError for any other failure, and that of a token that does not tell its filters, where the query has none either
 */
export async function sync<Item>(
  send: Send,
  path: string,
  { syncToken, verify, ...query }: SyncQuery,
  options?: CallOptions,
  hasFilters = true,
): Promise<SyncResult<Item>> {
  let [, ...list] = syncToken?.split('?') ?? [];
  if (syncToken !== undefined) {
    try {
      // With its filters: the service compares them with those of the token.
      const told = await collect<Item>(send, path, { ...query, verify, syncToken }, options);
      return { ...told, syncToken: [told.syncToken, ...list].join('?'), isFull: false };
    } catch (error) {
      if (!(error instanceof ApiError && USELESS_TOKEN.includes(error.code))) throw error;
      // Filters that contradict the token are those of another list. The digest is of no list in particular.
      if (error.code === 'SyncTokenMismatch' && error.details[0]?.path !== 'digest') list = [];
      if (hasFilters && list.length === 0 && filtersOf(query) === '?') throw error;
    }
  }
  const whole = joined(new URLSearchParams(list.join('&')), query);
  const told = await collect<Item>(send, path, whole, options);
  return { ...told, syncToken: `${told.syncToken}${listOf(whole)}`, isFull: true };
}

/** Returns the query of a list with what is sent beside its token. Times without an offset stay those of the list's own zone. */
function joined(list: URLSearchParams, query: SyncQuery): Record<string, string | undefined> {
  const whole: Record<string, string | undefined> = Object.fromEntries([...list, ...given(query)]);
  const isLocal = (name: string) => list.has(name) && list.get(name) === whole[name] && !OFFSET.test(whole[name] ?? '');
  if (TIMES.some(isLocal)) whole['timeZone'] = list.get('timeZone') ?? undefined;
  return whole;
}

/**
 * Brings a copy up to date, and returns the changes: the whole list when the filters are no longer those of the copy. When another
 * call has changed the copy meanwhile, the changes are read anew. Calls on one store take turns, and share those that have not begun.
 * @throws ClientError; the copy is then as it was
 * @throws CopyMismatchError when the query asks for the digest, and the copy has another one with the changes
 */
export function syncInto<Item extends { readonly id: string }>(
  store: RecordStore<Item>,
  send: Send,
  path: string,
  query: SyncQuery,
  options?: CallOptions,
): Promise<CopyChanges<Item>> {
  const filters = filtersOf(query);
  const read = async (): Promise<CopyChanges<Item>> => {
    for (;;) {
      const since = await store.readToken();
      // The service takes filters that are left out for those of the token. Tokens of earlier versions do not tell theirs.
      const syncToken = since?.endsWith(filters) === true ? since : undefined;
      const told = await sync<Item | Deleted>(send, path, { ...query, syncToken }, options);
      const changes = changesOf(told, since);
      // Older changes over newer ones would keep a record that came and went in between: the service does not list it again.
      if ((await store.apply(changes)) === false) continue;
      await check(store, changes);
      return changes;
    }
  };
  const subject = [send, path, String(new URLSearchParams(given(query))), options];
  return inTurn(store, subject, options?.signal, read);
}

function changesOf<Item extends { readonly id: string }>(
  { isFull, records, syncToken, digest }: SyncResult<Item | Deleted>,
  since: string | undefined,
): CopyChanges<Item> {
  return {
    isFull,
    records: records.filter((record): record is Item => !isDeleted(record)),
    deletedIds: records.filter(isDeleted).map(({ id }) => id),
    since,
    syncToken,
    ...(digest === undefined ? {} : { digest }),
  };
}

/** Returns what a query says of its list, as `?search=x` or `?digest=true?search=x`: the filters are last, to compare them alone. */
function listOf(query: SyncQuery): string {
  const others = given(query).filter(([name]) => NO_FILTERS.includes(name));
  return `${others.length === 0 ? '' : `?${new URLSearchParams(others)}`}${filtersOf(query)}`;
}

/** Returns the filters of a query in order, as a text that begins with "?", which no sync token has. */
function filtersOf(query: SyncQuery): string {
  const filters = given(query).filter(([name]) => ![...NOT_OF_LISTS, ...NO_FILTERS].includes(name));
  return `?${new URLSearchParams(filters.sort(([one], [other]) => (one < other ? -1 : 1)))}`;
}

/** Compares digests, unless another call has brought the copy further by now. */
async function check<Item>(store: RecordStore<Item>, { digest, syncToken }: CopyChanges<Item>): Promise<void> {
  const held = digest && (await store.readDigest?.());
  if (digest && held && held !== digest && (await store.readToken()) === syncToken) {
    throw new CopyMismatchError(digest, held);
  }
}

interface Deleted {
  readonly id: string;
  readonly isDeleted: true;
}

function isDeleted(record: { readonly id: string }): record is Deleted {
  return 'isDeleted' in record && record.isDeleted === true;
}

async function collect<Item>(send: Send, path: string, query: SyncQuery, options: CallOptions | undefined) {
  const records: Item[] = [];
  let last: ListPage<Item> = { data: [] };
  for await (const page of createListing<Item>(send, path, query, options, isPageOfSync).pages()) {
    for (const item of page.data) records.push(item);
    last = page;
  }
  const { data, nextPageToken, nextSyncToken, ...told } = last;
  return { records, syncToken: nextSyncToken as string, ...told };
}
