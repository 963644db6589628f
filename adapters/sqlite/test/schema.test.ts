import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '@kalends/sqlite';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, expect, test } from 'vitest';
import { schema } from '../../sql/src/migrations/0001-schema.ts';
import { checkDataOf0001, DATA_OF_0001 } from '../../sql/test/migrations/data-of-0001.ts';
import { DDL } from '../src/sqlite-dialect.ts';

const folder = mkdtempSync(join(tmpdir(), 'kalends-sqlite-schema-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = () => join(folder, `${++files}.db`);

/** Runs statements on a file past the storage. */
function onFile<Result>(path: string, work: (database: InstanceType<typeof DatabaseSync>) => Result): Result {
  const database = new DatabaseSync(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const namesIn = (path: string) =>
  onFile(path, (database) =>
    database
      .prepare(`select name from sqlite_schema where name not like 'sqlite_%' order by name`)
      .all()
      .map((row) => String((row as { name: unknown }).name)),
  );

async function migrated(options: Parameters<typeof sqlite>[0]): Promise<void> {
  const storage = sqlite(options);
  await storage.open();
  await storage.close();
}

test('every table and index has the prefix', async () => {
  const path = newFile();
  await migrated({ path });
  expect(namesIn(path).filter((name) => !name.startsWith('kalends_'))).toEqual([]);
  await migrated({ path, prefix: 'cal_' });
  const names = namesIn(path);
  expect(names.filter((name) => name.startsWith('cal_')).map((name) => name.slice(4))).toEqual(
    names.filter((name) => name.startsWith('kalends_')).map((name) => name.slice(8)),
  );
});

test('the planner has the same statistics under any prefix, and those of other tables stay', async () => {
  const path = newFile();
  onFile(path, (database) =>
    database.exec(`create table account (id int); create index account_id on account (id);
      insert into account values (1); analyze; update sqlite_stat1 set stat = '7 7'`),
  );
  await migrated({ path });
  await migrated({ path, prefix: 'cal_' });
  const statistics = onFile(path, (database) =>
    database
      .prepare('select tbl, idx, stat from sqlite_stat1')
      .all()
      .map((row) => JSON.stringify(row)),
  );
  expect(statistics).toContain('{"tbl":"account","idx":"account_id","stat":"7 7"}');
  const of = (prefix: string) =>
    statistics.filter((row) => row.includes(`"${prefix}`)).map((row) => row.replaceAll(prefix, '…'));
  expect(of('cal_').length).toBeGreaterThan(5);
  expect(of('cal_')).toEqual(of('kalends_'));
});

test('a table of another program is refused by name, and another prefix goes beside it', async () => {
  const path = newFile();
  onFile(path, (database) => database.exec('create table Kalends_Account (id int)'));
  await expect(migrated({ path })).rejects.toThrow(
    'The database has a table, index or type "kalends_account" that kalends did not create: choose other names by the option "prefix" of the storage',
  );
  expect(namesIn(path)).toEqual(['Kalends_Account']);
  await migrated({ path, prefix: 'cal_' });
});

test('a table of migrations of another program is refused by name', async () => {
  const path = newFile();
  onFile(path, (database) => database.exec('create table app_migration (id int, run_on text)'));
  await expect(migrated({ path, prefix: 'app_' })).rejects.toThrow(
    'has a table, index or type "app_migration" that kalends did not',
  );
});

test('a database from before the first release is refused with the command that makes a new one', async () => {
  const path = newFile();
  onFile(path, (database) =>
    database.exec(`create table kalends_migration (name text primary key); create table account (id text primary key);
      insert into kalends_migration values ('0001-initial'), ('0013-ended-calendars')`),
  );
  await expect(migrated({ path })).rejects.toThrow(
    /before the first release.*run "kalends migrate" .* on an empty database or a new file/,
  );
  expect(namesIn(path)).toEqual(['account', 'kalends_migration']);
});

test('the SQL of a migration brings a file up to date by hand', async () => {
  const path = newFile();
  const storage = sqlite({ path, prefix: 'cal_' });
  const statements = await storage.health.migrationSql();
  expect(statements.join('\n')).not.toContain('kalends_');
  expect(namesIn(path)).toEqual([]);
  onFile(path, (database) => database.exec(`begin; ${statements.join(';\n')}; commit`));
  expect((await storage.health.inspect()).isMigrated).toBe(true);
  expect(await storage.health.migrationSql()).toEqual([]);
  await storage.open();
  await storage.close();
});

test('a file that a later version has migrated stays usable to a process that had opened it', async () => {
  const path = newFile();
  const storage = sqlite({ path });
  await storage.open();
  onFile(path, (database) => database.exec(`insert into kalends_migration values ('9999-later')`));
  expect(await storage.health.inspect()).toMatchObject({ isMigrated: true, hasLaterMigrations: true });
  onFile(path, (database) => database.exec(`delete from kalends_migration where name like '0003%'`));
  expect(await storage.health.inspect()).toMatchObject({ isMigrated: false });
  await storage.close();
});

test('data of migration 0001 is carried along', async () => {
  const path = newFile();
  onFile(path, (database) => {
    const made = [
      'create table kalends_migration (name text primary key)',
      ...schema(DDL),
      `insert into kalends_migration values ('0001-schema')`,
    ];
    for (const text of [...made, ...DATA_OF_0001]) database.exec(text);
  });
  const storage = sqlite({ path });
  await storage.open();
  await checkDataOf0001(storage);
  await storage.close();
});
