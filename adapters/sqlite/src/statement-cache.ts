import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite';
import { bind } from './bind.ts';
import { withSteadyPlan } from './steady-plan.ts';

interface CachedStatement {
  readonly statement: StatementSyncInstance;
  /** Names of the columns that it returns; none when it returns no rows. */
  readonly names: readonly string[];
}

/** Beyond this number the oldest statement is dropped. */
const CAPACITY = 500;

/** A database whose statements are prepared once: preparing costs as much as running. */
export interface CachingDatabase {
  execute(
    text: string,
    parameters: readonly unknown[],
  ): { readonly rows: readonly unknown[]; readonly changes: number | undefined };
  /** False also when SQLite has rolled the transaction back by itself. */
  readonly isInTransaction: boolean;
  /** Rows that the connection has changed since it was opened. */
  countChanges(): number;
  /** A number that each commit of another connection changes. */
  countCommits(): number;
  close(): void;
}

/** @param inText turns a statement's text into the one that is prepared */
export function openDatabase(
  path: string,
  pragmas: readonly string[],
  inText = (text: string) => text,
): CachingDatabase {
  const database = new DatabaseSync(path);
  try {
    for (const pragma of pragmas) database.exec(`pragma ${pragma}`);
  } catch (error) {
    // Another process may be creating the file: a retry opens it anew.
    database.close();
    throw error;
  }
  const statements = new Map<string, CachedStatement>();

  const prepare = (text: string): CachedStatement => {
    const cached = statements.get(text);
    if (cached !== undefined) return cached;
    const statement = database.prepare(withSteadyPlan(inText(text)));
    // Twice as fast as the driver's own objects, for ten columns.
    statement.setReturnArrays(true);
    const prepared = { statement, names: statement.columns().map(({ name }) => name) };
    statements.set(text, prepared);
    const oldest = statements.size > CAPACITY ? statements.keys().next().value : undefined;
    if (oldest !== undefined) statements.delete(oldest);
    return prepared;
  };

  return {
    execute(text, parameters) {
      const { statement, names } = prepare(text);
      const values = bind(parameters);
      if (names.length > 0)
        return { rows: statement.all(...values).map((row) => named(names, row)), changes: undefined };
      return { rows: [], changes: statement.run(...values).changes };
    },
    countChanges: () => Number(prepare('select total_changes()').statement.all().flat()[0]),
    countCommits: () => Number(prepare('pragma data_version').statement.all().flat()[0]),
    get isInTransaction() {
      return database.isTransaction;
    },
    close: () => {
      statements.clear();
      // The driver closes the file when its statements are collected, too late for SQLite's own checkpoint: without this one, a copy
      // of the file that is made after the end of the process would lack the latest changes.
      try {
        database.exec('pragma wal_checkpoint(truncate)');
      } catch {
        // Read-only, or in use, or the disk is full: the log stays beside the file.
      }
      database.close();
    },
  };
}

function named(names: readonly string[], row: readonly unknown[]): unknown {
  const result: Record<string, unknown> = {};
  // By index: an iterator takes as long as the driver itself.
  for (let index = 0; index < row.length; index += 1) result[names[index] ?? ''] = row[index];
  return result;
}
