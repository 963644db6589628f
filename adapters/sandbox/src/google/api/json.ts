import { badRequest } from './google-error.ts';
import type { Json } from './wire.ts';

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Applies Google's patch semantics: null clears, objects merge, arrays and plain values replace.
 * Neither argument is changed.
 */
export function mergePatch(target: Json, patch: Json): Json {
  const merged: Json = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (key === '__proto__') continue;
    if (value === null) delete merged[key];
    else if (isObject(value)) merged[key] = mergePatch(isObject(merged[key]) ? (merged[key] as Json) : {}, value);
    else merged[key] = value;
  }
  return merged;
}

/** Tells whether two JSON values are equal, in any order of keys. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => sameJson(item, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => sameJson(one[key], other[key]));
}

export function readString(body: Json, key: string): string | undefined {
  const value = body[key];
  if (value == null) return undefined;
  if (typeof value !== 'string') throw badRequest(`Invalid value for: ${key}`);
  return value;
}

export function readBoolean(body: Json, key: string): boolean | undefined {
  const value = body[key];
  if (value == null) return undefined;
  if (typeof value !== 'boolean') throw badRequest(`Invalid value for: ${key}`);
  return value;
}

export function readChoice<T extends string>(body: Json, key: string, choices: readonly T[]): T | undefined {
  const value = readString(body, key);
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw badRequest(`Invalid value for: ${key}`);
  return found;
}
