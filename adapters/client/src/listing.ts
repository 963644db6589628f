import { type CallOptions, isObject, type Send } from './call.ts';

/** One page of a list. */
export interface ListPage<Item> {
  readonly data: readonly Item[];
  readonly nextPageToken?: string | null;
  readonly nextSyncToken?: string;
  /** Of a calendar's events beside nextSyncToken: their revision. */
  readonly revision?: string;
  /** Of a calendar's events beside nextSyncToken, with `digest`: their digest. */
  readonly digest?: string;
  /** With `verify`: whether the digest that sync results have advanced to is that of a full read. */
  readonly isVerified?: boolean;
}

/** A list, whose iteration yields every item of every page. */
export interface Listing<Item> extends AsyncIterable<Item> {
  /** Returns the page of the query's `pageToken`; the first without one. */
  page(): Promise<ListPage<Item>>;
  /** Yields the pages in order. */
  pages(): AsyncIterable<ListPage<Item>>;
}

/** Fields of every list's query that hold for one page. */
interface PageQuery {
  readonly limit?: number | string | undefined;
  readonly pageSize?: number | string | undefined;
  readonly pageToken?: string | undefined;
  readonly syncToken?: string | undefined;
}

function isPage(json: object): boolean {
  return 'data' in json && Array.isArray(json.data) && json.data.every(isObject);
}

/** Whether a page has a token, of the next sync or of the next page. */
export function isPageOfSync(json: object): boolean {
  const { nextPageToken, nextSyncToken }: { nextPageToken?: unknown; nextSyncToken?: unknown } = json;
  const token = nextSyncToken ?? nextPageToken;
  return isPage(json) && typeof token === 'string' && token !== '';
}

/** @param options apply to each page */
export function createListing<Item>(
  send: Send,
  path: string,
  query: PageQuery = {},
  options?: CallOptions,
  isAnswer = isPage,
): Listing<Item> {
  const read = (of: PageQuery) => send<ListPage<Item>>({ method: 'GET', path, query: of, options, isAnswer });
  // The token of a sync has the query of its list behind it, see `SyncResult.syncToken`.
  const first = { ...query, syncToken: query.syncToken?.split('?')[0] };
  /** A page token remembers the filters. */
  async function* pages(): AsyncGenerator<ListPage<Item>> {
    let page = await read(first);
    yield page;
    const { limit, pageSize } = query;
    while (page.nextPageToken) {
      page = await read({ limit, pageSize, pageToken: page.nextPageToken });
      yield page;
    }
  }
  return {
    page: () => read(first),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data;
    },
  };
}
