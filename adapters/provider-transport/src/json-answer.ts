import { ProviderError, readObject, type UnreadableObject, unreadableField } from 'kalends/ports';
import type { z } from 'zod';
import { readJsonInTurns } from './json-in-turns.ts';

/** Parses an answer, a long one in turns of the event loop. @throws ProviderError malformed when it is not JSON */
export async function readJsonAnswer(provider: string, text: string): Promise<unknown> {
  try {
    return await readJsonInTurns(text);
  } catch (cause) {
    throw new ProviderError('malformed', `${provider} answered with something other than JSON`, { cause });
  }
}

/**
 * Checks an answer, or the part of it at `place`.
 * @throws ProviderError malformed, naming the place and never a value
 */
export function checkAnswer<Result>(
  provider: string,
  json: unknown,
  schema: z.ZodType<Result>,
  place: readonly (string | number)[] = [],
): Result {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const where = [...place, ...(parsed.error.issues[0]?.path ?? [])].join('.');
  throw new ProviderError('malformed', `The answer of ${provider} is not as documented, at "${where}"`, {
    cause: parsed.error,
  });
}

/**
 * Checks one object of an answer.
 * @throws ProviderError unreadable, naming the field and never a value
 */
export function checkObject<Result>(json: unknown, schema: z.ZodType<Result>): Result {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const field = (parsed.error.issues[0]?.path ?? []).join('.');
  throw unreadableField(field === '' ? 'object' : field, 'is not as documented');
}

/** Checks one object of a list, named by its fields `id` and `series`; one that cannot be read costs no other. */
export function checkListed<Result>(
  json: unknown,
  schema: z.ZodType<Result>,
  series: string,
): Result | UnreadableObject {
  const about = { providerEventId: textOf(json, 'id') ?? '', seriesId: textOf(json, series) ?? null };
  return readObject(about, () => checkObject(json, schema));
}

/** Returns a field of an unchecked object; undefined unless it is a text that is not empty. */
export function textOf(json: unknown, field: string): string | undefined {
  const value: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, field) : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
