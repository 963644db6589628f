import type { SqlDialect } from '@kalends/sql';
import type { Clock } from 'kalends/ports';
import { sql } from 'kysely';

const nothing = sql``;
const CONSTRAINT_UNIQUE = 2067;
const CONSTRAINT_PRIMARYKEY = 1555;

/** SQLite's side of the statements: there is one writer at a time, so nothing needs locking, and the process's clock is the storage's. */
export function sqliteDialect(clock: Clock): SqlDialect {
  return {
    ddl: { text: sql`text`, identity: sql`integer primary key autoincrement`, clustered: sql`without rowid` },
    forUpdate: nothing,
    forUpdateSkipLocked: nothing,
    placeholder: () => '?',
    now: async () => clock.now(),
    transaction: (database, work) => database.transaction().execute(work),
    // The transaction holds the database's only write lock.
    lockSchema: async () => {},
    isUniqueViolation: (error) =>
      error instanceof Error &&
      'sqliteExtendedCode' in error &&
      (error.sqliteExtendedCode === CONSTRAINT_UNIQUE || error.sqliteExtendedCode === CONSTRAINT_PRIMARYKEY),
  };
}
