import type { ManualClock } from '@kalends/conformance';
import { postgres } from '@kalends/postgres';
import type { Storage } from 'kalends/ports';
import { databasePool } from './server/database-pool.ts';

export interface PooledStorage {
  /** Gives its database back when it is closed. */
  readonly storage: Storage;
  readonly url: string;
}

/** A storage over an empty database of the pool, not opened yet. */
export async function createPooledStorage(clock: ManualClock): Promise<PooledStorage> {
  const database = await databasePool.take();
  const storage = postgres({ connectionString: database.url, clock, listen: false });
  const close = async () => {
    await storage.close();
    await databasePool.giveBack(database);
  };
  return { storage: { ...storage, close }, url: database.url };
}
