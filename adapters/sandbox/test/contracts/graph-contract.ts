import type { Json } from '../google/harness.ts';
import type { Contract, Operation } from './contract.ts';
import { createValidator, parseBody, type Schema, type Validate } from './validator.ts';

const PREFIX = '#/components/schemas/';
/** Parts of the links that Graph gives out, and not of any documented query. */
const LINK_PARAMETERS = ['$skiptoken', '$deltatoken', '$skipToken', '$deltaToken'];
/** Open types may hold anything beside what is described. */
const OPEN = ['microsoft.graph.openTypeExtension', 'microsoft.graph.extension'];

type Schemas = Readonly<Record<string, Schema>>;
type Ref = { readonly $ref: string };
type Parameter = { readonly $ref?: undefined; readonly name: string; readonly in: string; readonly required?: boolean };
type Content = { readonly $ref?: undefined; readonly content?: Readonly<Record<string, { readonly schema: Schema }>> };
type Described = {
  readonly parameters?: readonly (Parameter | Ref)[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content | Ref>>;
};
type Components = {
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly responses: Readonly<Record<string, Content>>;
  readonly schemas: Schemas;
};
/** An OpenAPI document. */
export type OpenApi = {
  readonly components: Components;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
};

/**
 * Attachments of an event: in Graph's documentation, with their type in the description, and not among its paths.
 * @see https://learn.microsoft.com/graph/api/event-list-attachments
 */
const ATTACHMENTS: OpenApi['paths'] = {
  '/me/calendars/{calendar-id}/events/{event-id}/attachments': {
    get: {
      parameters: ['$select', '$top', '$skip'].map((name) => ({ name, in: 'query' })),
      responses: {
        '200': { content: { 'application/json': { schema: pageOf('microsoft.graph.attachment') } } },
        default: { $ref: '#/components/responses/error' },
      },
    },
  },
};

function pageOf(name: string): Schema {
  const value = { type: 'array', items: { $ref: `${PREFIX}${name}` } };
  return { type: 'object', properties: { value, '@odata.nextLink': { type: 'string' } } };
}

/** The operations of the OpenAPI description of Graph, each with checks of query, body and answer. */
export function createGraphContract(document: OpenApi): Contract {
  const components = document.components;
  const schemas = Object.fromEntries(
    Object.keys(components.schemas).map((name) => [name, closedComponent(components.schemas, name)]),
  );
  const validate = createValidator(schemas);
  const hasAttachments = components.schemas['microsoft.graph.attachment'] !== undefined;
  const paths = { ...document.paths, ...(hasAttachments ? ATTACHMENTS : {}) };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      operationOf(components, path, method, operation, validate, shownProperties(components.schemas, operation)),
    ),
  );
  // The most literal template first, so that `/events/delta()` is not taken for `/events/{event-id}`.
  operations.sort((one, other) => one.holes - other.holes);
  return { find: (method, path) => operations.find((operation) => operation.matches(method, path)) };
}

/** A component with the properties of its bases, closed but for annotations. */
function closedComponent(all: Schemas, name: string): Schema {
  return closedObject(all, { $ref: `${PREFIX}${name}` }, OPEN.includes(name));
}

function closedObject(all: Schemas, schema: Schema, isOpen: boolean): Schema {
  const { properties, required, other } = collect(all, schema);
  if (other !== undefined) return other;
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    patternProperties: { '@(odata|removed|microsoft)': {} },
    additionalProperties: isOpen,
  };
}

function collect(
  all: Schemas,
  schema: Schema,
): { properties: Record<string, Schema>; required: string[]; other?: Schema } {
  if (schema['$ref'] !== undefined) return collect(all, all[schema['$ref'].slice(PREFIX.length)] ?? {});
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (const part of schema.allOf ?? []) {
    const from = collect(all, part);
    Object.assign(properties, from.properties);
    required.push(...from.required);
  }
  if (schema.allOf === undefined && schema.properties === undefined) {
    return { properties, required, other: converted(all, schema) };
  }
  for (const [name, value] of Object.entries<Schema>(schema['properties'] ?? {}))
    properties[name] = converted(all, value);
  required.push(...(schema.required ?? []));
  return { properties, required, other: undefined };
}

/** OpenAPI 3.0 to JSON Schema: `nullable`, component references, no descriptions. */
function converted(all: Schemas, schema: Schema): Schema {
  if (schema.$ref !== undefined) return { $ref: schema.$ref.slice(PREFIX.length) };
  const { nullable, description: _d, title: _t, example: _e, discriminator: _i, readOnly: _r, ...rest } = schema;
  if (rest.allOf !== undefined) {
    const whole = closedObject(all, schema, false);
    return nullable === true ? { anyOf: [whole, { type: 'null' }] } : whole;
  }
  const result: Record<string, Json> = { ...rest };
  for (const key of ['anyOf', 'oneOf']) {
    if (result[key] === undefined) continue;
    result[key] = result[key].map((part: Schema) =>
      part.nullable === true && part.type === 'object' && part.properties === undefined
        ? { type: 'null' }
        : converted(all, part),
    );
  }
  if (result.items !== undefined) result.items = converted(all, result.items);
  if (result.properties !== undefined) {
    result.properties = Object.fromEntries(
      Object.entries<Schema>(result['properties']).map(([name, value]) => [name, converted(all, value)]),
    );
    result.patternProperties = { '@odata': {} };
    result.additionalProperties = false;
  }
  if (nullable !== true) return result;
  return { anyOf: [result, { type: 'null' }] };
}

/** Returns the thing itself, or the one of the components that it refers to. */
function resolved<Value extends { readonly $ref?: undefined }>(
  value: Value | Ref,
  all: Readonly<Record<string, Value>>,
): Value {
  if (value.$ref === undefined) return value;
  const found = all[value.$ref.slice(value.$ref.lastIndexOf('/') + 1)];
  if (found === undefined) throw new Error(`${value.$ref} is not in the description`);
  return found;
}

/** Returns the properties of what an operation answers, one entity or a page of them; undefined where it answers none. */
function shownProperties(all: Schemas, operation: Described): readonly string[] | undefined {
  const answer = operation.responses['200'];
  const schema = answer?.$ref === undefined ? answer?.content?.['application/json']?.schema : undefined;
  if (schema === undefined) return undefined;
  const { properties } = collect(all, schema);
  const items = properties['value']?.['items']?.$ref;
  const shown = items === undefined ? properties : collect(all, { $ref: `${PREFIX}${items}` }).properties;
  return Object.keys(shown);
}

function operationOf(
  components: Components,
  path: string,
  method: string,
  operation: Described,
  validate: Validate,
  shown: readonly string[] | undefined,
): Operation & { readonly holes: number } {
  const escaped = path.replaceAll(/[.$()]/g, '\\$&').replaceAll(/\{[^}]+\}/g, '[^/]+');
  const pattern = new RegExp(`^/v1\\.0${escaped.replace('delta\\(\\)', 'delta(?:\\(\\))?')}$`);
  const parameters = (operation.parameters ?? []).map((parameter) => resolved(parameter, components.parameters));
  const queryNames = parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name);
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  return {
    id: `${method} ${path}`,
    holes: (path.match(/\{/g) ?? []).length,
    matches: (sent, at) => sent.toLowerCase() === method && pattern.test(at),
    checkQuery(query) {
      const names = [...query.keys()];
      const isLink = names.some((name) => LINK_PARAMETERS.includes(name));
      const missing = isLink ? [] : required.filter((parameter) => !query.has(parameter.name));
      return [
        ...names
          .filter((name) => !queryNames.includes(name) && !LINK_PARAMETERS.includes(name))
          .map((name) => `${name} is not described`),
        ...missing.map((parameter) => `${parameter.name} is missing`),
        ...(query.get('$select') ?? '')
          .split(',')
          .filter((name) => name !== '' && shown?.includes(name) === false)
          .map((name) => `$select names ${name}, which is not described`),
      ];
    },
    checkBody(text) {
      const body = parseBody(text);
      const schema = operation.requestBody?.content?.['application/json']?.schema;
      if (schema === undefined) return body === undefined ? [] : ['sent where none is described'];
      return body === undefined ? [] : validate(converted(components.schemas, schema), body);
    },
    checkAnswer(status, text) {
      const named = operation.responses[String(status)] ?? operation.responses.default;
      const response = named && resolved(named, components.responses);
      if (status < 400 && operation.responses[String(status)] === undefined)
        return [`status ${status} is not described`];
      const schema = response?.content?.['application/json']?.schema;
      const body = parseBody(text);
      if (schema === undefined) return body === undefined ? [] : ['has a body where none is described'];
      return validate(converted(components.schemas, schema), body);
    },
  };
}
