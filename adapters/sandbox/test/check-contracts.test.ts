import { describe, expect, test } from 'vitest';
import type { Json } from './google/harness.ts';

// The checker must be able to fail: both contract readers meet planted mistakes in small descriptions of our own.

const load = (name: string): Promise<Json> => import(new URL(`../scripts/contracts/${name}.js`, import.meta.url).href);

const DISCOVERY = {
  servicePath: 'things/v1/',
  parameters: { key: { type: 'string', location: 'query' } },
  schemas: {
    Thing: {
      id: 'Thing',
      type: 'object',
      properties: {
        id: { type: 'string' },
        at: { type: 'string', format: 'date-time' },
        part: { $ref: 'Part' },
        tags: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
    Part: { id: 'Part', type: 'object', properties: { size: { type: 'integer', format: 'int32' } } },
  },
  resources: {
    things: {
      methods: {
        patch: {
          id: 'things.patch',
          httpMethod: 'PATCH',
          path: 'things/{thingId}',
          parameters: {
            thingId: { type: 'string', location: 'path' },
            loud: { type: 'boolean', location: 'query' },
            mode: { type: 'string', enum: ['a', 'b'], location: 'query' },
          },
          request: { $ref: 'Thing' },
          response: { $ref: 'Thing' },
        },
        delete: { id: 'things.delete', httpMethod: 'DELETE', path: 'things/{thingId}', parameters: {} },
      },
    },
  },
};

describe('the Google contract', () => {
  const operation = async (method = 'PATCH') => {
    const { createGoogleContract } = await load('google-contract');
    return createGoogleContract(DISCOVERY).find(method, '/things/v1/things/1');
  };
  const error = { error: { code: 404, message: 'm', errors: [{ domain: 'd', reason: 'r', message: 'm' }] } };

  test('takes what the description allows', async () => {
    const patch = await operation();
    expect(patch.checkQuery(new URLSearchParams('loud=true&mode=a&key=k'))).toEqual([]);
    expect(patch.checkBody('{"part":null,"at":"2026-03-01T09:00:00","tags":{"x":"y"}}')).toEqual([]);
    expect(patch.checkAnswer(200, '{"id":"1","at":"2026-03-01T09:00:00Z","part":{"size":1}}')).toEqual([]);
    expect(patch.checkAnswer(404, JSON.stringify(error))).toEqual([]);
    expect(patch.checkAnswer(304, '')).toEqual([]);
    expect((await operation('DELETE')).checkAnswer(204, '')).toEqual([]);
  });

  test.each([
    ['checkQuery', [new URLSearchParams('quiet=1')], /quiet is not described/],
    ['checkQuery', [new URLSearchParams('loud=1')], /no boolean/],
    ['checkQuery', [new URLSearchParams('mode=c')], /none of/],
    ['checkBody', ['{"size":1}'], /additional properties \(size\)/],
    ['checkBody', ['{"part":{"size":"1"}}'], /must be integer/],
    ['checkAnswer', [200, '{"part":{"colour":1}}'], /additional properties \(colour\)/],
    ['checkAnswer', [200, '{"at":"2026-03-01T09:00:00"}'], /date-time/],
    ['checkAnswer', [404, '{"error":"not_found"}'], /must be object/],
    ['checkAnswer', [404, '{"error":{"code":404,"message":"m","errors":[]}}'], /fewer than 1/],
  ])('%s %j is told', async (check, input, problem) => {
    expect((await operation())[check](...input).join()).toMatch(problem);
  });

  test('knows no other path, and no body where none is described', async () => {
    const { createGoogleContract } = await load('google-contract');
    expect(createGoogleContract(DISCOVERY).find('PUT', '/things/v1/things/1')).toBeUndefined();
    expect((await operation('DELETE')).checkAnswer(200, '{}')).not.toEqual([]);
  });
});

const json = (schema: unknown) => ({ content: { 'application/json': { schema } } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const OPENAPI = {
  components: {
    parameters: { top: { name: '$top', in: 'query' }, from: { name: 'from', in: 'query', required: true } },
    responses: { error: json({ type: 'object', required: ['error'], properties: { error: { type: 'object' } } }) },
    schemas: {
      entity: { type: 'object', properties: { id: { type: 'string' } } },
      part: { type: 'object', properties: { size: { type: 'integer', nullable: true } } },
      thing: {
        allOf: [
          ref('entity'),
          {
            type: 'object',
            properties: {
              part: { anyOf: [ref('part'), { type: 'object', nullable: true }] },
              kind: { type: 'string', enum: ['a', 'b'] },
            },
          },
        ],
      },
    },
  },
  paths: {
    '/things': {
      get: {
        parameters: [{ $ref: '#/components/parameters/top' }, { $ref: '#/components/parameters/from' }],
        responses: {
          200: json({ type: 'object', properties: { value: { type: 'array', items: ref('thing') } } }),
          default: { $ref: '#/components/responses/error' },
        },
      },
    },
    '/things/{id}': { patch: { requestBody: json(ref('thing')), responses: { 200: json(ref('thing')) } } },
    '/things/delta()': { get: { responses: { 200: json(ref('thing')) } } },
  },
};

describe('the Graph contract', () => {
  const find = async (method: string, path: string) => {
    const { createGraphContract } = await load('graph-contract');
    return createGraphContract(OPENAPI).find(method, path);
  };

  test('takes what the description allows, annotations and link parameters too', async () => {
    const list = await find('GET', '/v1.0/things');
    expect(list.checkQuery(new URLSearchParams('$top=1&from=x'))).toEqual([]);
    expect(list.checkQuery(new URLSearchParams('$skiptoken=x'))).toEqual([]);
    const item = { '@odata.etag': 'e', id: '1', part: { size: null }, kind: 'a' };
    expect(list.checkAnswer(200, JSON.stringify({ '@odata.context': 'c', value: [item, { part: null }] }))).toEqual([]);
    expect(list.checkAnswer(429, '{"error":{}}')).toEqual([]);
    expect((await find('GET', '/v1.0/things/delta')).id).toBe('get /things/delta()');
  });

  test.each([
    ['GET', '/v1.0/things', 'checkQuery', [new URLSearchParams('$top=1')], /from is missing/],
    ['GET', '/v1.0/things', 'checkQuery', [new URLSearchParams('from=x&$select=y')], /\$select is not described/],
    ['GET', '/v1.0/things', 'checkAnswer', [200, '{"value":[{"colour":1}]}'], /additional properties \(colour\)/],
    [
      'GET',
      '/v1.0/things',
      'checkAnswer',
      [200, '{"value":[{"part":{"weight":1}}]}'],
      /additional properties \(weight\)/,
    ],
    ['GET', '/v1.0/things', 'checkAnswer', [200, '{"value":[{"kind":"c"}]}'], /allowed values/],
    ['GET', '/v1.0/things', 'checkAnswer', [201, '{}'], /201 is not described/],
    ['GET', '/v1.0/things', 'checkAnswer', [500, '{"message":"m"}'], /required property 'error'/],
    ['PATCH', '/v1.0/things/1', 'checkBody', ['{"id":7}'], /must be string/],
  ])('%s %s %s %j is told', async (method, path, check, input, problem) => {
    expect((await find(method, path))[check](...input).join()).toMatch(problem);
  });
});
