import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlDialect, Tables } from '@kalends/sql';
import type { Clock } from 'kalends/ports';
import type { OutageMemory } from 'kalends/runtime';
import { CompiledQuery, type Kysely, sql, type Transaction } from 'kysely';

const nothing = sql``;
const CONSTRAINT_UNIQUE = 2067;
const CONSTRAINT_PRIMARYKEY = 1555;

/** SQLite's side of the statements: there is one writer at a time, so nothing needs locking, and the process's clock is the storage's. */
export function sqliteDialect(clock: Clock, outages: OutageMemory, fault?: SqlDialect['fault']): SqlDialect {
  return {
    ...(fault === undefined ? {} : { fault }),
    ddl: { text: sql`text`, identity: sql`integer primary key autoincrement`, clustered: sql`without rowid` },
    forUpdate: nothing,
    forUpdateSkipLocked: nothing,
    lockFreeOf: () => '',
    hasLateral: false,
    hasArrays: false,
    placeholder: () => '?',
    now: async () => clock.now(),
    runOutBy: outages.runOutBy,
    transaction: (database, work) => database.transaction().execute(work),
    async execute<Row>(database: Kysely<Tables>, text: string, parameters: unknown[]) {
      const { rows } = await database.executeQuery<Row>(CompiledQuery.raw(text, parameters));
      return rows;
    },
    async together(works) {
      for (const work of works) await work();
    },
    // Processes that share a file find each other's work by looking.
    announce: () => {},
    pause: () => nextTurn(),
    afterMigration: setStatistics,
    // The transaction holds the database's only write lock.
    lockSchema: async () => {},
    isUniqueViolation: (error) =>
      error instanceof Error &&
      'sqliteExtendedCode' in error &&
      (error.sqliteExtendedCode === CONSTRAINT_UNIQUE || error.sqliteExtendedCode === CONSTRAINT_PRIMARYKEY),
  };
}

/**
 * Rows in an index, and rows for each value of its first columns, as ANALYZE counts them. Without any SQLite takes a
 * whole collection for as small as one item of it; with these it chooses alike in an empty database and in a full one.
 * @see https://www.sqlite.org/optoverview.html (manual control of query plans using sqlite_stat tables)
 */
const STATISTICS = [
  ['collection', 'sqlite_autoindex_collection_1', '1000 10 1'],
  ['item_version', 'item_version', '1000000 5000 3 2 1'],
  ['item_version', 'item_version_touched', '1000000 5000 20 1 1'],
  ['item_version', 'item_version_range', '1000000 5000 1500 2'],
  ['item_version', 'item_version_member', '100000 1000 3 1'],
  ['delivery', 'delivery', '100000 1'],
  ['delivery', 'delivery_due', '100000 10'],
  ['delivery', 'delivery_lane', '10000 1000 100 2 1'],
  ['item_body', 'sqlite_autoindex_item_body_1', '1000000 5000 1'],
] as const;

async function setStatistics(transaction: Transaction<Tables>): Promise<void> {
  await sql`analyze`.execute(transaction);
  for (const [table, index, counts] of STATISTICS) {
    await sql`delete from sqlite_stat1 where tbl = ${table} and idx = ${index}`.execute(transaction);
    await sql`insert into sqlite_stat1 (tbl, idx, stat) values (${table}, ${index}, ${counts})`.execute(transaction);
  }
  await sql`analyze sqlite_schema`.execute(transaction);
}
