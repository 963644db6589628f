import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '@kalends/sqlite';
import { nextTurn } from 'kalends/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dice } from '../simulation/dice.ts';
import { sizeOf } from '../size-of.ts';
import { type DatabaseRows, openRows } from '../storages/database-rows.ts';
import { ADMIN_TOKEN, type Admin, adminOf } from './admin-world.ts';
import { operationsIn } from './documents/operations.ts';
import { contractOf } from './malformed/check-contract.ts';
import { malformedRequest, type Subject } from './malformed/malformed-request.ts';
import { body, calendarsPath, eventsPath, secondApplication } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

/** Requests of each seed, half of them to each interface. */
const REQUESTS = sizeOf('requests', { short: 600, long: 2_000 });

/** The database is compared around one request of so many: reading it takes longer than an answer. */
const COMPARED_EVERY = 11;

const TEXTS: Subject['texts'] = {
  email: ['ann@people.example', 'someone.else@people.example'],
  providerType: ['PROVIDER_A', 'PROVIDER_B'],
  refreshToken: ['refresh', '1//token'],
  dateTime: ['2026-03-02T09:00:00', '2026-03-02T09:00:00Z', '2026-03-02', '2026-03-08T02:30:00'],
  startDateTime: ['2026-03-01T00:00:00Z', '2026-03-01'],
  endDateTime: ['2026-04-01T00:00:00Z', '2026-04-01'],
  updatedAfter: ['2026-03-01T00:00:00Z'],
  timeZone: ['Europe/Berlin', 'UTC', 'Eastern Standard Time'],
  recurrence: ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20260303T090000Z'],
  calendarIds: ['primary'],
  calendarId: ['primary'],
  webhookUrl: ['http://127.0.0.1:49999/hook'],
  since: ['2026-03-01T00:00:00Z'],
  until: ['2026-03-02T00:00:00Z'],
  limit: ['1', '50'],
  pageSize: ['1', '50'],
  expandRecurrences: ['true', 'false'],
  orderBy: ['startDateTime'],
  metadataFilters: ['{"a":"b"}'],
  statusFilter: ['active', 'expired'],
  scope: ['this', 'following', 'all'],
  notifyAttendees: ['all', 'none'],
  hexColor: ['#a1b2c3'],
  redirectUrls: ['https://a.test/done', 'https://b.test/'],
  url: ['https://a.test/done'],
  clientId: ['client', 'client.apps.example'],
  clientSecret: ['client-secret'],
  scopes: ['openid', 'email', 'https://www.googleapis.com/auth/calendar'],
  tenant: ['common'],
  expiresAt: ['90d', '2027-01-31', '2027-01-31T00:00:00Z'],
  messageId: ['msg_none'],
};

let world: World;
let admin: Admin;
let rows: DatabaseRows;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kalends-'));
  const path = join(folder, 'kalends.db');
  world = await createWorld({ storage: sqlite({ path }) });
  admin = adminOf(world);
  rows = await openRows(path);
});
afterAll(async () => {
  await rows.close();
  await world.close();
  await rm(folder, { recursive: true });
});

const WRITTEN_BY_REQUESTS = ['application', 'provider_config', 'api_key', 'account', 'target', 'audit_entry'].map(
  (name) => `kalends_${name}`,
);
/** Columns that the use of a key, failing deliveries and pulls change. */
const CHANGED_MEANWHILE = ['last_used_at', 'failing_since', 'disabled_at', 'updated_at', 'collections'];

/** Returns the rows that only requests change. */
async function kept(): Promise<unknown> {
  const tables = await rows.read(WRITTEN_BY_REQUESTS);
  const isDeleting = tables['kalends_application']?.some(({ deleted_at: deletedAt }) => deletedAt !== null);
  if (isDeleting === true) {
    await nextTurn();
    return kept();
  }
  return JSON.parse(JSON.stringify(tables, (name, value) => (CHANGED_MEANWHILE.includes(name) ? undefined : value)));
}

/** Accounts at both providers, each with a series, a receiver of each kind, and what the tests may end. */
async function prepare() {
  const ids: Record<string, string[]> = { app_id: [world.applicationId], provider: ['provider_a', 'provider_b'] };
  const add = (name: string, id: string) => {
    ids[name] = [...(ids[name] ?? []), id];
  };
  const tokens: string[] = [];
  const spares: string[] = [];
  for (const { provider } of PROVIDERS) {
    const account = await world.connect(provider);
    const start = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' };
    const sent = { title: 'Kept', start, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] };
    const { id } = body(await world.call('POST', eventsPath(account), { body: sent }), 201);
    await world.call('POST', eventsPath(account), { body: { title: 'Single', start } });
    add('endUserAccountId', account.accountId);
    add('id', account.accountId);
    add('calendarId', account.calendarId);
    for (const eventId of [id, `${id}_20260303T080000Z`]) add('eventId', eventId);
    const subscription = { calendarId: account.calendarId, webhookUrl: 'http://127.0.0.1:49999/hook' };
    const path = `/v1/calendarSubscriptions/${account.accountId}`;
    add('subscriptionId', body(await world.call('POST', path, { body: subscription }), 201).webhookSubscriptionId);
    for (const list of [calendarsPath(account.accountId), eventsPath(account), `${eventsPath(account)}?limit=1`]) {
      const page = body(await world.call('GET', list));
      tokens.push(page.nextPageToken ?? page.nextSyncToken);
    }
    spares.push((await world.connect(provider)).accountId);
  }
  const endpoint = { webhookUrl: 'http://127.0.0.1:49999/hook' };
  const webhookEndpointId = body(
    await world.call('POST', '/v1/webhookEndpoints', { body: endpoint }),
    201,
  ).webhookEndpointId;
  const other = await secondApplication(world);
  const { apiKey: spareKey } = await world.engine.apiKeys.create(world.applicationId, {
    name: 'Spare',
    expiresAt: null,
  });
  const receivers = [...(ids['subscriptionId'] ?? []), webhookEndpointId];
  return {
    ids: {
      ...ids,
      app: [world.applicationId],
      account: ids['endUserAccountId'] ?? [],
      receiver: receivers,
      key: [spareKey.id],
      webhookEndpointId: [webhookEndpointId],
    } as Subject['ids'],
    spare: {
      id: spares[0] ?? '',
      account: spares[1] ?? '',
      app: other.applicationId,
      key: spareKey.id,
      provider: 'none',
      calendarId: 'none',
      webhookEndpointId: 'none',
    },
    tokens,
  };
}

describe('malformed requests, drawn from the OpenAPI documents', () => {
  let shared: Awaited<ReturnType<typeof prepare>>;
  beforeAll(async () => {
    shared = await prepare();
  });

  const INTERFACES = [
    { root: '/v1', credential: () => ['x-api-key', world.apiKey] as const, handler: () => world.handler },
    {
      root: '/admin/v1',
      credential: () => ['authorization', `Bearer ${ADMIN_TOKEN}`] as const,
      handler: () => admin.handler,
    },
  ];

  describe.each(INTERFACES)('$root', ({ root, credential, handler }) => {
    /** Outcomes of each operation, of every seed: the first success of a deletion leaves nothing for the next seed. */
    const met = new Set<string>();

    async function operationsOf(answer: World['handler'], headers: Record<string, string>) {
      const request = new Request(`http://kalends.test${root}/openapi.json`, { headers });
      const document: Json = await (await answer(request)).json();
      // A provider's own notifications get bare answers.
      return { document, operations: operationsIn(document).filter(({ id }) => id !== 'receivePush') };
    }

    it.each([1, 2, 3])('seed %i: no fault, and every answer as documented', { timeout: 600_000 }, async (seed) => {
      const answer = handler();
      const headers = Object.fromEntries([credential()]);
      const { document, operations } = await operationsOf(answer, headers);
      const check = contractOf(document);
      const subject = { ...shared, credential: credential(), texts: TEXTS };
      const draws = dice(seed);
      for (let count = 0; count < REQUESTS / 2; count++) {
        const sent = malformedRequest(operations[count % operations.length]!, subject, draws);
        const request = new Request(`http://kalends.test${sent.target}`, {
          method: sent.method,
          headers: sent.headers.map(([name, value]): [string, string] => [name, value]),
          ...(sent.body === undefined ? {} : { body: sent.body }),
        });
        const before = count % COMPARED_EVERY === 0 ? await kept() : undefined;
        const response = await answer(request);
        met.add(`${sent.operation.id} ${response.status < 400 ? 'succeeds' : 'fails'}`);
        await check(sent, response);
        if (before !== undefined && response.status >= 400) {
          expect(await kept(), `${sent.method} ${sent.target}`).toEqual(before);
        }
      }
    });

    // The short run has few requests of each operation.
    if (REQUESTS < 5_000) return;
    it('every operation has succeeded and failed', async () => {
      const { operations } = await operationsOf(handler(), Object.fromEntries([credential()]));
      const unmet = operations.flatMap(({ id }) => [`${id} succeeds`, `${id} fails`]).filter((each) => !met.has(each));
      expect(unmet).toEqual([]);
    });
  });
});
