import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '@kalends/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../sqlite/src/statement-cache.ts';
import { accountTables, textColumns } from '../../src/erasure/schema-columns.ts';

interface Column {
  readonly name: string;
  readonly column: string;
  readonly type: string;
}

it('knows every column of text that a database has, and every table of an account', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'kalends.db');
  const storage = sqlite({ path });
  await storage.open();
  await storage.close();
  const database = openDatabase(path, []);
  onTestFinished(() => database.close());
  const columns = database.execute(
    `select m.name, c.name as column, lower(c.type) as type from sqlite_master m, pragma_table_info(m.name) c
      where m.type = 'table' and m.name like 'kalends%' and m.name <> 'kalends_migration'`,
    [],
  ).rows as readonly Column[];

  expect([...new Set(columns.map(({ type }) => type))].sort()).toEqual([
    'bigint',
    'double precision',
    'integer',
    'smallint',
    'text',
  ]);
  const texts = columns.filter(({ type }) => type === 'text').map(({ name, column }) => `${name}.${column}`);
  expect(texts.length).toBeGreaterThan(90);
  expect(
    textColumns()
      .map(({ table, column }) => `${table}.${column}`)
      .sort(),
  ).toEqual(texts.sort());
  const ofAccounts = columns.filter(({ column }) => column === 'account_id').map(({ name }) => name);
  expect([...accountTables()].sort()).toEqual(ofAccounts.sort());
  const sealed = textColumns().filter(({ isSealed }) => isSealed);
  const named = texts.filter((name) => /sealed|wrapped/.test(name));
  expect(sealed.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(named);
});
