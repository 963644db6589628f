import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type PushReceiver, startReceiver } from '../push-receiver.ts';
import {
  ADA,
  CHARLES,
  control,
  EVENTS,
  type Google,
  insert,
  type Json,
  NOW,
  reasonOf,
  startGoogle,
  WEEKLY,
} from './harness.ts';

const WEEK_MS = 7 * 86_400_000;
let google: Google;
let receiver: PushReceiver;

beforeEach(async () => {
  google = startGoogle();
  receiver = await startReceiver();
});

afterEach(async () => {
  await google.sandbox.close();
  await receiver.close();
});

const watch = (body: Json = {}, path = EVENTS) =>
  google.ada('POST', `${path}/watch`, { body: { id: 'ch-1', type: 'web_hook', address: receiver.url, ...body } });

async function states(): Promise<unknown[]> {
  await google.sandbox.notifications.idle();
  return receiver.received.map(({ headers }) => headers['x-goog-resource-state']);
}

describe('channels', () => {
  test('last a week unless less is asked for, and tell sync first', async () => {
    const { body } = await watch({ token: 'tok' });
    expect(body).toMatchObject({ kind: 'api#channel', id: 'ch-1', token: 'tok', expiration: String(NOW + WEEK_MS) });
    expect((await watch({ id: 'ch-2', params: { ttl: '3600' } })).body.expiration).toBe(String(NOW + 3_600_000));
    expect((await watch({ id: 'ch-3', expiration: NOW + 60_000 })).body.expiration).toBe(String(NOW + 60_000));
    expect((await watch({ id: 'ch-4', expiration: NOW + 9 * WEEK_MS })).body.expiration).toBe(String(NOW + WEEK_MS));
    expect(await states()).toEqual(['sync', 'sync', 'sync', 'sync']);
    expect(receiver.received[0]?.headers).toMatchObject({
      'x-goog-message-number': '1',
      'x-goog-channel-token': 'tok',
      'x-goog-resource-uri': body.resourceUri,
    });
  });

  test.each<[string, Json, string]>([
    ['a used id', { id: 'ch-1' }, 'channelIdNotUnique'],
    ['a long id', { id: 'x'.repeat(65) }, 'invalid'],
    ['a long token', { id: 'ch-2', token: 'x'.repeat(257) }, 'invalid'],
    ['another type', { id: 'ch-2', type: 'pigeon' }, 'invalid'],
    ['no address', { id: 'ch-2', address: 'nowhere' }, 'invalid'],
    ['an expiration in the past', { id: 'ch-2', expiration: NOW - 1 }, 'invalid'],
  ])('refuse %s', async (_name, body, reason) => {
    await watch();
    expect(reasonOf(await watch(body))).toEqual([400, reason]);
  });

  test('the sync message overtakes the answer now and then', async () => {
    let overtaken = 0;
    for (let index = 0; index < 8; index += 1) {
      await watch({ id: `ch-${index}` });
      overtaken += Number(receiver.received.some(({ headers }) => headers['x-goog-channel-id'] === `ch-${index}`));
    }
    expect(overtaken).toBeGreaterThan(0);
    expect(overtaken).toBeLessThan(8);
  });

  test('tell each change once, with rising numbers and an empty body', async () => {
    await watch();
    const event = await insert(google, WEEKLY);
    await google.ada('PATCH', `${EVENTS}/${event.id}`, { body: { summary: 'x' } });
    await google.ada('DELETE', `${EVENTS}/${event.id}`);
    expect(await states()).toEqual(['sync', 'exists', 'exists', 'exists']);
    const numbers = receiver.received.map(({ headers }) => Number(headers['x-goog-message-number']));
    expect([...numbers].sort((one, other) => one - other)).toEqual(numbers);
    expect(new Set(numbers).size).toBe(4);
    expect(receiver.received.every(({ body }) => body === '')).toBe(true);
  });

  test('fall silent when stopped; a second stop is fine, a foreign one is not', async () => {
    const { body } = await watch();
    const stop = { body: { id: 'ch-1', resourceId: body.resourceId } };
    expect((await google.charles('POST', '/channels/stop', stop)).status).toBe(404);
    expect((await google.ada('POST', '/channels/stop', stop)).status).toBe(204);
    expect((await google.ada('POST', '/channels/stop', stop)).status).toBe(204);
    await insert(google, WEEKLY);
    expect(await states()).toEqual(['sync']);
  });

  test('fall silent when they expire', async () => {
    await watch();
    google.advance(WEEK_MS);
    google.sandbox.clock.advance(0);
    await google.sandbox.notifications.idle();
    control(google.sandbox, 'setRole', { email: ADA, calendarId: ADA, role: 'owner' });
    const token = await google.sandbox.accessToken({ provider: 'google', email: ADA });
    await google.sandbox.fetch(
      new Request(`http://sandbox.test/google/calendar/v3${EVENTS}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(WEEKLY),
      }),
    );
    expect(await states()).toEqual(['sync']);
  });

  test('fall silent when the calendar is no longer shared', async () => {
    const { body: calendar } = await google.ada('POST', '/calendars', { body: { summary: 'Team' } });
    const share = (role: string) =>
      control(google.sandbox, 'setRole', { email: CHARLES, calendarId: calendar.id, role });
    share('reader');
    const path = `/calendars/${encodeURIComponent(calendar.id)}/events`;
    const channel = { id: 'ch-1', type: 'web_hook', address: receiver.url };
    expect((await google.charles('POST', `${path}/watch`, { body: channel })).status).toBe(200);
    await google.ada('POST', path, { body: WEEKLY });
    share('none');
    await google.ada('POST', path, { body: WEEKLY });
    expect(await states()).toEqual(['sync', 'exists']);
  });

  test('exist for the calendar list too, and not for calendars that Google fills', async () => {
    await watch({}, '/users/me/calendarList');
    await google.ada('POST', '/calendars', { body: { summary: 'New' } });
    expect(await states()).toEqual(['sync', 'exists']);
    const { calendarId } = control(google.sandbox, 'addHolidayCalendar', { email: ADA });
    const path = `/calendars/${encodeURIComponent(calendarId)}/events`;
    expect(reasonOf(await watch({ id: 'ch-2' }, path))).toEqual([400, 'pushNotSupportedForRequestedResource']);
    const { body: before } = await google.ada('GET', path);
    const { eventId } = control(google.sandbox, 'moveHoliday', { calendarId });
    const { body } = await google.ada('GET', path, { query: { syncToken: before.nextSyncToken } });
    expect(body.items).toMatchObject([{ id: eventId }]);
  });

  test('retry a receiver that fails, and give up on one that refuses', async () => {
    receiver.statuses.push(503, 200, 404);
    await watch();
    await states();
    await insert(google, WEEKLY);
    expect(await states()).toEqual(['sync', 'sync', 'exists']);
    expect(google.sandbox.notifications.records().map(({ outcome, attempts }) => [outcome, attempts])).toEqual([
      ['delivered', 2],
      ['failed', 1],
    ]);
  });
});
