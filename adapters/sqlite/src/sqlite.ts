import { createSqlStorage, type Tables } from '@kalends/sql';
import type { Clock, Storage } from 'kalends/ports';
import { systemClock } from 'kalends/runtime';
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { sqliteDialect } from './sqlite-dialect.ts';
import { SqliteDriver, type SqliteDriverOptions } from './sqlite-driver.ts';

export interface SqliteOptions {
  /** A file, created when there is none, or `:memory:`. */
  readonly path: string;
  /** Decides about leases and due work. @default the system clock */
  readonly clock?: Clock;
}

const PRAGMAS = ['busy_timeout = 0', 'foreign_keys = on', 'synchronous = full'];

/**
 * A storage in a SQLite file, or in memory for as long as it is open. Several processes may open one file: their
 * transactions take turns, and waiting for a turn does not block the event loop. Commits are durable when they resolve.
 */
export function sqlite({ path, clock = systemClock }: SqliteOptions): Storage {
  const dialect = sqliteDialect(clock);
  if (path === ':memory:') return createSqlStorage({ database: connect(path, PRAGMAS, true), dialect });
  const pragmas = [...PRAGMAS, 'journal_mode = wal'];
  return createSqlStorage({
    database: connect(path, pragmas, true),
    // A second connection sees committed data only, and never waits for a transaction of the first.
    reader: connect(path, [...pragmas, 'query_only = on'], false),
    dialect,
  });
}

function connect(path: string, pragmas: readonly string[], isExclusive: boolean): Kysely<Tables> {
  const options: SqliteDriverOptions = { path, pragmas, isExclusive };
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new SqliteDriver(options),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}
