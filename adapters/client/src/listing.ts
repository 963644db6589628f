import { ApiError } from './api-error.ts';
import type { Query, Send } from './transport.ts';

/** One page of a list. */
export interface ListPage<Item> {
  readonly data: readonly Item[];
  readonly nextPageToken?: string | null;
  readonly nextSyncToken?: string;
}

/** A list, whose iteration yields every item of every page. */
export interface Listing<Item> extends AsyncIterable<Item> {
  /** Returns the page of the query's `pageToken`; the first without one. */
  page(): Promise<ListPage<Item>>;
}

/** The changes since a token, and the token of the next call. */
export interface SyncResult<Item> {
  /** Changed records; a record with `isDeleted: true` is to be dropped. */
  readonly records: readonly Item[];
  /** Token of the next call; store it together with the records. */
  readonly syncToken: string;
  /** Whether the records are the whole list: every other record is to be dropped. */
  readonly isFull: boolean;
}

export function createListing<Item>(send: Send, path: string, query: Query = {}): Listing<Item> {
  return {
    page: () => send<ListPage<Item>>('GET', path, { query }),
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pagesOf<Item>(send, path, query)) yield* data;
    },
  };
}

/** Yields the pages of a list in order; a page token remembers the filters. */
async function* pagesOf<Item>(send: Send, path: string, query: Query): AsyncGenerator<ListPage<Item>> {
  let page = await send<ListPage<Item>>('GET', path, { query });
  yield page;
  const { limit, pageSize } = query;
  while (page.nextPageToken) {
    page = await send<ListPage<Item>>('GET', path, { query: { limit, pageSize, pageToken: page.nextPageToken } });
    yield page;
  }
}

/**
 * Returns the changes since a token, or the whole list without a token or when the service has forgotten it (410).
 * @throws ApiError for any other failure
 */
export async function sync<Item>(
  send: Send,
  path: string,
  { syncToken, ...filters }: Query & { readonly syncToken?: string | undefined },
): Promise<SyncResult<Item>> {
  const { limit, pageSize } = filters;
  if (syncToken !== undefined) {
    try {
      return await collect<Item>(send, path, { limit, pageSize, syncToken }, false);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'SyncTokenExpired') throw error;
    }
  }
  return collect<Item>(send, path, filters, true);
}

async function collect<Item>(send: Send, path: string, query: Query, isFull: boolean): Promise<SyncResult<Item>> {
  const records: Item[] = [];
  for await (const { data, nextSyncToken } of pagesOf<Item>(send, path, query)) {
    records.push(...data);
    if (nextSyncToken !== undefined) return { records, syncToken: nextSyncToken, isFull };
  }
  throw new Error('The last page of the list had no sync token.');
}
