import { shardedStorage } from '@kalends/postgres';
import type { CollectionKey, ItemWrite, Storage } from 'kalends/ports';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { sizeOf } from '../../../../test/size-of.ts';
import { openWithAccount } from '../../../sql/test/mirror/mirror-account.ts';
import { checkMirrorAgainstModel } from '../../../sql/test/mirror/mirror-property.ts';
import { lockAccount } from '../../src/sharded/fence.ts';
import { SHARDS, takeShardedDatabases } from './sharded-databases.ts';
import { fastClock } from './sharded-world.ts';

const KEY: CollectionKey = { applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1' };

/** A storage over four databases with the account of `openWithAccount`. */
async function openSharded(speed: number) {
  const databases = await takeShardedDatabases();
  const storage = shardedStorage({ ...databases.optionsOf(), clock: fastClock(speed) });
  await openWithAccount(storage);
  const close = async () => {
    await storage.close();
    await databases.giveBack();
  };
  return { storage, databases, close };
}

test('any history of a mirror reads the same when its account is moved in between', { timeout: 900_000 }, async () => {
  let moves = 0;
  await checkMirrorAgainstModel(
    async () => {
      const { storage, close } = await openSharded(100);
      const { mirror } = storage;
      /** Moves the account on, into and out of the home database too, before every commit. */
      const move = async () => {
        moves += 1;
        await storage.moveAccount('app_1', 'acc_1', SHARDS[moves % SHARDS.length] ?? 'home');
      };
      const commit: Storage['mirror']['commit'] = async (key, given) => {
        await move();
        return await mirror.commit(key, given);
      };
      return { ...storage, mirror: { ...mirror, commit }, close };
    },
    sizeOf('runs', { short: 4, long: 15 }),
  );
  expect(moves).toBeGreaterThan(0);
});

function write(itemId: string): ItemWrite {
  return {
    itemId,
    groupId: itemId,
    content: { itemId },
    etag: itemId,
    providerTag: null,
    mappingVersion: 1,
    rangeStart: 0,
    rangeEnd: 1,
  };
}

test('writers, readers and pushes of two processes lose nothing while the account is moved', {
  timeout: 120_000,
}, async () => {
  // Real seconds: writes may wait for ten, and a busy machine does not keep a faster clock.
  const speed = 1;
  const { storage, databases, close } = await openSharded(speed);
  onTestFinished(close);
  const clock = fastClock(speed);
  const other = shardedStorage({ ...databases.optionsOf(), clock });
  onTestFinished(() => other.close());
  await other.open();
  await storage.mirror.ensure(KEY, { at: 1, tag: 't', timeZone: 'UTC' });
  let isOver = false;
  const written: string[] = [];
  const rereads: string[] = [];
  let hints = 0;
  let latest = 0;
  const writer = async (own: Storage, name: string) => {
    for (let count = 0; !isOver; count += 1) {
      const itemId = `${name}_${count}`;
      const { revision } = await own.mirror.commit(KEY, {
        ...{ writes: [write(itemId)], basedOn: Number.MAX_SAFE_INTEGER, at: 1, tag: itemId },
      });
      latest = Math.max(latest, revision);
      written.push(itemId);
    }
  };
  const pusher = async (own: Storage, name: string) => {
    for (let count = 0; !isOver; count += 1) {
      const seq = await own.schedule.hint(KEY);
      expect(seq).toBeGreaterThan(0);
      hints += 1;
      await own.mirror.addRereads(KEY, [`${name}_${count}`]);
      rereads.push(`${name}_${count}`);
    }
  };
  const reader = async (own: Storage) => {
    while (!isOver) {
      const [known, least] = [written.slice(-50), latest];
      const state = await own.mirror.find(KEY);
      expect(state?.revision).toBeGreaterThanOrEqual(least);
      const found = await own.mirror.findItems(KEY, known);
      expect(found.map(({ itemId }) => itemId).toSorted()).toEqual(known.toSorted());
    }
  };
  const work = [
    ...[writer(storage, 'a'), writer(other, 'b'), pusher(storage, 'c'), pusher(other, 'd')],
    ...[reader(storage), reader(other)],
  ];
  const move = async () => {
    for (const shard of ['one', 'two', 'home', 'three', 'home', 'one']) {
      await storage.moveAccount('app_1', 'acc_1', shard);
      const before = written.length;
      while (written.length < before + 5) await new Promise((resolve) => setImmediate(resolve));
    }
    isOver = true;
  };
  await Promise.all([move(), ...work]);
  const { revision = 0 } = (await storage.mirror.find(KEY)) ?? {};
  expect(revision).toBe(written.length);
  expect(await storage.mirror.listGroups(KEY, { asOf: revision, limit: 100_000 })).toEqual(written.toSorted());
  expect((await storage.schedule.get(KEY)).hintSeq).toBe(hints);
  const listed = await storage.mirror.listRereads(KEY, 100_000);
  expect(listed.map(({ itemId }) => itemId).toSorted()).toEqual(rereads.toSorted());
});

const LEASE = { name: 'pull:app_1:acc_1:cal_1', ttlMs: 60_000 };
const WRITES: Readonly<Record<string, (storage: Storage) => Promise<unknown>>> = {
  'the claim of a lease': ({ leases }) => leases.claim('import:acc_1:imp_1', 60_000),
  'the start of a pull': ({ pulls }) => pulls.begin(KEY, LEASE),
  'a hint': ({ schedule }) => schedule.hint(KEY),
  'a commit': ({ mirror }) => mirror.commit(KEY, { writes: [write('late')], basedOn: 0, at: 1, tag: 'late' }),
};

test.each(Object.entries(WRITES))('%s waits for the move that has begun to copy its account', async (_, run) => {
  const { storage, databases, close } = await openSharded(1);
  onTestFinished(close);
  await storage.moveAccount('app_1', 'acc_1', 'one');
  await storage.mirror.ensure(KEY, { at: 1, tag: 't', timeZone: 'UTC' });
  const mover = new pg.Client({ connectionString: databases.urls[SHARDS.indexOf('one')] });
  await mover.connect();
  onTestFinished(() => mover.end());
  // A move holds this lock while it copies.
  await mover.query('begin');
  await lockAccount((text, values) => mover.query(text, [...(values ?? [])]).then(({ rows }) => rows), 'acc_1');
  let isDone = false;
  const running = run(storage).then(() => {
    isDone = true;
  });
  const waiting = `select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  await expect.poll(async () => (await mover.query(waiting)).rows, { timeout: 20_000 }).toEqual([{ count: 1 }]);
  expect(isDone).toBe(false);
  await mover.query('commit');
  await running;
});
