import { ProviderError, readJson } from 'kalends/ports';
import type { z } from 'zod';

/** Parses an answer. @throws ProviderError malformed when it is not JSON */
export function readJsonAnswer(provider: string, text: string): unknown {
  try {
    return readJson(text);
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
