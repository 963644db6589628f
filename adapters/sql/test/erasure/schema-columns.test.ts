import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '@kalends/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../sqlite/src/statement-cache.ts';
import { accountColumns, keyOf, textColumns } from '../../src/erasure/schema-columns.ts';

interface Column {
  readonly name: string;
  readonly column: string;
  readonly type: string;
}

async function openSchema() {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'kalends.db');
  const storage = sqlite({ path });
  await storage.open();
  await storage.close();
  const database = openDatabase(path, []);
  onTestFinished(() => database.close());
  return database;
}

it('knows every column of text that a database has, and every table of an account', async () => {
  const database = await openSchema();
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
  expect(
    accountColumns()
      .map(({ table }) => table)
      .sort(),
  ).toEqual(ofAccounts.sort());
  const sealed = textColumns().filter(({ isSealed }) => isSealed);
  const named = texts.filter((name) => /sealed|wrapped/.test(name));
  expect(sealed.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(named);
});

it('knows columns of each table that are unique together', async () => {
  const database = await openSchema();
  const keys = database.execute(
    `select name, group_concat(column, ', ') as columns from (
      select m.name, 'primary' as key, c.name as column, c.pk as position
        from sqlite_master m, pragma_table_info(m.name) c where c.pk > 0
      union all select m.name, i.name, c.name, c.seqno from sqlite_master m, pragma_index_list(m.name) i, pragma_index_info(i.name) c
        where i."unique" = 1 and i.partial = 0
      order by 1, 2, 4) group by name, key`,
    [],
  ).rows as readonly { readonly name: string; readonly columns: string }[];
  const tables = new Set(textColumns().map(({ table }) => table));
  expect(tables.size).toBeGreaterThan(25);
  for (const table of tables) {
    const ofTable = keys.filter(({ name }) => name === table).map(({ columns }) => columns);
    expect(ofTable).toContain(keyOf(table).join(', '));
  }
});
