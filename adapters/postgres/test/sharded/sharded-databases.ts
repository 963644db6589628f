import { type ShardedStorage, type ShardedStorageOptions, shardedStorage } from '@kalends/postgres';
import type { Clock } from 'kalends/ports';
import { databasePool } from '../server/database-pool.ts';

export const SHARDS: readonly string[] = ['home', 'one', 'two', 'three'];

export interface ShardedDatabases {
  readonly urls: readonly string[];
  /** Returns the options of a process. @param clock of the databases. @default their own */
  optionsOf(clock?: Clock): ShardedStorageOptions;
  giveBack(): Promise<void>;
}

/** Takes four empty databases of the run's server. */
export async function takeShardedDatabases(): Promise<ShardedDatabases> {
  const databases = await Promise.all(SHARDS.map(() => databasePool.take()));
  const urls = databases.map(({ url }) => url);
  return {
    urls,
    optionsOf: (clock) => ({ shards: databasesOf(urls, clock) }),
    async giveBack() {
      await Promise.all(databases.map((database) => databasePool.giveBack(database)));
    },
  };
}

/** Describes the databases at these addresses, with few connections each. */
export function databasesOf(urls: readonly string[], clock?: Clock): ShardedStorageOptions['shards'] {
  return urls.map((connectionString, index) => ({
    name: SHARDS[index] ?? `shard-${index}`,
    connectionString,
    listen: false,
    maxConnections: 5,
    ...(clock === undefined ? {} : { clock }),
  }));
}

/** Places accounts by their ids, none of them in the home database. */
export function awayFromHome({ id }: { readonly id: string }): string {
  const sum = [...id].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return SHARDS[1 + (sum % (SHARDS.length - 1))] ?? 'one';
}

/** A storage over four databases of the run's server, not opened yet. Gives them back when it is closed. */
export async function createShardedWorld(
  clock?: Clock,
): Promise<{ readonly storage: ShardedStorage; readonly databases: ShardedDatabases }> {
  const databases = await takeShardedDatabases();
  const storage = shardedStorage({ ...databases.optionsOf(clock), place: awayFromHome });
  const close = async () => {
    await storage.close();
    await databases.giveBack();
  };
  return { storage: { ...storage, close }, databases };
}
