import { z } from 'zod';

const REFERENCE = /"#\/\$defs\/([^"]+)"/g;

/**
 * Returns every named schema within some schemas, as OpenAPI 3.1 has it under `components.schemas`. zod writes them itself: a field
 * that refers to another schema keeps both the reference and its own description.
 */
export function openApiComponents(schemas: readonly z.ZodType[]): Readonly<Record<string, object>> {
  const all = z.toJSONSchema(z.union(schemas), { io: 'input', unrepresentable: 'any' });
  for (const schema of Object.values(all.$defs ?? {})) spellOut(schema);
  return JSON.parse(JSON.stringify(all.$defs ?? {}).replaceAll(REFERENCE, '"#/components/schemas/$1"'));
}

/**
 * Turns an object of which exactly one of some fields is required into one object for each of them: generators of clients do not combine
 * `properties` with the `oneOf` beside them.
 */
function spellOut(schema: z.core.JSONSchema.BaseSchema): void {
  const { type, properties, additionalProperties, oneOf } = schema;
  if (properties === undefined || oneOf === undefined) return;
  const choices = oneOf.flatMap(({ required = [] }) => required);
  schema.oneOf = choices.map((choice) => {
    const fields = Object.entries(properties).filter(([name]) => name === choice || !choices.includes(name));
    const required = [...(schema.required ?? []), choice];
    return { type, properties: Object.fromEntries(fields), required, additionalProperties };
  });
  delete schema.type;
  delete schema.properties;
  delete schema.required;
  delete schema.additionalProperties;
}
