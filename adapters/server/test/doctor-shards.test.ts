import { randomBytes } from 'node:crypto';
import { postgres } from '@kalends/postgres';
import pg from 'pg';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { databasePool } from '../../postgres/test/server/database-pool.ts';
import { startHangingProxy } from '../../postgres/test/server/hanging-proxy.ts';
import { openWithAccount } from '../../sql/test/mirror/mirror-account.ts';
import { createLogger } from '../src/logger.ts';
import { shardedStorageOf } from '../src/serve/open-storage.ts';
import { readSettings } from '../src/settings.ts';
import { runCommand } from './commands/run-command.ts';
import { withoutSettings } from './commands/without-settings.ts';

let databases: Awaited<ReturnType<typeof databasePool.take>>[];

beforeEach(async () => {
  databases = await Promise.all([databasePool.take(), databasePool.take(), databasePool.take()]);
  withoutSettings();
  vi.stubEnv('KALENDS_SECRET', Buffer.alloc(32, 5).toString('base64'));
  vi.stubEnv('KALENDS_DATABASE_URL', urlOf(0));
  vi.stubEnv('KALENDS_SHARDS', `one=${urlOf(1)},two=${urlOf(2)}`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const database of databases) await databasePool.giveBack(database);
});

const urlOf = (index: number) => databases[index]?.url ?? '';
/** Address of a database as the doctor shows it. */
function shown(index: number): string {
  const { host, pathname } = new URL(urlOf(index));
  return `postgres://${host}${pathname}`;
}

async function doctor() {
  const { code, stdout } = await runCommand(['doctor', '--json']);
  const { findings } = JSON.parse(stdout) as {
    readonly findings: readonly { check: string; status: string; message: string; remedy: string | null }[];
  };
  return { code, of: (check: string) => findings.filter((finding) => finding.check === check), findings };
}

/** Migrates all databases, and places an account in the shard two. */
async function prepare(): Promise<void> {
  vi.stubEnv('KALENDS_CLOSED_SHARDS', 'home,one');
  const storage = shardedStorageOf(readSettings([], process.env).settings, createLogger('silent'));
  await openWithAccount(storage);
  await storage.close();
}

it('names each database with its address, and finds nothing failed when all are well', async () => {
  await prepare();
  const { findings, of } = await doctor();
  expect(findings.filter(({ status }) => status === 'failed')).toEqual([]);
  for (const check of ['database', 'databaseState', 'databaseClock', 'databaseVersion', 'databaseRole']) {
    const messages = of(check).map(({ message }) => message.split(': ')[0]);
    expect(messages, check).toEqual([`home at ${shown(0)}`, `one at ${shown(1)}`, `two at ${shown(2)}`]);
  }
  expect(of('shards')).toMatchObject([{ status: 'ok', message: expect.stringContaining('the 3 databases') }]);
});

it('tells one that is away from one that is not migrated, and migrates none', async () => {
  await prepare();
  vi.stubEnv('KALENDS_SHARDS', `one=${urlOf(1)},two=postgres://kalends:hush@127.0.0.1:1/away`);
  const away = await doctor();
  expect(away.code).toBe(1);
  expect(away.of('database').map(({ status }) => status)).toEqual(['ok', 'ok', 'failed']);
  expect(away.of('database')[2]).toMatchObject({
    message: expect.stringMatching(
      /^two at postgres:\/\/127\.0\.0\.1:1\/away: The database cannot be reached: .*ECONNREFUSED/,
    ),
    remedy: expect.stringContaining('Check that it runs'),
  });
  expect(JSON.stringify(away.findings)).not.toContain('hush');
  // The other databases are examined all the same.
  expect(away.of('secret')).toMatchObject([{ status: 'skipped', message: expect.stringContaining('Nothing sealed') }]);

  const client = new pg.Client(urlOf(0));
  await client.connect();
  const name = `kalends_empty_${randomBytes(4).toString('hex')}`;
  await client.query(`create database ${name}`);
  onTestFinished(async () => {
    await client.query(`drop database ${name} with (force)`);
    await client.end();
  });
  const empty = new URL(urlOf(0));
  empty.pathname = `/${name}`;
  vi.stubEnv('KALENDS_SHARDS', `one=${urlOf(1)},two=${empty.href}`);
  const unmigrated = await doctor();
  expect(unmigrated.of('database')[2]).toMatchObject({
    message: expect.stringContaining('has no tables of kalends'),
    remedy: expect.stringContaining('kalends migrate'),
  });
  const storage = postgres({ connectionString: empty.href, listen: false });
  expect((await storage.health.schema()).applied).toEqual([]);
  await storage.close();
});

it('finds a database that hangs', { timeout: 60_000 }, async () => {
  await prepare();
  const proxy = await startHangingProxy(urlOf(2));
  proxy.hang();
  vi.stubEnv('KALENDS_SHARDS', `one=${urlOf(1)},two=${proxy.url}`);
  try {
    const { of } = await doctor();
    expect(of('database').map(({ status }) => status)).toEqual(['ok', 'ok', 'failed']);
    expect(of('database')[2]?.message).toContain('cannot be reached');
  } finally {
    await proxy.close();
  }
});

it('finds databases that were mixed up, and one with accounts that is missing', async () => {
  await prepare();
  vi.stubEnv('KALENDS_CLOSED_SHARDS', '');
  vi.stubEnv('KALENDS_SHARDS', `one=${urlOf(2)},two=${urlOf(1)}`);
  expect((await doctor()).of('databaseName')).toMatchObject([
    { status: 'failed', message: expect.stringContaining('The database given as "shard:one" is that of "shard:two"') },
    { status: 'failed', message: expect.stringContaining('The database given as "shard:two" is that of "shard:one"') },
  ]);
  vi.stubEnv('KALENDS_SHARDS', `one=${urlOf(1)}`);
  expect((await doctor()).of('shards')).toMatchObject([
    {
      status: 'failed',
      message: expect.stringContaining('"two" with 1 accounts'),
      remedy: expect.stringContaining('KALENDS_SHARDS'),
    },
  ]);
  vi.stubEnv('KALENDS_SHARDS', '');
  expect((await doctor()).of('shards')).toMatchObject([
    {
      status: 'failed',
      message: expect.stringContaining('in the shards two'),
      remedy: expect.stringContaining('KALENDS_SHARDS'),
    },
  ]);
});
