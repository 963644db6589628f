import { shardedStorage } from '@kalends/postgres';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openWithAccount } from '../../../sql/test/mirror/mirror-account.ts';
import type { Run } from '../../src/sharded/run.ts';
import { createSharded } from '../../src/sharded/sharded-storage.ts';
import { fillAccount, readRows } from './filled-account.ts';
import { SHARDS, takeShardedDatabases } from './sharded-databases.ts';
import { fastClock } from './sharded-world.ts';

type Watch = (statement: {
  readonly shard: string;
  readonly text: string;
  readonly parameters: readonly unknown[];
  readonly run: Run;
}) => Promise<void>;

/** A filled account in the home database, and a process that moves it under the eyes of `watch`. */
async function openMover(watch: Watch) {
  const databases = await takeShardedDatabases();
  const options = { ...databases.optionsOf(), clock: fastClock(100) };
  const storage = shardedStorage(options);
  const mover = createSharded(options, (shard) => ({
    ...shard,
    transaction: (work) =>
      shard.transaction((run, now) => {
        const watched: Run = async (text, parameters = []) => {
          await watch({ shard: shard.name, text, parameters, run });
          return await run(text, parameters);
        };
        return work(watched, now);
      }),
  }));
  onTestFinished(async () => {
    await mover.close();
    await storage.close();
    await databases.giveBack();
  });
  await openWithAccount(storage);
  await fillAccount(storage);
  await mover.open();
  const clientOf = async (shard: string) => {
    const client = new pg.Client({ connectionString: databases.urls[SHARDS.indexOf(shard)] });
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  };
  return { mover, clientOf, urlOf: (shard: string) => databases.urls[SHARDS.indexOf(shard)] ?? '' };
}

test.each([
  ['old', 'home', 'fetch'],
  ['new', 'one', 'insert into kalends_item_version'],
])('a move whose connection to the %s database is lost while it copies goes on', async (_title, shard, beginning) => {
  let lost = 0;
  const world = await openMover(async (statement) => {
    if (lost > 0 || statement.shard !== shard || !statement.text.startsWith(beginning)) return;
    lost += 1;
    const [{ pid } = {}] = await statement.run<{ readonly pid: number }>('select pg_backend_pid() as pid');
    await killer.query('select pg_terminate_backend($1, 5000)', [pid]);
  });
  const killer = await world.clientOf(shard);
  const rows = await readRows(world.urlOf('home'));
  await world.mover.moveAccount('app_1', 'acc_1', 'one');
  expect(lost).toBe(1);
  expect(await readRows(world.urlOf('one'))).toEqual(rows);
  expect(await world.mover.findPlace('acc_1')).toMatchObject({ shard: 'one', movingTo: null, movedFrom: null });
});

test('a move copies each long content alone', async () => {
  const lengths: number[] = [];
  const world = await openMover(async ({ shard, text, parameters: [rows] }) => {
    if (shard === 'one' && text.startsWith('insert into kalends_item_body')) lengths.push(String(rows).length);
  });
  const home = await world.clientOf('home');
  await home.query(`insert into kalends_item_body (account_id, collection_id, body, content)
    select account_id, collection_id, 1000 + n, repeat('"', 100000)
    from (select account_id, collection_id from kalends_item_body limit 1) b, generate_series(1, 60) n`);
  const rows = await readRows(world.urlOf('home'));
  await world.mover.moveAccount('app_1', 'acc_1', 'one');
  expect(await readRows(world.urlOf('one'))).toEqual(rows);
  // 60 contents of 200 kB each, as they are sent.
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(12_000_000);
  expect(Math.max(...lengths)).toBeLessThan(201_000);
});
