/** Pages that have been printed, by what they answer. What held at a revision never changes, so nothing here goes stale. */
export interface PageCache<Page extends { readonly json: Uint8Array }> {
  find(key: string): Page | undefined;
  /** Keeps the page if it is kept already, or has been offered before, lately: whoever reads a whole calendar once leaves others' pages alone. */
  offer(key: string, page: Page): void;
  /** Bytes of the JSON that is kept. */
  readonly size: number;
}

/** Names of pages that were offered once; each a few hundred bytes. */
const OFFERED = 2_000;

/** At most `maxBytes` of JSON; what was used least lately goes first. */
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
    if (offered.size > OFFERED) offered.delete(offered.keys().next().value!);
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
