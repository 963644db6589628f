import { ProviderError } from 'kalends/ports';
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
