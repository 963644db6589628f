import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Json, type World } from './world.ts';

let world: World;
let document: Json;
beforeAll(async () => {
  world = await createWorld({}, { hasCalDav: true });
  document = (await world.call('GET', '/v1/openapi.json', { key: null })).body;
});
afterAll(() => world.close());

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];

/** Every row of spec §4: method, path, names of query parameters, whether it has a body. */
const ROWS: readonly (readonly [string, string, readonly string[], boolean])[] = [
  ['get', '/v1/endUserAccounts', ['search', 'statusFilter', 'pageToken', 'limit', 'pageSize'], false],
  ['get', '/v1/endUserAccounts/{}', [], false],
  ['get', '/v1/endUserAccounts/{}/credentials', [], false],
  ['post', '/v1/endUserAccounts', [], true],
  ['delete', '/v1/endUserAccounts/{}', [], false],
  ['get', '/v1/oauth/authorize/{}/{}', ['prompt', 'loginHint', 'redirectUrl', 'state', 'externalId'], false],
  ['post', '/v1/freeBusy/{}', [], true],
  ['get', '/v1/calendars/{}', ['syncToken', 'pageToken', 'limit', 'pageSize'], false],
  ['get', '/v1/calendars/{}/{}', [], false],
  ['post', '/v1/calendars/{}', [], true],
  ['put', '/v1/calendars/{}/{}', [], true],
  ['delete', '/v1/calendars/{}/{}', [], false],
  [
    'get',
    '/v1/events/{}/{}',
    [
      ...['syncToken', 'startDateTime', 'endDateTime', 'timeZone', 'metadataFilters', 'expandRecurrences', 'search'],
      ...['orderBy', 'pageToken', 'limit', 'pageSize', 'isAllDay', 'isCancelled', 'updatedAfter'],
    ],
    false,
  ],
  ['get', '/v1/events/{}/{}/{}', ['timeZone'], false],
  [
    'get',
    '/v1/events/{}/{}/{}/occurrences',
    ['startDateTime', 'endDateTime', 'syncToken', 'timeZone', 'metadataFilters', 'search', 'orderBy', 'pageToken'],
    false,
  ],
  ['post', '/v1/events/{}/{}', [], true],
  ['put', '/v1/events/{}/{}/{}', [], true],
  ['post', '/v1/events/{}/{}/{}/rsvp', [], true],
  ['delete', '/v1/events/{}/{}/{}', [], false],
  ['get', '/v1/calendarSubscriptions/{}', ['pageToken', 'limit', 'pageSize'], false],
  ['post', '/v1/calendarSubscriptions/{}', [], true],
  ['delete', '/v1/calendarSubscriptions/{}', ['subscriptionId'], true],
];

function operations(): readonly { readonly method: string; readonly path: string; readonly operation: Json }[] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => ({ method, path, operation: item[method] })),
  );
}

function resolved(node: Json): Json {
  if (node?.$ref === undefined) return node;
  const path = node.$ref.replace(/^#\//, '').split('/');
  return path.reduce((at: Json, key: string) => at?.[key.replace(/~1/g, '/').replace(/~0/g, '~')], document);
}

describe('GET /v1/openapi.json', () => {
  it('is an OpenAPI 3.1 document', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    expect(Object.keys(document.paths).every((path) => path.startsWith('/'))).toBe(true);
    const allowed = ['openapi', 'info', 'jsonSchemaDialect', 'servers', 'paths', 'webhooks', 'components', 'security'];
    expect(Object.keys(document).filter((key) => ![...allowed, 'tags', 'externalDocs'].includes(key))).toEqual([]);
  });

  it.each(ROWS)('describes %s %s', (method, path, parameters, hasBody) => {
    const shape = (text: string) => text.replace(/\{\w+\}/g, '{}');
    const found = operations().filter(
      (row) =>
        row.method === method &&
        (shape(row.path) === path || (path.includes('authorize') && row.path.includes('/oauth/authorize/'))),
    );
    expect(found.length).toBeGreaterThan(0);
    for (const { operation } of found) {
      const names = (operation.parameters ?? []).map(resolved).filter((item: Json) => item.in === 'query');
      expect(names.map((item: Json) => item.name)).toEqual(expect.arrayContaining([...parameters]));
      if (hasBody) expect(resolved(operation.requestBody).content['application/json'].schema).toBeDefined();
    }
  });

  it('each operation is well formed: unique id, declared path parameters, answers with descriptions', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { method, path, operation } of operations()) {
      const where = `${method} ${path}`;
      const declared = [...(operation.parameters ?? []), ...(document.paths[path].parameters ?? [])].map(resolved);
      const inPath = declared.filter((item: Json) => item.in === 'path');
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(inPath.map((item: Json) => item.name).sort(), where).toEqual([...wanted].sort());
      for (const item of inPath) expect(item.required, where).toBe(true);
      const keys = declared.map((item: Json) => `${item.in} ${item.name}`);
      expect(new Set(keys).size, where).toBe(keys.length);
      const answers = Object.entries<Json>(operation.responses);
      expect(answers.length, where).toBeGreaterThan(0);
      for (const [status, answer] of answers) {
        expect(status).toMatch(/^([1-5]\d\d|[1-5]XX|default)$/);
        expect(resolved(answer).description, where).toEqual(expect.any(String));
      }
    }
  });

  it('every $ref leads somewhere', () => {
    const open: unknown[] = [document];
    const broken: string[] = [];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (typeof node !== 'object' || node === null) continue;
      const { $ref } = node as { readonly $ref?: unknown };
      if (typeof $ref === 'string' && resolved(node) === undefined) broken.push($ref);
      open.push(...Object.values(node).filter((value) => value !== undefined));
    }
    expect(broken).toEqual([]);
  });

  it.each([
    ['authorizationCallback', 'state', true],
    ['showSignIn', 'state', true],
    ['signIn', 'state', false],
    ['receivePush', 'validationToken', false],
  ])('describes what browsers and providers send: %s takes %s', (id, name, required) => {
    const found = operations().find(({ operation }) => operation.operationId === id);
    expect(found?.operation.parameters).toContainEqual(expect.objectContaining({ in: 'query', name, required }));
  });

  it('bounds Idempotency-Key as the service does', async () => {
    const keys = operations().flatMap(({ operation }) =>
      (operation.parameters ?? []).filter(({ name }: Json) => name === 'Idempotency-Key'),
    );
    expect(keys.length).toBeGreaterThan(1);
    for (const { schema } of keys) expect(schema).toMatchObject({ minLength: 1, maxLength: 255 });
    const { accountId } = await world.connect('google');
    const create = (key: string) =>
      world.call('POST', `/v1/calendars/${accountId}`, { body: { name: 'x' }, headers: { 'idempotency-key': key } });
    expect((await create('x'.repeat(256))).status).toBe(400);
    expect((await create('x'.repeat(255))).status).toBe(201);
  });

  it('describes each media type of the answers to providers', () => {
    const found = operations().find(({ operation }) => operation.operationId === 'receivePush');
    const { responses } = found?.operation ?? {};
    expect(Object.keys(responses[200].content)).toEqual(['text/plain']);
    expect(responses[202]).toBeDefined();
    expect(responses[202].content).toBeUndefined();
  });

  it('tells NotFound of a provider that sends no notifications', async () => {
    const { status, body } = await world.call('POST', '/v1/push/caldav', { key: null, body: {} });
    expect([status, body.code]).toEqual([404, 'NotFound']);
  });

  it('has no fields beside alternatives, which generators of clients do not combine', () => {
    const mixed: Json[] = [];
    JSON.stringify(document.components.schemas, (_, part) => {
      const isObject = part?.type === 'object' && part.properties !== undefined;
      if ((isObject || part?.$ref !== undefined) && (part.oneOf ?? part.anyOf) !== undefined) mixed.push(part);
      return part;
    });
    expect(mixed).toEqual([]);
    const { oneOf } = document.components.schemas.EventDateTimeInput;
    expect(oneOf).toMatchObject(
      ['dateTime', 'date'].map((required) => ({
        type: 'object',
        properties: { [required]: { type: 'string' }, timeZone: {} },
        required: [required],
        additionalProperties: false,
      })),
    );
    expect(oneOf.map(({ properties }: Json) => Object.keys(properties))).toEqual([
      ['dateTime', 'timeZone'],
      ['date', 'timeZone'],
    ]);
  });

  it('tells what clients must ignore', () => {
    expect(document.info.description).toContain('must ignore fields, error codes and enum values');
  });

  it('asks for x-api-key where the interface does, and only there', () => {
    const schemes = Object.entries<Json>(document.components.securitySchemes);
    const [name] = schemes.find(([, scheme]) => scheme.type === 'apiKey' && scheme.name === 'x-api-key') ?? [];
    expect(name).toBeDefined();
    for (const { path, operation } of operations()) {
      const security: readonly Json[] = operation.security ?? document.security ?? [];
      const needsKey = security.length > 0 && security.every((choice) => Object.hasOwn(choice, name ?? ''));
      const isOpen = /\/oauth\/|\/push\/|openapi|\.ics$/.test(path);
      expect(`${path} ${needsKey}`).toBe(`${path} ${!isOpen}`);
    }
  });

  it('names Forbidden where a key that may only read is refused, and where a provider may refuse', () => {
    const readings = ['queryFreeBusy', 'queryFreeBusyOfAccounts', 'queryAvailability', 'explainAvailability'];
    const withKey = operations().filter(({ operation }) => operation.security.length > 0);
    const writes = withKey.filter(
      ({ method, operation }) => method !== 'get' && !readings.includes(operation.operationId),
    );
    const callsProvider = withKey.filter(({ operation }) => operation.responses[504] !== undefined);
    expect([writes.length > 20, callsProvider.length > 20]).toEqual([true, true]);
    for (const { operation } of [...writes, ...callsProvider]) {
      expect(operation.responses[403]?.description, operation.operationId).toContain('Forbidden');
    }
    for (const id of ['queryAvailability', 'explainAvailability']) {
      const found = withKey.find(({ operation }) => operation.operationId === id);
      expect(found?.operation.responses[422]?.description, id).toContain('UnsupportedByProvider');
    }
  });

  it('names the providers as the engine does', () => {
    expect(JSON.stringify(document)).toContain('PROVIDER_A');
    expect(JSON.stringify(document)).toContain('PROVIDER_B');
  });

  it('describes the message of a subscription', () => {
    const [item] = Object.values<Json>(document.webhooks);
    const schema = resolved(item.post.requestBody.content['application/json'].schema);
    expect(Object.keys(schema.properties).sort()).toEqual(['eventType', 'timestamp']);
    expect(resolved(schema.properties.eventType).enum).toContain('calendar.event.changed');
  });
});
