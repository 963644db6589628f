import { invalid } from '../errors.ts';

/** Keys that are never data: JSON.parse makes own properties of them, and a careless copy turns those into prototypes. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
export const FORBIDDEN_KEY_MESSAGE = 'must not be __proto__, constructor or prototype';
const FORBIDDEN_TEXT_MESSAGE = 'must be Unicode text without U+0000 and lone surrogates';
/** Deepest nesting of lists and objects: more than any field needs, and safe for recursive code. */
const DEEPEST = 64;

interface Place {
  readonly value: object;
  readonly key: string;
  readonly parent: Place | undefined;
  readonly depth: number;
}

/** Rejects text with U+0000 (PostgreSQL) or a lone surrogate (UTF-8). @throws KalendsError InvalidRequest */
export function requireStorableText(path: string, text: string): void {
  if (!isStorable(text)) throw invalid(path, FORBIDDEN_TEXT_MESSAGE);
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

/**
 * Rejects forbidden keys, text that not every storage can keep, and values nested too deeply for recursive code. Call it
 * before any other code reads a body.
 * @throws KalendsError InvalidRequest
 */
export function requireSafeShape(input: unknown): void {
  const forbidden = findForbiddenKey(input, requireStorable);
  if (forbidden !== undefined) throw invalid(forbidden.join('.'), FORBIDDEN_KEY_MESSAGE);
}

/**
 * Returns the path of a forbidden key in a JSON value, undefined when there is none.
 * @throws KalendsError InvalidRequest when the value is nested too deeply
 */
export function findForbiddenKey(
  input: unknown,
  look?: (place: Place, key: string, value: unknown) => void,
): readonly string[] | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  // Iterative, without copying paths: the sender decides the depth of a body.
  const open: Place[] = [{ value: input, key: '', parent: undefined, depth: 1 }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const [key, value] of Object.entries(place.value)) {
      if (FORBIDDEN_KEYS.has(key)) return [...pathOf(place), key];
      look?.(place, key, value);
      if (typeof value !== 'object' || value === null) continue;
      if (place.depth === DEEPEST)
        throw invalid(pathOf(place)[0] ?? '', `must not be nested deeper than ${DEEPEST} levels`);
      open.push({ value, key, parent: place, depth: place.depth + 1 });
    }
  }
  return undefined;
}

function requireStorable(place: Place, key: string, value: unknown): void {
  if (!isStorable(key)) throw invalid(pathOf(place).join('.'), `names ${FORBIDDEN_TEXT_MESSAGE}`);
  if (typeof value === 'string' && !isStorable(value))
    throw invalid([...pathOf(place), key].join('.'), FORBIDDEN_TEXT_MESSAGE);
}

function pathOf(place: Place): readonly string[] {
  const path: string[] = [];
  for (let at = place; at.parent !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}
