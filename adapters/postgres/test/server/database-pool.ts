import { postgres } from '@kalends/postgres';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

/** Migrated, empty databases for tests that follow each other: emptying one costs far less than making one. */
export interface DatabasePool {
  take(): Promise<TestDatabase>;
  /** Empties it for the next one. */
  giveBack(database: TestDatabase): Promise<void>;
  drop(): Promise<void>;
}

export function createDatabasePool(): DatabasePool {
  const all: TestDatabase[] = [];
  const free: TestDatabase[] = [];
  return {
    async take() {
      const used = free.pop();
      if (used !== undefined) return used;
      const database = await createTestDatabase();
      all.push(database);
      const storage = postgres({ connectionString: database.url, listen: false });
      await storage.open();
      await storage.close();
      return database;
    },
    async giveBack(database) {
      await empty(database.url);
      free.push(database);
    },
    async drop() {
      for (const database of all) await database.drop();
    },
  };
}

async function empty(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly name: string }>(`
      select quote_ident(tablename) as name from pg_tables
      where schemaname = 'public' and tablename <> 'kalends_migration'`);
    await client.query(`truncate ${rows.map(({ name }) => name).join(', ')} restart identity cascade`);
  } finally {
    await client.end();
  }
}
