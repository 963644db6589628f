import type { SqlDialect, TableLocation, Tables, WrittenStatement } from '@kalends/sql';
import type { Clock } from 'kalends/ports';
import { nextTurn, type OutageMemory } from 'kalends/runtime';
import { CompiledQuery, type Kysely } from 'kysely';
import { joinedBatches } from './joined-batches.ts';

export const DDL: SqlDialect['ddl'] = {
  text: 'text',
  identity: 'integer primary key autoincrement',
  // Only a primary key counts up by itself.
  numbered: { column: 'integer primary key autoincrement', key: 'unique' },
  clustered: 'without rowid',
};

const CONSTRAINT_UNIQUE = 2067;
const CONSTRAINT_PRIMARYKEY = 1555;

/** SQLite's side of the statements: there is one writer at a time, so no row needs a lock, and the storage's clock is the process's. */
export function sqliteDialect(clock: Clock, outages: OutageMemory, fault?: SqlDialect['fault']): SqlDialect {
  return {
    ...(fault === undefined ? {} : { fault }),
    ddl: DDL,
    forUpdate: '',
    forUpdateSkipLocked: '',
    lockFreeOf: () => '',
    hasLateral: false,
    hasArrays: false,
    placeholder: () => '?',
    now: async () => clock.now(),
    clock: () => clock.now(),
    runOutBy: outages.runOutBy,
    transaction: (database, work) => database.transaction().execute(work),
    // The commit comes when the work has ended: a call, no round trip.
    finish: runInTurn,
    batch: joinedBatches((database, take) =>
      database.transaction().execute(async (transaction) => {
        const answers: Awaited<ReturnType<typeof runInTurn>>[] = [];
        for (const write of take()) answers.push(await runInTurn(transaction, write()));
        return answers;
      }),
    ),
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
    settle: emptyLog,
    locate,
    afterMigration: AFTER_MIGRATION,
    // The transaction holds the database's only write lock.
    lockSchema: async () => {},
    isUniqueViolation: (error) =>
      error instanceof Error &&
      'sqliteExtendedCode' in error &&
      (error.sqliteExtendedCode === CONSTRAINT_UNIQUE || error.sqliteExtendedCode === CONSTRAINT_PRIMARYKEY),
    isWrongTable: (error) => error instanceof Error && /^no such (table|column)/.test(error.message),
  };
}

async function runInTurn(transaction: Kysely<Tables>, statements: readonly WrittenStatement[]) {
  const answers: (readonly unknown[])[] = [];
  for (const { text, parameters } of statements) {
    const { rows } = await transaction.executeQuery(CompiledQuery.raw(text, [...parameters]));
    answers.push(rows);
  }
  return answers;
}

/**
 * Rows in an index, and rows for each value of its first columns, as ANALYZE counts them. Without statistics SQLite expects a
 * whole collection to be as small as one item of it; with these it chooses the same plan in an empty database as in a full one.
 * @see https://www.sqlite.org/optoverview.html (manual control of query plans using sqlite_stat tables)
 */
const STATISTICS = [
  ['kalends_collection', 'sqlite_autoindex_kalends_collection_1', '1000 10 1'],
  ['kalends_item_version', 'kalends_item_version', '1000000 50000 5000 3 2 1'],
  ['kalends_item_version', 'kalends_item_version_touched', '1000000 50000 5000 20 1 1'],
  ['kalends_item_version', 'kalends_item_version_range', '1000000 50000 5000 1500 2'],
  ['kalends_item_version', 'kalends_item_version_member', '100000 10000 1000 3 1'],
  ['kalends_delivery', 'kalends_delivery', '100000 1'],
  ['kalends_delivery', 'kalends_delivery_due', '100000 10'],
  ['kalends_delivery', 'kalends_delivery_lane', '10000 1000 100 2 1'],
  ['kalends_item_body', 'sqlite_autoindex_kalends_item_body_1', '1000000 50000 5000 1'],
] as const;

/** The first statement makes the table of statistics; the last has them read again. The host's tables keep theirs. */
const AFTER_MIGRATION: readonly string[] = [
  'analyze kalends_collection',
  ...STATISTICS.flatMap(([table, index, counts]) => [
    `delete from sqlite_stat1 where tbl = '${table}' and idx = '${index}'`,
    `insert into sqlite_stat1 (tbl, idx, stat) values ('${table}', '${index}', '${counts}')`,
  ]),
  'analyze sqlite_schema',
];

async function locate(database: Kysely<Tables>, names: readonly string[]): Promise<TableLocation> {
  // SQLite takes names that differ in case alone for the same.
  const text = `select lower(name) as name from sqlite_schema where lower(name) in (${names.map(() => '?').join(', ')})`;
  const { rows } = await database.executeQuery<{ readonly name: string }>(CompiledQuery.raw(text, [...names]));
  return { schema: null, isSchemaMissing: false, existing: rows.map(({ name }) => name), shadowed: null };
}

/** Tries of the log's truncation, which readers of other processes hold up. */
const LOG_TRIES = 5;

/** Copies the log into the file and truncates it: it has the pages as they were before rows were removed. */
async function emptyLog(database: Kysely<Tables>): Promise<void> {
  for (let tries = 0; tries < LOG_TRIES; tries++) {
    const { rows } = await database.executeQuery<{ readonly busy: number }>(
      CompiledQuery.raw('pragma wal_checkpoint(truncate)'),
    );
    if (rows[0]?.busy !== 1) return;
    await nextTurn();
  }
}
