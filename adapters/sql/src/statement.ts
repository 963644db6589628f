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

/** A piece of the statement's own text. */
export interface Fragment {
  readonly text: string;
}

export function fragment(text: string): Fragment {
  return { text };
}

/** Several values as one parameter, where the database has arrays. */
export interface ArrayValue {
  readonly array: readonly SqlValue[];
}

type Part = SqlValue | ArrayValue | Expansion | Fragment | Piece;
type Place = (value: SqlValue | readonly SqlValue[]) => string;

/** A piece of a statement with parameters of its own, which may stand in several. */
export interface Piece {
  readonly strings: readonly string[];
  readonly parts: readonly Part[];
}

export function piece(strings: TemplateStringsArray, ...parts: readonly Part[]): Piece {
  return { strings, parts };
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
  return async <Row = never>(strings: TemplateStringsArray, ...parts: readonly Part[]): Promise<readonly Row[]> => {
    const parameters: (SqlValue | readonly SqlValue[])[] = [];
    const text = textOf({ strings, parts }, (value) => dialect.placeholder(parameters.push(value)));
    const { rows } = await database.executeQuery<Row>(CompiledQuery.raw(text, parameters));
    return rows;
  };
}

function textOf({ strings, parts }: Piece, place: Place): string {
  let text = strings[0] ?? '';
  for (const [index, part] of parts.entries()) {
    if (part === null || typeof part !== 'object') text += place(part);
    else if ('text' in part) text += part.text;
    else if ('array' in part) text += place(part.array);
    else text += 'strings' in part ? textOf(part, place) : expand(part, place);
    text += strings[index + 1];
  }
  return text;
}

function expand({ rows, brackets }: Expansion, place: (value: SqlValue) => string): string {
  if (!brackets) return `(${rows.map(([value]) => place(value ?? null)).join(', ')})`;
  return rows.map((row) => `(${row.map(place).join(', ')})`).join(', ');
}
