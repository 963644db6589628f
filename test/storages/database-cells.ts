import pg from 'pg';
import { openDatabase } from '../../adapters/sqlite/src/statement-cache.ts';
import { isPostgres } from './storage-at.ts';

type Row = Readonly<Record<string, unknown>>;

/** Reads and writes a database past the storage, as a thief of the database could. */
export interface DatabaseCells {
  /** Every column of every table of kalends. */
  columns(): Promise<readonly { readonly table: string; readonly column: string }[]>;
  rows(table: string): Promise<readonly Row[]>;
  /** Sets columns of the row with this `id`. */
  set(table: string, id: unknown, values: Readonly<Record<string, unknown>>): Promise<void>;
  close(): Promise<void>;
}

/** @param database a path or an address, as `storageAt` takes it */
export async function openCells(database: string): Promise<DatabaseCells> {
  const { run, parameter, columns, close } = isPostgres(database) ? await onPostgres(database) : onSqlite(database);
  return {
    async columns() {
      const found = await run(columns, []);
      return found.map(({ table_name, column_name }) => ({ table: String(table_name), column: String(column_name) }));
    },
    rows: (table) => run(`select * from ${table}`, []),
    async set(table, id, values) {
      const names = Object.keys(values);
      const assignments = names.map((name, index) => `${name} = ${parameter(index + 1)}`).join(', ');
      const where = `where id = ${parameter(names.length + 1)}`;
      await run(`update ${table} set ${assignments} ${where}`, [...Object.values(values), id]);
    },
    close,
  };
}

interface Opened {
  readonly run: (sql: string, values: readonly unknown[]) => Promise<readonly Row[]>;
  readonly parameter: (place: number) => string;
  /** Selects `table_name` and `column_name`. */
  readonly columns: string;
  readonly close: () => Promise<void>;
}

function onSqlite(database: string): Opened {
  const file = openDatabase(database, ['busy_timeout = 5000']);
  return {
    run: async (sql, values) => file.execute(sql, values).rows as readonly Row[],
    parameter: () => '?',
    columns: `select t.name as table_name, c.name as column_name from sqlite_master t, pragma_table_info(t.name) c
      where t.type = 'table' and t.name like 'kalends%' order by 1, 2`,
    close: async () => file.close(),
  };
}

async function onPostgres(database: string): Promise<Opened> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  return {
    run: async (sql, values) => (await client.query(sql, [...values])).rows,
    parameter: (place) => `$${place}`,
    columns: `select table_name, column_name from information_schema.columns where table_name like 'kalends%' order by 1, 2`,
    close: () => client.end(),
  };
}
