import { type ShardedStorage, shardedStorage } from '@kalends/postgres';
import type { Clock } from 'kalends/ports';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { sizeOf } from '../../../../test/size-of.ts';
import { openWithAccount } from '../../../sql/test/mirror/mirror-account.ts';
import { ACCOUNT_TABLES } from '../../src/sharded/account-tables.ts';
import type { Run } from '../../src/sharded/run.ts';
import type { Shard } from '../../src/sharded/shard.ts';
import { createSharded } from '../../src/sharded/sharded-storage.ts';
import { fillAccount, KEY, readRows } from './filled-account.ts';
import { SHARDS, takeShardedDatabases } from './sharded-databases.ts';
import { fastClock } from './sharded-world.ts';

/** Every so many statements of a move its process dies. */
const STRIDE = sizeOf('stride', { short: 12, long: 3 });
const FOREVER = new Promise<never>(() => undefined);
/** Longer than the lease of a process that moves an account. */
const LEASE_MS = 70_000;

/** A process that moves accounts, and dies at one of its statements. */
function createMover(urls: readonly string[], clock: Clock, diesAt: number) {
  const clients = new Set<pg.PoolClient>();
  let statements = 0;
  let die: () => void = () => undefined;
  const dead = new Promise<void>((resolve) => {
    die = resolve;
  });
  const counted =
    (run: Run): Run =>
    async (text, parameters) => {
      statements += 1;
      if (statements <= diesAt) return await run(text, parameters);
      die();
      return await FOREVER;
    };
  const through = (shard: Shard): Shard => ({
    ...shard,
    read: counted(shard.read),
    write: counted(shard.write),
    transaction: (work) => shard.transaction((run, now) => work(counted(run), now)),
  });
  const pools = urls.map((connectionString) => new pg.Pool({ connectionString, max: 3 }));
  for (const pool of pools) pool.on('connect', (client) => clients.add(client));
  const shards = pools.map((pool, index) => ({ name: SHARDS[index] ?? '', pool, clock }));
  return {
    storage: createSharded({ shards, clock: fastClock(1_000) }, through),
    dead,
    statements: () => statements,
    /** Ends its connections, as the end of a process does. */
    async end() {
      for (const client of clients) {
        client.on('error', () => undefined);
        (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
      }
    },
  };
}

async function whereItIs(storage: ShardedStorage): Promise<string> {
  const [place] = await storage.listPlaces({ limit: 1 });
  expect(place).toMatchObject({ movingTo: null, movedFrom: null });
  return place?.shard ?? '';
}

test(`a move whose process dies at any of its statements is finished or taken back`, { timeout: 900_000 }, async () => {
  const databases = await takeShardedDatabases();
  let aheadMs = 0;
  const clock: Clock = { now: () => Date.now() + aheadMs, sleep: () => Promise.resolve() };
  const storage = shardedStorage({ ...databases.optionsOf(clock), clock: fastClock(1_000) });
  onTestFinished(async () => {
    await storage.close();
    await databases.giveBack();
  });
  await openWithAccount(storage);
  await fillAccount(storage);
  const urlOf = (shard: string) => databases.urls[SHARDS.indexOf(shard)] ?? '';
  const rows = await readRows(urlOf('home'));
  for (const { name } of ACCOUNT_TABLES) expect(rows[name]?.length, name).toBeGreaterThan(0);

  let isWhole = false;
  const outcomes = { finished: 0, takenBack: 0 };
  for (let diesAt = 0; !isWhole; diesAt += STRIDE) {
    const from = await whereItIs(storage);
    const to = SHARDS[(SHARDS.indexOf(from) + 1) % SHARDS.length] ?? '';
    const mover = createMover(databases.urls, clock, diesAt);
    const moved = mover.storage.moveAccount('app_1', 'acc_1', to).then(() => true);
    isWhole = await Promise.race([moved, mover.dead.then(() => false)]);
    await mover.end();
    // Whatever it has left, others read on.
    expect(await storage.mirror.findItem(KEY, 'a')).toMatchObject({ content: { title: 'third' } });
    aheadMs += LEASE_MS;
    await storage.leases.purge({ endedForMs: 86_400_000, limit: 1 });
    const at = await whereItIs(storage);
    expect([from, to]).toContain(at);
    outcomes[at === to ? 'finished' : 'takenBack'] += 1;
    for (const shard of SHARDS) {
      const expected = shard === at ? rows : Object.fromEntries(ACCOUNT_TABLES.map(({ name }) => [name, []]));
      expect(await readRows(urlOf(shard)), `${shard} after ${diesAt} statements`).toEqual(expected);
    }
    // And write on.
    expect(await storage.schedule.hint({ ...KEY, accountId: 'acc_none' })).toBe(0);
    await storage.mirror.addRereads(KEY, []);
  }
  console.log(`a process died at every ${STRIDE}th statement of a move: ${JSON.stringify(outcomes)}`);
  expect(outcomes.finished).toBeGreaterThan(1);
  expect(outcomes.takenBack).toBeGreaterThan(1);
});
