import { expect, it, onTestFinished } from 'vitest';
import { WAITS_MS } from '../../src/webhooks/retry-schedule.ts';
import { openComposedEngine } from '../accounts/composed-engine.ts';
import { openReceiver } from './receiver.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function subscribedEngine() {
  const composed = await openComposedEngine({ webhooks: { allowedNetworks: ['127.0.0.0/8'] } });
  const receiver = await openReceiver();
  receiver.answer = (_request, response) => response.writeHead(500).end('down');
  const accountId = await composed.connect();
  const { subscriptions } = composed.engine.services;
  const sent = { calendarId: 'primary', webhookUrl: receiver.url };
  const { webhookSubscriptionId: id } = await subscriptions.create(composed.caller, accountId, sent);
  const stopping = new AbortController();
  const running = composed.engine.dispatcher.run(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await running;
    await composed.engine.sender.close();
  });
  // It has seen that nothing waits: from here on it acts when it is woken.
  while (composed.clock.sleeping === 0) await new Promise((resolve) => setImmediate(resolve));
  let made = 0;
  const change = () => {
    made += 1;
    const message = { eventType: 'calendar.event.changed', timestamp: composed.clock.now() } as const;
    const input = { applicationId: composed.applicationId, targetId: id, messageId: `msg_${made}`, ...message };
    return composed.storage.outbox.enqueue(input);
  };
  const attempts = async () =>
    (await composed.storage.outbox.listAttempts(composed.applicationId, id, { limit: 10_000 })).toReversed();
  const find = async () => (await composed.storage.subscriptions.find(composed.applicationId, accountId, id))!;
  return { composed, receiver, accountId, id, change, attempts, find };
}

type Subscribed = Awaited<ReturnType<typeof subscribedEngine>>;

/** Lets time pass; at each time at which something is due it stands still until that attempt has been recorded. */
async function pass({ composed, accountId, id, attempts }: Subscribed, ms: number): Promise<void> {
  const end = composed.clock.now() + ms;
  for (;;) {
    const dueAt = await composed.storage.outbox.nextDueAt();
    if (dueAt === null || dueAt > end) break;
    const before = (await attempts()).length;
    await composed.clock.advance(Math.max(0, dueAt - composed.clock.now()));
    // Nothing was made in the future: this wakes the dispatcher, as a change of its own process would.
    const since = new Date(end + MINUTE).toISOString();
    await composed.engine.services.subscriptions.recover(composed.caller, accountId, id, { since });
    for (let turn = 0; (await attempts()).length === before; turn += 1) {
      if (turn > 20_000) throw new Error('No attempt was made.');
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await composed.clock.advance(end - composed.clock.now());
}

it('through 76 hours of outage with a change every minute: ten attempts in time, then a dead message', async () => {
  const subscribed = await subscribedEngine();
  const { composed, receiver, change, attempts } = subscribed;
  const startedAt = composed.clock.now();
  const isDead = async () => (await attempts()).some(({ outcome }) => outcome === 'dead');
  for (let minute = 0; minute % 60 !== 0 || !(await isDead()); minute += 1) {
    await change();
    await pass(subscribed, MINUTE);
    expect(minute).toBeLessThan(100 * 60);
  }
  const first = (await attempts()).filter(({ messageId }) => messageId === 'msg_1');
  expect(first.map(({ outcome }) => outcome)).toEqual([...Array(9).fill('retry'), 'dead']);
  for (let attempt = 1; attempt < first.length; attempt += 1) {
    const waitedMs = first[attempt]!.at - first[attempt - 1]!.at;
    expect(waitedMs).toBeGreaterThanOrEqual(WAITS_MS[attempt]! * 0.8 - 1);
    expect(waitedMs).toBeLessThanOrEqual(WAITS_MS[attempt]! * 1.2 + 1);
  }
  const tookMs = first.at(-1)!.at - startedAt;
  expect(tookMs).toBeGreaterThan(60 * HOUR);
  // Everything that changed meanwhile is in one message behind it, which is delivered, and one more.
  expect(new Set((await attempts()).map(({ messageId }) => messageId)).size).toBe(2);
  receiver.answer = (_request, response) => response.end();
  await pass(subscribed, 24 * HOUR);
  const ids = (await attempts()).map(({ messageId }) => messageId);
  expect(new Set(ids).size).toBeLessThanOrEqual(3);
  expect(await composed.storage.outbox.nextDueAt()).toBeNull();
}, 120_000);

it('disables after 120 hours; dead messages are delivered once it is enabled', async () => {
  const subscribed = await subscribedEngine();
  const { composed, receiver, accountId, id, change, attempts, find } = subscribed;
  const startedAt = composed.clock.now();
  while ((await find()).disabledAt === null) {
    await change();
    await pass(subscribed, 10 * MINUTE);
    expect(composed.clock.now() - startedAt).toBeLessThan(160 * HOUR);
  }
  const disabledAt = (await find()).disabledAt!;
  expect(disabledAt - (await attempts())[0]!.at).toBeGreaterThanOrEqual(120 * HOUR);

  receiver.answer = (_request, response) => response.writeHead(204).end();
  const { subscriptions } = composed.engine.services;
  const dead = (await attempts()).find(({ outcome }) => outcome === 'dead')!;
  const redeliver = () => subscriptions.redeliver(composed.caller, accountId, id, { messageId: dead.messageId });
  await expect(redeliver()).rejects.toMatchObject({ code: 'Conflict' });
  const before = receiver.received.length;
  const settled = async () => {
    while ((await attempts()).length !== receiver.received.length)
      await new Promise((resolve) => setImmediate(resolve));
  };
  expect(await subscriptions.enable(composed.caller, accountId, id)).toMatchObject({ id, disabledAt: null });
  await receiver.wait(before + 1);
  await settled();
  await redeliver();
  await receiver.wait(before + 2);
  await settled();
  const since = new Date(startedAt).toISOString();
  const { recovered } = await subscriptions.recover(composed.caller, accountId, id, { since });
  await receiver.wait(before + 2 + recovered);
  await settled();
  const later = receiver.received.slice(before);
  expect(JSON.parse(later[0]!.body)).toMatchObject({ eventType: 'calendar.event.unknown' });
  expect(later[1]!.headers['hook-id']).toBe(dead.messageId);
  const ids = new Set(
    (await attempts()).filter(({ outcome }) => outcome !== 'retry').map(({ messageId }) => messageId),
  );
  expect([...ids]).toEqual(expect.arrayContaining(later.map(({ headers }) => headers['hook-id'])));
  expect((await find()).failingSince).toBeNull();
}, 120_000);
