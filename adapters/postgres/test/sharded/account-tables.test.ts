import pg from 'pg';
import { expect, test } from 'vitest';
import { ACCOUNT_TABLES, accountOfLease, NUMBERED_TABLES, OTHER_TABLES } from '../../src/sharded/account-tables.ts';
import { databasePool } from '../server/database-pool.ts';

async function ask<Row>(url: string, text: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

test('it is decided of every table whether its rows move with their account', async () => {
  const database = await databasePool.take();
  const tables = await ask<{ readonly name: string }>(
    database.url,
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const numbered = await ask<{ readonly name: string }>(
    database.url,
    `select table_name as name from information_schema.columns
      where table_schema = 'public' and is_identity = 'YES' order by 1`,
  );
  await databasePool.giveBack(database);
  const decided = [...ACCOUNT_TABLES.map(({ name }) => name), ...Object.keys(OTHER_TABLES)];
  expect(decided.toSorted()).toEqual(tables.map(({ name }) => name));
  expect(numbered.map(({ name }) => name)).toEqual(NUMBERED_TABLES.toSorted());
});

test('a lease is that of an account by its name', () => {
  expect(accountOfLease('account:acc_1')).toBe('acc_1');
  expect(accountOfLease('import:acc_1:imp_1')).toBe('acc_1');
  expect(accountOfLease('pull:app_1:acc_1:')).toBe('acc_1');
  expect(accountOfLease('pull:app_1:acc_1:https://dav.example/a:b\n')).toBe('acc_1');
  expect(accountOfLease('reconciliation:app_1:acc_1:cal')).toBe('acc_1');
  for (const name of ['refresh:acc_1', 'hold:acc_1:hld_1', 'move:acc_1', 'import:imp_1', 'pull', 'my account:acc_1']) {
    expect(accountOfLease(name)).toBeNull();
  }
});
