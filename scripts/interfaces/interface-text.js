/**
 * Rules between fields, which JSON Schema and zod's inferred types do not express: the fields have a name of their own, and the
 * type adds the rule.
 */
export const REFINED = {
  AccountUpsert: {
    fields: 'AccountUpsertFields',
    about:
      'Creates an account, or replaces the credentials of the account of the same mailbox. A refresh token needs the address.',
    rule: `(
      | { readonly email: string; readonly refreshToken: string; readonly credentials?: undefined }
      | { readonly credentials: SignIn; readonly refreshToken?: undefined }
    )`,
  },
  EventListQuery: {
    fields: 'EventListFields',
    about: 'Query of a list of events. An expanded list needs its window, unless a token already says it.',
    rule: `(
      | { readonly expandRecurrences?: false | 'false' | undefined }
      | { readonly startDateTime: string; readonly endDateTime: string }
      | { readonly syncToken: string }
      | { readonly pageToken: string }
    )`,
  },
};

const WIDTH = 120;

/** Returns the declaration of a named type. */
export function declaration({ name, schema }) {
  const refined = REFINED[name];
  if (refined === undefined) return declared(name, schema);
  const { fields, about, rule } = refined;
  return `${declared(fields, schema)}\n${comment(about, 0)}export type ${name} = ${fields} & ${rule};\n`;
}

function declared(name, schema) {
  const about = comment(schema.description, 0);
  return isObject(schema)
    ? `${about}export interface ${name} ${objectText(schema, 0)}\n`
    : `${about}export type ${name} = ${typeText(schema, 0)};\n`;
}

/** Returns the names of the types that a schema mentions. */
export function mentioned(schema) {
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...Object.values(schema.properties ?? {})];
  const within = [...parts, schema.items, schema.additionalProperties].filter((part) => typeof part === 'object');
  return [...(schema.$ref === undefined ? [] : [schema.$ref]), ...within.flatMap(mentioned)];
}

function isObject({ type, properties }) {
  return type === 'object' && properties !== undefined && Object.keys(properties).length > 0;
}

function typeText(schema, depth) {
  const union = schema.anyOf ?? schema.oneOf;
  if (schema.$ref !== undefined) return schema.$ref;
  if (union !== undefined && !isObject(schema)) return union.map((part) => typeText(part, depth)).join(' | ');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeText({ type }, depth)).join(' | ');
  switch (schema.type) {
    case undefined:
      return 'unknown';
    case 'array':
      return `(${typeText(schema.items, depth)})[]`;
    case 'object':
      return isObject(schema)
        ? objectText(schema, depth)
        : `Record<string, ${typeText(schema.additionalProperties, depth)}>`;
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      throw new Error(`there is no type for ${JSON.stringify(schema)}`);
  }
}

const literal = (value) => (typeof value === 'string' ? `'${value}'` : String(value));

function objectText({ properties, required = [], additionalProperties }, depth) {
  const fields = Object.entries(properties).map(([name, field]) => {
    const type = typeText(field, depth + 1);
    const isRequired = required.includes(name);
    const sign = isRequired ? ':' : '?:';
    const rest = isRequired || type === 'unknown' ? '' : ' | undefined';
    return `${comment(field.description, depth + 1)}${name}${sign} ${type}${rest};`;
  });
  // A loose object: further fields are passed on.
  if (typeof additionalProperties === 'object') fields.push(`[key: string]: ${typeText(additionalProperties, depth)};`);
  return `{\n${fields.join('\n')}\n}`;
}

/** Returns a docstring, in lines that fit after their indentation. */
function comment(text, depth) {
  if (text === undefined) return '';
  const width = WIDTH - 2 * depth;
  const safe = text.replaceAll('*/', '*\\/');
  if (safe.length + 7 <= width) return `/** ${safe} */\n`;
  const lines = [''];
  for (const word of safe.split(' ')) {
    const line = lines.at(-1) === '' ? word : `${lines.at(-1)} ${word}`;
    if (line.length + 3 <= width) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return `/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */\n`;
}
