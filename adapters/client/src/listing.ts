import { ApiError } from './api-error.ts';
import type { Query, Send } from './transport.ts';

/** A page as the service gives it. */
export interface ListPage<Item> {
  readonly data: readonly Item[];
  readonly nextPageToken?: string | null;
  readonly nextSyncToken?: string;
}

/** A list: iterate over it for every item of every page, or ask for one page. */
export interface Listing<Item> extends AsyncIterable<Item> {
  /** The page that the query asks for; the first when it has no `pageToken`. */
  page(): Promise<ListPage<Item>>;
}

/** What has changed, and the token for the next time. */
export interface SyncResult<Item> {
  /** Changed records; those to drop have `isDeleted: true`. */
  readonly records: readonly Item[];
  /** To be kept, with the records, for the next call. */
  readonly syncToken: string;
  /** Whether the records are everything there is: whatever is not among them is to be dropped. */
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

/** Pages one after the other; the token of a page remembers the filters. */
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
 * Everything that changed since the token, or everything there is: without a token, and when the service has forgotten it
 * (410). @throws ApiError for anything else
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
