import { type DataKeyStore, WRAPPING_NAME_LENGTH } from 'kalends/ports';
import type { ShardedContext } from './context.ts';

/** Stores data keys with their rows: those of targets in every shard, all others in the home database. */
export function shardedDataKeys({ shards, router, targets }: ShardedContext): DataKeyStore {
  const { dataKeys } = shards.home.storage;
  return {
    async list(kind, input) {
      if (kind !== 'target') return await dataKeys.list(kind, input);
      const lists = await shards.askAll((storage) => storage.dataKeys.list(kind, input));
      const byId = new Map(lists.flat().map((row) => [row.id, row]));
      return sortedBy([...byId.values()], ({ id }) => id).slice(0, input.limit);
    },
    async samples(kind, limit) {
      if (kind !== 'target') return await dataKeys.samples(kind, limit);
      // Samples only: keys of a database that is away are found when it is back. Lists are complete, or an error.
      const lists = await shards.askReachable((storage) => storage.dataKeys.samples(kind, limit));
      const nameOf = ({ wrappedKey }: { readonly wrappedKey: string }) => wrappedKey.slice(0, WRAPPING_NAME_LENGTH);
      const byName = new Map(lists.flat().map((row) => [nameOf(row), row]));
      return sortedBy([...byName.values()], nameOf).slice(0, limit);
    },
    findSecretId: () => dataKeys.findSecretId(),
    setSecretId: (id, options) => dataKeys.setSecretId(id, options),
    async replace(row, wrappedKey) {
      const accountId = row.kind === 'target' ? await targets.find(row.id) : null;
      if (accountId == null) return await dataKeys.replace(row, wrappedKey);
      return await router.change(accountId, (storage) => storage.dataKeys.replace(row, wrappedKey));
    },
  };
}

function sortedBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): readonly Row[] {
  return rows.toSorted((one, other) => Buffer.compare(Buffer.from(keyOf(one)), Buffer.from(keyOf(other))));
}
