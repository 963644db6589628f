import { shardedStorage } from '@kalends/postgres';
import type { Logger } from 'kalends/ports';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openWithAccount } from '../../../sql/test/mirror/mirror-account.ts';
import type { Shard } from '../../src/sharded/shard.ts';
import { createSharded } from '../../src/sharded/sharded-storage.ts';
import { takeShardedDatabases } from './sharded-databases.ts';

/** Shorter than the time that a statement waits for a connection of a pool that has ended. */
const AT_ONCE_MS = 8_000;

async function takeDatabases() {
  const databases = await takeShardedDatabases();
  onTestFinished(databases.giveBack);
  return databases;
}

function latch(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

test('a storage that is closed as soon as it is open closes at once', { timeout: 60_000 }, async () => {
  const { optionsOf } = await takeDatabases();
  const shards = optionsOf().shards.map(({ listen: _listen, maxConnections: _most, ...options }) => options);
  const storage = shardedStorage({ shards });
  await storage.open();
  const begunAt = performance.now();
  await storage.close();
  expect(performance.now() - begunAt).toBeLessThan(AT_ONCE_MS);
});

test('a close waits for the pending move that is being settled, and leaves the others', {
  timeout: 60_000,
}, async () => {
  const { urls, optionsOf } = await takeDatabases();
  const first = shardedStorage({ ...optionsOf(), place: () => 'home' });
  await openWithAccount(first);
  await first.close();
  const database = new pg.Pool({ connectionString: urls[0], max: 1 });
  onTestFinished(() => database.end());
  await database.query(`update kalends_account_place set moving_to = 'one'`);
  await database.query(
    `insert into kalends_account_place (account_id, application_id, shard, moving_to, epoch, is_closed)
      select 'acc_2', application_id, shard, moving_to, epoch, is_closed from kalends_account_place`,
  );
  const warnings: string[] = [];
  const ignore = () => undefined;
  const warn = (message: string) => void warnings.push(message);
  const logger: Logger = { debug: ignore, info: ignore, warn, error: warn };
  const inside = latch();
  const released = latch();
  const through = (shard: Shard): Shard => ({
    ...shard,
    async write(text, parameters) {
      inside.open();
      await released.opened;
      return await shard.write(text, parameters);
    },
  });
  const shards = optionsOf().shards.map((options) => ({ ...options, logger }));
  const storage = createSharded({ shards }, through);
  await storage.open();
  await inside.opened;
  const closed = storage.close();
  released.open();
  await closed;
  expect(warnings).toEqual([]);
  const { rows } = await database.query('select moving_to from kalends_account_place order by moving_to nulls first');
  expect(rows).toEqual([{ moving_to: null }, { moving_to: 'one' }]);
});
