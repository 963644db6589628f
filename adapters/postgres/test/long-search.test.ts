import { postgres } from '@kalends/postgres';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from './server/test-database.ts';

/** Rows whose search takes several times as long as a statement may. */
const ROWS = 12_000;
const STATEMENT_MS = 250;

test('a search for what is left takes longer than any statement may', { timeout: 60_000 }, async () => {
  const database = await createTestDatabase();
  const storage = postgres({ connectionString: database.url, listen: false, statementTimeoutMs: STATEMENT_MS });
  const client = new pg.Client({ connectionString: database.url });
  onTestFinished(async () => {
    await client.end();
    await storage.close();
    await database.drop();
  });
  await storage.open();
  await client.connect();
  await client.query(`insert into kalends_item_body (account_id, collection_id, body, content)
    select 'acc_gone', 1 + n % 3, n, repeat(md5(n::text) || ' Ünique text ', 33) || case when n % 3000 = 1 then 'JÜRGEN' else '' end
    from generate_series(1, ${ROWS}) n`);

  const found = await storage.erasure.find(['jürgen', 'bücher', 'ärger', 'größe']);
  expect(found).toEqual([{ table: 'kalends_item_body', column: 'content', rows: 4 }]);
  const { ownerless } = await storage.erasure.findOwnerless();
  expect(ownerless).toEqual([{ table: 'kalends_item_body', column: 'account_id', rows: ROWS }]);
});
