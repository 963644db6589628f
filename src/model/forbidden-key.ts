import { invalid } from '../errors.ts';

/** Keys that are never data: JSON.parse makes own properties of them, and careless copies make prototypes of those. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
export const FORBIDDEN_KEY_MESSAGE = 'must not be __proto__, constructor or prototype';
/** Levels of lists and objects in a JSON value: more than any field has, and little enough for recursive code. */
const DEEPEST = 64;

interface Place {
  readonly value: object;
  readonly key: string;
  readonly parent: Place | undefined;
  readonly depth: number;
}

/**
 * Refuses what no schema should have to meet: forbidden keys anywhere, and values nested so deeply that recursive code
 * would overflow. To be called before anything else looks at a body. @throws KalendsError InvalidRequest
 */
export function requireSafeShape(input: unknown): void {
  const forbidden = findForbiddenKey(input);
  if (forbidden !== undefined) throw invalid(forbidden.join('.'), FORBIDDEN_KEY_MESSAGE);
}

/**
 * Path of a forbidden key anywhere in a JSON value; undefined when there is none.
 * @throws KalendsError InvalidRequest when it is nested too deeply
 */
export function findForbiddenKey(input: unknown): readonly string[] | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  // Neither recursive nor copying paths: how deep a body goes is the sender's choice.
  const open: Place[] = [{ value: input, key: '', parent: undefined, depth: 1 }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const [key, value] of Object.entries(place.value)) {
      if (FORBIDDEN_KEYS.has(key)) return [...pathOf(place), key];
      if (typeof value !== 'object' || value === null) continue;
      if (place.depth === DEEPEST)
        throw invalid(pathOf(place)[0] ?? '', `must not be nested deeper than ${DEEPEST} levels`);
      open.push({ value, key, parent: place, depth: place.depth + 1 });
    }
  }
  return undefined;
}

function pathOf(place: Place): readonly string[] {
  const path: string[] = [];
  for (let at = place; at.parent !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}
