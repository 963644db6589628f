import { postgres } from '@kalends/postgres';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from './server/test-database.ts';
import { startVanishingProxy } from './server/vanishing-proxy.ts';

async function behindProxy(statementTimeoutMs: number) {
  const database = await createTestDatabase();
  const proxy = await startVanishingProxy(database.url);
  const storage = postgres({ connectionString: proxy.url, listen: false, maxConnections: 2, statementTimeoutMs });
  onTestFinished(async () => {
    await storage.close();
    await proxy.close();
    await database.drop();
  });
  await storage.open();
  return { proxy, storage };
}

const application = (id: string) => ({ id, name: id, redirectUrls: [], createdAt: 1, updatedAt: 1, deletedAt: null });

test('a server that vanishes without a word is given up, and its successor asked', async () => {
  const { proxy, storage } = await behindProxy(500);
  await storage.applications.create(application('app_1'));
  for (let round = 1; round <= 2; round += 1) {
    proxy.vanish();
    // Both connections of the pool are taken, and neither ever answers: a read, and a transaction that writes.
    const [read, claimed] = await Promise.all([
      storage.applications.find('app_1'),
      storage.leases.claim(`lease ${round}`, 60_000),
    ]);
    expect(read).toEqual(application('app_1'));
    expect(claimed).toEqual({ epoch: expect.any(Number) });
    expect(await storage.leases.claim(`lease ${round}`, 60_000)).toBeUndefined();
  }
});

test('a lease that was released is free at once when the server is back', async () => {
  const { proxy, storage } = await behindProxy(1_100);
  const take = async () => (await storage.leases.claim('lease', 60_000)) ?? expect.fail('the lease is held');
  const released = async () => storage.leases.release('lease', (await take()).epoch);
  await released();
  proxy.vanish();
  await storage.leases.claim('another', 60_000);
  for (let round = 1; round <= 3; round += 1) await released();
  expect(await take()).toEqual({ epoch: expect.any(Number) });
});

test('a migration waits for another that takes longer than any statement may', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const storage = postgres({ connectionString: database.url, listen: false, statementTimeoutMs: 300 });
  onTestFinished(() => storage.close());
  const other = new pg.Client({ connectionString: database.url });
  const watching = new pg.Client({ connectionString: database.url });
  await Promise.all([other.connect(), watching.connect()]);
  await other.query('begin; create table kalends_schema_lock (id int)');
  const opened = storage.open();
  const waiting = `select count(*)::int as waiting from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and clock_timestamp() - state_change > interval '600 ms'`;
  await expect.poll(async () => (await watching.query(waiting)).rows, { timeout: 20_000 }).toEqual([{ waiting: 1 }]);
  await other.query('commit');
  await opened;
  await storage.applications.create(application('app_1'));
  await Promise.all([other.end(), watching.end()]);
});
