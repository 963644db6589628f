import type { Context } from 'hono';
import type { z } from 'zod';
import { ControlError } from '../kernel/kernel.ts';

/** The JSON body checked by a schema; an empty body is an empty object. @throws ControlError naming field and rule */
export async function readControlBody<T extends z.ZodType>(c: Context, schema: T): Promise<z.output<T>> {
  const text = await c.req.text();
  const parsed = schema.safeParse(text.trim() === '' ? {} : parseJson(text));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
  throw new ControlError(problems.join('; '));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ControlError('body: not JSON', { cause });
  }
}
