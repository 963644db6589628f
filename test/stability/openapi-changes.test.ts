import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contractOf, openApiChanges } from '../../scripts/stability/openapi-changes.js';

type Json = Record<string, unknown>;

const item = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string' },
    state: { type: 'string', enum: ['open', 'done'] },
    parent: { $ref: '#/components/schemas/Item' },
  },
};
const body = {
  type: 'object',
  required: ['title'],
  additionalProperties: false,
  properties: { title: { type: 'string', maxLength: 10 }, kind: { type: 'string', enum: ['a', 'b'] } },
};

/** A document of one route, with parts of it replaced. */
function document(
  parts: { readonly item?: Json; readonly body?: Json; readonly operation?: Json; readonly paths?: Json } = {},
) {
  const json = (schema: object) => ({ 'application/json': { schema } });
  const operation = {
    parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } }],
    requestBody: { required: true, content: json({ ...body, ...parts.body }) },
    responses: { 200: { content: json({ $ref: '#/components/schemas/Item' }) }, 404: { content: json({}) } },
    security: [{ key: [] }],
    ...parts.operation,
  };
  return {
    openapi: '3.1.0',
    paths: { '/items': { post: operation }, ...parts.paths },
    components: { schemas: { Item: { ...item, ...parts.item } } },
  };
}

const PLACE = 'POST /items';
const withProperty = (schema: typeof item | typeof body, name: string, value: object | undefined) => {
  const { [name]: _, ...others } = schema.properties as Record<string, object>;
  return { properties: value === undefined ? others : { ...others, [name]: value } };
};

describe('breaks', () => {
  it.each<[string, object, string]>([
    ['a route that is gone', { ...document(), paths: {} }, `${PLACE} is gone`],
    [
      'a parameter that is gone',
      document({ operation: { parameters: [] } }),
      `${PLACE}: query parameter limit is gone`,
    ],
    [
      'a parameter with a smaller range',
      document({
        operation: { parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 50 } }] },
      }),
      `${PLACE}: query parameter limit: maximum was 100, is 50`,
    ],
    [
      'a required parameter',
      document({
        operation: {
          parameters: [
            { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } },
            { name: 'who', in: 'query', required: true, schema: {} },
          ],
        },
      }),
      `${PLACE}: query parameter who is new, and required`,
    ],
    [
      'a field that may no longer be sent',
      document({ body: withProperty(body, 'kind', undefined) }),
      `${PLACE}: body.kind is gone`,
    ],
    [
      'a field that has to be sent',
      document({ body: { required: ['title', 'kind'] } }),
      `${PLACE}: body.kind is required`,
    ],
    [
      'a value that may no longer be sent',
      document({ body: withProperty(body, 'kind', { type: 'string', enum: ['a'] }) }),
      `${PLACE}: body.kind is no longer "b"`,
    ],
    [
      'a shorter text',
      document({ body: withProperty(body, 'title', { type: 'string', maxLength: 5 }) }),
      `${PLACE}: body.title: maxLength was 10, is 5`,
    ],
    [
      'a pattern',
      document({ body: withProperty(body, 'title', { type: 'string', maxLength: 10, pattern: '^a' }) }),
      `${PLACE}: body.title: pattern was absent, is ^a`,
    ],
    [
      'an answer without a field',
      document({ item: withProperty(item, 'state', undefined) }),
      `${PLACE}: 200.state is gone`,
    ],
    ['a field that may be missing', document({ item: { required: [] } }), `${PLACE}: 200.id is optional`],
    [
      'a field that may be null',
      document({ item: withProperty(item, 'id', { type: ['string', 'null'] }) }),
      `${PLACE}: 200.id may be null`,
    ],
    ['a status that is gone', document({ operation: { responses: { 404: {} } } }), `${PLACE}: 200 is gone`],
    [
      'a keyword without a comparison of its own',
      document({ body: { propertyNames: { pattern: '^[a-z]+$' } } }),
      `${PLACE}: body: propertyNames has changed`,
    ],
    ['another authorization', document({ operation: { security: [] } }), `${PLACE}: its authorization has changed`],
  ])('%s', (_, after, text) => {
    expect(openApiChanges(document(), after)).toContainEqual({ isBreak: true, text });
  });
});

describe('additions', () => {
  it.each<[string, object, string]>([
    ['a route', document({ paths: { '/others': { get: {} } } }), 'GET /others is new'],
    [
      'an optional field',
      document({ body: withProperty(body, 'note', { type: 'string' }) }),
      `${PLACE}: body.note is new`,
    ],
    [
      'a longer text',
      document({ body: withProperty(body, 'title', { type: 'string' }) }),
      `${PLACE}: body.title: maxLength was 10, is absent`,
    ],
    [
      'a further value to send',
      document({ body: withProperty(body, 'kind', { type: 'string', enum: ['a', 'b', 'c'] }) }),
      `${PLACE}: body.kind may be "c"`,
    ],
    [
      'a field of an answer',
      document({ item: withProperty(item, 'note', { type: 'string' }) }),
      `${PLACE}: 200.note is new`,
    ],
    [
      'a field that is always there',
      document({ item: { required: ['id', 'state'] } }),
      `${PLACE}: 200.state is required`,
    ],
    [
      'a further value of an answer',
      document({ item: withProperty(item, 'state', { type: 'string', enum: ['open', 'done', 'late'] }) }),
      `${PLACE}: 200.state may be "late"`,
    ],
    ['a deprecation', document({ operation: { deprecated: true } }), `${PLACE} is deprecated`],
  ])('%s', (_, after, text) => {
    expect(openApiChanges(document(), after)).toEqual([{ isBreak: false, text }]);
  });

  it('nothing, where only readers see a difference', () => {
    const told = JSON.parse(JSON.stringify(document()), (key, value) =>
      key === 'id' || key === 'post' ? { ...value, description: 'Told', examples: ['x'] } : value,
    );
    expect(contractOf(told)).toEqual(contractOf(document()));
    expect(contractOf({ properties: { description: { type: 'string' } } })).toEqual({
      properties: { description: { type: 'string' } },
    });
  });
});

/** Returns the names of the schemas that a part leads to, by whatever number of references. */
function reached(part: unknown, schemas: Json, found: Set<string> = new Set()): Set<string> {
  for (const [, name = ''] of JSON.stringify(part ?? {}).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    reached(schemas[name], schemas, found);
  }
  return found;
}

describe.each(['openapi.json', 'admin-openapi.json'])('%s', (name) => {
  const text = readFileSync(new URL(`snapshot/${name}`, import.meta.url), 'utf8');

  it('has not changed beside itself', () => {
    expect(openApiChanges(JSON.parse(text), JSON.parse(text))).toEqual([]);
  });

  it('shows each field that is removed, in both directions and in webhooks', () => {
    const before = JSON.parse(text);
    const changed = JSON.parse(text);
    const { schemas } = changed.components;
    const places = ['paths', 'webhooks'].flatMap((section) =>
      Object.keys(changed[section] ?? {}).map((path) => ({
        only: (from: Json) => {
          const items = from[section] as Json;
          return { components: from['components'], [section]: { [path]: items[path] } };
        },
        item: changed[section][path],
        leadsTo: reached(changed[section][path], schemas),
      })),
    );
    let removed = 0;
    /** Compares one operation's part of the document each time: the whole takes a minute. */
    const remove = (part: unknown, only: (from: Json) => Json): void => {
      if (typeof part !== 'object' || part === null) return;
      const { properties } = part as { readonly properties?: Record<string, unknown> };
      for (const [property, value] of Object.entries(properties ?? {})) {
        if (properties === undefined) return;
        delete properties[property];
        const changes = openApiChanges(only(before), only(changed));
        expect(changes.filter(({ isBreak }) => isBreak).length, property).toBeGreaterThan(0);
        properties[property] = value;
        removed += 1;
      }
      for (const each of Object.values(part)) remove(each, only);
    };
    for (const { item, only } of places) remove(item, only);
    for (const [schema, part] of Object.entries(schemas)) {
      const place = places.find(({ leadsTo }) => leadsTo.has(schema));
      if (place === undefined) throw new Error(`no operation leads to ${schema}`);
      remove(part, place.only);
    }
    expect(removed).toBeGreaterThan(100);
  });
});
