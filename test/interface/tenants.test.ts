import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dice } from '../simulation/dice.ts';
import { ADMIN_TOKEN } from './admin-world.ts';
import { type DocumentedOperation, operationsIn } from './documents/operations.ts';
import { neverExisting, type Position, positionsOf, requestOf, withoutIds } from './tenants/tenant-requests.ts';
import { createTenantWorld, type Ids, type SentRequest, type TenantWorld } from './tenants/tenant-world.ts';
import { type Json, PROVIDERS } from './world.ts';

describe.each(PROVIDERS)('the tenants of one service ($provider)', ({ provider }) => {
  let tenants: TenantWorld;
  let operations: readonly DocumentedOperation[];
  let ofAdmin: readonly DocumentedOperation[];
  beforeAll(async () => {
    tenants = await createTenantWorld(provider);
    const { world, admin, send } = tenants;
    const read = async (handler: typeof admin, path: string, headers: Record<string, string>): Promise<Json> =>
      (await send(handler, { method: 'GET', path, headers, body: undefined })).body;
    // Open routes take no tenant's id but that of the application, which is public.
    const isClosed = ({ operation }: DocumentedOperation) => operation.security.length > 0;
    operations = operationsIn(await read(world.handler, '/v1/openapi.json', {})).filter(isClosed);
    ofAdmin = operationsIn(await read(admin, '/admin/v1/openapi.json', { authorization: `Bearer ${ADMIN_TOKEN}` }));
  }, 60_000);
  afterAll(() => tenants.close());

  const drawn = (headers: Record<string, string>) => ({ headers, dice: dice(1) });
  const idIn = (ids: Ids, name: string): string => {
    const id = ids[name];
    if (id === undefined) throw new Error(`${name} is new: give it an id of each tenant in tenant-world.ts`);
    return id;
  };

  /** Sends both requests; their answers are the same, and neither changes anything nor calls a provider. */
  async function expectSame(
    what: string,
    foreign: SentRequest,
    never: SentRequest,
    isAnothers: boolean,
    admin = false,
  ): Promise<void> {
    const handler = admin ? tenants.admin : tenants.world.handler;
    // The caller's own account may look for what it does not know; it does so in both cases.
    const besides = isAnothers ? [] : [idIn(tenants.own.ids, 'account')];
    const start = await tenants.providerCalls();
    const expected = await tenants.send(handler, never);
    const [before, calls] = [await tenants.state(besides), await tenants.providerCalls()];
    const answer = await tenants.send(handler, foreign);
    expect(await tenants.state(besides), what).toEqual(before);
    expect((await tenants.providerCalls()) - calls, what).toBe(calls - start);
    if (isAnothers) expect(calls - start, what).toBe(0);
    expect(answer.status, `${what}: ${JSON.stringify(answer.body)}`).toBeGreaterThanOrEqual(400);
    expect(answer.status, `${what}: ${JSON.stringify(answer.body)}`).toBeLessThan(500);
    const ids = new Set(
      [...Object.values(tenants.foreign.ids), ...Object.values(tenants.ownOther)].flatMap((id) => [
        id,
        neverExisting('', id),
        neverExisting('Token', id),
      ]),
    );
    expect([answer.status, withoutIds(answer.body, ids)], what).toEqual([
      expected.status,
      withoutIds(expected.body, ids),
    ]);
    const headersOf = ({ headers }: { readonly headers: Headers }) =>
      [...headers].filter(([name]) => name !== 'x-request-id');
    expect(headersOf(answer), what).toEqual(headersOf(expected));
  }

  const WHOSE = [
    ['another application', () => tenants.foreign.ids],
    ['another account of the application', () => tenants.ownOther],
  ] as const;

  it.each(WHOSE)(
    'get the answer for an id that never existed for one of %s, wherever it stands',
    {
      timeout: 300_000,
    },
    async (whose, ids) => {
      const { key, ids: own } = tenants.own;
      const positions = operations.flatMap((operation) => positionsOf(operation).map((at) => ({ operation, at })));
      const isForeign = ({ at }: { readonly at: Position }) =>
        whose === 'another application' || !OF_APPLICATION.includes(at.name);
      for (const { operation, at } of positions.filter(isForeign)) {
        const foreignId = idIn(ids(), at.name);
        const by = (id: string) =>
          requestOf(operation, (each) => (isAt(each, at) ? id : idIn(own, each.name)), at, drawn({ 'x-api-key': key }));
        const what = `${operation.id} ${at.place} ${at.name}`;
        await expectSame(what, by(foreignId), by(neverExisting(at.name, foreignId)), !IN_ACCOUNT.includes(at.name));
      }
      expect(positions.length).toBeGreaterThan(60);
    },
  );

  it.each(KEYS)('get the same answers with %s for all ids of another application at once', {
    timeout: 300_000,
  }, async (name) => {
    const headers = { 'x-api-key': await keyOf(tenants, name) };
    for (const operation of operations.filter(({ inPath }) => inPath.length > 0)) {
      const by = (idOf: (name: string) => string) =>
        requestOf(operation, (at) => idOf(at.name), undefined, drawn(headers));
      const foreign = (each: string) => idIn(tenants.foreign.ids, each);
      await expectSame(
        `${operation.id} with ${name}`,
        by(foreign),
        by((each) => neverExisting(each, foreign(each))),
        true,
      );
    }
  });

  it('see nothing of one another in any list', async () => {
    const { key, ids: own } = tenants.own;
    const others = Object.entries(tenants.foreign.ids).filter(([name, id]) => own[name] !== id);
    const reads = operations.filter(({ method }) => method === 'GET');
    for (const operation of reads) {
      const request = requestOf(operation, (at) => idIn(own, at.name), undefined, drawn({ 'x-api-key': key }));
      const answer = await tenants.send(tenants.world.handler, request);
      expect(answer.status, `${operation.id}: ${JSON.stringify(answer.body)}`).toBe(200);
      const shown = others.filter(([, id]) => JSON.stringify(answer.body).includes(id));
      expect(shown, operation.id).toEqual([]);
    }
    expect(reads.length).toBeGreaterThan(12);
  });

  it('are kept apart in the administration too', { timeout: 300_000 }, async () => {
    const { ids: own } = tenants.own;
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const positions = ofAdmin.flatMap((operation) => positionsOf(operation).map((at) => ({ operation, at })));
    const inApplication = positions.filter(({ at }) => !['app', 'pageToken'].includes(at.name));
    for (const { operation, at } of inApplication) {
      const foreignId = idIn(tenants.foreign.ids, at.name);
      const by = (id: string) =>
        requestOf(operation, (each) => (isAt(each, at) ? id : idIn(own, each.name)), at, drawn(headers));
      const never = by(neverExisting(at.name, foreignId));
      await expectSame(`${operation.id} ${at.name}`, by(foreignId), never, true, true);
    }
    expect(inApplication.length).toBeGreaterThan(10);
  });

  it.each(STRANGERS)('are not open to %s in the administration', { timeout: 300_000 }, async (name) => {
    const credential = await strangerOf(tenants, name);
    const before = [await tenants.state(), await tenants.providerCalls()];
    for (const operation of ofAdmin) {
      for (const [header, value] of [
        ['authorization', `Bearer ${credential}`],
        ['x-api-key', credential],
      ] as const) {
        const request = requestOf(
          operation,
          (at) => idIn(tenants.foreign.ids, at.name),
          undefined,
          drawn({ [header]: value }),
        );
        const { status, body } = await tenants.send(tenants.admin, request);
        expect([status, body.code], operation.id).toEqual([401, 'Unauthorized']);
      }
    }
    expect([await tenants.state(), await tenants.providerCalls()]).toEqual(before);
  });
});

/** Keys of one application, and credentials that are no key. */
const KEYS = [
  'a full key',
  'a read-only key',
  'a key without credentials',
  'a revoked key',
  'an expired key',
  'no key of anybody',
] as const;

async function keyOf(tenants: TenantWorld, name: (typeof KEYS)[number]): Promise<string> {
  const { world, own } = tenants;
  const application = own.ids['app'] ?? '';
  const create = async (more: Parameters<typeof world.engine.apiKeys.create>[1]) =>
    world.engine.apiKeys.create(application, more);
  switch (name) {
    case 'a full key':
      return own.key;
    case 'a read-only key':
      return (await create({ name, expiresAt: null, readOnly: true })).key;
    case 'a key without credentials':
      return (await create({ name, expiresAt: null, canReadCredentials: false })).key;
    case 'a revoked key': {
      const { key, apiKey } = await create({ name, expiresAt: null });
      await world.engine.apiKeys.revoke(application, apiKey.id);
      return key;
    }
    case 'an expired key': {
      const { key } = await create({ name, expiresAt: new Date(tenants.clock.now() + 1_000).toISOString() });
      tenants.clock.pass(2_000);
      return key;
    }
    case 'no key of anybody':
      return `${own.key.slice(0, -6)}000000`;
  }
}

/** Credentials of every other kind. */
const STRANGERS = [
  ...KEYS,
  'the token of the metrics',
  'the secret of a webhook',
  'a sync token',
  'a page token',
  "an account's id",
  "a provider's access token",
] as const;

async function strangerOf(tenants: TenantWorld, name: (typeof STRANGERS)[number]): Promise<string> {
  const { world, own } = tenants;
  const account = own.ids['account'] ?? '';
  const read = async (path: string, method = 'GET', body?: unknown): Promise<Json> =>
    (await world.call(method, path, { key: own.key, body })).body;
  switch (name) {
    case 'the token of the metrics':
      return 'mtr_0123456789abcdef';
    case 'the secret of a webhook': {
      const { endpointSecret } = await read('/v1/webhookEndpoints', 'POST', {
        webhookUrl: 'http://127.0.0.1:49999/other',
      });
      return endpointSecret;
    }
    case 'a sync token':
      return own.ids['syncToken'] ?? '';
    case 'a page token':
      return own.ids['pageToken'] ?? '';
    case "an account's id":
      return account;
    case "a provider's access token":
      return (await read(`/v1/endUserAccounts/${account}/credentials`)).accessToken;
    default:
      return keyOf(tenants, name);
  }
}

/** Ids of the provider's, which an account may ask it for. */
const IN_ACCOUNT = ['calendarId', 'calendarIds', 'eventId'];
/** Ids that every account of an application shares. */
const OF_APPLICATION = ['feedId', 'holdId', 'token', 'id', 'endUserAccountId', 'webhookEndpointId'];

function isAt(one: Position, other: Position): boolean {
  return one.place === other.place && one.name === other.name;
}
