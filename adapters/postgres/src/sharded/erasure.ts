import type { ErasureStore, Trace } from 'kalends/ports';
import type { ShardedContext } from './context.ts';

/** Searches and erases in every shard: what is found is complete, or an error. */
export function shardedErasure({ shards }: ShardedContext): ErasureStore {
  return {
    async purgeMessages(before) {
      const counts = await shards.workInReachable(({ erasure }) => erasure.purgeMessages(before));
      return counts.reduce((sum, each) => sum + each, 0);
    },
    async settle() {
      await shards.workInReachable(({ erasure }) => erasure.settle());
    },
    find: async (texts) => added(await shards.askAll(({ erasure }) => erasure.find(texts))),
    async findOwnerless() {
      const found = await shards.askAll(({ erasure }) => erasure.findOwnerless());
      return {
        ownerless: added(found.map(({ ownerless }) => ownerless)),
        sealed: added(found.map(({ sealed }) => sealed)),
      };
    },
  };
}

/** Adds up the rows of each column. */
function added(lists: readonly (readonly Trace[])[]): readonly Trace[] {
  const sums = new Map<string, Trace>();
  for (const trace of lists.flat()) {
    const key = `${trace.table}.${trace.column}`;
    sums.set(key, { ...trace, rows: trace.rows + (sums.get(key)?.rows ?? 0) });
  }
  return [...sums.values()];
}
