import type { z } from 'zod';
import { invalid, KalendsError } from '../errors.ts';
import { FORBIDDEN_KEY_MESSAGE, findForbiddenKey } from './forbidden-key.ts';

/**
 * Validates an input against its schema.
 * @throws KalendsError InvalidRequest with one detail per broken rule; unknown fields are named one by one
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  // Before the schema, which passes over `__proto__` in silence.
  const forbidden = findForbiddenKey(input);
  if (forbidden !== undefined) throw invalid(forbidden.join('.'), FORBIDDEN_KEY_MESSAGE);
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const details = result.error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'is not a known field' }));
    }
    const missing =
      issue.code === 'invalid_type' && issue.input === undefined && valueAt(input, issue.path) === undefined;
    return [{ path: path.join('.'), message: missing ? 'is required' : issue.message }];
  });
  const message = details.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  throw new KalendsError('InvalidRequest', message, { details });
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      value !== null && typeof value === 'object' ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input,
  );
}
