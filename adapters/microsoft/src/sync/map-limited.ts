/** Maps with at most `limit` calls in flight; results in the order of the items. The first failure ends it. */
export async function mapLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  // One iterator for all workers: each takes the next item that is left.
  const left = items.entries();
  let hasFailed = false;
  async function work(): Promise<void> {
    for (const [at, item] of left) {
      if (hasFailed) return;
      try {
        results[at] = await map(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
