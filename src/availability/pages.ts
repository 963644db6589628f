import { AvailabilityError } from './availability-error.ts';

/** Most slots or ranges on one page. */
const MOST_ON_PAGE = 1000;
const DEFAULT_ON_PAGE = 100;

/** Which part of the answer is wanted. */
export interface PageOptions {
  /** Most results on the page, 1 to 1000. @default 100 */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before; the query and the order must be the same. */
  readonly cursor?: string | null | undefined;
}

/** Returns the limit of a page. */
export function limitOf({ limit = DEFAULT_ON_PAGE }: PageOptions): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_ON_PAGE)
    throw new AvailabilityError('limit', `must be a whole number from 1 to ${MOST_ON_PAGE}`);
  return limit;
}

/** Writes the place of the last result of a page. */
export function writeCursor(order: string, place: readonly number[]): string {
  return [order, ...place].join('_');
}

/** Reads a place of `length` numbers; undefined without a cursor. */
export function readCursor({ cursor }: PageOptions, order: string, length: number): readonly number[] | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  const [name, ...texts] = String(cursor).split('_');
  const isPlace = texts.length === length && texts.every((text) => /^-?\d{1,16}$/.test(text));
  if (name !== order || !isPlace)
    throw new AvailabilityError('cursor', `must be the nextCursor of a page in the order "${order}"`);
  return texts.map(Number);
}

/** Compares places number by number. */
export function comparePlaces(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? value;
    if (value !== other) return value - other;
  }
  return 0;
}
