import { manualClock } from '@kalends/conformance';
import { createHandler } from '@kalends/http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ADMIN_TOKEN, adminOf } from './admin-world.ts';
import { createWorld, type Json, type World } from './world.ts';

const EVENT = {
  title: 'Choir',
  start: { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-03-02T10:00:00', timeZone: 'Europe/Berlin' },
};

/** The clock of the limit. */
const clock = manualClock();
let world: World;
let document: Json;
/** Described headers that an answer had. */
const seen = new Set<string>();
/** Asks as an application whose key has a limit. */
let ask: (method: string, path: string, options?: { body?: unknown; headers?: object }) => Promise<Response>;

beforeAll(async () => {
  world = await createWorld();
  document = (await world.call('GET', '/v1/openapi.json', { key: null })).body;
  const handler = createHandler(world.engine, { rateLimit: { perSecond: 1, burst: 30 }, clock });
  ask = (method, path, { body, headers } = {}) =>
    handler(
      new Request(`http://kalends.test${path}`, {
        method,
        headers: {
          'x-api-key': world.apiKey,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
});
afterAll(() => world.close());

const FITS: Readonly<Record<string, RegExp>> = {
  string: /./,
  integer: /^\d+$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
};

/** Demands that an answer has the headers that its document describes, and of all that are described anywhere no others. */
function expectDescribed(operationId: string, { status, headers }: Response, { paths, components } = document): void {
  const operations = Object.values<Json>(paths).flatMap((item) => Object.values<Json>(item));
  const { responses } = operations.find((operation) => operation.operationId === operationId);
  expect(Object.keys(responses), operationId).toContain(String(status));
  const described: Json = responses[status].headers ?? {};
  const named = Object.keys(components.headers);
  expect([operationId, status, named.filter((name) => headers.has(name) && !(name in described))]).toEqual([
    operationId,
    status,
    [],
  ]);
  for (const [name, { $ref }] of Object.entries<Json>(described)) {
    expect($ref).toBe(`#/components/headers/${name}`);
    const { required, schema } = components.headers[name];
    const value = headers.get(name);
    if (value === null) expect([operationId, status, name, required]).toEqual([operationId, status, name, undefined]);
    else expect(value).toMatch(FITS[schema.format ?? schema.type] ?? /^$/);
    if (value !== null) seen.add(name);
  }
}

describe('the headers of answers are those of the document', () => {
  it('reads and writes with a key', async () => {
    const { accountId, calendarId } = await world.connect('google');
    const events = `/v1/events/${accountId}/${calendarId}`;
    // Calendars with a subscription are polled from their next pull on.
    const webhookUrl = 'https://receiver.example/';
    const subscribed = await ask('POST', `/v1/calendarSubscriptions/${accountId}`, {
      body: { calendarId, webhookUrl },
    });
    expect(subscribed.status).toBe(201);
    expectDescribed('createCalendarSubscription', subscribed);
    await vi.waitFor(async () => {
      const { headers } = await world.call('GET', events);
      expect(headers.has('x-kalends-poll-interval')).toBe(true);
    });
    const made = await ask('POST', events, { body: EVENT });
    expect(made.status).toBe(201);
    expectDescribed('createEvent', made);
    const { id } = (await made.json()) as Json;
    const answers: readonly (readonly [string, Response])[] = [
      ['updateEvent', await ask('PUT', `${events}/${id}`, { body: { title: 'Band' } })],
      ['getEvent', await ask('GET', `${events}/${id}`)],
      ['listEvents', await ask('GET', events)],
      [
        'listOccurrences',
        await ask(
          'GET',
          `${events}/${id}/occurrences?startDateTime=2026-03-01T00:00:00Z&endDateTime=2026-03-08T00:00:00Z`,
        ),
      ],
      ['listCalendars', await ask('GET', `/v1/calendars/${accountId}`)],
      ['getCalendar', await ask('GET', `/v1/calendars/${accountId}/${calendarId}`)],
      ['exportCalendar', await ask('GET', `/v1/calendars/${accountId}/${calendarId}/export`)],
      ['getEndUserAccount', await ask('GET', `/v1/endUserAccounts/${accountId}`)],
    ];
    for (const [operationId, answer] of answers) {
      expect([operationId, answer.status]).toEqual([operationId, 200]);
      expectDescribed(operationId, answer);
      await answer.body?.cancel();
    }
    const held = await ask('GET', events, { headers: { 'if-none-match': '*' } });
    expect(held.status).toBe(304);
    expectDescribed('listEvents', held);
    const gone = await ask('DELETE', `${events}/${id}`);
    expect(gone.status).toBe(200);
    expectDescribed('deleteEvent', gone);
  });

  it('refusals', async () => {
    const unknown = await ask('GET', '/v1/endUserAccounts/acc_unknown');
    const wrong = await ask('GET', '/v1/endUserAccounts', { headers: { 'x-api-key': 'wrong' } });
    expect([unknown.status, wrong.status]).toEqual([404, 401]);
    expectDescribed('getEndUserAccount', unknown);
    expectDescribed('listEndUserAccounts', wrong);
    let limited = await ask('GET', '/v1/endUserAccounts');
    while (limited.status === 200) limited = await ask('GET', '/v1/endUserAccounts');
    expect(limited.status).toBe(429);
    expectDescribed('listEndUserAccounts', limited);
  });

  it('open routes', async () => {
    const open = (path: string, headers = {}) => world.handler(new Request(`http://kalends.test${path}`, { headers }));
    const begun = await open(`/v1/oauth/authorize/${world.applicationId}/provider_a`);
    expect(begun.status).toBe(302);
    expectDescribed('authorize', begun);
    const refused = await open(`/v1/oauth/authorize/${world.applicationId}/provider_a?prompt=none`);
    expectDescribed('authorize', refused);
    const lost = await open('/v1/oauth/callback/provider_a?state=wrong');
    expect(lost.status).toBe(400);
    expectDescribed('authorizationCallback', lost);
    await clock.advance(30_000);
    const push = (query: string, headers = {}) => ask('POST', `/v1/push/provider_b${query}`, { headers });
    const answers = [
      await push('?validationToken=abc'),
      await ask('POST', '/v1/push/provider_b', { body: { value: [] } }),
      await push(''),
      await ask('GET', `/v1/oauth/authorize/${world.applicationId}/provider_a`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 202, 400, 302]);
    for (const [index, answer] of answers.entries()) {
      expectDescribed(index < 3 ? 'receivePush' : 'authorize', answer);
    }
  });

  it('feeds, which are revalidated without a key', async () => {
    const { accountId, calendarId } = await world.connect('microsoft');
    const calendars = [{ endUserAccountId: accountId, calendarId }];
    const made = await world.call('POST', '/v1/feeds', { body: { name: 'Choir', detail: 'full', calendars } });
    expect(made.status).toBe(201);
    const path = new URL(made.body.url).pathname.replace('/api', '');
    const read = (headers = {}) => world.handler(new Request(`http://kalends.test${path}`, { headers }));
    const first = await read();
    await first.body?.cancel();
    const held = await read({ 'if-none-match': first.headers.get('etag') ?? '' });
    expect([first.status, held.status]).toEqual([200, 304]);
    expectDescribed('readFeed', first);
    expectDescribed('readFeed', held);
    const { parameters } = document.paths['/v1/feeds/{secret}.ics'].get;
    expect(parameters).toContainEqual(expect.objectContaining({ in: 'header', name: 'If-None-Match' }));
  });

  it('the administration', async () => {
    const { call, handler } = adminOf(world);
    const admin = (await call('GET', '/openapi.json')).body;
    const list = (token: string) =>
      handler(
        new Request('http://kalends.test/admin/v1/applications', { headers: { authorization: `Bearer ${token}` } }),
      );
    const [listed, refused] = [await list(ADMIN_TOKEN), await list('wrong')];
    expect([listed.status, refused.status]).toEqual([200, 401]);
    expectDescribed('listApplications', listed, admin);
    expectDescribed('listApplications', refused, admin);
  });

  it('every header of the document was among them', () => {
    expect([...seen].sort()).toEqual(Object.keys(document.components.headers).sort());
  });
});
