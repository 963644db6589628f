import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sizeOf } from '../size-of.ts';
import { type Admin, adminOf, documentOf, type Operation, operationsOf, stateOf } from './admin-world.ts';
import { body, checkProblem } from './steps.ts';
import { type Answer, createWorld, type Json, type World } from './world.ts';

let world: World;
let admin: Admin;
let receiverId: string;
let document: Json;
let operations: readonly Operation[];
beforeAll(async () => {
  world = await createWorld();
  admin = adminOf(world);
  const endpoint = { webhookUrl: 'http://127.0.0.1:49999/hook' };
  receiverId = body(await world.call('POST', '/v1/webhookEndpoints', { body: endpoint }), 201).webhookEndpointId;
  document = await documentOf(admin);
  operations = operationsOf(document);
});
afterAll(() => world.close());

const odd = fc.constantFrom(
  ...['', ' ', '\0', '\ud800', '..', '%', '%00', '%2f', '"', "'; DROP TABLE kalends_application; --", '\n', '🦄'],
  ...['true', '0', '1', '-1', '1e9', 'NaN', '9'.repeat(400), 'null', '{}', '90d', '0d', '99999d', '2027-01-31'],
  ...['9999-12-31T23:59:59Z', '-271821-04-20', '+275760-09-13T00:00:00Z', 'https://a.test/', 'http:/\\a', 'admin'],
  ...['active', 'expired', 'provider_a', 'PROVIDER_B', '__proto__', 'constructor', 'x'.repeat(5_000)],
);
const text = fc.oneof({ weight: 3, arbitrary: odd }, { weight: 1, arbitrary: fc.string({ unit: 'binary' }) });
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    text,
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e308),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
}));
const pick = fc.nat();

/** Returns one of a list by any number. */
function choose<Item>(list: readonly Item[], index: number): Item {
  const item = list[index % list.length];
  if (item === undefined) throw new Error('nothing to choose from');
  return item;
}

const resolved = (schema: Json): Json =>
  schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)];

/** Fields of an operation's body, by the description. */
const fieldsOf = ({ operation }: Operation): readonly string[] =>
  Object.keys(resolved(operation.requestBody.content['application/json'].schema).properties);

/** A value for each field that is right for some operation. */
const RIGHT: Readonly<Record<string, unknown>> = {
  name: 'x',
  redirectUrls: ['https://a.test/done'],
  url: 'https://a.test/done',
  clientId: 'client',
  clientSecret: 'client-secret',
  settings: { tenant: 'common' },
  scopes: ['openid', 'email', 'https://www.googleapis.com/auth/calendar'],
  secretExpiresAt: '2027-01-31T00:00:00Z',
  expiresAt: '90d',
  readOnly: true,
  canReadCredentials: false,
  messageId: 'msg_none',
  since: '2026-03-01T00:00:00Z',
};

const PARAMETERS: Readonly<Record<string, () => string>> = {
  app: () => world.applicationId,
  provider: () => 'provider_a',
  receiver: () => receiverId,
};
/** Lone surrogates have no place in a URL; they become U+FFFD. */
const encode = (id: string) => encodeURIComponent(Buffer.from(id, 'utf8').toString('utf8'));

function check(answer: Answer, what: string): void {
  expect(answer.headers.get('x-request-id'), what).not.toBeNull();
  if (answer.status < 400) return;
  expect(answer.status, `${what}: ${JSON.stringify(answer.body)}`).toBeLessThan(500);
  checkProblem(answer);
  if (answer.body.code === 'InvalidRequest') expect(answer.body.details ?? [], what).not.toHaveLength(0);
}

it('bodies: no fault, refusals name the field, and change nothing', { timeout: 900_000 }, async () => {
  const writes = operations.filter(({ operation }) => operation.requestBody !== undefined);
  expect([...new Set(writes.flatMap(fieldsOf))].sort()).toEqual(Object.keys(RIGHT).sort());
  let known = await stateOf(admin);
  await fc.assert(
    fc.asyncProperty(
      pick,
      fc.array(fc.tuple(pick, value), { maxLength: 2 }),
      fc.boolean(),
      async (which, wrong, all) => {
        const operation = choose(writes, which);
        const fields = fieldsOf(operation);
        const right = all ? fields.map((name) => [name, RIGHT[name]] as const) : [];
        const spoilt = wrong.map(([index, given]) => [choose(fields, index), given] as const);
        const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => PARAMETERS[name]?.() ?? '');
        const sent = Object.fromEntries([...right, ...spoilt]);
        const answer = await admin.call(operation.method, path, { body: sent });
        check(answer, `${operation.method} ${path} ${JSON.stringify(sent)}`);
        const now = await stateOf(admin);
        if (answer.status >= 400) expect(now).toEqual(known);
        known = now;
      },
    ),
    { numRuns: sizeOf('runs', { short: 60, long: 2_000 }) },
  );
});

it('bodies of every other shape: no fault', { timeout: 900_000 }, async () => {
  const writes = operations.filter(({ operation }) => operation.requestBody !== undefined);
  await fc.assert(
    fc.asyncProperty(pick, value, async (which, sent) => {
      const { method, path } = choose(writes, which);
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => PARAMETERS[name]?.() ?? '');
      const answer = await admin.call(method, filled, { body: JSON.stringify(sent) });
      check(answer, `${method} ${filled} ${JSON.stringify(sent)}`);
    }),
    { numRuns: sizeOf('runs', { short: 60, long: 2_000 }) },
  );
});

it('queries: no fault', { timeout: 900_000 }, async () => {
  const reads = operations.filter(({ method }) => method === 'GET');
  const names: readonly string[] = reads.flatMap(({ operation }) =>
    (operation.parameters ?? []).filter((one: Json) => one.in === 'query').map((one: Json) => one.name),
  );
  expect(names).toContain('actorType');
  await fc.assert(
    fc.asyncProperty(pick, fc.array(fc.tuple(pick, text), { maxLength: 3 }), async (which, given) => {
      const { path } = choose(reads, which);
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => PARAMETERS[name]?.() ?? 'some');
      const query = new URLSearchParams(given.map(([index, sent]): [string, string] => [choose(names, index), sent]));
      check(await admin.call('GET', `${filled}?${query}`), `${filled}?${query}`);
    }),
    { numRuns: sizeOf('runs', { short: 100, long: 2_000 }) },
  );
});

it('ids in paths: no fault', { timeout: 900_000 }, async () => {
  const withIds = operations.filter(({ path }) => path.includes('{'));
  await fc.assert(
    fc.asyncProperty(pick, text, fc.boolean(), async (which, id, ofApplication) => {
      const { method, path, operation } = choose(withIds, which);
      // Otherwise the id is that of the application too.
      const app = ofApplication && !path.endsWith('{app}') ? world.applicationId : encode(id);
      const filled = path.replace('{app}', app).replace(/\{\w+\}/g, encode(id));
      const sent = operation.requestBody === undefined ? undefined : RIGHT;
      check(await admin.call(method, filled, { body: sent }), `${method} ${filled}`);
    }),
    { numRuns: sizeOf('runs', { short: 100, long: 2_000 }) },
  );
});
