import { createSandbox, type Listening, type Sandbox } from '@kalends/sandbox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRequestLog } from '../src/control/request-log.ts';
import type { Json } from './google/harness.ts';

let sandbox: Sandbox;
let listening: Listening;

beforeEach(async () => {
  sandbox = createSandbox({ seed: 2 });
  listening = await sandbox.listen();
});

afterEach(async () => {
  await sandbox.close();
});

async function send(method: string, path: string, body?: unknown, type = 'application/json') {
  const response = await fetch(`${listening.url}${path}`, {
    method,
    headers: { 'content-type': type },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: (text.startsWith('{') ? JSON.parse(text) : null) as Json };
}

const ADA = 'ada@gmail.example';
const addAda = () => send('POST', '/_sandbox/google/mailboxes', { email: ADA, timeZone: 'Europe/London' });

async function listCalendars(): Promise<Response> {
  const { body } = await send('POST', '/_sandbox/google/access-tokens', { email: ADA });
  return fetch(`${listening.url}/google/calendar/v3/users/me/calendarList`, {
    headers: { authorization: `Bearer ${body.accessToken}` },
  });
}

describe('the control API', () => {
  test('lists its routes, and the root page says what is here', async () => {
    expect((await send('GET', '/_sandbox')).body.routes.length).toBeGreaterThan(15);
    await addAda();
    const page = await send('GET', '/');
    expect(page.text).toContain(ADA);
    expect(page.text).toContain(`${listening.url}/google/calendar/v3`);
    expect((await send('GET', '/elsewhere')).status).toBe(404);
  });

  test('makes mailboxes, clients and tokens', async () => {
    expect((await addAda()).status).toBe(201);
    expect((await send('GET', '/_sandbox/google/mailboxes')).body).toEqual({ mailboxes: [ADA] });
    const client = { clientId: 'c', clientSecret: 's', redirectUris: ['http://localhost/cb'] };
    expect((await send('POST', '/_sandbox/google/clients', client)).status).toBe(201);
    const token = await send('POST', '/_sandbox/google/refresh-tokens', { email: ADA, clientId: 'c' });
    expect(token.body.refreshToken).toMatch(/^1\/\/0/);
    expect((await listCalendars()).status).toBe(200);
  });

  test('mints access tokens for Microsoft mailboxes as well', async () => {
    await send('POST', '/_sandbox/microsoft/mailboxes', { email: 'g@outlook.example', timeZone: 'America/New_York' });
    const { body } = await send('POST', '/_sandbox/microsoft/access-tokens', { email: 'g@outlook.example' });
    const me = await fetch(`${listening.url}/microsoft/v1.0/me/calendars`, {
      headers: { authorization: `Bearer ${body.accessToken}` },
    });
    expect(me.status).toBe(200);
  });

  test.each([
    ['POST', '/_sandbox/google/mailboxes', { email: 'nobody' }, 'email'],
    ['POST', '/_sandbox/google/mailboxes', { email: ADA, timeZone: 'Mars/Olympus' }, 'timeZone'],
    ['POST', '/_sandbox/google/mailboxes', { email: ADA, colour: 'red' }, 'colour'],
    ['POST', '/_sandbox/google/mailboxes', '{"email"', 'body'],
    ['POST', '/_sandbox/yahoo/mailboxes', { email: ADA }, 'provider'],
    ['POST', '/_sandbox/google/refresh-tokens', { email: ADA, clientId: 'none' }, 'clientId'],
    ['POST', '/_sandbox/google/access-tokens', { email: 'none@gmail.example' }, 'email'],
    ['POST', '/_sandbox/google/controls/fly', {}, 'fly'],
    ['POST', '/_sandbox/google/controls/throttle', { perMinute: 'many' }, 'perMinute'],
    ['POST', '/_sandbox/google/import', { email: ADA, ics: 'not a calendar' }, 'VCALENDAR'],
    ['POST', '/_sandbox/clock/advance', { ms: -1 }, 'ms'],
    ['POST', '/_sandbox/faults', { provider: 'google', kind: 'answer' }, 'status'],
    ['PUT', '/_sandbox/notification-faults', { drop: 2 }, 'drop'],
  ])('%s %s refuses %j naming the field', async (method, path, body, name) => {
    const answer = await send(method, path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain(name);
  });

  test('turns the clock', async () => {
    const at = '2030-01-01T00:00:00.000Z';
    expect((await send('POST', '/_sandbox/clock/freeze', { at })).body.iso).toBe(at);
    expect((await send('POST', '/_sandbox/clock/advance', { ms: 1000 })).body.iso).toBe('2030-01-01T00:00:01.000Z');
    expect((await send('GET', '/_sandbox/clock')).body.epochMs).toBe(Date.parse(at) + 1000);
    expect((await send('POST', '/_sandbox/clock/thaw')).status).toBe(200);
    expect((await send('GET', '/_sandbox/clock')).body.epochMs).toBeGreaterThanOrEqual(Date.parse(at) + 1000);
  });

  test('arms faults: an answer, a lost answer, a delay, a broken connection', async () => {
    await addAda();
    const arm = (fault: Json) =>
      send('POST', '/_sandbox/faults', { provider: 'google', path: '/calendar/v3/.*', times: 1, ...fault });
    await arm({ kind: 'answer', status: 503, headers: { 'retry-after': '7' }, body: { error: 'down' } });
    const down = await listCalendars();
    expect([down.status, down.headers.get('retry-after'), await down.json()]).toEqual([503, '7', { error: 'down' }]);
    await arm({ kind: 'reset' });
    await expect(listCalendars()).rejects.toThrow('fetch failed');
    await arm({ kind: 'delay', delayMs: 20 });
    expect((await listCalendars()).status).toBe(200);
    await arm({ kind: 'answer-after', status: 500 });
    const { body } = await send('POST', '/_sandbox/google/access-tokens', { email: ADA });
    const lost = await fetch(`${listening.url}/google/calendar/v3/calendars`, {
      method: 'POST',
      headers: { authorization: `Bearer ${body.accessToken}` },
      body: '{"summary":"Made all the same"}',
    });
    expect(lost.status).toBe(500);
    const list = (await (await listCalendars()).json()) as Json;
    expect(list.items.map((item: Json) => item.summary)).toContain('Made all the same');
    expect((await send('GET', '/_sandbox/faults')).body.faults).toEqual([]);
  });

  test('records and counts requests', async () => {
    await addAda();
    await listCalendars();
    const { body } = await send('GET', '/_sandbox/requests?provider=google&limit=1');
    expect(body.requests).toMatchObject([
      { method: 'GET', path: '/calendar/v3/users/me/calendarList', status: 200, provider: 'google', fault: null },
    ]);
    expect(body.requests[0].requestHeaders.authorization).toBeUndefined();
    expect((await send('GET', '/_sandbox/counts')).body.counts).toEqual({
      'google GET /calendar/v3/users/me/calendarList': 1,
    });
    await send('DELETE', '/_sandbox/requests');
    expect((await send('GET', '/_sandbox/requests')).body.requests).toEqual([]);
  });

  test('keeps as many recorded requests as fit into the budgets', () => {
    const log = createRequestLog(3, 10);
    const exchange = {
      at: 0,
      provider: 'google',
      method: 'GET',
      query: '',
      requestHeaders: {},
      requestBody: '',
      status: 200,
      responseHeaders: {},
      fault: null,
    } as const;
    for (const path of ['/a', '/b', '/c', '/d']) log.add({ ...exchange, path, responseBody: '12' });
    expect(log.list().map((request) => request.path)).toEqual(['/b', '/c', '/d']);
    log.add({ ...exchange, path: '/e', responseBody: '12345678' });
    expect(log.list().map((request) => request.path)).toEqual(['/d', '/e']);
  });

  test('control verbs of both providers refuse bad input alike', async () => {
    for (const provider of ['google', 'microsoft']) {
      const answer = await send('POST', `/_sandbox/${provider}/controls/expireAccessTokens`, { email: 7 });
      expect(answer.status).toBe(400);
      expect(answer.body.error.message).toContain('email');
    }
  });

  test('imports .ics as text, shares, runs controls, seeds and resets', async () => {
    await addAda();
    await send('POST', '/_sandbox/google/mailboxes', { email: 'b@gmail.example' });
    const ics =
      'BEGIN:VCALENDAR\r\nX-WR-CALNAME:Trips\r\nBEGIN:VEVENT\r\nDTSTART:20260301T090000Z\r\nSUMMARY:Go\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';
    const made = await send('POST', `/_sandbox/google/import?email=${ADA}`, ics, 'text/calendar');
    expect(made.body.calendars).toMatchObject([{ name: 'Trips', events: 1 }]);
    const { calendarId } = made.body.calendars[0];
    const shared = await send('POST', '/_sandbox/google/share', {
      ownerEmail: ADA,
      calendarId,
      withEmail: 'b@gmail.example',
    });
    expect(shared.body).toEqual({ calendarId });
    expect((await send('GET', '/_sandbox/google/controls')).body.controls).toContain('expireSyncTokens');
    expect((await send('POST', '/_sandbox/google/controls/revokeGrant', { email: ADA })).body).toEqual({ revoked: 0 });
    expect((await send('POST', '/_sandbox/seed')).status).toBe(201);
    const state = await send('POST', '/_sandbox/reset');
    expect(state.body).toMatchObject({ google: { mailboxes: [] }, microsoft: { mailboxes: [] } });
  });
});
