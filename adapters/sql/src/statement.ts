import { CompiledQuery, type Kysely } from 'kysely';
import type { SqlDialect } from './dialect.ts';
import type { Tables } from './schema.ts';

/** What a parameter of a statement may be. */
export type SqlValue = string | number | null;

interface Expansion {
  readonly rows: readonly (readonly SqlValue[])[];
  /** Text around each row. */
  readonly brackets: boolean;
}

/** Sizes that lists and batches are padded or cut to, so that few texts serve all lengths and prepared statements are met again. */
const SIZES = [256, 64, 16, 4, 1] as const;

/** Greatest number of values that `inList` takes. */
export const LIST_LIMIT = SIZES[0];

/** A bracketed list behind `in`: padded with its last value, which changes nothing. At most LIST_LIMIT values; empty: no value matches. */
export function inList(values: readonly SqlValue[]): Expansion {
  const size = SIZES.findLast((candidate) => candidate >= values.length) ?? SIZES[0];
  const last = values.at(-1) ?? null;
  return { rows: Array.from({ length: size }, (_, index) => [values[index] ?? last]), brackets: false };
}

/** Rows behind `values`. */
export function valueRows(rows: readonly (readonly SqlValue[])[]): Expansion {
  return { rows, brackets: true };
}

/** Cuts a batch into pieces of a few standard sizes. */
export function batches<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const pieces: (readonly Item[])[] = [];
  let start = 0;
  for (const size of SIZES) {
    for (; items.length - start >= size; start += size) pieces.push(items.slice(start, start + size));
  }
  return pieces;
}

/** Cuts ids into lists that `inList` takes. */
export function lists<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / LIST_LIMIT) }, (_, index) =>
    items.slice(index * LIST_LIMIT, (index + 1) * LIST_LIMIT),
  );
}

/**
 * A statement as text: for the mirror's batches, where building kysely's tree would cost more than the database.
 * Resolves with the rows that it returns.
 */
export function statement(dialect: SqlDialect, database: Kysely<Tables>) {
  return async <Row = never>(
    strings: TemplateStringsArray,
    ...values: readonly (SqlValue | Expansion)[]
  ): Promise<readonly Row[]> => {
    const parameters: SqlValue[] = [];
    const place = (value: SqlValue) => dialect.placeholder(parameters.push(value));
    let text = strings[0] ?? '';
    for (const [index, value] of values.entries()) {
      text += value !== null && typeof value === 'object' ? expand(value, place) : place(value);
      text += strings[index + 1];
    }
    const { rows } = await database.executeQuery<Row>(CompiledQuery.raw(text, parameters));
    return rows;
  };
}

function expand({ rows, brackets }: Expansion, place: (value: SqlValue) => string): string {
  if (!brackets) return `(${rows.map(([value]) => place(value ?? null)).join(', ')})`;
  return rows.map((row) => `(${row.map(place).join(', ')})`).join(', ');
}
