import type { Json } from '../google/harness.ts';
import type { Contract, Operation } from './contract.ts';
import { createValidator, parseBody, type Schema, type Validate } from './validator.ts';

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'errors'],
      properties: {
        code: { type: 'integer' },
        message: { type: 'string' },
        errors: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            required: ['domain', 'reason', 'message'],
            properties: { domain: { type: 'string' }, reason: { type: 'string' }, message: { type: 'string' } },
          },
        },
      },
    },
  },
};

type Parameter = {
  readonly location: string;
  readonly type: string;
  readonly format?: string;
  readonly enum?: readonly string[];
};
type Method = {
  readonly id: string;
  readonly httpMethod: string;
  readonly path: string;
  readonly parameters?: Readonly<Record<string, Parameter>>;
  readonly request?: { readonly $ref: string };
  readonly response?: { readonly $ref: string };
};
type Resource = {
  readonly methods?: Readonly<Record<string, Method>>;
  readonly resources?: Readonly<Record<string, Resource>>;
};
/** A discovery document. */
export type Discovery = Resource & {
  readonly servicePath: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly schemas: Readonly<Record<string, Schema>>;
};

/** The operations of a Google discovery document, each with checks of query, body and answer. */
export function createGoogleContract(discovery: Discovery): Contract {
  const schemas = Object.fromEntries(Object.entries(discovery.schemas).map(([name, schema]) => [name, closed(schema)]));
  const validate = createValidator(schemas);
  const validateSent = createValidator(schemas, { allowsLocalTimes: true });
  const operations = methodsOf(discovery).map((method) => operationOf(discovery, method, validate, validateSent));
  return {
    find: (httpMethod, path) => operations.find((operation) => operation.matches(httpMethod, path)),
  };
}

function methodsOf(node: Resource): readonly Method[] {
  const own = Object.values(node.methods ?? {});
  return [...own, ...Object.values(node.resources ?? {}).flatMap(methodsOf)];
}

/** Discovery is JSON Schema draft 3 with bare $ref names; objects with listed properties are closed here. */
function closed(schema: Schema): Schema {
  if (schema.$ref !== undefined) return { $ref: schema.$ref };
  const {
    id: _id,
    required: _required,
    description: _description,
    annotations: _annotations,
    default: _default,
    ...rest
  } = schema;
  const result: Record<string, Json> = { ...rest };
  if (result.type === 'any') delete result.type;
  if (result.items !== undefined) result.items = closed(result.items);
  if (result.properties !== undefined) {
    result.properties = Object.fromEntries(
      Object.entries<Schema>(result['properties']).map(([name, value]) => [name, closed(value)]),
    );
    result.additionalProperties =
      result.additionalProperties === undefined ? false : closed(result.additionalProperties);
  } else if (result.additionalProperties !== undefined) {
    result.additionalProperties = closed(result.additionalProperties);
  }
  return result;
}

function operationOf(discovery: Discovery, method: Method, validate: Validate, validateSent: Validate): Operation {
  const template = `/${discovery.servicePath}${method.path}`;
  const pattern = new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
  const parameters: Readonly<Record<string, Parameter>> = { ...discovery.parameters, ...method.parameters };
  return {
    id: method.id,
    matches: (httpMethod, path) => httpMethod === method.httpMethod && isBest(pattern, method, path),
    checkQuery: (query) => [...query].flatMap(([name, value]) => checkParameter(parameters[name], name, value)),
    checkBody(text) {
      const body = parseBody(text);
      if (method.request === undefined) return body === undefined ? [] : ['sent where none is described'];
      // A patch may clear any field by null.
      const sent = method.httpMethod === 'PATCH' ? withoutNulls(body ?? {}) : (body ?? {});
      return validateSent({ $ref: method.request.$ref }, sent);
    },
    checkAnswer(status, text) {
      if (status === 304) return text === '' ? [] : ['304 with a body'];
      const body = parseBody(text);
      if (status >= 400) return validate(ERROR_SCHEMA, body);
      if (method.response === undefined) return body === undefined ? [] : ['has a body where none is described'];
      return validate({ $ref: method.response.$ref }, body);
    },
  };
}

/** `events/import` must not be taken for `events/{eventId}`. */
function isBest(pattern: RegExp, method: Method, path: string): boolean {
  if (!pattern.test(path)) return false;
  const last = path.split('/').at(-1) ?? '';
  const isVerb = ['import', 'watch', 'quickAdd', 'instances', 'move', 'stop', 'clear'].includes(last);
  return !isVerb || method.path.endsWith(`/${last}`);
}

function checkParameter(parameter: Parameter | undefined, name: string, value: string): readonly string[] {
  if (parameter === undefined) return [`${name} is not described`];
  if (parameter.location === 'path') return [`${name} belongs in the path`];
  if (parameter.enum !== undefined && !parameter.enum.includes(value))
    return [`${name}=${value} is none of ${parameter.enum}`];
  if (parameter.type === 'boolean' && !['true', 'false'].includes(value)) return [`${name}=${value} is no boolean`];
  if (parameter.type === 'integer' && !/^-?\d+$/.test(value)) return [`${name}=${value} is no integer`];
  if (parameter.format === 'date-time' && Number.isNaN(Date.parse(value))) return [`${name}=${value} is no date-time`];
  return [];
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([name, item]) => [name, withoutNulls(item)]),
  );
}
