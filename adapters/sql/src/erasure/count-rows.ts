import type { Trace } from 'kalends/ports';
import type { SqlContext } from '../context.ts';
import { LIST_LIMIT } from '../statements/statement.ts';
import { keyOf } from './schema-columns.ts';

/** Adds a parameter to a statement and returns its text. */
export type Place = (value: unknown) => string;

/** A condition for the rows of a table, on one column. */
export interface Search {
  readonly column: string;
  /** Returns the text of the value that is looked at; `place` is to be called in the text's order. @default the column's own */
  readonly value?: (place: Place) => string;
  /** Returns the text of the condition for a value of this name. */
  readonly isFound: (value: string, place: Place) => string;
}

/**
 * Counts the rows of a table in which each search finds something. It reads the table in the order of its key, a few rows with
 * each statement: one for a whole table of gigabytes would outlast the timeout of a statement, and block the event loop where the
 * database is a file. No row that is there all the time is passed over.
 */
export async function countRows(
  context: SqlContext,
  table: string,
  searches: readonly Search[],
): Promise<readonly Trace[]> {
  const { dialect } = context;
  const key = keyOf(table);
  const counts = searches.map(() => 0);
  let last: Row | undefined;
  do {
    const rows = await readPart(context, { table, key, after: last }, searches);
    for (const row of rows) {
      for (const index of counts.keys()) counts[index] = (counts[index] ?? 0) + Number(row[`n${index}`]);
    }
    last = rows[LIST_LIMIT - 1];
    await dialect.pause();
  } while (last !== undefined);
  return searches.map(({ column }, index) => ({ table, column, rows: counts[index] ?? 0 }));
}

type Row = Readonly<Record<string, unknown>>;

interface Part {
  readonly table: string;
  readonly key: readonly string[];
  /** The row before the first. */
  readonly after: Row | undefined;
}

/** Reads the rows of a part: their keys, and for each search whether it finds something. */
function readPart(
  { reader, dialect }: SqlContext,
  { table, key: columns, after }: Part,
  searches: readonly Search[],
): Promise<readonly Row[]> {
  const key = columns.join(', ');
  const parameters: unknown[] = [];
  const place: Place = (value) => dialect.placeholder(parameters.push(value));
  // In the order of the statement: places of SQLite have no numbers.
  const found = searches.map(
    ({ isFound }, index) => `case when ${isFound(`v${index}`, place)} then 1 else 0 end as n${index}`,
  );
  const values = searches.map(({ column, value = () => column }, index) => `${value(place)} as v${index}`);
  const where =
    after === undefined ? '' : `where (${key}) > (${columns.map((column) => place(after[column])).join(', ')})`;
  const part = `select ${[key, ...values].join(', ')} from ${table} ${where} order by ${key} limit ${LIST_LIMIT}`;
  const text = `select ${[key, ...found].join(', ')} from (${part}) as part order by ${key}`;
  return dialect.execute<Row>(reader, text, parameters, false);
}
