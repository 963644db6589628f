import type { Storage } from 'kalends/ports';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ComposedEngine, openComposedEngine } from '../accounts/composed-engine.ts';
import { fakeEvent } from '../mirror/fake-events.ts';
import { openReceiver } from './receiver.ts';

const OPEN = { webhooks: { allowedNetworks: ['127.0.0.0/8'] } };

/** A subscribed account whose deliveries run in the background. */
async function deliveringEngine(rateLimit?: number) {
  const composed = await openComposedEngine(OPEN);
  const receiver = await openReceiver();
  const accountId = await composed.connect();
  const { webhookSubscriptionId, endpointSecret } = await composed.engine.services.subscriptions.create(
    composed.caller,
    accountId,
    {
      calendarId: 'primary',
      webhookUrl: receiver.url,
      ...(rateLimit === undefined ? {} : { rateLimit }),
    },
  );
  runDispatcher(composed, composed.engine.dispatcher);
  const enqueue = (timestamp = composed.clock.now()) =>
    composed.storage.outbox.enqueue({
      applicationId: composed.applicationId,
      targetId: webhookSubscriptionId,
      eventType: 'calendar.event.changed',
      timestamp,
      messageId: `msg_${Math.floor(timestamp)}`,
    });
  const attempts = () =>
    composed.storage.outbox.listAttempts(composed.applicationId, webhookSubscriptionId, { limit: 100 });
  const find = () => composed.storage.subscriptions.find(composed.applicationId, accountId, webhookSubscriptionId);
  return {
    composed,
    receiver,
    accountId,
    endpointSecret,
    enqueue,
    attempts,
    find,
    subscriptionId: webhookSubscriptionId,
  };
}

function runDispatcher(composed: ComposedEngine, dispatcher: ComposedEngine['engine']['dispatcher']) {
  const stopping = new AbortController();
  const running = dispatcher.run(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await running;
    await composed.engine.sender.close();
  });
}

/** Moves the clock in steps until a condition holds; network answers come in between. */
async function advanceUntil(composed: ComposedEngine, stepMs: number, condition: () => Promise<boolean> | boolean) {
  for (let step = 0; step < 2_000; step += 1) {
    if (await condition()) return;
    await composed.clock.advance(stepMs);
  }
  throw new Error('The condition did not come true.');
}

const isIdle = async (storage: Storage) => (await storage.outbox.nextDueAt()) === null;

describe('the dispatcher', () => {
  it('finds within seconds what another process has enqueued, where the storage does not tell of it', async () => {
    const { composed, receiver, enqueue } = await deliveringEngine();
    await advanceUntil(composed, 1, () => composed.clock.sleeping > 0);
    await enqueue();
    await composed.clock.advance(5_000);
    // Time for the network.
    await advanceUntil(composed, 1, () => receiver.received.length === 1);
  });

  it('delivers exactly eventType and timestamp, signed so that any Standard Webhooks library verifies it', async () => {
    const { composed, receiver, endpointSecret, enqueue, attempts } = await deliveringEngine();
    await enqueue(Date.UTC(2026, 2, 2, 8, 59, 59, 123));
    await advanceUntil(composed, 5_000, () => receiver.received.length === 1);
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[number]];
    expect(body).toBe('{"eventType":"calendar.event.changed","timestamp":"2026-03-02T08:59:59.123Z"}');
    expect(endpointSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    for (const name of ['id', 'timestamp', 'signature'])
      expect(headers[`hook-${name}`]).toBe(headers[`webhook-${name}`]);
    const id = String(headers['hook-id']);
    const sentAt = new Date(Number(headers['hook-timestamp']) * 1000);
    expect(Math.abs(sentAt.getTime() - composed.clock.now())).toBeLessThanOrEqual(10_000);
    expect(headers['hook-signature']).toBe(new Webhook(endpointSecret).sign(id, sentAt, body));
    await advanceUntil(composed, 100, () => isIdle(composed.storage));
    expect(await attempts()).toEqual([expect.objectContaining({ messageId: id, status: 200, failure: null })]);
  });

  it('lists attempts of one millisecond in their order, the latest first', async () => {
    const { composed, receiver, subscriptionId, attempts } = await deliveringEngine();
    const { applicationId, clock, storage } = composed;
    await advanceUntil(composed, 1, () => clock.sleeping > 0);
    const ids = Array.from({ length: 8 }, (_, index) => `msg_${index}`);
    for (const messageId of ids) {
      const message = { eventType: 'calendar.event.unknown', timestamp: clock.now(), messageId } as const;
      await storage.outbox.enqueue({ applicationId, targetId: subscriptionId, ...message });
    }
    await clock.advance(5_000);
    await receiver.wait(ids.length);
    while (!(await isIdle(storage)));
    const listed = await attempts();
    // The clock stands still after the first.
    expect(new Set(listed.map(({ at }) => at)).size).toBeLessThan(3);
    expect(listed.map(({ messageId }) => messageId)).toEqual(ids.toReversed());
  });

  it('is woken by a message of its own process', async () => {
    const { composed, receiver, accountId } = await deliveringEngine();
    await advanceUntil(composed, 1, () => composed.clock.sleeping > 0);
    const before = composed.clock.now();
    await pullChange(composed, accountId);
    await receiver.wait(1);
    expect(composed.clock.now() - before).toBeLessThan(5_000);
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ eventType: 'calendar.event.changed' });
  });

  it('retries with the same id and a new timestamp and signature until it succeeds', async () => {
    const { composed, receiver, endpointSecret, enqueue, attempts, find } = await deliveringEngine();
    receiver.answer = (_request, response) => response.writeHead(receiver.received.length < 3 ? 500 : 204).end();
    await enqueue();
    await advanceUntil(composed, 1_000, () => receiver.received.length === 3);
    await advanceUntil(composed, 100, async () => (await attempts()).length === 3);
    const ids = receiver.received.map(({ headers }) => headers['hook-id']);
    expect(new Set(ids).size).toBe(1);
    const stamps = receiver.received.map(({ headers }) => Number(headers['hook-timestamp']));
    expect(stamps[1]! - stamps[0]!).toBeGreaterThanOrEqual(4);
    expect(stamps[2]! - stamps[1]!).toBeGreaterThanOrEqual(240);
    for (const { headers, body } of receiver.received) {
      const at = new Date(Number(headers['hook-timestamp']) * 1000);
      expect(headers['hook-signature']).toBe(new Webhook(endpointSecret).sign(String(headers['hook-id']), at, body));
    }
    expect((await attempts()).map(({ status }) => status)).toEqual([204, 500, 500]);
    expect(await find()).toMatchObject({ failingSince: null, disabledAt: null });
  });

  it('disables a subscription whose receiver says 410', async () => {
    const { composed, receiver, enqueue, find } = await deliveringEngine();
    receiver.answer = (_request, response) => response.writeHead(410).end();
    await enqueue();
    await advanceUntil(composed, 1_000, async () => (await find())?.disabledAt !== null);
    await enqueue();
    await advanceUntil(composed, 1_000, () => isIdle(composed.storage));
    expect(receiver.received).toHaveLength(1);
  });

  it('keeps the rate limit of a subscription', async () => {
    const { composed, receiver, enqueue, attempts } = await deliveringEngine(1);
    for (let count = 1; count <= 4; count += 1) {
      await enqueue();
      await advanceUntil(composed, 50, () => receiver.received.length === count);
      await advanceUntil(composed, 50, async () => (await attempts()).length === count);
    }
    const times = (await attempts()).map(({ at }) => at).reverse();
    for (let index = 1; index < times.length; index += 1) {
      expect(times[index]! - times[index - 1]!).toBeGreaterThanOrEqual(1_000);
    }
  });

  it('is not held up by one receiver that does not answer', async () => {
    const { composed, receiver, enqueue, accountId } = await deliveringEngine();
    let answer: () => void = () => undefined;
    receiver.answer = (_request, response) => {
      answer = () => response.end();
    };
    await enqueue();
    await advanceUntil(composed, 1_000, () => receiver.received.length === 1);
    const other = await openReceiver();
    await composed.engine.services.subscriptions.create(composed.caller, accountId, {
      calendarId: 'primary',
      webhookUrl: other.url,
    });
    await pullChange(composed, accountId);
    await other.wait(1);
    expect(receiver.received).toHaveLength(1);
    answer();
  });

  it('sends what a dead process had claimed once its lease has ended', async () => {
    const { composed, receiver, enqueue, attempts } = await deliveringEngine();
    await enqueue();
    expect((await composed.storage.outbox.acknowledgeAndClaim([], { limit: 10, leaseMs: 45_000 })).claims).toHaveLength(
      1,
    );
    const claimedAt = composed.clock.now();
    await advanceUntil(composed, 1_000, async () => (await attempts()).length === 1);
    expect(receiver.received).toHaveLength(1);
    expect(composed.clock.now() - claimedAt).toBeGreaterThanOrEqual(45_000);
  });

  it('waits for the attempts in flight when it is stopped', async () => {
    const composed = await openComposedEngine(OPEN);
    const receiver = await openReceiver();
    const accountId = await composed.connect();
    const { webhookSubscriptionId: subscriptionId } = await composed.engine.services.subscriptions.create(
      composed.caller,
      accountId,
      { calendarId: 'primary', webhookUrl: receiver.url },
    );
    const { applicationId } = composed;
    const timestamp = composed.clock.now();
    await composed.storage.outbox.enqueue({
      applicationId,
      targetId: subscriptionId,
      eventType: 'calendar.event.changed',
      timestamp,
      messageId: 'msg_1',
    });
    let answer: () => void = () => undefined;
    receiver.answer = (_request, response) => {
      answer = () => response.end();
    };
    const stopping = new AbortController();
    const running = composed.engine.dispatcher.run(stopping.signal);
    await receiver.wait(1);
    stopping.abort();
    answer();
    await running;
    expect(await composed.storage.outbox.listAttempts(applicationId, subscriptionId, { limit: 10 })).toHaveLength(1);
    await composed.engine.sender.close();
  });
});

/** Something changes at the provider, and is pulled. */
async function pullChange(composed: ComposedEngine, accountId: string) {
  const account = await composed.engine.access.get(composed.applicationId, accountId);
  composed.fake.events.set('primary', [{ kind: 'event', event: fakeEvent('e1') }]);
  await composed.clock.advance(1);
  await composed.engine.mirror.pull(account, 'primary');
}
