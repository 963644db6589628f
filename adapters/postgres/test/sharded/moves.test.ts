import { shardedStorage } from '@kalends/postgres';
import type { CollectionKey, ItemWrite, Storage } from 'kalends/ports';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { sizeOf } from '../../../../test/size-of.ts';
import { openWithAccount } from '../../../sql/test/mirror/mirror-account.ts';
import { checkMirrorAgainstModel } from '../../../sql/test/mirror/mirror-property.ts';
import { lockAccount } from '../../src/sharded/fence.ts';
import type { Run } from '../../src/sharded/run.ts';
import { createSharded } from '../../src/sharded/sharded-storage.ts';
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

async function setStatus({ accounts }: Storage, status: 'ACTIVE' | 'EXPIRED'): Promise<void> {
  const account = await accounts.find('app_1', 'acc_1');
  const credential = await accounts.findCredential('app_1', 'acc_1');
  await accounts.save({ ...account!, status }, { ...credential!, status });
}

async function connectTo(connectionString: string | undefined): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test.each([
  ['ACTIVE', 'EXPIRED'],
  ['EXPIRED', 'ACTIVE'],
] as const)('a move into the home database minds that its account turns from %s to %s', async (before, after) => {
  const { storage, databases, close } = await openSharded(100);
  onTestFinished(close);
  await storage.moveAccount('app_1', 'acc_1', 'one');
  await storage.schedule.hint(KEY);
  await setStatus(storage, before);
  let changing: Promise<unknown> | undefined;
  const meanwhile = async (text: string) => {
    if (changing !== undefined || !text.startsWith('select collections from kalends_account')) return;
    // It ends after the move, whose locks its second step waits for.
    changing = setStatus(storage, after);
    while ((await storage.accounts.find('app_1', 'acc_1'))?.status !== after);
  };
  const mover = createSharded({ ...databases.optionsOf(), clock: fastClock(100) }, (shard) => ({
    ...shard,
    transaction: (work) =>
      shard.transaction((run, now) => {
        const watched: Run = async (text, parameters) => {
          await meanwhile(text);
          return await run(text, parameters);
        };
        return work(watched, now);
      }),
  }));
  onTestFinished(() => mover.close());
  await mover.open();
  await mover.moveAccount('app_1', 'acc_1', 'home');
  await changing;
  const home = await connectTo(databases.urls[0]);
  const { rows } = await home.query('select is_active from kalends_schedule');
  expect(rows).toEqual([{ is_active: after === 'ACTIVE' ? 1 : 0 }]);
  expect(await storage.schedule.nextDueAt()).toEqual(after === 'ACTIVE' ? expect.any(Number) : null);
});

test('a schedule that contradicts the status of its account is not due until that is repaired', async () => {
  const { storage, databases, close } = await openSharded(100);
  onTestFinished(close);
  await storage.schedule.hint(KEY);
  expect((await storage.health.stats()).dueCollections).toBe(1);
  await setStatus(storage, 'EXPIRED');
  const home = await connectTo(databases.urls[0]);
  await home.query('update kalends_schedule set is_active = 1');
  expect(await storage.schedule.nextDueAt()).toBeNull();
  expect((await storage.health.stats()).dueCollections).toBe(0);
});
