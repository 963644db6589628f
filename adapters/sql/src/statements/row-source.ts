import type { SqlDialect } from './dialect.ts';
import { batches, filled, type Piece, piece, type SqlValue, valueRows } from './statement.ts';

export type ColumnType = 'bigint' | 'double precision' | 'text';

/**
 * Returns rows to select from, their columns named `column1` and so on, in as many pieces as the database wants. In PostgreSQL
 * a parameter for each value costs as much as storing it, so each column is one parameter there.
 */
export function rowSources(
  { hasArrays }: SqlDialect,
  rows: readonly (readonly SqlValue[])[],
  types: readonly ColumnType[],
): readonly Piece[] {
  if (rows.length === 0) return [];
  return hasArrays ? [columnArrays(rows, types)] : batches(rows).map((batch) => piece`(values ${valueRows(batch)})`);
}

/**
 * Returns 1 to LIST_LIMIT rows as one piece of a standard size, padded with rows of nulls. Their number is in the text, so that
 * one plan can be kept for any rows; PostgreSQL plans an array anew each time, for its length.
 */
export function rowsOfStandardSize(rows: readonly (readonly SqlValue[])[]): Piece {
  const nulls = (rows[0] ?? []).map(() => null);
  return piece`(values ${valueRows(filled(rows, nulls))})`;
}

function columnArrays(rows: readonly (readonly SqlValue[])[], types: readonly ColumnType[]): Piece {
  const names = types.map((_, index) => `column${index + 1}`);
  const between = types.map((type, index) => `::${type}[]${index < types.length - 1 ? ', ' : ''}`);
  return {
    strings: ['unnest(', ...between.slice(0, -1), `${between.at(-1)}) as rows (${names.join(', ')})`],
    parts: types.map((_, index) => ({ array: rows.map((row) => row[index] ?? null) })),
  };
}
