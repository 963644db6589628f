import { expect, onTestFinished, test, vi } from 'vitest';
import { databasePool } from '../../../postgres/test/server/database-pool.ts';
import { openWithAccount } from '../../../sql/test/mirror/mirror-account.ts';
import { createLogger } from '../../src/logger.ts';
import { shardedStorageOf, storageOf } from '../../src/serve/open-storage.ts';
import { readSettings } from '../../src/settings.ts';
import { runCommand } from './run-command.ts';

test('accounts are moved by a command, which also counts those of each database', { timeout: 60_000 }, async () => {
  const databases = await Promise.all([databasePool.take(), databasePool.take(), databasePool.take()]);
  onTestFinished(async () => {
    for (const database of databases) await databasePool.giveBack(database);
  });
  const [home, one, two] = databases.map(({ url }) => url);
  vi.stubEnv('KALENDS_DATABASE_URL', home);
  vi.stubEnv('KALENDS_SHARDS', `one=${one}, two=${two}`);
  vi.stubEnv('KALENDS_CLOSED_SHARDS', 'home,two');
  onTestFinished(() => void vi.unstubAllEnvs());
  const storage = shardedStorageOf(readSettings([], process.env).settings, createLogger('silent'));
  await openWithAccount(storage);
  await storage.close();
  const counts = async () => (await runCommand(['account', 'move'])).stdout.split('\n').map((line) => line.split(/ +/));
  expect(await counts()).toEqual([['home', '0'], ['one', '1'], ['two', '0'], ['']]);

  expect(await runCommand(['account', 'move', '--app', 'app_1', '--to', 'two', 'acc_1'])).toEqual({
    ...{ code: 0, stdout: 'acc_1  two\n', stderr: '' },
  });
  expect(await counts()).toEqual([['home', '0'], ['one', '0'], ['two', '1'], ['']]);

  expect(JSON.parse((await runCommand(['account', 'move', '--json'])).stdout)).toEqual({
    data: [
      { shard: 'home', accounts: 0 },
      { shard: 'one', accounts: 0 },
      { shard: 'two', accounts: 1 },
    ],
  });
  const where = { accountId: 'acc_1', applicationId: 'app_1', shard: 'two', movingTo: null, movedFrom: null };
  for (const args of [[], ['acc_1'], ['--shard', 'two'], ['--app', 'app_1', 'acc_1']]) {
    const { stdout } = await runCommand(['account', 'places', '--json', ...args]);
    expect(JSON.parse(stdout)).toEqual({ data: [where] });
  }
  expect((await runCommand(['account', 'places'])).stdout).toMatch(
    /^ACCOUNT ID +APPLICATION ID +SHARD .*\nacc_1 +app_1 +two\b/,
  );
  expect((await runCommand(['account', 'places', '--shard', 'one'])).stdout).toBe('none\n');
  expect((await runCommand(['account', 'places', 'acc_9'])).stderr).toContain('there is no account acc_9 there');
  const moved = await runCommand(['account', 'move', '--json', '--app', 'app_1', '--to', 'two', 'acc_1', 'acc_9']);
  expect(moved.code).toBe(1);
  expect(JSON.parse(moved.stdout)).toEqual({ data: [{ accountId: 'acc_1', shard: 'two' }] });
  expect(JSON.parse(moved.stderr)).toMatchObject({ message: expect.stringContaining('There is no such account') });

  const refusals = [[['--to', 'two', '--app', 'app_1', 'acc_9'], 1, 'There is no such account']] as const;
  for (const [args, code, message] of refusals) {
    const refused = await runCommand(['account', 'move', ...args]);
    expect(refused.stderr).toContain(message);
    expect(refused.code).toBe(code);
  }
});

test.each([
  [['acc_1'], '--to is required'],
  [['--to', 'one'], 'the accounts to move are missing'],
  [['--to', 'one', 'acc_1'], '--app is required; or set KALENDS_APP'],
  [['--to', 'three', '--app', 'app_1', 'acc_1'], '--to: there is no shard "three"; there are home, one'],
])('arguments %o are refused before any database is asked', async (args, message) => {
  vi.stubEnv('KALENDS_DATABASE_URL', 'postgres://127.0.0.1:1/none');
  vi.stubEnv('KALENDS_SHARDS', 'one=postgres://127.0.0.1:1/none');
  onTestFinished(() => void vi.unstubAllEnvs());
  const refused = await runCommand(['account', 'move', ...args]);
  expect(refused).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
});

test.each([
  [{ KALENDS_SHARDS: 'one=mysql://x' }, 'KALENDS_SHARDS must be a list of NAME=postgres://'],
  [{ KALENDS_SHARDS: 'home=postgres://b/b' }, 'KALENDS_SHARDS must have different names, none of them "home"'],
  [{ KALENDS_SHARDS: 'a=postgres://b/b,a=postgres://c/c' }, 'KALENDS_SHARDS must have different names'],
  [{ KALENDS_SHARDS: '' }, 'KALENDS_SHARDS is required'],
  [{ KALENDS_CLOSED_SHARDS: 'two' }, 'KALENDS_CLOSED_SHARDS: there is no shard "two"'],
  [{ KALENDS_CLOSED_SHARDS: 'home,one' }, 'KALENDS_CLOSED_SHARDS must leave a shard'],
  [{ KALENDS_DATABASE_URL: 'sqlite:x.db' }, 'KALENDS_SHARDS is for PostgreSQL'],
])('settings %o are refused', (given, message) => {
  const env = { KALENDS_DATABASE_URL: 'postgres://a/a', KALENDS_SHARDS: 'one=postgres://b,c:5433/b', ...given };
  expect(() => shardedStorageOf(readSettings([], env).settings, createLogger('silent'))).toThrow(message);
});

test('closed shards without shards are refused, by both names', () => {
  const env = { KALENDS_DATABASE_URL: 'postgres://a/a', KALENDS_CLOSED_SHARDS: 'home' };
  expect(() => storageOf(readSettings([], env).settings, createLogger('silent'))).toThrow(
    'KALENDS_CLOSED_SHARDS is set without KALENDS_SHARDS',
  );
});
