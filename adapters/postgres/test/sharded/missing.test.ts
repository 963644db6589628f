import { postgres, shardedStorage } from '@kalends/postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openWithAccount } from '../../../sql/test/mirror/mirror-account.ts';
import { databasePool } from '../server/database-pool.ts';
import { databasesOf } from './sharded-databases.ts';

/** Three empty databases, described as home, one and two. */
async function takeDatabases() {
  const databases = await Promise.all([databasePool.take(), databasePool.take(), databasePool.take()]);
  onTestFinished(async () => {
    for (const database of databases) await databasePool.giveBack(database);
  });
  return databasesOf(databases.map(({ url }) => url));
}

/** Keeps the lines of a logger. */
function keptLog() {
  const lines: unknown[] = [];
  const keep = (message: string, fields?: object) => void lines.push([message, fields]);
  return { lines, logger: { debug: keep, info: keep, warn: keep, error: keep } };
}

test('a shard with accounts that a process was not given is logged, counted and reported, and hinders no start', async () => {
  const shards = await takeDatabases();
  const complete = shardedStorage({ shards, place: () => 'two' });
  await openWithAccount(complete);
  expect(await complete.health.databases?.countMissing()).toEqual([]);
  await complete.close();

  const { lines, logger } = keptLog();
  const partial = shardedStorage({ shards: shards.slice(0, 2).map((shard) => ({ ...shard, logger })) });
  onTestFinished(() => partial.close());
  await partial.open();
  expect(lines).toContainEqual([
    'accounts are in a shard that this process was not given (KALENDS_SHARDS)',
    { shard: 'two' },
  ]);
  expect(await partial.health.inspect()).toMatchObject({
    ...{ isMigrated: true, fault: null },
    troubles: [{ database: 'two', problem: expect.stringContaining('KALENDS_SHARDS') }],
  });
  expect(await partial.health.databases?.countMissing()).toEqual([{ name: 'two', accounts: 1 }]);
});

test('a logger that fails at that line hinders no start either', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  const shards = await takeDatabases();
  const complete = shardedStorage({ shards, place: () => 'two' });
  await openWithAccount(complete);
  await complete.close();
  const fail = () => {
    throw new Error('the pipe is broken');
  };
  const logger = { debug: fail, info: fail, warn: fail, error: fail };
  const partial = shardedStorage({ shards: shards.slice(0, 2).map((shard) => ({ ...shard, logger })) });
  onTestFinished(() => partial.close());
  await partial.open();
  expect(warned).toHaveBeenCalledWith(expect.stringContaining('KALENDS_SHARDS'), 'KalendsWarning');
});

test('an account in a shard that a process was not given is reconnected and expired there', async () => {
  const shards = await takeDatabases();
  const complete = shardedStorage({ shards, place: () => 'two' });
  await openWithAccount(complete);
  await complete.close();
  const partial = shardedStorage({ shards: shards.slice(0, 2) });
  onTestFinished(() => partial.close());
  await partial.open();
  const account = await partial.accounts.find('app_1', 'acc_1');
  const credential = await partial.accounts.findCredential('app_1', 'acc_1');
  if (account === undefined || credential === undefined) throw new Error('The account is in the home database');
  expect(await partial.accounts.save({ ...account, externalId: 'again' }, credential)).toBe(true);
  expect(await partial.accounts.find('app_1', 'acc_1')).toMatchObject({ externalId: 'again' });
  expect(await partial.accounts.expire('app_1', 'acc_1', credential.version + 1, 9)).toBe(true);
});

test('a storage that knows one of several databases alone refuses it, until all accounts are in the home database', async () => {
  const shards = await takeDatabases();
  const complete = shardedStorage({ shards, place: () => 'two' });
  await openWithAccount(complete);
  const openAlone = async (index: number) => {
    const alone = postgres({ connectionString: shards[index]?.connectionString ?? '', listen: false });
    await alone.open().finally(() => alone.close());
  };
  await expect(openAlone(0)).rejects.toThrow('Accounts of the database are in the shards two: set KALENDS_SHARDS');
  await expect(openAlone(2)).rejects.toThrow('The database is the shard "two" of several');
  await complete.moveAccount('app_1', 'acc_1', 'home');
  await openAlone(0);
  await complete.close();
});

test('the refusal of a database that was given under another name tells which one, without its password', async () => {
  const shards = await takeDatabases();
  const [home, one, two] = shards;
  if (home === undefined || one === undefined || two === undefined) throw new Error('Three databases are needed');
  const first = shardedStorage({ shards });
  await first.open();
  await first.close();
  const secret = new URL(two.connectionString ?? '');
  secret.password = 'hush';
  const { host, pathname } = secret;
  const mixed = shardedStorage({ shards: [home, { ...one, connectionString: secret.href }] });
  onTestFinished(() => mixed.close());
  const refused = await mixed.open().catch((error: unknown) => String(error));
  expect(refused).toContain(
    `shard "one" at postgres://${host}${pathname}: The database given as "shard:one" is that of "shard:two"`,
  );
  expect(refused).not.toContain('hush');
});
