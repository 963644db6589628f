import { createClient } from '@kalends/client';
import { type VerifiedWebhook, verifyWebhook } from '@kalends/client/webhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReceiver, type Received, type Receiver } from './receiver.ts';
import { body, type Connected, eventsPath, expectProblem, query } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

let world: World;
let receiver: Receiver;
let answer = 204;
beforeAll(async () => {
  receiver = await createReceiver(() => answer);
  world = await createWorld();
});
afterAll(async () => {
  await world.close();
  await receiver.close();
});

const verify = ({ headers, body: text }: Received, secret: string | string[]): VerifiedWebhook =>
  verifyWebhook(text, headers, secret);
/** Repeats a request until its answer fits: what a delivery leaves behind is stored a moment after its answer. */
async function eventually(read: () => Promise<Json>, fits: (value: Json) => boolean): Promise<Json> {
  for (let round = 0; round < 2_000; round += 1) {
    const value = await read();
    if (fits(value)) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it did not come true');
}

describe.each(PROVIDERS)('extensions of subscriptions at $providerType', ({ provider }) => {
  let account: Connected;
  let root: string;
  beforeAll(async () => {
    account = await world.connect(provider);
    root = `/v1/calendarSubscriptions/${account.accountId}`;
  });
  const subscribe = async (path: string) => {
    const sent = { calendarId: account.calendarId, webhookUrl: `${receiver.url}${path}` };
    return body(await world.call('POST', root, { body: sent }), 201);
  };
  const change = async (title: string) =>
    body(
      await world.call('POST', eventsPath(account), { body: { title, start: { dateTime: '2026-03-02T09:00:00Z' } } }),
      201,
    );
  const deliveries = (id: string, parameters: Readonly<Record<string, string | number>> = {}) =>
    world.call('GET', `${root}/${id}/deliveries${query(parameters)}`);

  it('lists deliveries, sends one again under its id, and recovers what failed', async () => {
    const path = `/${provider}/log`;
    const { webhookSubscriptionId: id, endpointSecret } = await subscribe(path);
    const first = receiver.next(path);
    await change('One');
    const sent = await first;
    const { id: messageId } = verify(sent, endpointSecret);
    const [row] = await eventually(
      async () => body(await deliveries(id)).data,
      (data) => data.length === 1,
    );
    expect(row).toEqual({
      id: expect.stringMatching(/^att_/),
      messageId,
      eventType: 'calendar.event.changed',
      attemptedAt: expect.stringMatching(/Z$/),
      status: 204,
      errorClass: null,
      latencyMs: expect.any(Number),
      request: sent.body,
      response: '',
      outcome: 'delivered',
      nextAttemptAt: null,
    });

    const again = receiver.next(path);
    expect(body(await world.call('POST', `${root}/${id}/redeliver`, { body: { messageId } }))).toEqual({
      success: true,
    });
    expect(verify(await again, endpointSecret).id).toBe(messageId);
    await eventually(
      async () => body(await deliveries(id)).data,
      (data) => data.length === 2,
    );
    const page = body(await deliveries(id, { limit: 1 }));
    expect(page.data).toHaveLength(1);
    const rest = body(await deliveries(id, { pageToken: page.nextPageToken }));
    expect(rest).toMatchObject({ data: [{ id: row.id }], nextPageToken: null });

    const since = new Date().toISOString();
    answer = 500;
    const failed = receiver.next(path);
    await change('Two');
    await failed;
    await eventually(
      async () => body(await deliveries(id)).data[0],
      (newest) => newest.outcome === 'retry',
    );
    answer = 204;
    const recovered = receiver.next(path);
    expect(body(await world.call('POST', `${root}/${id}/recover`, { body: { since } }))).toEqual({ recovered: 1 });
    expect(verify(await recovered, endpointSecret).id).not.toBe(messageId);
    const [newest, failure] = await eventually(
      async () => body(await deliveries(id)).data,
      (data) => data[0].outcome === 'delivered',
    );
    expect(failure).toMatchObject({ status: 500, errorClass: 'server-error', messageId: newest.messageId });
  });

  it('tells of a change of a field beyond the specification, made here or at the provider', async () => {
    const path = `/${provider}/fields`;
    await subscribe(path);
    const created = receiver.next(path);
    const event = await change('Fields');
    await created;
    const isGoogle = provider === 'google';
    for (const field of [
      { status: 'tentative' },
      { guestsCanSeeOtherGuests: false },
      isGoogle ? { guestsCanModify: true } : { categories: ['Blue'] },
    ]) {
      const told = receiver.next(path);
      body(await world.call('PUT', eventsPath(account, event.id), { body: field }));
      expect(JSON.parse((await told).body)).toMatchObject({ eventType: 'calendar.event.changed' });
    }
    const told = receiver.next(path);
    const [at, patch] = isGoogle
      ? [`/calendars/primary/events/${event.id}`, { guestsCanInviteOthers: false }]
      : [`/me/events/${encodeURIComponent(event.id)}`, { allowNewTimeProposals: false }];
    await world.atProvider(provider, account.email, 'PATCH', at, patch);
    await told;
    const now = body(await world.call('GET', eventsPath(account, event.id)));
    expect(isGoogle ? now.guestsCanInviteOthers : now.allowNewTimeProposals).toBe(false);
  });

  it('signs with all secrets of a day after rotations, and shows a new one once', async () => {
    const path = `/${provider}/rotated`;
    const { webhookSubscriptionId: id, endpointSecret: old } = await subscribe(path);
    const rotated = body(await world.call('POST', `${root}/${id}/rotateSecret`));
    expect(rotated.endpointSecret).toMatch(/^whsec_/);
    expect(rotated.endpointSecret).not.toBe(old);
    const lifeMs = Date.parse(rotated.previousSecretExpiresAt) - Date.now();
    expect(Math.abs(lifeMs - 86_400_000)).toBeLessThan(60_000);
    const again = body(await world.call('POST', `${root}/${id}/rotateSecret`));
    const told = receiver.next(path);
    await change('Rotated');
    const message = await told;
    for (const secret of [old, rotated.endpointSecret, again.endpointSecret, [old, rotated.endpointSecret]]) {
      expect(verify(message, secret).message.eventType).toBe('calendar.event.changed');
    }
    expect(JSON.stringify(body(await world.call('GET', root)))).not.toContain(rotated.endpointSecret);
  });

  it('is disabled by 410, refuses to deliver, and gets one message of the unknown when it is enabled', async () => {
    const path = `/${provider}/gone`;
    const { webhookSubscriptionId: id, endpointSecret } = await subscribe(path);
    answer = 410;
    const refused = receiver.next(path);
    await change('Refused');
    await refused;
    answer = 204;
    const own = async () => body(await world.call('GET', root)).data.find((item: Json) => item.id === id);
    expect(await eventually(own, ({ disabledAt }) => disabledAt !== null)).toMatchObject({ id });
    await change('Unseen');
    const { messageId } = body(await deliveries(id)).data[0];
    const redeliver = { body: { messageId } };
    expectProblem(await world.call('POST', `${root}/${id}/redeliver`, redeliver), 409, 'Conflict');
    const recover = { body: { since: '2026-01-01T00:00:00Z' } };
    expectProblem(await world.call('POST', `${root}/${id}/recover`, recover), 409, 'Conflict');
    const told = receiver.next(path);
    expect(body(await world.call('POST', `${root}/${id}/enable`))).toMatchObject({ id, disabledAt: null });
    expect(verify(await told, endpointSecret).message.eventType).toBe('calendar.event.unknown');
  });

  it('404 for what belongs to others, 400 for what is wrong', async () => {
    const { webhookSubscriptionId: id } = await subscribe(`/${provider}/theirs`);
    const other = await world.connect(provider);
    for (const [method, path, sent] of [
      ['GET', 'deliveries', undefined],
      ['POST', 'redeliver', { messageId: 'msg_x' }],
      ['POST', 'recover', { since: '2026-01-01T00:00:00Z' }],
      ['POST', 'rotateSecret', undefined],
      ['POST', 'enable', undefined],
    ] as const) {
      const options = sent === undefined ? {} : { body: sent };
      const theirs = `/v1/calendarSubscriptions/${other.accountId}/${id}/${path}`;
      expectProblem(await world.call(method, theirs, options), 404, 'NotFound');
      expectProblem(await world.call(method, `${root}/whs_none/${path}`, options), 404, 'NotFound');
    }
    const wrong = async (action: string, sent: Json, field: string) =>
      expectProblem(await world.call('POST', `${root}/${id}/${action}`, { body: sent }), 400, 'InvalidRequest', field);
    await wrong('redeliver', {}, 'messageId');
    await wrong('recover', { since: 'yesterday' }, 'since');
    await wrong('recover', { since: '2026-01-01T00:00:00' }, 'since');
    await wrong('recover', { since: '2026-01-01T00:00:00Z', until: 'now' }, 'until');
    expectProblem(await deliveries(id, { limit: 0 }), 400, 'InvalidRequest', 'limit');
    expectProblem(await deliveries(id, { pageToken: 'x' }), 400, 'InvalidPageToken');
    expectProblem(
      await world.call('POST', `${root}/${id}/redeliver`, { body: { messageId: 'msg_x' } }),
      404,
      'NotFound',
    );
  });
});

describe.each(PROVIDERS)('webhook endpoints and accounts of $providerType', ({ provider, providerType }) => {
  const connect = async (email: string, externalId?: string | null) => {
    const refreshToken = world.refreshToken(provider, email);
    const sent = { email, providerType, refreshToken, ...(externalId === undefined ? {} : { externalId }) };
    const connected = await world.call('POST', '/v1/endUserAccounts', { body: sent });
    expect([200, 201]).toContain(connected.status);
    return connected.body;
  };

  it('are told of every change of an account, in order, without tokens', async () => {
    const path = `/${provider}/accounts`;
    const client = createClient({
      baseUrl: 'http://kalends.test',
      apiKey: world.apiKey,
      fetch: (url, init) => world.handler(new Request(url, init)),
    });
    const created = await client.webhookEndpoints.create({ webhookUrl: `${receiver.url}${path}` });
    expect(created.webhookEndpointId).toMatch(/^whe_\w{22}$/);
    const email = `endpoint@${provider}.example`;
    world.sandbox[provider].addMailbox({ email, name: 'Person', timeZone: 'Europe/Berlin' });

    const { id } = await connect(email, 'user-1');
    await connect(email, 'user-2');
    await connect(email);
    body(await world.call('DELETE', `/v1/endUserAccounts/${id}`));
    const posts = await eventually(
      async () => receiver.received.filter((post) => post.path === path),
      (list) => list.length === 5,
    );
    const messages = posts.map((post: Received) => verify(post, created.endpointSecret).message);
    expect(messages.map(({ eventType }: Json) => eventType)).toEqual([
      'enduseraccount.created',
      'enduseraccount.updated',
      'enduseraccount.credential.updated',
      'enduseraccount.credential.updated',
      'enduseraccount.deleted',
    ]);
    for (const [index, externalId] of ['user-1', 'user-2', 'user-2', 'user-2', 'user-2'].entries()) {
      expect(messages[index]).toEqual({
        eventType: expect.any(String),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        data: { endUserAccountId: id, externalId, email, providerType, status: 'ACTIVE' },
      });
    }
    expect(new Set(posts.map(({ headers }: Received) => headers['hook-id'])).size).toBe(5);

    const one = client.webhookEndpoints.one(created.webhookEndpointId);
    const log = async () => {
      const rows: string[] = [];
      for await (const { eventType } of one.listDeliveries({ limit: 2 })) rows.push(eventType);
      return rows;
    };
    const logged = await eventually(log, (rows) => rows.length === 5);
    expect(logged.toReversed()).toEqual(messages.map(({ eventType }: Json) => eventType));
    expect((await one.rotateSecret()).endpointSecret).toMatch(/^whsec_/);
    expect(await one.recover(new Date(0))).toEqual({ recovered: 0 });
    expect(await one.enable()).toMatchObject({ id: created.webhookEndpointId, disabledAt: null });
    expect(await client.webhookEndpoints.delete(created.webhookEndpointId)).toEqual({ success: true });
  });

  it('are told when an account expires', async () => {
    const path = `/${provider}/expiry`;
    const sent = { webhookUrl: `${receiver.url}${path}` };
    const { webhookEndpointId, endpointSecret } = body(
      await world.call('POST', '/v1/webhookEndpoints', { body: sent }),
      201,
    );
    const email = `expiring@${provider}.example`;
    world.sandbox[provider].addMailbox({ email, name: 'Person', timeZone: 'Europe/Berlin' });
    const made = receiver.next(path);
    const { id } = await connect(email);
    await made;
    const told = receiver.next(path);
    world.sandbox[provider].controls['expireAccessTokens']?.({ email });
    world.sandbox[provider].controls['revokeGrant']?.({ email });
    expectProblem(await world.call('GET', `/v1/calendars/${id}`), 409, 'InvalidRefreshToken');
    const { message } = verify(await told, endpointSecret);
    expect(message).toMatchObject({ eventType: 'enduseraccount.updated', data: { status: 'EXPIRED' } });
    body(await world.call('DELETE', `/v1/webhookEndpoints/${webhookEndpointId}`));
  });
});

describe('webhook endpoints', () => {
  it('are listed in pages, without secrets, and deleted once', async () => {
    const made: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const sent = { webhookUrl: `https://receiver.test/${index}`, rateLimit: 5 };
      made.push(body(await world.call('POST', '/v1/webhookEndpoints', { body: sent }), 201).webhookEndpointId);
    }
    const first = body(await world.call('GET', '/v1/webhookEndpoints?limit=2'));
    const second = body(await world.call('GET', `/v1/webhookEndpoints${query({ pageToken: first.nextPageToken })}`));
    expect([...first.data, ...second.data].map(({ id }: Json) => id)).toEqual(made);
    expect(second.nextPageToken).toBeNull();
    expect(Object.keys(first.data[0]).sort()).toEqual([
      ...['createdAt', 'disabledAt', 'id', 'rateLimit', 'updatedAt', 'url'],
    ]);
    for (const id of made) {
      expect(body(await world.call('DELETE', `/v1/webhookEndpoints/${id}`))).toEqual({ success: true });
      expectProblem(await world.call('DELETE', `/v1/webhookEndpoints/${id}`), 404, 'NotFound');
    }
  });

  it('have no rate limit when that is null', async () => {
    const sent = { webhookUrl: 'https://receiver.test/free', rateLimit: null };
    const { webhookEndpointId } = body(await world.call('POST', '/v1/webhookEndpoints', { body: sent }), 201);
    const { data } = body(await world.call('GET', '/v1/webhookEndpoints?limit=250'));
    expect(data.find(({ id }: Json) => id === webhookEndpointId)).toMatchObject({ rateLimit: null });
    body(await world.call('DELETE', `/v1/webhookEndpoints/${webhookEndpointId}`));
  });

  it.each([
    ['webhookUrl', {}],
    ['webhookUrl', { webhookUrl: 'https://10.0.0.1/' }],
    ['webhookUrl', { webhookUrl: 'ftp://receiver.test/' }],
    ['rateLimit', { webhookUrl: 'https://receiver.test/', rateLimit: 0 }],
    ['events', { webhookUrl: 'https://receiver.test/', events: [] }],
  ])('refuse a wrong %s: %j', async (field, sent) => {
    expectProblem(await world.call('POST', '/v1/webhookEndpoints', { body: sent }), 400, 'InvalidRequest', field);
  });

  it('of another application are not found', async () => {
    const sent = { webhookUrl: 'https://receiver.test/mine' };
    const { webhookEndpointId } = body(await world.call('POST', '/v1/webhookEndpoints', { body: sent }), 201);
    const other = await world.engine.applications.create({ name: 'Other' });
    const { key } = await world.engine.apiKeys.create(other.id, { name: 'k', expiresAt: null });
    expect(body(await world.call('GET', '/v1/webhookEndpoints', { key })).data).toEqual([]);
    const path = `/v1/webhookEndpoints/${webhookEndpointId}`;
    expectProblem(await world.call('DELETE', path, { key }), 404, 'NotFound');
    for (const action of ['rotateSecret', 'enable']) {
      expectProblem(await world.call('POST', `${path}/${action}`, { key }), 404, 'NotFound');
    }
    expectProblem(await world.call('GET', `${path}/deliveries`, { key }), 404, 'NotFound');
  });
});
