import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PushNotification } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADA, failureOf, type Harness, startHarness } from '../harness.ts';

const WEEK = 7 * 86_400_000;

let harness: Harness;
let receiver: Server;
let address: string;
let received: PushNotification[];
let arrived: () => void;

beforeEach(async () => {
  harness = await startHarness();
  received = [];
  arrived = () => undefined;
  receiver = createServer(async (request, response) => {
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const answer = await push().receive(new Request(address, { method: request.method ?? '', headers }));
    received.push(...answer.notifications);
    response.writeHead(answer.response.status).end();
    arrived();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/push/provider_a`;
});

afterEach(async () => {
  await harness.close();
  receiver.close();
});

const push = () => harness.provider.push;
const ada = () => harness.sessionOf(ADA);
const open = (channelId: string, resource: Parameters<ReturnType<typeof push>['open']>[1]['resource']) =>
  push().open(ada(), {
    channelId,
    token: 'a-token',
    address,
    resource,
    expiresAt: harness.sandbox.clock.now() + 30 * 86_400_000,
  });

async function notifications(count: number): Promise<readonly PushNotification[]> {
  while (received.length < count) await new Promise<void>((resolve) => (arrived = resolve));
  return received;
}

describe('channels', () => {
  test('an events channel is announced, tells changes, and is closed', async () => {
    const grant = await open('chn_1', { kind: 'events', calendarId: ADA });
    expect(grant).toMatchObject({ providerChannelId: 'chn_1', resourceId: expect.stringMatching(/./) });
    expect(grant.expiresAt - harness.sandbox.clock.now()).toBeLessThanOrEqual(WEEK);
    await harness.api(ADA, 'POST', '/calendars/primary/events', {
      start: { date: '2026-03-02' },
      end: { date: '2026-03-03' },
    });
    expect(await notifications(2)).toEqual([
      { providerChannelId: 'chn_1', token: 'a-token', kind: 'sync', providerEventIds: [] },
      { providerChannelId: 'chn_1', token: 'a-token', kind: 'changed', providerEventIds: [] },
    ]);
    await push().close(ada(), grant);
    await push().close(ada(), grant);
    await push().close(ada(), { providerChannelId: 'chn_none', resourceId: 'x' });
    expect(await push().renew(ada(), grant)).toBeNull();
  });

  test('the calendar list can be watched', async () => {
    await open('chn_2', { kind: 'calendars' });
    await harness.provider.calendars.create(ada(), { name: 'Work' });
    const seen = await notifications(2);
    expect(seen.map(({ kind }) => kind).slice(0, 2)).toEqual(['sync', 'changed']);
  });

  test('a holiday calendar cannot be watched', async () => {
    const { calendarId } = harness.sandbox.google.controls['addHolidayCalendar']?.({ email: ADA }) as {
      calendarId: string;
    };
    const call = open('chn_3', { kind: 'events', calendarId });
    expect(await failureOf(call)).toMatchObject({ reason: 'push-unsupported' });
  });

  test('a calendar that is gone is not found', async () => {
    const call = open('chn_4', { kind: 'events', calendarId: 'c_nobody' });
    expect(await failureOf(call)).toMatchObject({ reason: 'not-found' });
  });
});

describe('receive', () => {
  const receive = (headers: Record<string, string>, method = 'POST') =>
    push().receive(new Request('http://localhost/push', { method, headers }));

  test.each([
    ['no headers', {}],
    ['no state', { 'x-goog-channel-id': 'c' }],
    ['no channel', { 'x-goog-resource-state': 'exists' }],
    ["another product's state", { 'x-goog-channel-id': 'c', 'x-goog-resource-state': 'trash' }],
  ])('%s is refused', async (_name, headers) => {
    const { response, notifications: none } = await receive(headers);
    expect([response.status, none]).toEqual([400, []]);
  });

  test('a GET is refused', async () => {
    const headers = { 'x-goog-channel-id': 'c', 'x-goog-resource-state': 'exists' };
    expect((await receive(headers, 'GET')).response.status).toBe(400);
  });

  test('a notification without token is passed on without one', async () => {
    const { response, notifications: seen } = await receive({
      'x-goog-channel-id': 'c',
      'x-goog-resource-state': 'not_exists',
    });
    expect(response.status).toBe(202);
    expect(seen).toEqual([{ providerChannelId: 'c', token: undefined, kind: 'changed', providerEventIds: [] }]);
  });
});
