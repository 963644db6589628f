/** Serialized pages by query and revision. The answer at a revision never changes, so no entry goes stale. */
export interface PageCache<Page extends { readonly json: Uint8Array }> {
  find(key: string): Page | undefined;
  /** Admits a page on its second request, so that one scan of a calendar cannot evict hot pages. */
  offer(key: string, page: Page): void;
  /** Bytes of JSON in the cache. */
  readonly size: number;
}

/** Keys remembered of pages requested once; each takes a few hundred bytes. */
const OFFERED = 2_000;

/** Creates a cache of at most `maxBytes` of JSON that evicts the least recently used pages. */
export function createPageCache<Page extends { readonly json: Uint8Array }>(maxBytes: number): PageCache<Page> {
  const pages = new Map<string, Page>();
  const offered = new Set<string>();
  let size = 0;

  function remove(key: string): void {
    size -= pages.get(key)?.json.byteLength ?? 0;
    pages.delete(key);
  }

  function isSecondOffer(key: string): boolean {
    if (offered.delete(key)) return true;
    offered.add(key);
    const [oldest] = offered;
    if (oldest !== undefined && offered.size > OFFERED) offered.delete(oldest);
    return false;
  }

  return {
    find(key) {
      const page = pages.get(key);
      if (page === undefined) return undefined;
      pages.delete(key);
      pages.set(key, page);
      return page;
    },
    offer(key, page) {
      if ((!pages.has(key) && !isSecondOffer(key)) || page.json.byteLength > maxBytes) return;
      remove(key);
      pages.set(key, page);
      size += page.json.byteLength;
      for (const oldest of pages.keys()) {
        if (size <= maxBytes) break;
        remove(oldest);
      }
    },
    get size() {
      return size;
    },
  };
}
