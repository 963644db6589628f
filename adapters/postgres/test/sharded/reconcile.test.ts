import { postgres, type ShardedStorage, shardedStorage } from '@kalends/postgres';
import { StorageUnavailableError } from 'kalends/ports';
import { monotonicClock } from 'kalends/runtime';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openWithAccount } from '../../../sql/test/mirror/mirror-account.ts';
import { databasePool } from '../server/database-pool.ts';
import { fillAccount, KEY, readRows } from './filled-account.ts';
import { SHARDS, takeShardedDatabases } from './sharded-databases.ts';
import { jumpingClock } from './sharded-world.ts';

/** Longer than rows are suspected that look left over. */
const SUSPECTED_MS = 61_000;

async function ask(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** A storage over four databases, whose account is in the shard `one`. */
async function openWorld() {
  const databases = await takeShardedDatabases();
  const clock = jumpingClock();
  const storage = shardedStorage({ ...databases.optionsOf(), place: () => 'one', clock });
  onTestFinished(async () => {
    await storage.close();
    await databases.giveBack();
  });
  await openWithAccount(storage);
  const [home = '', one = '', two = ''] = databases.urls;
  const upkeep = () => storage.leases.purge({ endedForMs: 86_400_000, limit: 1 });
  /** Twice: rows that look left over may just be being made. */
  const repair = async () => {
    await upkeep();
    await clock.sleep(SUSPECTED_MS);
    await upkeep();
  };
  return { databases, storage, home, one, two, clock, upkeep, repair };
}

const idsIn = async (url: string, table: string, column = 'id') =>
  (await ask(url, `select ${column} as id from ${table} order by 1`)).map(({ id }) => id);

test('a copy and a place that were written for an account that never came are removed, not at once', async () => {
  const { home, one, upkeep, repair, storage } = await openWorld();
  const copy = `insert into kalends_account (id, application_id, provider_type, email, email_key, authorized_scopes, status,
    created_at, updated_at) values ('acc_x', 'app_1', 'PROVIDER_A', '', 'acc_x', '[]', 'ACTIVE', 1, 1)`;
  const place = `insert into kalends_account_place (account_id, application_id, shard) values ('acc_x', 'app_1', 'one')`;
  await ask(home, place);
  await ask(one, copy);
  await ask(one, place);
  await upkeep();
  expect(await idsIn(one, 'kalends_account')).toEqual(['acc_1', 'acc_x']);
  await repair();
  expect(await idsIn(one, 'kalends_account')).toEqual(['acc_1']);
  expect(await idsIn(home, 'kalends_account_place', 'account_id')).toEqual(['acc_1']);
  expect(await idsIn(one, 'kalends_account_place', 'account_id')).toEqual(['acc_1']);
  expect((await storage.erasure.findOwnerless()).ownerless).toEqual([]);
});

test('a move whose process died is finished by the start of any process', async () => {
  const { storage, home, databases } = await openWorld();
  const moving = () => ask(home, 'select shard, moving_to, moved_from from kalends_account_place');
  await fillAccount(storage);
  // As a process leaves it that dies before the switch, and one that dies behind it.
  for (const left of [`moving_to = 'two'`, `moved_from = 'three'`]) {
    await ask(home, `update kalends_account_place set ${left}`);
    const started = shardedStorage(databases.optionsOf());
    try {
      await started.open();
      await expect.poll(moving, { timeout: 20_000 }).toEqual([{ shard: 'one', moving_to: null, moved_from: null }]);
    } finally {
      await started.close();
    }
  }
});

test('rows of an account that was deleted while its database was away are removed, and its application then', async () => {
  const { storage, home, one, repair } = await openWorld();
  await fillAccount(storage);
  await storage.applications.beginDeletion('app_1', 1);
  // As the deletion does in the home database.
  await ask(home, `delete from kalends_account where id = 'acc_1'`);
  expect(await storage.applications.remove('app_1')).toBe(true);
  await repair();
  for (const rows of Object.values(await readRows(one))) expect(rows).toEqual([]);
  expect(await idsIn(home, 'kalends_account_place', 'account_id')).toEqual([]);
  await repair();
  expect(await idsIn(one, 'kalends_application')).toEqual([]);
});

test('a status that did not reach the shard is brought there, with the work that depends on it', async () => {
  const { storage, home, one, upkeep } = await openWorld();
  await storage.schedule.dueBy(KEY, 1);
  await ask(home, `update kalends_account set status = 'EXPIRED' where id = 'acc_1'`);
  // The row of the home database counts for reads at once.
  await storage.mirror.ensure(KEY, { at: 1, tag: 't', timeZone: 'UTC' });
  expect((await storage.reads.start('app_1', 'acc_1', ['cal_1']))?.account).toMatchObject({
    ...{ status: 'EXPIRED', email: 'ada@example.com' },
  });
  await upkeep();
  expect(await ask(one, 'select status, email from kalends_account')).toEqual([{ status: 'EXPIRED', email: '' }]);
  expect(await storage.schedule.claimDueAccounts(1_000, 8)).toEqual([]);
});

test('the places of all accounts that were deleted while their database was away are removed at once', async () => {
  const { home, one, repair } = await openWorld();
  const places = `insert into kalends_account_place (account_id, application_id, shard)
    select 'acc_' || n, 'app_1', 'one' from generate_series(100, 700) n`;
  for (const url of [home, one]) await ask(url, places);
  await repair();
  for (const url of [home, one]) expect(await idsIn(url, 'kalends_account_place', 'account_id')).toEqual(['acc_1']);
});

test.each([
  ['before its move', `moving_to = null`],
  ['in the middle of it', `moving_to = 'two'`],
  ['at the end of an earlier move', `moved_from = 'two'`],
])('an account whose home database is restored to a time %s is found where its rows are', async (_title, change) => {
  const { storage, home, two, repair } = await openWorld();
  await fillAccount(storage);
  await storage.moveAccount('app_1', 'acc_1', 'two');
  const rows = await readRows(two);
  await ask(home, `update kalends_account_place set shard = 'one', epoch = 0, ${change}`);
  await repair();
  expect(await readRows(two)).toEqual(rows);
  expect(await storage.findPlace('acc_1')).toMatchObject({ shard: 'two', movingTo: null, movedFrom: null });
  expect(await storage.schedule.hint(KEY)).toBeGreaterThan(0);
});

test('an account is not moved from a database that lacks it while another has it', async () => {
  const { storage, home, two } = await openWorld();
  await fillAccount(storage);
  await storage.moveAccount('app_1', 'acc_1', 'two');
  const rows = await readRows(two);
  await ask(home, `update kalends_account_place set shard = 'one'`);
  for (const to of ['three', 'two'])
    await expect(storage.moveAccount('app_1', 'acc_1', to)).rejects.toMatchObject({ code: 'Conflict' });
  expect(await readRows(two)).toEqual(rows);
  expect(await storage.findPlace('acc_1')).toMatchObject({ shard: 'one', movingTo: null, movedFrom: null });
});

test.each([
  ['lacks it', 'delete from kalends_account_place'],
  ['has it closed, as a backup from the middle of a move', 'update kalends_account_place set is_closed = 1'],
])('a write to an account whose database %s is refused soon, and not for a move', async (_title, change) => {
  const { storage, one, clock } = await openWorld();
  await ask(one, change);
  const slept = () => clock.now() - monotonicClock.now();
  const before = slept();
  const refused = await storage.schedule.hint(KEY).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StorageUnavailableError);
  expect(String(refused)).toContain('The database of the shard "one" does not have the account open');
  expect(slept() - before).toBeLessThan(5_000);
});

test('the error of a write that waits too long for a move names the move', async () => {
  const { storage, home, one } = await openWorld();
  await ask(home, `update kalends_account_place set moving_to = 'two'`);
  await ask(one, 'update kalends_account_place set is_closed = 1');
  expect(await storage.leases.claim('move:acc_1', 600_000)).toBeDefined();
  await expect(storage.schedule.hint(KEY)).rejects.toThrow('The account is being moved to another database');
});

test('a place is closed for good by no restore', async () => {
  const { storage, one, repair } = await openWorld();
  // As a backup has it that was made in the middle of a move which was taken back.
  await ask(one, 'update kalends_account_place set is_closed = 1');
  await repair();
  expect(await storage.schedule.hint(KEY)).toBeGreaterThan(0);
});

test('an account that was connected after the backup of its database gets a fresh copy there, once all databases have been asked', async () => {
  const { storage, one, repair } = await openWorld();
  for (const table of ['kalends_account_place', 'kalends_account', 'kalends_application'])
    await ask(one, `delete from ${table}`);
  await repair();
  expect(await idsIn(one, 'kalends_account')).toEqual(['acc_1']);
  expect(await storage.schedule.hint(KEY)).toBeGreaterThan(0);
});

test('an audit entry that was left in a shard reaches the log once', async () => {
  const { storage, one, upkeep } = await openWorld();
  await ask(
    one,
    `insert into kalends_audit_entry (id, at, application_id, actor_type, action, target, changed)
      values ('aud_1', 5, 'app_1', 'system', 'import.begun', 'imp_1', '["a"]')`,
  );
  await upkeep();
  await upkeep();
  const entry = { id: 'aud_1', at: 5, action: 'import.begun', target: 'imp_1', changed: ['a'], actorId: null };
  expect(await storage.audit.list({}, { limit: 9 })).toEqual([expect.objectContaining(entry)]);
  expect(await idsIn(one, 'kalends_audit_entry')).toEqual([]);
});

test('a database with accounts becomes the home database, and they move out of it', async () => {
  const databases = await Promise.all([databasePool.take(), databasePool.take()]);
  const [home = '', other = ''] = databases.map(({ url }) => url);
  const plain = await openWithAccount(postgres({ connectionString: home, listen: false }));
  await fillAccount(plain);
  const rows = await readRows(home);
  const open = async (names: readonly [string, string], urls = [home, other]): Promise<ShardedStorage> => {
    const shards = urls.map((connectionString, index) => ({
      name: names[index] ?? '',
      connectionString,
      listen: false as const,
    }));
    const storage = shardedStorage({ shards, clock: jumpingClock() });
    onTestFinished(() => storage.close());
    await storage.open();
    return storage;
  };
  const storage = await open(['home', 'one']);
  expect(await storage.mirror.findItem(KEY, 'a')).toMatchObject({ content: { title: 'third' } });
  await storage.moveAccount('app_1', 'acc_1', 'one');
  expect(await readRows(other)).toEqual(rows);
  await expect(storage.moveAccount('app_1', 'acc_none', 'one')).rejects.toMatchObject({ code: 'NotFound' });
  await expect(storage.moveAccount('app_1', 'acc_1', 'none')).rejects.toMatchObject({ code: 'InvalidRequest' });
  // Addresses that were mixed up would find other accounts.
  await expect(open(['home', 'one'], [other, home])).rejects.toThrow('given as "home:home" is that of "shard:one"');
  await expect(open(['home', 'uno'])).rejects.toThrow('given as "shard:uno" is that of "shard:one"');
  await plain.close();
  await storage.close();
  for (const database of databases) await databasePool.giveBack(database);
});

test('names of shards are checked', () => {
  const shard = (name: string) => ({ name, connectionString: 'postgres://localhost/x' });
  expect(() => shardedStorage({ shards: [] })).toThrow('shards: must have at least one database');
  expect(() => shardedStorage({ shards: [shard('A')] })).toThrow('shards[0].name: must be 1 to 63');
  expect(() => shardedStorage({ shards: [shard('a'), shard('a')] })).toThrow('shards[1].name: must differ');
  const closed = SHARDS.map((name) => ({ ...shard(name), takesNewAccounts: false }));
  const narrow = [{ ...shard('a'), maxConnections: 1 }];
  expect(() => shardedStorage({ shards: narrow })).toThrow('shards[0].maxConnections: must be at least 2');
  expect(() => shardedStorage({ shards: closed })).toThrow('shards: must have a database that takes new accounts');
});
