/** Maps with at most `limit` calls under way; results in the order of the items. The first failure ends it. */
export async function mapLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  let hasFailed = false;
  async function work(): Promise<void> {
    while (next < items.length && !hasFailed) {
      const at = next;
      next += 1;
      try {
        results[at] = await map(items[at]!);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
