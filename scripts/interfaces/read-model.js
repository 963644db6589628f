import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';

/**
 * Returns every schema that the model's index exports, as JSON Schema by the name of its type, in the order of its module.
 * The type of `calendarEvent` is `CalendarEvent`. Where an OpenAPI id differs in upper and lower case alone, it is the name.
 * @throws Error for a field without a description
 */
export function readModel(exports, folder) {
  const registry = z.registry();
  const types = [];
  for (const [, names, module] of readFileSync(resolve(folder, 'index.ts'), 'utf8').matchAll(EXPORT)) {
    if (module.startsWith('interfaces/')) continue;
    const source = readFileSync(resolve(folder, `${module}.ts`), 'utf8');
    const place = (name) => source.search(new RegExp(`^export const ${name}\\b`, 'm'));
    const schemas = (names.match(/\w+/g) ?? []).filter((name) => exports[name] instanceof z.ZodType);
    for (const constant of schemas.sort((one, other) => place(one) - place(other))) {
      const name = nameOf(constant, exports[constant]);
      registry.add(exports[constant], { id: name });
      types.push({ name, constant, module });
    }
  }
  const { schemas } = z.toJSONSchema(registry, { io: 'input', unrepresentable: 'any', uri: (id) => id });
  const model = types.map((type) => ({ ...type, schema: schemas[type.name] }));
  const silent = model.flatMap(({ name, schema }) => undescribed(schema, name));
  if (silent.length > 0) throw new Error(`without a description: ${silent.join(', ')}`);
  return model;
}

const EXPORT = /export (?:type )?\{([^}]*)\} from '\.\/([\w/-]+)\.ts'/g;

function nameOf(constant, schema) {
  const id = schema.meta()?.id;
  return id?.toLowerCase() === constant.toLowerCase() ? id : constant.charAt(0).toUpperCase() + constant.slice(1);
}

function undescribed(schema, path) {
  return [
    ...(schema.description === undefined && schema.$ref === undefined ? [path] : []),
    ...fieldsWithin(schema).flatMap(([name, field]) => undescribed(field, `${path}.${name}`)),
  ];
}

function fieldsWithin(schema) {
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), schema.items].filter((part) => part !== undefined);
  return [...Object.entries(schema.properties ?? {}), ...parts.flatMap(fieldsWithin)];
}
