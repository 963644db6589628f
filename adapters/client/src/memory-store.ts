import type { RecordStore } from './sync.ts';

/** A copy of a list in memory. */
export interface MemoryStore<Item> extends RecordStore<Item> {
  /** The records by id, as of the last sync. */
  readonly records: ReadonlyMap<string, Item>;
}

/** Creates an empty copy of a list, for `syncInto`. */
export function memoryStore<Item extends { readonly id: string }>(): MemoryStore<Item> {
  const records = new Map<string, Item>();
  let token: string | undefined;
  return {
    records,
    readToken: () => token,
    apply({ isFull, records: changed, deletedIds, since, syncToken }) {
      if (token !== since) return false;
      if (isFull) records.clear();
      for (const id of deletedIds) records.delete(id);
      for (const record of changed) records.set(record.id, record);
      token = syncToken;
      return true;
    },
  };
}
