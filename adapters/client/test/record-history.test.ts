import { createClient } from '@kalends/client';
import { recordHistory } from '@kalends/client/history';
import { expect, test } from 'vitest';
import { createHistoryChecker } from '../../server/src/history/history-checker.ts';
import { readHistoryLine } from '../../server/src/history/history-line.ts';

type Answer = () => Response | Promise<Response>;

function recording(answers: Answer[]) {
  const lines: string[] = [];
  const fetch = recordHistory(
    (line) => lines.push(line),
    async () => await (answers.shift() as Answer)(),
  );
  const client = createClient({ baseUrl: 'http://service.test/api', apiKey: 'secret', fetch, retries: 0 });
  return { client, fetch, lines };
}

test('records requests and answers as a history that can be checked', async () => {
  const event = { id: 'e', etag: '"1"', title: 'T', updatedAt: '2026-11-02T09:00:00.000Z' };
  const { client, lines } = recording([
    () => Response.json({ data: [], nextSyncToken: 's1' }),
    () => Response.json(event, { status: 201 }),
    () => Response.json({ data: [event], nextSyncToken: 's2' }),
    () => Response.json({ code: 'NotFound' }, { status: 404, headers: { 'content-type': 'application/problem+json' } }),
  ]);
  await client.events.sync('acc', 'ada@example.com');
  const start = { dateTime: '2026-11-02T09:00:00Z' };
  await client.events.create('acc', 'ada@example.com', { title: 'T', start }, { idempotencyKey: 'key' });
  expect((await client.events.sync('acc', 'ada@example.com', { syncToken: 's1' })).records).toEqual([event]);
  await expect(client.events.get('acc', 'ada@example.com', 'other')).rejects.toThrow();
  const path = '/v1/events/acc/ada%40example.com';
  const parsed = lines.map((line, index) => readHistoryLine(line, index + 1));
  expect(parsed).toMatchObject([
    { method: 'GET', url: path, status: 200, body: { data: [], nextSyncToken: 's1' } },
    { method: 'POST', url: path, status: 201, body: event, idempotencyKey: 'key' },
    { method: 'GET', url: `${path}?syncToken=s1`, status: 200, body: { data: [event], nextSyncToken: 's2' } },
    { method: 'GET', url: `${path}/other`, status: 404, body: { code: 'NotFound' } },
  ]);
  expect(lines.join()).not.toContain('secret');
  const times = parsed.flatMap((line) => ('quiet' in line ? [] : [line.sentAt, line.answeredAt]));
  expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
  const checker = createHistoryChecker();
  for (const [index, line] of parsed.entries()) checker.take(line, index + 1);
  expect(checker.end()).toMatchObject({ exchanges: 4, violations: [] });
});

test('records a request whose answer was lost, and answers without JSON', async () => {
  const { client, fetch, lines } = recording([
    () => Promise.reject(new TypeError('fetch failed')),
    () => new Response(null, { status: 304 }),
    () => new Response('<html>', { status: 502, headers: { 'content-type': 'text/html' } }),
    () => new Response('{', { status: 200, headers: { 'content-type': 'application/json' } }),
    () => new Response('elsewhere'),
  ]);
  await expect(client.events.delete('acc', 'c', 'e')).rejects.toThrow();
  expect(await client.events.getIfChanged('acc', 'c', 'e', '"1"')).toBeUndefined();
  await expect(client.events.get('acc', 'c', 'e')).rejects.toThrow();
  await expect(client.events.get('acc', 'c', 'e')).rejects.toThrow();
  expect(await (await fetch('http://service.test/health', { method: 'GET' })).text()).toBe('elsewhere');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { method: 'DELETE', url: '/v1/events/acc/c/e' },
    { method: 'GET', status: 304 },
    { method: 'GET', status: 502 },
    { method: 'GET', status: 200 },
  ]);
  expect(JSON.parse(lines[0] as string)).not.toHaveProperty('status');
});

test('keeps the order of answers over several clients that write one log', async () => {
  const lines: string[] = [];
  const clients = Array.from({ length: 2 }, () =>
    recordHistory(
      (line) => lines.push(line),
      async () => Response.json({ data: [], nextSyncToken: 's' }),
    ),
  );
  for (let turn = 0; turn < 40; turn += 1) {
    await Promise.all(clients.map((fetch) => fetch('http://service.test/v1/events/acc/c', {})));
    await clients[0]?.('http://service.test/v1/events/acc/c', {});
  }
  const checker = createHistoryChecker();
  for (const [index, line] of lines.entries()) checker.take(readHistoryLine(line, index + 1), index + 1);
  expect(checker.end()).toMatchObject({ exchanges: 120, violations: [] });
});

test.each([
  ['http://service.test/v1/kalends', '/v1/events/acc/v1'],
  ['http://v1/api', '/v1/events/acc/v1'],
  ['http://service.test/v1', '/v1/events/acc/v1'],
])('records the path of kalends itself below %s', async (baseUrl, url) => {
  const lines: string[] = [];
  const fetch = recordHistory(
    (line) => lines.push(line),
    async () => Response.json({ data: [], nextSyncToken: 's' }),
  );
  await createClient({ baseUrl, apiKey: 'k', fetch }).events.sync('acc', 'v1');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ url, body: { nextSyncToken: 's' } }]);
});

test('leaves secrets out', async () => {
  const token = 'hld_0123456789abcdefghijAB.secret-mark';
  const { client, fetch, lines } = recording([
    () => Response.json({ accessToken: 'secret' }),
    () => Response.json({ webhookSubscriptionId: 's', endpointSecret: 'whsec_secret' }, { status: 201 }),
    () => Response.json({ endpointSecret: 'whsec_secret' }),
    () => Response.json({ id: 'f', url: 'http://service.test/api/v1/feeds/secret.ics' }, { status: 201 }),
    () => Response.json({ id: 'hld_1', bookingToken: token }),
    () => Response.json({ bookingToken: token }),
    () => Response.json({ bookingToken: token }),
    () => Response.json({ success: true }),
    () => new Response('BEGIN:VCALENDAR'),
    () => Response.json({ state: 'finished' }),
  ]);
  await client.accounts.getCredentials('acc');
  await client.subscriptions.create('acc', { calendarId: 'c', webhookUrl: 'https://receiver.test' });
  await client.subscriptions.one('acc', 's').rotateSecret();
  await client.feeds.create({ name: 'f', calendars: [] } as never);
  await client.holds.get('hld_1');
  await client.holds.confirm('hld_1', { title: 'T' } as never);
  await client.bookings.get(token);
  await client.bookings.cancel(token, { notifyAttendees: 'none' });
  await fetch('http://service.test/api/v1/feeds/secret.ics', {});
  await client.calendars.getImport('acc', 'c', 'imp_1');
  expect(lines.join()).not.toContain('secret');
  expect(lines.map((line) => JSON.parse(line)).slice(-4)).toMatchObject([
    { method: 'GET', url: '/v1/bookings/hld_0123456789abcdefghijAB.…', status: 200 },
    { method: 'DELETE', url: '/v1/bookings/hld_0123456789abcdefghijAB.…?notifyAttendees=none', status: 200 },
    { method: 'GET', url: '/v1/feeds/…', status: 200 },
    { method: 'GET', url: '/v1/calendars/acc/c/imports/imp_1', status: 200, body: { state: 'finished' } },
  ]);
});
