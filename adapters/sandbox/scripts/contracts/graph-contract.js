import { createValidator, parseBody } from './validator.js';

const PREFIX = '#/components/schemas/';
/** Parts of the links that Graph gives out, and not of any documented query. */
const LINK_PARAMETERS = ['$skiptoken', '$deltatoken', '$skipToken', '$deltaToken'];
/** Open types may hold anything beside what is described. */
const OPEN = ['microsoft.graph.openTypeExtension', 'microsoft.graph.extension'];

/** The operations of the OpenAPI description of Graph, each with checks of query, body and answer. */
export function createGraphContract(document) {
  const components = document.components;
  const schemas = Object.fromEntries(
    Object.keys(components.schemas).map((name) => [name, closedComponent(components.schemas, name)]),
  );
  const validate = createValidator(schemas);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(components, path, method, operation, validate)),
  );
  // The most literal template first, so that `/events/delta()` is not taken for `/events/{event-id}`.
  operations.sort((one, other) => one.holes - other.holes);
  return { find: (method, path) => operations.find((operation) => operation.matches(method, path)) };
}

/** A component with the properties of its bases, closed but for annotations. */
function closedComponent(all, name) {
  return closedObject(all, { $ref: `${PREFIX}${name}` }, OPEN.includes(name));
}

function closedObject(all, schema, isOpen) {
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

function collect(all, schema) {
  if (schema.$ref !== undefined) return collect(all, all[schema.$ref.slice(PREFIX.length)]);
  const properties = {};
  const required = [];
  for (const part of schema.allOf ?? []) {
    const from = collect(all, part);
    Object.assign(properties, from.properties);
    required.push(...from.required);
  }
  if (schema.allOf === undefined && schema.properties === undefined) {
    return { properties, required, other: converted(all, schema) };
  }
  for (const [name, value] of Object.entries(schema.properties ?? {})) properties[name] = converted(all, value);
  required.push(...(schema.required ?? []));
  return { properties, required, other: undefined };
}

/** OpenAPI 3.0 to JSON Schema: `nullable`, component references, no descriptions. */
function converted(all, schema) {
  if (schema.$ref !== undefined) return { $ref: schema.$ref.slice(PREFIX.length) };
  const { nullable, description: _d, title: _t, example: _e, discriminator: _i, readOnly: _r, ...rest } = schema;
  if (rest.allOf !== undefined) {
    const whole = closedObject(all, schema, false);
    return nullable === true ? { anyOf: [whole, { type: 'null' }] } : whole;
  }
  const result = { ...rest };
  for (const key of ['anyOf', 'oneOf']) {
    if (result[key] === undefined) continue;
    result[key] = result[key].map((part) =>
      part.nullable === true && part.type === 'object' && part.properties === undefined
        ? { type: 'null' }
        : converted(all, part),
    );
  }
  if (result.items !== undefined) result.items = converted(all, result.items);
  if (result.properties !== undefined) {
    result.properties = Object.fromEntries(
      Object.entries(result.properties).map(([name, value]) => [name, converted(all, value)]),
    );
    result.patternProperties = { '@odata': {} };
    result.additionalProperties = false;
  }
  if (nullable !== true) return result;
  return { anyOf: [result, { type: 'null' }] };
}

function operationOf(components, path, method, operation, validate) {
  const escaped = path.replaceAll(/[.$()]/g, '\\$&').replaceAll(/\{[^}]+\}/g, '[^/]+');
  const pattern = new RegExp(`^/v1\\.0${escaped.replace('delta\\(\\)', 'delta(?:\\(\\))?')}$`);
  const parameters = (operation.parameters ?? []).map((parameter) =>
    parameter.$ref === undefined ? parameter : components.parameters[parameter.$ref.split('/').at(-1)],
  );
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
      const response = named?.$ref === undefined ? named : components.responses[named.$ref.split('/').at(-1)];
      if (status < 400 && operation.responses[String(status)] === undefined)
        return [`status ${status} is not described`];
      const schema = response?.content?.['application/json']?.schema;
      const body = parseBody(text);
      if (schema === undefined) return body === undefined ? [] : ['has a body where none is described'];
      return validate(converted(components.schemas, schema), body);
    },
  };
}
