import type { CallOptions, Query, Send } from './call.ts';

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
  /** Yields the pages in order. */
  pages(): AsyncIterable<ListPage<Item>>;
}

/** @param options apply to each page */
export function createListing<Item>(send: Send, path: string, query: Query = {}, options?: CallOptions): Listing<Item> {
  const read = (of: Query) => send<ListPage<Item>>({ method: 'GET', path, query: of, options });
  /** A page token remembers the filters. */
  async function* pages(): AsyncGenerator<ListPage<Item>> {
    let page = await read(query);
    yield page;
    const { limit, pageSize } = query;
    while (page.nextPageToken) {
      page = await read({ limit, pageSize, pageToken: page.nextPageToken });
      yield page;
    }
  }
  return {
    page: () => read(query),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data;
    },
  };
}
