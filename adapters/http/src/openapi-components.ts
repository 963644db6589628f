import { z } from 'zod';

const REFERENCE = /"#\/\$defs\/([^"]+)"/g;

/**
 * Returns every named schema within some schemas, as OpenAPI 3.1 has it under `components.schemas`. zod writes them itself: a field
 * that refers to another schema keeps both the reference and its own description.
 */
export function openApiComponents(schemas: readonly z.ZodType[]): Readonly<Record<string, object>> {
  const all = z.toJSONSchema(z.union(schemas), { io: 'input', unrepresentable: 'any' });
  return JSON.parse(JSON.stringify(all.$defs ?? {}).replaceAll(REFERENCE, '"#/components/schemas/$1"'));
}
