import pg from 'pg';
import { openDatabase } from '../../adapters/sqlite/src/statement-cache.ts';
import { isPostgres } from './storage-at.ts';

type Row = Readonly<Record<string, unknown>>;

/** Reads the tables of a database, past the storage. */
export interface DatabaseRows {
  /** Names of all tables of kalends. */
  tables(): Promise<readonly string[]>;
  /** All rows of the tables, by table; in the order of the database. */
  read(tables: readonly string[]): Promise<Readonly<Record<string, readonly Row[]>>>;
  close(): Promise<void>;
}

/** @param database a path or an address, as `storageAt` takes it */
export async function openRows(database: string): Promise<DatabaseRows> {
  const { run, close } = isPostgres(database) ? await onPostgres(database) : onSqlite(database);
  const ofTables = isPostgres(database)
    ? `select tablename as name from pg_tables where tablename like 'kalends%' order by 1`
    : `select name from sqlite_master where type = 'table' and name like 'kalends%' order by 1`;
  return {
    async tables() {
      return (await run(ofTables)).map(({ name }) => String(name));
    },
    async read(tables) {
      const rows = [];
      for (const table of tables) rows.push([table, await run(`select * from ${table}`)] as const);
      return Object.fromEntries(rows);
    },
    close,
  };
}

interface Reader {
  readonly run: (sql: string) => Promise<readonly Row[]>;
  readonly close: () => Promise<void>;
}

function onSqlite(database: string): Reader {
  const file = openDatabase(database, ['busy_timeout = 1000', 'query_only = on']);
  return {
    run: async (sql) => file.execute(sql, []).rows as readonly Row[],
    close: async () => file.close(),
  };
}

async function onPostgres(database: string): Promise<Reader> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  return { run: async (sql) => (await client.query(sql)).rows, close: () => client.end() };
}
