import { describe, expect, test } from 'vitest';
import type { Contract, Operation } from './contract.ts';
import { createGoogleContract } from './google-contract.ts';
import { createGraphContract } from './graph-contract.ts';
import type { Schema } from './validator.ts';

// The checker must be able to fail: both contract readers meet planted mistakes in small descriptions of our own.

function found(contract: Contract, method: string, path: string): Operation {
  const operation = contract.find(method, path);
  if (operation === undefined) throw new Error(`${method} ${path} is in no contract`);
  return operation;
}

const query = (text: string) => (operation: Operation) => operation.checkQuery(new URLSearchParams(text));
const body = (text: string) => (operation: Operation) => operation.checkBody(text);
const answer = (status: number, text: string) => (operation: Operation) => operation.checkAnswer(status, text);

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
  const operation = (method = 'PATCH') => found(createGoogleContract(DISCOVERY), method, '/things/v1/things/1');
  const error = { error: { code: 404, message: 'm', errors: [{ domain: 'd', reason: 'r', message: 'm' }] } };

  test('takes what the description allows', () => {
    const patch = operation();
    expect(patch.checkQuery(new URLSearchParams('loud=true&mode=a&key=k'))).toEqual([]);
    expect(patch.checkBody('{"part":null,"at":"2026-03-01T09:00:00","tags":{"x":"y"}}')).toEqual([]);
    expect(patch.checkAnswer(200, '{"id":"1","at":"2026-03-01T09:00:00Z","part":{"size":1}}')).toEqual([]);
    expect(patch.checkAnswer(404, JSON.stringify(error))).toEqual([]);
    expect(patch.checkAnswer(304, '')).toEqual([]);
    expect(operation('DELETE').checkAnswer(204, '')).toEqual([]);
  });

  test.each([
    [/quiet is not described/, query('quiet=1')],
    [/no boolean/, query('loud=1')],
    [/none of/, query('mode=c')],
    [/additional properties \(size\)/, body('{"size":1}')],
    [/must be integer/, body('{"part":{"size":"1"}}')],
    [/additional properties \(colour\)/, answer(200, '{"part":{"colour":1}}')],
    [/date-time/, answer(200, '{"at":"2026-03-01T09:00:00"}')],
    [/must be object/, answer(404, '{"error":"not_found"}')],
    [/fewer than 1/, answer(404, '{"error":{"code":404,"message":"m","errors":[]}}')],
  ])('%s is told', (problem, problemsOf) => {
    expect(problemsOf(operation()).join()).toMatch(problem);
  });

  test('knows no other path, and no body where none is described', () => {
    expect(createGoogleContract(DISCOVERY).find('PUT', '/things/v1/things/1')).toBeUndefined();
    expect(operation('DELETE').checkAnswer(200, '{}')).not.toEqual([]);
  });
});

const json = (schema: Schema) => ({ content: { 'application/json': { schema } } });
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
  const find = (method: string, path: string) => found(createGraphContract(OPENAPI), method, path);

  test('takes what the description allows, annotations and link parameters too', () => {
    const list = find('GET', '/v1.0/things');
    expect(list.checkQuery(new URLSearchParams('$top=1&from=x'))).toEqual([]);
    expect(list.checkQuery(new URLSearchParams('$skiptoken=x'))).toEqual([]);
    const item = { '@odata.etag': 'e', id: '1', part: { size: null }, kind: 'a' };
    expect(list.checkAnswer(200, JSON.stringify({ '@odata.context': 'c', value: [item, { part: null }] }))).toEqual([]);
    expect(list.checkAnswer(429, '{"error":{}}')).toEqual([]);
    expect(find('GET', '/v1.0/things/delta').id).toBe('get /things/delta()');
  });

  test('attachments of an event can be selected by the properties of their type', () => {
    const { components } = OPENAPI;
    const attachment = { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } };
    const schemas = { ...components.schemas, 'microsoft.graph.attachment': attachment };
    const contract = createGraphContract({ ...OPENAPI, components: { ...components, schemas } });
    const list = found(contract, 'GET', '/v1.0/me/calendars/1/events/2/attachments');
    expect(list.checkQuery(new URLSearchParams('$select=id,name'))).toEqual([]);
    expect(list.checkQuery(new URLSearchParams('$select=id,sourceUrl'))).toEqual([
      '$select names sourceUrl, which is not described',
    ]);
    expect(list.checkAnswer(200, '{"value":[{"id":"1","name":"n"}]}')).toEqual([]);
    expect(list.checkAnswer(200, '{"value":[{"contentBytes":""}]}')).not.toEqual([]);
  });

  test.each([
    [/from is missing/, 'GET', '/v1.0/things', query('$top=1')],
    [/\$select is not described/, 'GET', '/v1.0/things', query('from=x&$select=y')],
    [/additional properties \(colour\)/, 'GET', '/v1.0/things', answer(200, '{"value":[{"colour":1}]}')],
    [/additional properties \(weight\)/, 'GET', '/v1.0/things', answer(200, '{"value":[{"part":{"weight":1}}]}')],
    [/allowed values/, 'GET', '/v1.0/things', answer(200, '{"value":[{"kind":"c"}]}')],
    [/201 is not described/, 'GET', '/v1.0/things', answer(201, '{}')],
    [/required property 'error'/, 'GET', '/v1.0/things', answer(500, '{"message":"m"}')],
    [/must be string/, 'PATCH', '/v1.0/things/1', body('{"id":7}')],
  ])('%s is told', (problem, method, path, problemsOf) => {
    expect(problemsOf(find(method, path)).join()).toMatch(problem);
  });
});
