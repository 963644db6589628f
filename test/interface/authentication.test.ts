import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movableClock } from './movable-clock.ts';
import { body, type Connected, calendarsPath, eventsPath, expectProblem, secondApplication } from './steps.ts';
import { createWorld, PROVIDERS, type World } from './world.ts';

const clock = movableClock();
let world: World;
let account: Connected;
beforeAll(async () => {
  world = await createWorld({ clock });
  account = await world.connect('google');
});
afterAll(() => world.close());

/** Every route of spec §4 that takes a key, with a body that could work. */
function routes({ accountId, calendarId }: Omit<Connected, 'email'>, eventId = 'event', providerType = 'PROVIDER_A') {
  const window = 'startDateTime=2026-03-01T00:00:00Z&endDateTime=2026-04-01T00:00:00Z';
  const events = eventsPath({ accountId, calendarId });
  return [
    ['GET', `/v1/endUserAccounts/${accountId}`],
    ['GET', `/v1/endUserAccounts/${accountId}/credentials`],
    [
      'POST',
      `/v1/freeBusy/${accountId}`,
      {
        startDateTime: '2026-03-01T00:00:00Z',
        endDateTime: '2026-03-02T00:00:00Z',
        timeZone: 'UTC',
        calendarIds: [calendarId],
      },
    ],
    ['GET', calendarsPath(accountId)],
    ['GET', calendarsPath(accountId, calendarId)],
    ['POST', calendarsPath(accountId), { name: 'Stolen' }],
    ['PUT', calendarsPath(accountId, calendarId), { name: 'Stolen' }],
    ['DELETE', calendarsPath(accountId, calendarId)],
    ['GET', events],
    ['GET', `${events}/${eventId}`],
    ['GET', `${events}/${eventId}/occurrences?${window}`],
    ['GET', `${events}/${eventId}/attachments`],
    ['GET', `${events}/${eventId}/description`],
    ['POST', events, { title: 'Stolen', start: { dateTime: '2026-03-02T09:00:00Z' } }],
    ['PUT', `${events}/${eventId}`, { title: 'Stolen' }],
    ['POST', `${events}/${eventId}/rsvp`, { responseStatus: 'accepted' }],
    ['DELETE', `${events}/${eventId}`],
    ['GET', `/v1/calendarSubscriptions/${accountId}`],
    ['POST', `/v1/calendarSubscriptions/${accountId}`, { calendarId, webhookUrl: 'https://receiver.test/' }],
    ['DELETE', `/v1/calendarSubscriptions/${accountId}`, { subscriptionId: `whs_of_${providerType}` }],
    ['DELETE', `/v1/endUserAccounts/${accountId}`],
  ] as readonly (readonly [string, string, unknown?])[];
}

describe('x-api-key', () => {
  it('401 for a missing, malformed, unknown, expired and revoked key: the same answer', async () => {
    const { apiKeys } = world.engine;
    const expired = await apiKeys.create(world.applicationId, {
      name: 'Old',
      expiresAt: new Date(clock.now() + 60_000).toISOString(),
    });
    const revoked = await apiKeys.create(world.applicationId, { name: 'Gone', expiresAt: null });
    await apiKeys.revoke(world.applicationId, revoked.apiKey.id);
    body(await world.call('GET', '/v1/endUserAccounts', { key: expired.key }));
    clock.pass(60_000);
    const altered = world.apiKey.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const keys = [null, '', 'nonsense', altered, 'x'.repeat(10_000), expired.key, revoked.key];
    const seen = new Set<string>();
    for (const key of keys) {
      const refused = await world.call('GET', '/v1/endUserAccounts', { key });
      expectProblem(refused, 401, 'InvalidApiKey');
      seen.add(JSON.stringify({ ...refused.body, requestId: '' }));
    }
    expect(seen.size).toBe(1);
  });

  it('is asked for on every route, before anything else is looked at', async () => {
    for (const [method, path, sent] of [...routes(account), ['GET', '/v1/endUserAccounts'] as const]) {
      expectProblem(await world.call(method, path, { body: sent, key: null }), 401, 'InvalidApiKey');
      expectProblem(await world.call(method, path, { body: sent, key: 'kal_live_wrong' }), 401, 'InvalidApiKey');
    }
    expectProblem(await world.call('POST', '/v1/endUserAccounts', { body: '{', key: null }), 401, 'InvalidApiKey');
  });

  it('is not asked for by openapi.json and authorize, but a wrong one is refused there too', async () => {
    const authorize = `/v1/oauth/authorize/${world.applicationId}/provider_a`;
    expect((await world.call('GET', '/v1/openapi.json', { key: null })).status).toBe(200);
    expect((await world.call('GET', authorize, { key: null })).status).toBe(302);
    expect((await world.call('GET', authorize)).status).toBe(302);
    expectProblem(await world.call('GET', authorize, { key: 'wrong' }), 401, 'InvalidApiKey');
    expectProblem(await world.call('GET', '/v1/openapi.json', { key: 'wrong' }), 401, 'InvalidApiKey');
  });
});

describe.each(PROVIDERS)('what belongs to another application ($providerType)', ({ provider, providerType }) => {
  it('is 404 on every route, and stays as it is', async () => {
    const mine = await world.connect(provider);
    const { key } = await secondApplication(world);
    const create = { title: 'Mine', start: { dateTime: '2026-03-02T09:00:00Z' } };
    const event = body(await world.call('POST', eventsPath(mine), { body: create }), 201);
    const before = body(await world.call('GET', calendarsPath(mine.accountId)));
    for (const [method, path, sent] of routes(mine, event.id, providerType)) {
      const answer = await world.call(method, path, { body: sent, key });
      expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 404`);
      expectProblem(answer, 404, 'NotFound');
    }
    expect(body(await world.call('GET', '/v1/endUserAccounts', { key })).data).toEqual([]);
    expect(body(await world.call('GET', eventsPath(mine, event.id)))).toEqual(event);
    expect(body(await world.call('GET', calendarsPath(mine.accountId))).data).toEqual(before.data);
  });

  it('unknown accounts, calendars and events are 404 as well', async () => {
    const mine = await world.connect(provider);
    for (const [method, path, sent] of routes({ accountId: 'acc_unknown', calendarId: mine.calendarId })) {
      expectProblem(await world.call(method, path, { body: sent }), 404, 'NotFound');
    }
    const inUnknownCalendar = routes({ accountId: mine.accountId, calendarId: 'unknown' }).filter(([, path]) =>
      path.includes('/unknown'),
    );
    expect(inUnknownCalendar).toHaveLength(12);
    for (const [method, path, sent] of inUnknownCalendar) {
      expectProblem(await world.call(method, path, { body: sent }), 404, 'NotFound');
    }
    const unknownEvent = routes(mine, 'unknown').filter(([, path]) => path.includes('/unknown'));
    expect(unknownEvent).toHaveLength(7);
    for (const [method, path, sent] of unknownEvent) {
      expectProblem(await world.call(method, path, { body: sent }), 404, 'NotFound');
    }
  });
});
