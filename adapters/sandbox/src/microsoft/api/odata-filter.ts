import { extendedPropertyKey } from '../events/extended-properties.ts';
import { GraphError } from './graph-error.ts';

/** A record as an answer would show it. */
export type JsonRecord = Readonly<Record<string, unknown>>;
export type Predicate = (item: JsonRecord) => boolean;

const TOKEN = /\s*('(?:[^']|'')*'|[A-Za-z_@][\w@./]*|-?\d[\w:.+-]*|[(),:])/y;

const refuse = (text: string): GraphError =>
  new GraphError(400, 'BadRequest', `Invalid filter clause: syntax error in '${text}'.`);

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined) throw refuse(text);
    tokens.push(token);
  }
  return tokens;
}

/** Reads the value at a path such as `start/dateTime`. */
export function valueAt(item: JsonRecord, path: string): unknown {
  let value: unknown = item;
  for (const name of path.split('/')) {
    value = typeof value === 'object' && value !== null ? (value as JsonRecord)[name] : undefined;
  }
  return value;
}

const DATE_LIKE = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d)?)?$/;

/** Converts times in any spelling to instants; leaves any other value. */
function comparable(value: unknown): unknown {
  if (typeof value !== 'string' || !DATE_LIKE.test(value)) return value ?? null;
  const withZone = /(Z|[+-]\d\d:\d\d)$/.test(value) || !value.includes('T') ? value : `${value}Z`;
  const at = Date.parse(withZone.replace(/(\.\d{3})\d+/, '$1'));
  return Number.isNaN(at) ? value : at;
}

/** Compares two values of one property; nulls come first. */
export function compareValues(left: unknown, right: unknown): number {
  const [a, b] = [comparable(left), comparable(right)];
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return (a as string | number) < (b as string | number) ? -1 : 1;
}

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  gt: (order) => order > 0,
  ge: (order) => order >= 0,
  lt: (order) => order < 0,
  le: (order) => order <= 0,
};

const FUNCTIONS: Readonly<Record<string, (value: string, part: string) => boolean>> = {
  contains: (value, part) => value.includes(part),
  startswith: (value, part) => value.startsWith(part),
  endswith: (value, part) => value.endsWith(part),
};

interface Cursor {
  readonly text: string;
  readonly tokens: readonly string[];
  position: number;
  /** The variable of the `any` being read; paths begin with it there. */
  variable: string | null;
}

function next(cursor: Cursor): string {
  const token = cursor.tokens[cursor.position];
  if (token === undefined) throw refuse(cursor.text);
  cursor.position += 1;
  return token;
}

function skip(cursor: Cursor, token: string): boolean {
  if (cursor.tokens[cursor.position]?.toLowerCase() !== token) return false;
  cursor.position += 1;
  return true;
}

function expect(cursor: Cursor, token: string): void {
  if (next(cursor) !== token) throw refuse(cursor.text);
}

function readPath(cursor: Cursor): string {
  const token = next(cursor);
  const prefix = cursor.variable === null ? '' : `${cursor.variable}/`;
  return token.startsWith(prefix) ? token.slice(prefix.length) : token;
}

function readLiteral(cursor: Cursor): unknown {
  const token = next(cursor);
  if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
  if (token === 'true' || token === 'false') return token === 'true';
  if (token === 'null') return null;
  if (/^-?\d+(\.\d+)?$/.test(token)) return Number(token);
  if (DATE_LIKE.test(token)) return token;
  throw refuse(cursor.text);
}

function readOr(cursor: Cursor): Predicate {
  const left = readAnd(cursor);
  if (!skip(cursor, 'or')) return left;
  const right = readOr(cursor);
  return (item) => left(item) || right(item);
}

function readAnd(cursor: Cursor): Predicate {
  const left = readUnary(cursor);
  if (!skip(cursor, 'and')) return left;
  const right = readAnd(cursor);
  return (item) => left(item) && right(item);
}

function readUnary(cursor: Cursor): Predicate {
  if (skip(cursor, 'not')) {
    const inner = readUnary(cursor);
    return (item) => !inner(item);
  }
  if (skip(cursor, '(')) {
    const inner = readOr(cursor);
    expect(cursor, ')');
    return inner;
  }
  return readComparison(cursor);
}

function readComparison(cursor: Cursor): Predicate {
  const path = readPath(cursor);
  if (path.endsWith('/any')) return readAny(cursor, path.slice(0, -'/any'.length));
  const test = FUNCTIONS[path.toLowerCase()];
  if (test) return readFunction(cursor, test);
  const accepts = COMPARISONS[next(cursor)];
  if (!accepts) throw refuse(cursor.text);
  const wanted = readLiteral(cursor);
  // Ids of extended properties are equal when their GUIDs are, in either case.
  if (path === 'id' && typeof wanted === 'string' && wanted.includes('{')) {
    const key = extendedPropertyKey(wanted);
    return (item) => accepts(extendedPropertyKey(String(item['id'])) === key ? 0 : 1);
  }
  return (item) => accepts(compareValues(valueAt(item, path), wanted));
}

function readFunction(cursor: Cursor, test: (value: string, part: string) => boolean): Predicate {
  expect(cursor, '(');
  const path = readPath(cursor);
  expect(cursor, ',');
  const part = String(readLiteral(cursor)).toLowerCase();
  expect(cursor, ')');
  return (item) => test(String(valueAt(item, path) ?? '').toLowerCase(), part);
}

/** `collection/any(v: …)`, from after the path. */
function readAny(cursor: Cursor, collection: string): Predicate {
  expect(cursor, '(');
  const outer = cursor.variable;
  cursor.variable = next(cursor);
  expect(cursor, ':');
  const inner = readOr(cursor);
  cursor.variable = outer;
  expect(cursor, ')');
  return (item) => {
    const values = valueAt(item, collection);
    return Array.isArray(values) && values.some((value) => inner(value as JsonRecord));
  };
}

/**
 * Compiles a `$filter`: comparisons of properties with literals, contains/startswith/endswith, `any`, and, or, not.
 * @throws GraphError 400 for anything else
 */
export function parseFilter(text: string): Predicate {
  const cursor: Cursor = { text, tokens: tokensOf(text), position: 0, variable: null };
  const predicate = readOr(cursor);
  if (cursor.position < cursor.tokens.length) throw refuse(text);
  return predicate;
}
