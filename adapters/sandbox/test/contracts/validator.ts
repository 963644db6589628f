import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import type { Json } from '../google/harness.ts';

export type Schema = Readonly<Record<string, Json>>;
/** Returns one line for each problem of a value. */
export type Validate = (schema: Schema, value: unknown) => readonly string[];

/** An ajv that knows the number formats of both descriptions and tells every problem in one line. */
export function createValidator(schemas: Schema, { allowsLocalTimes = false } = {}): Validate {
  const ajv = new Ajv.default({ strict: false, allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  for (const format of ['int32', 'int64', 'uint32', 'float', 'double', 'binary', 'base64url', 'byte'])
    ajv.addFormat(format, true);
  // Edm.TimeOfDay has no offset; an event time may leave it out where a zone is named beside it.
  ajv.addFormat('time', /^\d{2}:\d{2}:\d{2}(\.\d{1,7})?$/);
  if (allowsLocalTimes) ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})?$/);
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(schema, name);
  return (schema, value) => {
    const validate = ajv.compile(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => {
      const extra = error.params?.additionalProperty ?? error.params?.allowedValues ?? '';
      return `${error.instancePath || '/'} ${error.message}${extra === '' ? '' : ` (${extra})`}`;
    });
  };
}

/** The JSON in a text; an empty text is undefined. */
export function parseBody(text: string): Json {
  return text === '' ? undefined : JSON.parse(text);
}
