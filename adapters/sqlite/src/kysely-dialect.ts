import { type Dialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { SqliteDriver, type SqliteDriverOptions } from './sqlite-driver.ts';

/** Kysely over one connection of our driver. */
export function kyselyDialect(options: SqliteDriverOptions): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(options),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}
