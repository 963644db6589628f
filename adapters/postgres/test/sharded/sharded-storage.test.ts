import { storageConformance } from '@kalends/conformance';
import { shardedStorage } from '@kalends/postgres';
import type { Storage } from 'kalends/ports';
import { test } from 'vitest';
import { awayFromHome, createShardedWorld, type ShardedDatabases } from './sharded-databases.ts';

const databasesOf = new WeakMap<Storage, ShardedDatabases>();

// Two processes on four databases of one server. None of the accounts is in the home database.
storageConformance({
  test,
  createStorage: async (clock) => {
    const { storage, databases } = await createShardedWorld(clock);
    databasesOf.set(storage, databases);
    return storage;
  },
  createPeer: async (storage, clock) => {
    const databases = databasesOf.get(storage);
    if (databases === undefined) throw new Error('The storage has no databases');
    return shardedStorage({ ...databases.optionsOf(clock), place: awayFromHome });
  },
});
