import { shardedStorage } from '@kalends/postgres';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openWithAccount } from '../../../sql/test/mirror/mirror-account.ts';
import { databasePool } from '../server/database-pool.ts';
import { KEY } from './filled-account.ts';
import { databasesOf } from './sharded-databases.ts';

const LEASE_MS = 60_000;

test('a claim whose answer comes too late goes to the next call, and to no other', { timeout: 60_000 }, async () => {
  const databases = await Promise.all([databasePool.take(), databasePool.take()]);
  const storage = shardedStorage({ shards: databasesOf(databases.map(({ url }) => url)), place: () => 'one' });
  const client = new pg.Client(databases[1]?.url ?? '');
  onTestFinished(async () => {
    await client.end();
    await storage.close();
    for (const database of databases) await databasePool.giveBack(database);
  });
  await openWithAccount(storage);
  await storage.schedule.dueBy(KEY, 1);
  await client.connect();
  // As a change of the schema does: nothing skips a table that is locked.
  await client.query('begin; lock table kalends_schedule in access exclusive mode');
  const begunAt = performance.now();
  // Twice, as each begins with another database; the second leaves out the one whose answer is overdue.
  expect(await storage.schedule.claimDueAccounts(LEASE_MS, 8)).toEqual([]);
  expect(await storage.schedule.claimDueAccounts(LEASE_MS, 8)).toEqual([]);
  expect(performance.now() - begunAt).toBeLessThan(9_000);
  expect(await storage.schedule.nextDueAt()).toBeNull();

  await client.query('rollback');
  await expect.poll(() => storage.schedule.nextDueAt(), { timeout: 20_000 }).toBe(0);
  const [claim] = await storage.schedule.claimDueAccounts(LEASE_MS, 8);
  expect(claim).toMatchObject({ accountId: KEY.accountId });
  const { rows } = await client.query(`select epoch::int8 as epoch from kalends_lease where name = $1`, [
    `account:${KEY.accountId}`,
  ]);
  expect(rows.map(({ epoch }) => Number(epoch))).toEqual([claim?.epoch]);
  expect(await storage.schedule.claimDueAccounts(LEASE_MS, 8)).toEqual([]);
  expect(await storage.schedule.claimDueAccounts(LEASE_MS, 8)).toEqual([]);
});
