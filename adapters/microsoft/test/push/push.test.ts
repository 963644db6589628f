import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CalendarRef, ProviderSession, PushNotification } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADA, createHarness, type Harness, nextRequestId, onlyEvent, START } from '../harness.ts';

const HOUR = 3_600_000;
let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;
let receiver: Server;
let address: string;
const received: PushNotification[] = [];

beforeEach(async () => {
  harness = await createHarness();
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
  received.length = 0;
  receiver = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = new Request(`http://receiver.test${incoming.url}`, {
      method: incoming.method ?? 'GET',
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const { response, notifications } = await harness.provider.push.receive(request);
    received.push(...notifications);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(await response.text());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/push`;
});
afterEach(async () => {
  await harness.close();
  await new Promise((resolve) => receiver.close(resolve));
});

const open = (expiresAt: number, resource = { kind: 'events', calendarId: calendar.id } as const) =>
  harness.provider.push.open(session, { channelId: 'chn_1', token: 'secret', address, resource, expiresAt });

test('a channel is opened with its handshakes, tells of changes, is renewed and closed', async () => {
  const channel = await open(START + 90 * 24 * HOUR);
  expect(channel).toMatchObject({ providerChannelId: expect.any(String), resourceId: calendar.id });
  expect(channel.expiresAt - START).toBe(10_070 * 60_000);
  const { changes } = {
    changes: await harness.provider.events.create(
      session,
      calendar,
      {
        title: 'x',
        start: { dateTime: '2026-02-02T09:00:00+00:00', timeZone: 'UTC' },
        end: { dateTime: '2026-02-02T10:00:00+00:00', timeZone: 'UTC' },
      },
      { requestId: nextRequestId() },
    ),
  };
  await harness.sandbox.notifications.idle();
  const { providerEventId } = onlyEvent(changes);
  const told = {
    providerChannelId: channel.providerChannelId,
    token: 'secret',
    kind: 'changed',
    providerEventIds: [providerEventId],
  };
  expect(received.splice(0)).toEqual([told]);
  await harness.graph(ADA, 'DELETE', `me/events/${providerEventId}`);
  await harness.sandbox.notifications.idle();
  expect(received.splice(0)).toEqual([{ ...told, isDeletion: true }]);
  const renewed = await harness.provider.push.renew(session, { ...channel, expiresAt: START + 48 * HOUR });
  expect(renewed).toEqual({ ...channel, expiresAt: START + 48 * HOUR });
  for (const [event, kind] of [
    ['reauthorizationRequired', 'reauthorization-required'],
    ['missed', 'missed'],
    ['subscriptionRemoved', 'removed'],
  ]) {
    harness.control('sendLifecycle', { event });
    await harness.sandbox.notifications.idle();
    expect(received.splice(0)).toEqual([
      { providerChannelId: channel.providerChannelId, token: 'secret', kind, providerEventIds: [] },
    ]);
  }
  await expect(harness.provider.push.renew(session, channel)).rejects.toMatchObject({ reason: 'not-found' });
  await harness.provider.push.close(session, channel);
});

test('the list of calendars is watched for new, renamed and deleted calendars', async () => {
  const resource = { kind: 'calendars' } as const;
  const channel = await harness.provider.push.open(session, {
    channelId: 'chn_1',
    token: 's',
    address,
    resource,
    expiresAt: START + HOUR,
  });
  const changes: (() => Promise<unknown>)[] = [
    () => harness.graph(ADA, 'POST', 'me/calendars', { name: 'New' }),
    () => harness.provider.calendars.create(session, { name: 'Another' }),
  ];
  for (const change of changes) {
    await change();
    await harness.sandbox.notifications.idle();
    const told = { providerChannelId: channel.providerChannelId, token: 's', kind: 'changed', providerEventIds: [] };
    expect(received.splice(0)).toEqual([told]);
  }
  expect(await harness.provider.push.renew(session, { ...channel, expiresAt: START + 2 * HOUR })).toEqual({
    ...channel,
    expiresAt: START + 2 * HOUR,
  });
  await harness.provider.push.close(session, channel);
});

test.each([
  'extensionError',
  'unknownBackend',
])('a subscription that cannot be made (%s) is polled for', async (refusal) => {
  harness.control('setSubscriptionRefusal', { refusal });
  await expect(open(START + HOUR)).rejects.toMatchObject({ reason: 'push-unsupported' });
  harness.control('setSubscriptionRefusal', { refusal: 'none' });
  await expect(open(START + HOUR)).resolves.toBeDefined();
});

test('a cloud with shorter lives of subscriptions gets what it allows', async () => {
  harness.control('setLongestSubscription', { minutes: 4_230 });
  const channel = await open(START + 90 * 24 * HOUR);
  expect(channel.expiresAt - START).toBe(4_229 * 60_000);
  const renewed = await harness.provider.push.renew(session, { ...channel, expiresAt: START + 90 * 24 * HOUR });
  expect(renewed).toMatchObject({ expiresAt: START + 4_229 * 60_000 });
});

test('a calendar that Graph refuses to watch is polled', async () => {
  harness.sandbox.faults.arm({
    provider: 'microsoft',
    path: '/v1.0/subscriptions',
    kind: 'answer',
    status: 403,
    body: { error: { code: 'ExtensionError', message: 'Access is denied.' } },
  });
  await expect(open(START + HOUR)).rejects.toMatchObject({ reason: 'push-unsupported' });
});

test('an address that does not answer the handshake is polled for, not an outage', async () => {
  address = `${address.slice(0, address.lastIndexOf(':'))}:9/push`;
  await expect(open(START + HOUR)).rejects.toMatchObject({ reason: 'push-unsupported' });
});

test('the validation token is echoed decoded, as plain text', async () => {
  const token = 'Validation: <b>Testing</b> & more';
  const url = `http://receiver.test/push?validationToken=${encodeURIComponent(token)}`;
  const { response, notifications } = await harness.provider.push.receive(new Request(url, { method: 'POST' }));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await response.text()).toBe(token);
  expect(notifications).toEqual([]);
});

test('garbage is a 400 with no notifications', async () => {
  const bodies = ['', 'x', '[]', '{}', '{"value":1}', '{"value":[{}]}', 'null'];
  for (const body of bodies) {
    const { response, notifications } = await harness.provider.push.receive(
      new Request('http://receiver.test/push', { method: 'POST', body }),
    );
    expect([response.status, notifications], body).toEqual([400, []]);
  }
  const long = `http://receiver.test/push?validationToken=${'x'.repeat(3000)}`;
  expect((await harness.provider.push.receive(new Request(long, { method: 'POST' }))).response.status).toBe(400);
  expect((await harness.provider.push.receive(new Request('http://receiver.test/push'))).response.status).toBe(405);
});

test('a subscription of ours that was never answered for gives way, one of another address does not', async () => {
  harness.sandbox.faults.arm({
    provider: 'microsoft',
    method: 'POST',
    path: '/v1.0/subscriptions',
    kind: 'answer-after',
    status: 504,
    times: 1,
  });
  await expect(open(START + 2 * HOUR)).rejects.toMatchObject({ reason: 'timeout' });
  const channel = await open(START + 2 * HOUR);
  // Subscriptions belong to the client that made them: they are listed with its own token.
  const listed = await fetch(`${harness.url}/microsoft/v1.0/subscriptions`, {
    headers: { authorization: `Bearer ${await session.accessToken()}` },
  });
  expect(await listed.json()).toMatchObject({ value: [{ id: channel.providerChannelId }] });
  const other = { channelId: 'chn_2', token: 's', address: `${address}/other`, expiresAt: START + 2 * HOUR };
  await expect(
    harness.provider.push.open(session, { ...other, resource: { kind: 'events', calendarId: calendar.id } }),
  ).rejects.toMatchObject({ reason: 'conflict' });
});

test('a subscription of another account of the same mailbox stays', async () => {
  const first = await open(START + 2 * HOUR);
  const other: ProviderSession = { ...session, accountId: 'acc_of_another_application' };
  const resource = { kind: 'events', calendarId: calendar.id } as const;
  const input = { channelId: 'chn_2', token: 'other', address, resource, expiresAt: START + 2 * HOUR };
  await expect(harness.provider.push.open(other, input)).rejects.toMatchObject({ reason: 'conflict' });
  expect(await harness.provider.push.renew(session, { ...first, expiresAt: START + 3 * HOUR })).toMatchObject({
    providerChannelId: first.providerChannelId,
  });
});
