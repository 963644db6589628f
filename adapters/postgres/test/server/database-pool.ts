import { postgres } from '@kalends/postgres';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

/** A test that left a transaction open fails here. */
const LOCK_TIMEOUT_MS = 10_000;
const free: TestDatabase[] = [];

/**
 * Migrated, empty databases for tests that follow each other: emptying one costs far less than making one. Files that share
 * a worker share them; the end of the run drops them.
 */
export const databasePool = {
  async take(): Promise<TestDatabase> {
    const used = free.pop();
    if (used !== undefined) return used;
    const database = await createTestDatabase();
    const storage = postgres({ connectionString: database.url, listen: false });
    await storage.open();
    await storage.close();
    return database;
  },
  /** Empties the database for the next test. */
  async giveBack(database: TestDatabase): Promise<void> {
    await emptyDatabase(database.url);
    free.push(database);
  },
};

/** Removes all rows of a migrated database. */
export async function emptyDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: `-c lock_timeout=${LOCK_TIMEOUT_MS}` });
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly name: string }>(`
      select quote_ident(tablename) as name from pg_tables
      where schemaname = 'public' and tablename <> 'kalends_migration'`);
    // A tenth of what `truncate` takes with few rows. In one statement, because foreign keys are checked at its end.
    const deletes = rows.map(({ name }, index) => `d${index} as (delete from ${name})`);
    await client.query(
      `with ${deletes.join(', ')} select setval(seqrelid::regclass, seqstart, false) from pg_sequence`,
    );
  } finally {
    await client.end();
  }
}
