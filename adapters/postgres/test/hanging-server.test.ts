import { postgres, shardedStorage } from '@kalends/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { startHangingProxy } from './server/hanging-proxy.ts';
import { createTestDatabase } from './server/test-database.ts';

/** Less than the timeout of a statement, which a server that hangs would otherwise cost. */
const SOON_MS = 15_000;

test('a storage closes while its server hangs, with a read under way', async () => {
  const database = await createTestDatabase();
  const proxy = await startHangingProxy(database.url);
  onTestFinished(async () => {
    await proxy.close();
    await database.drop();
  });
  const storage = postgres({ connectionString: proxy.url });
  await storage.open();
  // Everything counts as changed once the session listens.
  await new Promise<void>((resolve) => storage.changes?.subscribe(() => resolve()));
  proxy.hang();
  const reading = storage.applications.find('app_1').catch((error: unknown) => error);
  const begunAt = performance.now();
  await storage.close();
  expect(performance.now() - begunAt).toBeLessThan(SOON_MS);
  expect(await reading).toBeInstanceOf(Error);
});

test('a storage over several databases closes while one of them hangs', async () => {
  const [home, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const proxy = await startHangingProxy(other.url);
  onTestFinished(async () => {
    await proxy.close();
    await Promise.all([home.drop(), other.drop()]);
  });
  const shards = [
    { name: 'home', connectionString: home.url },
    { name: 'one', connectionString: proxy.url },
  ];
  const storage = shardedStorage({ shards });
  await storage.open();
  proxy.hang();
  const begunAt = performance.now();
  await storage.close();
  expect(performance.now() - begunAt).toBeLessThan(SOON_MS);
});
