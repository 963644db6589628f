import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from './dialect.ts';
import type { Fragment, WrittenStatement } from './written-statement.ts';

export type { Fragment } from './written-statement.ts';

/** A parameter of a statement. */
export type SqlValue = string | number | null;

interface Rows {
  readonly rows: readonly (readonly SqlValue[])[];
}

interface Choice {
  readonly choice: readonly SqlValue[];
}

/** Sizes to which lists and batches are padded or cut: few texts serve all lengths, so prepared statements are met again. */
const SIZES = [256, 64, 16, 4, 1] as const;

/** Greatest number of values that `oneOf` takes. */
export const LIST_LIMIT = SIZES[0];

/**
 * Stands behind a column: whether it holds one of these values, at most LIST_LIMIT. An array where the database has them, else
 * a list, padded with its last value. Empty: no value matches.
 */
export function oneOf(values: readonly SqlValue[]): Choice {
  return { choice: values };
}

/** Whether a column holds one of any number of values. */
export function isOneOf(column: string, values: readonly SqlValue[]): Piece {
  const [first = [], ...others] = lists(values);
  const name = fragment(column);
  return others.reduce((all, each) => piece`${all} or ${name} ${oneOf(each)}`, piece`${name} ${oneOf(first)}`);
}

/** Rows behind `values`. */
export function valueRows(rows: readonly (readonly SqlValue[])[]): Rows {
  return { rows };
}

export function fragment(text: string): Fragment {
  return { text };
}

/** Several values as one parameter, where the database has arrays. */
export interface ArrayValue {
  readonly array: readonly SqlValue[];
}

type Part = SqlValue | ArrayValue | Choice | Rows | Fragment | Piece;

/** The database that a statement is written for, and its parameters. */
interface Writing {
  readonly hasArrays: boolean;
  /** Adds a parameter and returns its text. */
  place(value: SqlValue | readonly SqlValue[]): string;
}

/** A piece of a statement with parameters of its own, which may stand in several. */
export interface Piece {
  readonly strings: readonly string[];
  readonly parts: readonly Part[];
}

export function piece(strings: TemplateStringsArray, ...parts: readonly Part[]): Piece {
  return { strings, parts };
}

/** The storage's own clock, as a term of a statement. */
export function clockOf(dialect: SqlDialect): Piece {
  return piece`cast(${dialect.clock()} as bigint)`;
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

/** Pads at most LIST_LIMIT items to a standard size. */
export function filled<Item>(items: readonly Item[], filling: Item): readonly Item[] {
  const size = SIZES.findLast((candidate) => candidate >= items.length);
  if (size === undefined) throw new RangeError(`A statement takes ${LIST_LIMIT} at most, not ${items.length}`);
  return Array.from({ length: size }, (_, index) => items[index] ?? filling);
}

/** Cuts ids into lists that `oneOf` takes. */
export function lists<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / LIST_LIMIT) }, (_, index) =>
    items.slice(index * LIST_LIMIT, (index + 1) * LIST_LIMIT),
  );
}

/**
 * Returns a tag that runs a statement given as text; it resolves with the rows. When to use it instead of kysely's builder:
 * docs/decisions/0011-the-sql-tag.md.
 * @param options `isFrequent`, as SqlDialect.execute takes it
 */
export function statement(
  dialect: SqlDialect,
  database: Kysely<Tables>,
  options: { readonly isFrequent?: boolean } = {},
) {
  const { isFrequent = false } = options;
  return <Row = never>(strings: TemplateStringsArray, ...parts: readonly Part[]): Promise<readonly Row[]> => {
    const { text, parameters } = written(dialect, { strings, parts });
    return dialect.execute<Row>(database, text, [...parameters], isFrequent);
  };
}

/** Runs statements as `SqlDialect.batch` does. */
export function batch(
  dialect: SqlDialect,
  database: Kysely<Tables>,
  write: () => readonly Piece[],
): Promise<readonly (readonly unknown[])[]> {
  return dialect.batch(database, () => write().map((each) => written(dialect, each)));
}

/** Ends a transaction as `SqlDialect.finish` does. */
export function finish(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  statements: readonly Piece[],
): ReturnType<SqlDialect['finish']> {
  return dialect.finish(
    transaction,
    statements.map((each) => written(dialect, each)),
  );
}

function written({ hasArrays, placeholder }: SqlDialect, statement: Piece): WrittenStatement {
  const parameters: (SqlValue | readonly SqlValue[])[] = [];
  const place: Writing['place'] = (value) => placeholder(parameters.push(value));
  return { text: textOf(statement, { hasArrays, place }), parameters };
}

function textOf({ strings, parts }: Piece, writing: Writing): string {
  let text = strings[0] ?? '';
  for (const [index, part] of parts.entries()) text += partText(part, writing) + strings[index + 1];
  return text;
}

function partText(part: Part, writing: Writing): string {
  if (part === null || typeof part !== 'object') return writing.place(part);
  if ('text' in part) return part.text;
  if ('array' in part) return writing.place(part.array);
  if ('choice' in part) return choiceText(part, writing);
  return 'strings' in part ? textOf(part, writing) : rowsText(part, writing);
}

function choiceText({ choice }: Choice, { hasArrays, place }: Writing): string {
  if (hasArrays) return `= any(${place(choice)}::${typeof choice[0] === 'number' ? 'bigint' : 'text'}[])`;
  return `in (${filled(choice, choice.at(-1) ?? null)
    .map(place)
    .join(', ')})`;
}

function rowsText({ rows }: Rows, { place }: Writing): string {
  return rows.map((row) => `(${row.map(place).join(', ')})`).join(', ');
}
