import { storageConformance } from '@kalends/conformance';
import { postgres } from '@kalends/postgres';
import type { Storage } from 'kalends/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPooledStorage } from './pooled-storage.ts';
import { type PoolingProxy, startPoolingProxy } from './server/pooling-proxy.ts';
import { postgresUrl } from './server/test-database.ts';

let proxy: PoolingProxy;
const urls = new WeakMap<Storage, string>();
beforeAll(async () => {
  proxy = await startPoolingProxy(await postgresUrl());
});
afterAll(() => proxy.close());

// Two processes, the second one behind a proxy that pools transactions.
storageConformance({
  test,
  createStorage: async (clock) => {
    const { storage, url } = await createPooledStorage(clock);
    urls.set(storage, url);
    return storage;
  },
  createPeer: async (storage, clock) =>
    postgres({ connectionString: proxy.urlOf(urls.get(storage) ?? ''), clock, listen: false }),
});

test('the sessions behind the proxy have gone from hand to hand', () => {
  expect(proxy.handovers()).toBeGreaterThan(100);
});
