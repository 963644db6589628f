/** A `fetch` whose JSON answers show some objects as nonsense. */
export interface CorruptingFetch {
  readonly fetch: typeof fetch;
  /**
   * Corrupts the object of this id in every answer to a GET, until the returned function is called. That function rejects when no answer
   * had such an object, so that nothing was corrupted.
   */
  corrupt(id: string): Promise<() => Promise<void>>;
}

/**
 * Returns a `fetch` for a provider under test, with the `corrupt` of its world. Objects are found by their member `id`, at any
 * depth.
 * @param spoil returns the object as no mapping can read it, its id unchanged
 */
export function corruptingFetch(
  spoil: (object: Readonly<Record<string, unknown>>) => unknown,
  send: typeof fetch = fetch,
): CorruptingFetch {
  const ids = new Set<unknown>();
  const found = new Set<unknown>();

  function spoiled(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(spoiled);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, spoiled(member)]));
    const { id } = members;
    if (!ids.has(id)) return members;
    found.add(id);
    return spoil(members);
  }

  return {
    async fetch(input, init) {
      const request = new Request(input, init);
      const { method } = request;
      const response = await send(request);
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      if (ids.size === 0 || method !== 'GET' || !isJson || !response.ok) return response;
      const headers = new Headers(response.headers);
      headers.delete('content-length');
      headers.delete('content-encoding');
      return new Response(JSON.stringify(spoiled(await response.json())), { status: response.status, headers });
    },
    async corrupt(id) {
      ids.add(id);
      found.delete(id);
      return async () => {
        ids.delete(id);
        if (!found.has(id)) throw new Error(`no answer had an object with the id ${id}: it needs a corrupt of its own`);
      };
    },
  };
}
