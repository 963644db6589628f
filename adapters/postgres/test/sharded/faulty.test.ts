import { randomBytes } from 'node:crypto';
import { shardedStorage } from '@kalends/postgres';
import { StorageUnavailableError } from 'kalends/ports';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openWithAccount } from '../../../sql/test/mirror/mirror-account.ts';
import { databasePool } from '../server/database-pool.ts';
import { databasesOf } from './sharded-databases.ts';

test.each([
  ['has no such database any more', (name: string) => [`drop database ${name} with (force)`]],
  [
    'takes no connections',
    (name: string) => [
      `alter database ${name} allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    ],
  ],
])('a server that answers and %s stops no work that goes round all databases', async (_title, refuse) => {
  const home = await databasePool.take();
  onTestFinished(() => databasePool.giveBack(home));
  const client = new pg.Client(home.url);
  await client.connect();
  const name = `kalends_faulty_${randomBytes(4).toString('hex')}`;
  await client.query(`create database ${name}`);
  onTestFinished(async () => {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.end();
  });
  const url = new URL(home.url);
  url.pathname = `/${name}`;
  const storage = shardedStorage({ shards: databasesOf([home.url, url.href]), place: () => 'one' });
  onTestFinished(() => storage.close());
  await openWithAccount(storage);

  for (const text of refuse(name)) await client.query(text);
  for (let round = 0; round < 4; round += 1) {
    expect(await storage.schedule.claimDueAccounts(1_000, 8)).toEqual([]);
    expect(await storage.outbox.acknowledgeAndClaim([], { limit: 5, leaseMs: 1_000 })).toMatchObject({ claims: [] });
    expect(await storage.mirror.purge({ before: 0, limit: 5 })).toBe(0);
  }
  const refused = await storage.mirror
    .find({ applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1' })
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StorageUnavailableError);
  expect(String(refused)).toContain('The database of the shard "one" fails: ');
});
