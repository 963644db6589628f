import { manualClock } from '@kalends/conformance';
import { createSqlStorage, type Tables } from '@kalends/sql';
import type { ItemWrite, Storage } from 'kalends/ports';
import { createOutageMemory } from 'kalends/runtime';
import { Kysely } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { kyselyDialect } from '../../../sqlite/src/kysely-dialect.ts';
import { sqliteDialect } from '../../../sqlite/src/sqlite-dialect.ts';
import { openWithAccount } from './mirror-account.ts';

// Rows that no read shows any more must not stay behind.

const KEY = { applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1' };

let database: Kysely<Tables>;
let storage: Storage;
beforeEach(async () => {
  const clock = manualClock();
  database = new Kysely<Tables>({
    dialect: kyselyDialect({ path: ':memory:', pragmas: ['foreign_keys = on'], isExclusive: true }),
  });
  storage = await openWithAccount(
    createSqlStorage({ database, dialect: sqliteDialect(clock, createOutageMemory(clock)) }),
  );
  await storage.mirror.ensure(KEY, { at: 0, tag: 't0', timeZone: 'UTC' });
});
afterEach(() => storage.close());

const rowsOf = async (table: keyof Tables) => (await database.selectFrom(table).selectAll().execute()).length;
const item = (itemId: string, content: unknown): ItemWrite => ({
  itemId,
  groupId: itemId,
  content,
  etag: content === null ? '' : `etag of ${content}`,
  providerTag: null,
  mappingVersion: 1,
  rangeStart: 0,
  rangeEnd: 1,
});
async function commit(at: number, ...writes: readonly ItemWrite[]) {
  const { writeCount = 0 } = (await storage.mirror.find(KEY)) ?? {};
  await storage.mirror.commit(KEY, { writes, basedOn: writeCount, at, tag: `t${at}` });
}

describe('a purge', () => {
  beforeEach(async () => {
    await commit(10, item('a', 1), item('b', 1));
    await commit(20, item('a', 2));
    await commit(30, item('b', null));
  });

  test('removes versions, bodies and revisions below its line, and nothing before there are any', async () => {
    await storage.mirror.purge({ before: 15, limit: 100 });
    expect([await rowsOf('kalends_item_version'), await rowsOf('kalends_item_body')]).toEqual([4, 3]);
    await storage.mirror.purge({ before: 100, limit: 100 });
    expect([await rowsOf('kalends_item_version'), await rowsOf('kalends_item_body')]).toEqual([1, 1]);
    expect(await rowsOf('kalends_revision_log')).toBe(1);
  });

  test('in parts removes as much as at once', async () => {
    while ((await storage.mirror.purge({ before: 100, limit: 1 })) === 1);
    expect([await rowsOf('kalends_item_version'), await rowsOf('kalends_item_body')]).toEqual([1, 1]);
    expect(await rowsOf('kalends_revision_log')).toBe(1);
  });
});

test('the end of a sweep removes its marks, as the start of another does', async () => {
  const sweep = async () => {
    const { generation } = await storage.mirror.startSweep(KEY);
    const { writeCount = 0 } = (await storage.mirror.find(KEY)) ?? {};
    const seen = { generation, itemIds: ['a', 'b'] };
    await storage.mirror.commit(KEY, { writes: [], basedOn: writeCount, at: 10, tag: 't', seen });
    return generation;
  };
  const first = await sweep();
  expect(await rowsOf('kalends_seen_item')).toBe(2);
  const second = await sweep();
  expect(second).not.toBe(first);
  expect(await rowsOf('kalends_seen_item')).toBe(2);
  expect(await storage.mirror.endSweep(KEY, first)).toBe(false);
  expect(await rowsOf('kalends_seen_item')).toBe(2);
  expect(await storage.mirror.endSweep(KEY, second)).toBe(true);
  expect(await rowsOf('kalends_seen_item')).toBe(0);
});

test('a removed collection leaves no row', async () => {
  await commit(10, item('a', 1));
  await storage.mirror.addRereads(KEY, ['a']);
  await storage.mirror.remove(KEY, { at: 20, messageId: () => 'msg_1' });
  for (const table of [
    'kalends_collection',
    'kalends_item_version',
    'kalends_item_body',
    'kalends_revision_log',
    'kalends_reread',
  ] as const)
    expect([table, await rowsOf(table)]).toEqual([table, 0]);
});
