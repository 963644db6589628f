/** Keys that are never data: JSON.parse makes own properties of them, and careless copies make prototypes of those. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
export const FORBIDDEN_KEY_MESSAGE = 'must not be __proto__, constructor or prototype';

interface Place {
  readonly value: object;
  readonly key: string;
  readonly parent: Place | undefined;
}

/** Path of a forbidden key anywhere in a JSON value; undefined when there is none. */
export function findForbiddenKey(input: unknown): readonly string[] | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  // Neither recursive nor copying paths: how deep a body goes is the sender's choice.
  const open: Place[] = [{ value: input, key: '', parent: undefined }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const [key, value] of Object.entries(place.value)) {
      if (FORBIDDEN_KEYS.has(key)) return [...pathOf(place), key];
      if (typeof value === 'object' && value !== null) open.push({ value, key, parent: place });
    }
  }
  return undefined;
}

function pathOf(place: Place): readonly string[] {
  const path: string[] = [];
  for (let at = place; at.parent !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}
