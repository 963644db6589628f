import { beforeEach, describe, expect, test } from 'vitest';
import { createHarness, type Harness, type Json, type Person, START, timed } from './harness.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const iso = (at: number): string => new Date(at).toISOString();

let harness: Harness;
let ada: Person;

beforeEach(async () => {
  harness = createHarness();
  ada = await harness.person('ada@contoso.test');
});

const asked = (more: Json = {}): Json => ({
  changeType: 'created,updated,deleted',
  resource: '/me/events',
  notificationUrl: 'https://app.test/push?account=1',
  lifecycleNotificationUrl: 'https://app.test/lifecycle',
  clientState: 'secret',
  expirationDateTime: iso(START + DAY_MS),
  ...more,
});

const subscribe = (more: Json = {}, headers: Record<string, string> = {}) =>
  ada.call('POST', '/subscriptions', asked(more), headers);

async function notifications(): Promise<Json[]> {
  await harness.kernel.notificationsSettled(1000);
  return harness.received.flatMap(({ body }) => body?.value ?? []);
}

describe('create', () => {
  test('shakes hands with both URLs and keeps their own query', async () => {
    const { status, body } = await subscribe();
    expect(status).toBe(201);
    expect(body).toMatchObject({
      changeType: 'created,updated,deleted',
      clientState: 'secret',
      expirationDateTime: '2026-01-06T12:00:00.0000000Z',
    });
    expect(harness.received.map(({ url }) => [url.pathname, url.searchParams.has('validationToken')])).toEqual([
      ['/push', true],
      ['/lifecycle', true],
    ]);
    expect(harness.received[0]!.url.searchParams.get('account')).toBe('1');
  });

  test.each([
    ['another status', () => new Response('x', { status: 500 })],
    ['another text', () => new Response('"quoted"')],
    [
      'a connection that fails',
      () => {
        throw new TypeError('fetch failed');
      },
    ],
  ])('a handshake answered with %s fails', async (_name, answer) => {
    harness.handshake = answer;
    const { status, body } = await subscribe();
    expect([status, body.error.code]).toEqual([400, 'ValidationError']);
    expect((await ada.read('/subscriptions')).value).toEqual([]);
  });

  test.each([
    [{ resource: '/me/messages' }, 400],
    [{ resource: '/me/calendars/AAMkAGnope=/events' }, 404],
    [{ changeType: 'created,moved' }, 400],
    [{ notificationUrl: 'ftp://app.test' }, 400],
    [{ clientState: 'x'.repeat(129) }, 400],
    [{ expirationDateTime: iso(START - 1) }, 400],
    [{ expirationDateTime: iso(START + 10_081 * MINUTE_MS) }, 400],
  ])('%j is refused', async (more, status) => {
    expect((await subscribe(more)).status).toBe(status);
    expect(harness.received).toEqual([]);
  });

  test('10,080 minutes are allowed, less than 45 are raised to 45', async () => {
    expect((await subscribe({ expirationDateTime: iso(START + 10_080 * MINUTE_MS) })).status).toBe(201);
    const short = await subscribe({ changeType: 'created', expirationDateTime: iso(START + MINUTE_MS) });
    expect(short.body.expirationDateTime).toBe('2026-01-05T12:45:00.0000000Z');
  });

  test('the same resource and changeType twice is a conflict', async () => {
    await subscribe();
    expect((await subscribe()).status).toBe(409);
    expect((await subscribe({ changeType: 'updated' })).status).toBe(201);
  });
});

describe('life', () => {
  test('get, list, renew, delete; unknown ones are 404', async () => {
    const { id } = (await subscribe()).body;
    expect((await ada.read('/subscriptions')).value).toHaveLength(1);
    const renewed = await ada.call('PATCH', `/subscriptions/${id}`, { expirationDateTime: iso(START + 2 * DAY_MS) });
    expect([renewed.status, renewed.body.expirationDateTime]).toEqual([200, '2026-01-07T12:00:00.0000000Z']);
    expect((await ada.read(`/subscriptions/${id}`)).expirationDateTime).toBe('2026-01-07T12:00:00.0000000Z');
    expect((await ada.call('POST', `/subscriptions/${id}/reauthorize`)).status).toBe(204);
    expect((await ada.call('DELETE', `/subscriptions/${id}`)).status).toBe(204);
    const gone = await ada.call('PATCH', `/subscriptions/${id}`, { expirationDateTime: iso(START + DAY_MS) });
    expect([gone.status, gone.body.error.code]).toEqual([404, 'ResourceNotFound']);
    expect((await ada.call('DELETE', `/subscriptions/${id}`)).status).toBe(404);
  });

  test('a new URL shakes hands first', async () => {
    const { id } = (await subscribe()).body;
    harness.received.length = 0;
    await ada.call('PATCH', `/subscriptions/${id}`, { notificationUrl: 'https://app.test/other' });
    expect(harness.received.map(({ url }) => url.pathname)).toEqual(['/other']);
  });

  test('a lifecycle URL cannot be added later', async () => {
    const { id } = (await subscribe({ lifecycleNotificationUrl: null })).body;
    const late = await ada.call('PATCH', `/subscriptions/${id}`, { lifecycleNotificationUrl: 'https://app.test/late' });
    expect(late.status).toBe(400);
  });

  test('expires by the sandbox’s clock', async () => {
    const { id } = (await subscribe({ expirationDateTime: iso(START + 50 * MINUTE_MS) })).body;
    harness.kernel.clock.advance(51 * MINUTE_MS);
    expect((await ada.get(`/subscriptions/${id}`)).status).toBe(404);
    await ada.create(timed('Late', '2026-03-02T09:00:00'));
    expect(await notifications()).toEqual([]);
  });

  test('belongs to its person and client', async () => {
    const { id } = (await subscribe()).body;
    const ben = await harness.person('ben@contoso.test');
    expect((await ben.get(`/subscriptions/${id}`)).status).toBe(404);
  });
});

describe('notifications', () => {
  test('name the event, its new etag and the client state', async () => {
    const { id: subscriptionId } = (await subscribe()).body;
    const event = await ada.create(timed('Review', '2026-03-02T09:00:00'));
    await ada.call('PATCH', `/me/events/${event.id}`, { subject: 'Retro' });
    await ada.call('DELETE', `/me/events/${event.id}`);
    const sent = await notifications();
    expect(sent.map(({ changeType }) => changeType)).toEqual(['created', 'updated', 'deleted']);
    expect(sent[0]).toMatchObject({
      subscriptionId,
      clientState: 'secret',
      resourceData: { id: event.id, '@odata.type': '#Microsoft.Graph.Event', '@odata.etag': event['@odata.etag'] },
      resource: expect.stringMatching(/^Users\/[0-9a-f-]{36}\/Events\//),
      tenantId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      subscriptionExpirationDateTime: '2026-01-06T12:00:00.0000000Z',
    });
  });

  test('come only for the types asked for, and only from the calendar asked for', async () => {
    const { body: team } = await ada.call('POST', '/me/calendars', { name: 'Team' });
    await subscribe({ resource: `me/calendars('${team.id}')/events`, changeType: 'created' });
    await ada.create(timed('Elsewhere', '2026-03-02T09:00:00'));
    const { body } = await ada.call('POST', `/me/calendars/${team.id}/events`, timed('Here', '2026-03-02T09:00:00'));
    await ada.call('PATCH', `/me/calendars/${team.id}/events/${body.id}`, { subject: 'Changed' });
    expect((await notifications()).map(({ resourceData }) => resourceData.id)).toEqual([body.id]);
  });

  test('of occurrences name the master', async () => {
    await subscribe({ changeType: 'updated' });
    const recurrence = {
      pattern: { type: 'daily', interval: 1 },
      range: { type: 'noEnd', startDate: '2026-03-02' },
    };
    const master = await ada.create(timed('Standup', '2026-03-02T09:00:00', 'UTC', { recurrence }));
    const path = `/me/events/${master.id}/instances?startDateTime=2026-03-02&endDateTime=2026-03-04`;
    const [first, second] = (await ada.all(path)).items;
    await ada.call('PATCH', `/me/events/${first.id}`, { subject: 'Longer' });
    await ada.call('DELETE', `/me/events/${second.id}`);
    expect((await notifications()).map(({ resourceData }) => resourceData.id)).toEqual([master.id, master.id]);
  });

  test('use immutable ids when the subscription asked for them', async () => {
    await subscribe({}, { prefer: 'IdType="ImmutableId"' });
    const { id } = await ada.create(timed('Review', '2026-03-02T09:00:00'));
    const immutable = await ada.read(`/me/events/${id}`, { prefer: 'IdType="ImmutableId"' });
    expect((await notifications())[0].resourceData.id).toBe(immutable.id);
  });

  test('reach people with whom the calendar is shared', async () => {
    const ben = await harness.person('ben@contoso.test');
    const { id: calendarId } = await ada.read('/me/calendar');
    const shared = harness.server.shareCalendar({
      ownerEmail: 'ada@contoso.test',
      calendarId,
      withEmail: 'ben@contoso.test',
      role: 'reader',
    });
    await ben.call('POST', '/subscriptions', asked({ resource: `/me/calendars/${shared}/events` }));
    const { id } = await ada.create(timed('Review', '2026-03-02T09:00:00'));
    expect((await notifications()).map(({ resourceData }) => resourceData.id)).toEqual([id]);
  });
});

describe('lifecycle', () => {
  test.each(['reauthorizationRequired', 'missed', 'subscriptionRemoved'])('%s goes to its own URL', async (event) => {
    const { id } = (await subscribe()).body;
    harness.received.length = 0;
    expect(harness.control('sendLifecycle', { event })).toEqual({ sent: 1 });
    expect(await notifications()).toMatchObject([
      { subscriptionId: id, lifecycleEvent: event, clientState: 'secret', resource: '/me/events' },
    ]);
    expect(harness.received[0]!.url.pathname).toBe('/lifecycle');
    expect((await ada.get(`/subscriptions/${id}`)).status).toBe(event === 'subscriptionRemoved' ? 404 : 200);
  });

  test('expireSubscriptions removes without a word', async () => {
    const { id } = (await subscribe()).body;
    expect(harness.control('expireSubscriptions', { email: 'ada@contoso.test' })).toEqual({ expired: 1 });
    expect((await ada.get(`/subscriptions/${id}`)).status).toBe(404);
    expect(await notifications()).toEqual([]);
  });
});
