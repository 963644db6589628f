import { systemClock } from 'kalends/runtime';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { postgres } from '../src/index.ts';
import { startPoolingProxy } from './server/pooling-proxy.ts';
import { createTestDatabase, type TestDatabase } from './server/test-database.ts';

const silent = () => undefined;
const HASH = 'f'.repeat(64);
const KEY = { applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1' };
/** Resources of a test, closed in reverse order. */
const closing: (() => Promise<void>)[] = [];
let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await database.drop();
});

/** A storage over a pool of the host's, whose sessions can be asked. */
async function openWorld(url = database.url) {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const warnings: string[] = [];
  const logger = { debug: silent, info: silent, warn: (text: string) => void warnings.push(text), error: silent };
  const storage = postgres({ pool, clock: systemClock, listen: false, logger });
  await storage.open();
  const application = { id: 'app_1', name: 'One', redirectUrls: [], createdAt: 1, updatedAt: 1, deletedAt: null };
  await storage.applications.create(application);
  await storage.apiKeys.create({
    id: 'key_1',
    applicationId: 'app_1',
    name: 'Key',
    hash: HASH,
    readOnly: false,
    canReadCredentials: true,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: 1,
  });
  const look = async () => {
    const found = await storage.apiKeys.findByHash(HASH);
    await storage.reads.start('app_1', 'acc_1', ['cal_1']);
    return found?.id;
  };
  const countNamed = async () =>
    (await pool.query("select name from pg_prepared_statements where name like 'kalends_%'")).rows.length;
  closing.push(async () => {
    await storage.close();
    await pool.end();
  });
  const claim = async (name: string) => (await storage.pulls.begin(KEY, { name, ttlMs: 60_000 })).epoch !== undefined;
  return { pool, look, claim, countNamed, warnings };
}

describe('statements that come with every request', () => {
  test('are prepared once in a session', async () => {
    const world = await openWorld();
    for (let turn = 0; turn < 3; turn += 1) expect(await world.look()).toBe('key_1');
    expect(await world.countNamed()).toBe(2);
  });

  test.each([
    ['a session has lost them', 'deallocate all', 0],
    [
      'a migration of another process has changed their tables',
      'alter table kalends_api_key alter column name type varchar(200)',
      2,
    ],
  ])('go on unnamed when %s', async (_, change, named) => {
    const world = await openWorld();
    expect(await world.look()).toBe('key_1');
    await world.pool.query(change);
    expect(await world.look()).toBe('key_1');
    expect(await world.look()).toBe('key_1');
    expect(await world.countNamed()).toBe(named);
    expect(world.warnings).toHaveLength(1);
  });

  test('go on unnamed behind a proxy that hands sessions on without their statements', async () => {
    const proxy = await startPoolingProxy(database.url);
    closing.push(() => proxy.close());
    const world = await openWorld(proxy.urlOf(database.url));
    for (let turn = 0; turn < 20; turn += 1) expect(await world.look()).toBe('key_1');
    // Each of the server's three sessions in its turn: the first two have been given a statement, the third had not one.
    let named = 0;
    for (let session = 0; session < 3; session += 1) named += await world.countNamed();
    expect(named).toBe(2);
  });
});

describe('statements that are sent together', () => {
  test('are prepared once in a session, and go on unnamed when it has lost them', async () => {
    const world = await openWorld();
    for (const name of ['a', 'b', 'c']) expect(await world.claim(name)).toBe(true);
    expect(await world.countNamed()).toBe(2);
    await world.pool.query('deallocate all');
    expect(await world.claim('d')).toBe(true);
    expect(await world.claim('d')).toBe(false);
    expect([await world.countNamed(), world.warnings.length]).toEqual([0, 1]);
  });

  test('go on unnamed behind a proxy that hands sessions on without their statements', async () => {
    const proxy = await startPoolingProxy(database.url);
    closing.push(() => proxy.close());
    const world = await openWorld(proxy.urlOf(database.url));
    for (let turn = 0; turn < 20; turn += 1) {
      expect(await world.claim(`lease ${turn}`)).toBe(true);
      expect(await world.claim(`lease ${turn}`)).toBe(false);
    }
    expect(world.warnings).toHaveLength(1);
  });
});
