import type { z } from 'zod';
import { KalendsError } from '../errors.ts';
import { requireSafeShape } from './forbidden-key.ts';

/**
 * Validates an input against its schema.
 * @throws KalendsError InvalidRequest with one detail per broken rule; unknown fields are named one by one
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  // Before the schema, which silently ignores `__proto__`.
  requireSafeShape(input);
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const details = result.error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'is not a known field' }));
    }
    const missing =
      issue.code === 'invalid_type' && issue.input === undefined && valueAt(input, issue.path) === undefined;
    return [{ path: path.join('.'), message: missing ? 'is required' : ruleOf(issue) }];
  });
  const message = details.map(({ path, message }) => (path === '' ? ofAll(message) : `${path}: ${message}`)).join('; ');
  throw new KalendsError('InvalidRequest', message, { details });
}

/** Names the body in a rule about the input as a whole: queries are always objects. */
function ofAll(message: string): string {
  return message.startsWith('must ') ? `the body ${message}` : message;
}

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a text',
};

const UNITS: Readonly<Record<string, string>> = { array: ' entries', string: ' characters' };

/** Returns the rule of an issue in words; messages of our own schemas stay as they are. */
function ruleOf(issue: z.core.$ZodIssue): string {
  if (!/^(Invalid|Too|Unrecognized)/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${UNITS[issue.origin] ?? ''}`;
    case 'too_small':
      return `must be at least ${issue.minimum}${UNITS[issue.origin] ?? ''}`;
    case 'invalid_key':
      return issue.issues[0] === undefined ? issue.message : `the key ${ruleOf(issue.issues[0])}`;
    default:
      return issue.message;
  }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      value !== null && typeof value === 'object' ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input,
  );
}
