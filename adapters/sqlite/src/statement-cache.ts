import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite';
import { bind } from './bind.ts';

export interface CachedStatement {
  readonly statement: StatementSyncInstance;
  readonly returnsRows: boolean;
}

/** Beyond this many the statement that was made first goes. */
const CAPACITY = 500;

export type SqliteDatabase = InstanceType<typeof DatabaseSync>;

/** A database whose statements are prepared once: preparing costs as much as running. */
export interface CachingDatabase {
  execute(
    text: string,
    parameters: readonly unknown[],
  ): { readonly rows: readonly unknown[]; readonly changes: number | undefined };
  close(): void;
}

export function openDatabase(path: string, pragmas: readonly string[]): CachingDatabase {
  const database = new DatabaseSync(path);
  for (const pragma of pragmas) database.exec(`pragma ${pragma}`);
  const statements = new Map<string, CachedStatement>();

  const prepare = (text: string): CachedStatement => {
    const cached = statements.get(text);
    if (cached !== undefined) return cached;
    const statement = database.prepare(text);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    statements.set(text, prepared);
    const oldest = statements.size > CAPACITY ? statements.keys().next().value : undefined;
    if (oldest !== undefined) statements.delete(oldest);
    return prepared;
  };

  return {
    execute(text, parameters) {
      const { statement, returnsRows } = prepare(text);
      const values = bind(parameters);
      if (returnsRows) return { rows: statement.all(...values), changes: undefined };
      return { rows: [], changes: statement.run(...values).changes };
    },
    close: () => {
      statements.clear();
      database.close();
    },
  };
}
