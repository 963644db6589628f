import { postgres } from '@kalends/postgres';
import { type StorageConformanceOptions, storageConformance } from 'kalends/conformance';
import type { Storage } from 'kalends/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabasePool } from './server/database-pool.ts';
import { type PoolingProxy, startPoolingProxy } from './server/pooling-proxy.ts';
import { postgresUrl } from './server/test-database.ts';

const pool = createDatabasePool();
const urls = new WeakMap<Storage, string>();
afterAll(() => pool.drop());

const createStorage: StorageConformanceOptions['createStorage'] = async (clock) => {
  const database = await pool.take();
  const storage = postgres({ connectionString: database.url, clock, listen: false });
  const givingBack = {
    ...storage,
    close: async () => {
      await storage.close();
      await pool.giveBack(database);
    },
  };
  urls.set(givingBack, database.url);
  return givingBack;
};

describe('one process', () => {
  storageConformance({ test, createStorage });
});

describe('two processes, one of them behind a proxy that pools transactions', () => {
  let proxy: PoolingProxy;
  beforeAll(async () => {
    proxy = await startPoolingProxy(await postgresUrl());
  });
  afterAll(() => proxy.close());

  storageConformance({
    test,
    createStorage,
    createPeer: async (storage, clock) =>
      postgres({ connectionString: proxy.urlOf(urls.get(storage) ?? ''), clock, listen: false }),
  });

  test('whose sessions have gone from hand to hand', () => {
    expect(proxy.handovers()).toBeGreaterThan(100);
  });
});
