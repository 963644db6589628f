import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { databasePool } from '../../../postgres/test/server/database-pool.ts';
import { openWithAccount } from '../../../sql/test/mirror/mirror-account.ts';
import { ownerWarning } from '../../src/admin/owner-warning.ts';
import { createLogger } from '../../src/logger.ts';
import { shardedStorageOf } from '../../src/serve/open-storage.ts';
import { readSettings } from '../../src/settings.ts';
import { runCommand } from './run-command.ts';
import { withoutSettings } from './without-settings.ts';

let databases: Awaited<ReturnType<typeof databasePool.take>>[];

beforeEach(async () => {
  databases = await Promise.all([databasePool.take(), databasePool.take(), databasePool.take()]);
  withoutSettings();
  vi.stubEnv('KALENDS_SECRET', Buffer.alloc(32, 5).toString('base64'));
  vi.stubEnv('KALENDS_DATABASE_URL', urlOf(0));
  vi.stubEnv('KALENDS_SHARDS', shards());
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const database of databases) await databasePool.giveBack(database);
});

const urlOf = (index: number) => databases[index]?.url ?? '';
const shards = (two = urlOf(2)) => `one=${urlOf(1)},two=${two}`;

async function inOne(text: string, values: readonly unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(1) });
  await client.connect();
  await client.query(text, [...values]);
  await client.end();
}

/** Adds accounts to that of `openWithAccount`; resolves with the ids of those in two databases. */
async function connectAccounts() {
  const storage = shardedStorageOf(readSettings([], process.env).settings, createLogger('silent'));
  await openWithAccount(storage);
  const account = await storage.accounts.find('app_1', 'acc_1');
  const credential = await storage.accounts.findCredential('app_1', 'acc_1');
  if (account === undefined || credential === undefined) throw new Error('The account was saved');
  for (const name of ['2', '3', '4', '5', '6']) {
    const own = { ...account, id: `acc_${name}`, email: `${name}@example.com` };
    await storage.accounts.save(own, { ...credential, id: `crd_${name}`, accountId: own.id });
  }
  const idsIn = async (shard: string) =>
    (await storage.listPlaces({ shard, limit: 9 })).map(({ accountId }) => accountId);
  const [one, two] = [await idsIn('one'), await idsIn('two')];
  await storage.close();
  return { one, two };
}

it('restores a file of the folder’s own user without a warning', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-restored-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv('KALENDS_DATABASE_URL', `sqlite:${join(folder, 'kalends.db')}`);
  vi.stubEnv('KALENDS_SHARDS', '');
  expect((await runCommand(['migrate'])).code).toBe(0);
  expect(await runCommand(['restored'])).toMatchObject({ code: 0, stderr: '' });
});

it('warns of a file that another user than its folder’s has restored, whom the service is not', async () => {
  const owners: Readonly<Record<string, number>> = { '/var/lib/kalends/1': 61_184, '/var/lib/kalends/1/kalends.db': 0 };
  const readOwner = async (path: string) => owners[path] ?? Number.NaN;
  expect(await ownerWarning('sqlite:/var/lib/kalends/1/kalends.db', readOwner)).toContain(
    "Run: chown --reference='/var/lib/kalends/1' '/var/lib/kalends/1/kalends.db'",
  );
  expect(await ownerWarning('sqlite:/var/lib/kalends/1/kalends.db', async () => 61_184)).toBe('');
  for (const url of ['sqlite::memory:', 'postgres://kalends@db/kalends']) {
    expect(await ownerWarning(url, () => Promise.reject(new Error('no file')))).toBe('');
  }
});

it('resumes the accounts of all databases that can serve them, names the others, and fails until it has resumed all', async () => {
  const { one, two: away } = await connectAccounts();
  const [lacking = '', held = ''] = one;
  expect([one.length, away.length]).toEqual([2, 2]);
  await inOne('update kalends_account_place set is_closed = 1 where account_id = $1', [lacking]);
  vi.stubEnv('KALENDS_SHARDS', shards('postgres://kalends:hush@127.0.0.1:1/away'));
  const { code, stdout } = await runCommand(['restored']);
  expect(stdout).toMatch(/^accounts +3$/m);
  expect(stdout).toMatch(/^left out +3$/m);
  expect(stdout).toContain(`1 account: The database of the shard "one" does not have the account open`);
  expect(stdout).toContain(`    ${lacking}\n`);
  expect(stdout).toContain(
    '2 accounts: The database of the shard "two" cannot be reached (postgres://127.0.0.1:1/away)',
  );
  expect(stdout).toContain(away.map((id) => `    ${id}\n`).join(''));
  expect(stdout).not.toContain(held);
  expect(stdout).not.toContain('hush');
  expect(stdout).toContain('run this again');
  expect(code).toBe(1);

  vi.stubEnv('KALENDS_SHARDS', shards());
  await inOne('update kalends_account_place set is_closed = 0');
  expect(await runCommand(['restored'])).toMatchObject({
    code: 0,
    stdout: 'accounts   6\ncalendars  0\nAll are due now, and all receivers will be told.\n',
  });
});
