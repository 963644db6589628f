import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOUNTS } from './mounted.ts';
import { movableClock } from './movable-clock.ts';
import { openConnection, rawRequest } from './raw-connection.ts';
import { body, type Connected, calendarsPath, eventsPath, expectProblem } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

const clock = movableClock();
let world: World;
beforeAll(async () => {
  world = await createWorld({ clock });
});
afterAll(() => world.close());

const get = (path: string, etag?: string) =>
  world.call('GET', path, etag === undefined ? {} : { headers: { 'if-none-match': etag } });

/** The etag that a path has at present. */
async function etagOf(path: string): Promise<string> {
  const answer = await get(path);
  body(answer);
  expect(answer.headers.get('cache-control'), path).toBe('private, no-cache');
  const etag = answer.headers.get('etag');
  expect(etag, path).toMatch(/^(W\/)?"[\x21\x23-\x7e]+"$/);
  return etag ?? '';
}

async function expectNotModified(path: string, held: string) {
  const answer = await get(path, held);
  expect([answer.status, answer.body], `${path} ${held}`).toEqual([304, '']);
  expect(answer.headers.get('cache-control')).toBe('private, no-cache');
  expect(answer.headers.get('content-type')).toBeNull();
  return answer;
}

describe.each(PROVIDERS)('$provider', ({ provider }) => {
  let account: Connected;
  let event: Json;
  beforeAll(async () => {
    account = await world.connect(provider);
    const created = {
      title: 'Standup',
      start: { dateTime: '2026-03-02T09:00:00Z' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
    };
    event = body(await world.call('POST', eventsPath(account), { body: created }), 201);
  });
  const window = 'startDateTime=2026-03-01T00:00:00Z&endDateTime=2026-04-01T00:00:00Z';
  const singles = () => [
    `/v1/endUserAccounts/${account.accountId}`,
    calendarsPath(account.accountId, account.calendarId),
    eventsPath(account, event.id),
    eventsPath(account, `${event.id}_20260303T090000Z`),
  ];
  const pages = () => [
    '/v1/endUserAccounts',
    calendarsPath(account.accountId),
    eventsPath(account),
    `${eventsPath(account)}?expandRecurrences=true&${window}`,
    `${eventsPath(account)}?expandRecurrences=true&limit=2&${window}`,
    `${eventsPath(account, event.id)}/occurrences?${window}`,
    `/v1/calendarSubscriptions/${account.accountId}`,
    '/v1/webhookEndpoints',
  ];

  it('answers 304 as long as a resource or a page is the same', async () => {
    for (const path of [...singles(), ...pages()]) {
      const etag = await etagOf(path);
      const opaque = etag.replace(/^W\//, '');
      const held = [etag, opaque, `W/${opaque}`, `"other", ${etag}`, '*'];
      for (const value of held) expect((await expectNotModified(path, value)).headers.get('etag')).toBe(etag);
      expect((await get(path, '"other"')).status).toBe(200);
      const head = await world.call('HEAD', path, { headers: { 'if-none-match': etag } });
      expect([head.status, head.headers.get('etag')]).toEqual([304, etag]);
    }
  });

  it('answers what has changed', async () => {
    const paths = [
      eventsPath(account, event.id),
      eventsPath(account, `${event.id}_20260303T090000Z`),
      ...pages().slice(2, 6),
    ];
    const before = new Map<string, string>();
    for (const path of paths) before.set(path, await etagOf(path));
    body(await world.call('PUT', eventsPath(account, event.id), { body: { title: 'Review' } }));
    for (const [path, etag] of before) {
      const answer = await get(path, etag);
      expect(answer.status, path).toBe(200);
      expect(JSON.stringify(answer.body), path).toContain('Review');
      expect(answer.headers.get('etag'), path).not.toBe(etag);
    }
    const calendar = body(await world.call('POST', calendarsPath(account.accountId), { body: { name: 'Mine' } }), 201);
    const path = calendarsPath(account.accountId, calendar.id);
    const etag = await etagOf(path);
    body(await world.call('PUT', path, { body: { name: 'Ours' } }));
    expect(body(await get(path, etag)).name).toBe('Ours');
  });

  it('answers events whose calendar has got another zone', async () => {
    const calendarPath = calendarsPath(account.accountId);
    const zoned = { name: 'Moving', timeZone: 'Europe/Paris' };
    const { id: calendarId } = body(await world.call('POST', calendarPath, { body: zoned }), 201);
    const place = { ...account, calendarId };
    const days = {
      isAllDay: true,
      start: { dateTime: '2026-03-02T00:00:00' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
    };
    const { id } = body(await world.call('POST', eventsPath(place), { body: { title: 'Trip', ...days } }), 201);
    const paths = [eventsPath(place, id), eventsPath(place, `${id}_20260303`), eventsPath(place)];
    const before = new Map<string, string>();
    for (const path of paths) before.set(path, await etagOf(path));
    body(await world.call('PUT', calendarsPath(account.accountId, calendarId), { body: { timeZone: 'Asia/Tokyo' } }));
    for (const [path, etag] of before) {
      const answer = await get(path, etag);
      expect(answer.status, path).toBe(200);
      expect(JSON.stringify(answer.body), path).toContain('Asia/Tokyo');
    }
  });

  it('tells pages apart by all that they depend on', async () => {
    const list = eventsPath(account);
    const expanded = `${list}?expandRecurrences=true&${window}`;
    const { nextSyncToken } = body(await get(list));
    const { nextPageToken } = body(await get(`${expanded}&limit=2`));
    const paths = [
      ...[list, `${list}?limit=2`, expanded, `${expanded}&limit=2`, `${expanded}&timeZone=Asia/Tokyo`],
      ...[
        `${expanded}&orderBy=startDateTime`,
        `${list}?syncToken=${nextSyncToken}`,
        `${list}?pageToken=${nextPageToken}`,
      ],
      `${list}?pageToken=${nextPageToken}&limit=1`,
    ];
    const etags = new Set<string>();
    for (const path of paths) etags.add(await etagOf(path));
    expect(etags.size).toBe(paths.length);
  });

  it('continues a list by the tokens of a page that was answered with 304', async () => {
    const path = `${eventsPath(account)}?expandRecurrences=true&limit=2&${window}`;
    const kept = body(await get(path));
    await expectNotModified(path, await etagOf(path));
    const next = body(await get(`${eventsPath(account)}?pageToken=${kept.nextPageToken}`));
    expect(next.data).toHaveLength(2);
  });
});

it('gives an old page a new tag each day, so that its sync token never grows old', async () => {
  const account = await world.connect('google');
  const etag = await etagOf(eventsPath(account));
  clock.pass(86_400_000);
  expect((await get(eventsPath(account), etag)).status).toBe(200);
});

it('gives pages of accounts that others follow the same tag', async () => {
  await world.connect('google');
  const path = '/v1/endUserAccounts?limit=1';
  expect(body(await get(path)).nextPageToken).not.toBeNull();
  await expectNotModified(path, await etagOf(path));
});

it('has no tag for credentials, and never says that they are the same', async () => {
  const account = await world.connect('google');
  const answer = await get(`/v1/endUserAccounts/${account.accountId}/credentials`, '*');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('etag')).toBeNull();
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

it('checks the key and the path before the tag', async () => {
  const account = await world.connect('google');
  const headers = { 'if-none-match': '*' };
  const path = `/v1/endUserAccounts/${account.accountId}`;
  expectProblem(await world.call('GET', path, { headers, key: null }), 401, 'InvalidApiKey');
  expectProblem(await world.call('GET', '/v1/endUserAccounts/acc_none', { headers }), 404, 'NotFound');
  expectProblem(await get(path, 'unquoted'), 400, 'InvalidRequest', 'If-None-Match');
});

it.each(MOUNTS)('sends a 304 without a body: %s', async (_name, mount) => {
  const mounted = await mount(world.handler);
  const connection = await openConnection(mounted.base);
  const target = `${new URL(mounted.base).pathname.replace(/\/$/, '')}/v1/endUserAccounts`;
  const headers = { 'x-api-key': world.apiKey, 'if-none-match': '*' };
  connection.write(rawRequest('GET', target, headers) + rawRequest('GET', target, headers));
  expect((await connection.answer()).status).toBe(304);
  expect((await connection.answer()).status).toBe(304);
  connection.socket.destroy();
  await mounted.close();
});
