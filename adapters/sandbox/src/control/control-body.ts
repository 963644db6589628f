import type { Context } from 'hono';
import type { z } from 'zod';
import { ControlError } from '../kernel/kernel.ts';

/** The JSON body checked by a schema; an empty body is an empty object. @throws ControlError naming field and rule */
export async function readControlBody<T extends z.ZodType>(c: Context, schema: T): Promise<z.output<T>> {
  const text = await c.req.text();
  return checkControlInput(text.trim() === '' ? {} : parseJson(text), schema);
}

/** A value checked by a schema. @throws ControlError naming field and rule */
export function checkControlInput<T extends z.ZodType>(value: unknown, schema: T): z.output<T> {
  const parsed = schema.safeParse(value);
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
