import { type Caller, type MessageDelivery, type MessageHandler, ON_MESSAGE_URL } from 'kalends';
import { DeadlineError } from 'kalends/runtime';
import { expect, it, onTestFinished } from 'vitest';
import { eventWrite } from '../../src/mirror/stored-event.ts';
import { type ComposedEngine, failureOf, openComposedEngine } from '../accounts/composed-engine.ts';
import { fakeEvent } from '../mirror/fake-events.ts';
import { openReceiver } from './receiver.ts';

interface Handled extends MessageDelivery {
  readonly message: Parameters<MessageHandler>[0];
  readonly at: number;
}

type ComposedProcess = ComposedEngine['engine'];

/** An engine whose handler records what it gets; `answer` may be replaced at any time. */
async function listeningEngine() {
  const handled: Handled[] = [];
  const listening = { answer: async (_handled: Handled): Promise<unknown> => undefined };
  const onMessage: MessageHandler = (message, delivery) => {
    const each = { message, ...delivery, at: composed.clock.now() };
    handled.push(each);
    return listening.answer(each);
  };
  const composed = await openComposedEngine({ webhooks: { allowedNetworks: ['127.0.0.0/8'] } });
  const listener = composed.process({ onMessage });
  const caller: Caller = { applicationId: composed.applicationId };
  const { subscriptions, webhookEndpoints } = listener.services;
  const subscribe = async (accountId: string, webhookUrl = ON_MESSAGE_URL) =>
    (await subscriptions.create(caller, accountId, { calendarId: 'primary', webhookUrl })).webhookSubscriptionId;
  const enqueue = (targetId: string, number: number, eventType: 'changed' | 'unknown' = 'changed') =>
    composed.storage.outbox.enqueue({
      applicationId: composed.applicationId,
      targetId,
      eventType: `calendar.event.${eventType}`,
      timestamp: Date.UTC(2026, 2, 2, 9, 0, number),
      messageId: `msg_${targetId.slice(-8)}_${number}`,
    });
  return { composed, listener, listening, caller, subscriptions, webhookEndpoints, handled, subscribe, enqueue };
}

function run(process: ComposedProcess): void {
  const stopping = new AbortController();
  const running = process.dispatcher.run(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await running;
    await process.sender.close();
  });
}

async function advanceUntil({ clock }: ComposedEngine, stepMs: number, isMet: () => Promise<boolean> | boolean) {
  for (let step = 0; step < 3_000; step += 1) {
    if (await isMet()) return;
    await clock.advance(stepMs);
  }
  throw new Error('The condition was not met.');
}

it('names no calendar for a subscription to a whole account, whatever it was created with', async () => {
  const { composed, listener, caller, subscriptions, handled, enqueue } = await listeningEngine();
  const accountId = await composed.connect();
  const covered = { subscriptionType: 'calendar', calendarId: 'primary' } as const;
  const body = { ...covered, webhookUrl: ON_MESSAGE_URL };
  const { webhookSubscriptionId } = await subscriptions.create(caller, accountId, body);
  run(listener);
  await enqueue(webhookSubscriptionId, 1);
  await advanceUntil(composed, 100, () => handled.length === 1);
  expect(handled).toMatchObject([{ endUserAccountId: accountId, calendarId: null }]);
  expect((await subscriptions.list(caller, accountId, {})).data).toMatchObject([covered]);
});

it('hands a message to onMessage, with what a webhook has in its URL and headers', async () => {
  const { composed, listener, caller, subscriptions, handled, subscribe, enqueue } = await listeningEngine();
  const accountId = await composed.connect();
  const subscriptionId = await subscribe(accountId);
  run(listener);
  await enqueue(subscriptionId, 1);
  const deliveries = async () => (await subscriptions.listDeliveries(caller, accountId, subscriptionId, {})).data;
  await advanceUntil(composed, 100, async () => (await deliveries()).length === 1);
  expect(handled).toEqual([
    {
      message: { eventType: 'calendar.event.changed', timestamp: '2026-03-02T09:00:01.000Z' },
      id: `msg_${subscriptionId.slice(-8)}_1`,
      attempt: 1,
      applicationId: composed.applicationId,
      receiverId: subscriptionId,
      endUserAccountId: accountId,
      calendarId: 'primary',
      signal: expect.any(AbortSignal),
      at: expect.any(Number),
    },
  ]);
  expect(await deliveries()).toEqual([
    expect.objectContaining({ messageId: handled[0]?.id, status: null, errorClass: null, outcome: 'delivered' }),
  ]);
  expect((await subscriptions.list(caller, accountId, {})).data).toMatchObject([{ url: 'kalends:onMessage' }]);
});

it('hands the messages about accounts to onMessage', async () => {
  const { composed, listener, caller, webhookEndpoints, handled } = await listeningEngine();
  const { webhookEndpointId } = await webhookEndpoints.create(caller, { webhookUrl: ON_MESSAGE_URL });
  run(listener);
  const endUserAccountId = await composed.connect();
  await advanceUntil(composed, 100, () => handled.length === 1);
  expect(handled).toMatchObject([
    {
      message: {
        eventType: 'enduseraccount.created',
        data: { endUserAccountId, email: 'ada@example.com', providerType: 'FAKE', status: 'ACTIVE' },
      },
      receiverId: webhookEndpointId,
      endUserAccountId: null,
      calendarId: null,
    },
  ]);
});

it('hands over the record of a change, as it is, and no CloudEvent', async () => {
  const { composed, listener, caller, subscriptions, handled } = await listeningEngine();
  const accountId = await composed.connect();
  const subscription = { calendarId: 'primary', webhookUrl: ON_MESSAGE_URL, detail: 'record' } as const;
  const asCloudEvents = subscriptions.create(caller, accountId, { ...subscription, format: 'cloudevents' });
  expect(await failureOf(asCloudEvents)).toMatchObject({ code: 'InvalidRequest', details: [{ path: 'format' }] });
  await subscriptions.create(caller, accountId, subscription);
  run(listener);
  const { mirror } = composed.storage;
  const key = { ...caller, accountId, calendarId: 'primary' };
  const state = await mirror.find(key);
  await mirror.commit(key, {
    writes: [eventWrite(fakeEvent('e1', { title: 'Lunch' }), 1)],
    ...{ basedOn: state?.writeCount ?? 0, at: composed.clock.now(), tag: 'tag' },
    notify: { eventType: 'calendar.event.changed', messageId: () => 'msg_lunch' },
  });
  await advanceUntil(composed, 1_000, () => handled.length === 1);
  expect(handled).toMatchObject([
    { id: 'msg_lunch', message: { eventType: 'event.created', data: { eventId: 'e1', event: { title: 'Lunch' } } } },
  ]);
});

it('tries again after an error, under the same id, and writes the error to the log alone', async () => {
  const { composed, listener, listening, caller, subscriptions, handled, subscribe, enqueue } = await listeningEngine();
  const accountId = await composed.connect();
  const subscriptionId = await subscribe(accountId);
  listening.answer = async ({ attempt }) => {
    if (attempt < 3) throw new Error('disk of the host is full');
  };
  run(listener);
  await enqueue(subscriptionId, 1);
  const deliveries = async () => (await subscriptions.listDeliveries(caller, accountId, subscriptionId, {})).data;
  await advanceUntil(composed, 1_000, async () => (await deliveries()).length === 3);
  expect(handled.map(({ id, attempt }) => [id, attempt])).toEqual(
    [1, 2, 3].map((attempt) => [handled[0]?.id, attempt]),
  );
  const waits = handled.slice(1).map(({ at }, index) => at - Number(handled[index]?.at));
  expect(waits[0]).toBeGreaterThanOrEqual(4_000);
  expect(waits[1]).toBeGreaterThanOrEqual(240_000);
  expect((await deliveries()).map(({ errorClass, outcome }) => [errorClass, outcome])).toEqual([
    [null, 'delivered'],
    ['handler-error', 'retry'],
    ['handler-error', 'retry'],
  ]);
  expect(JSON.stringify(await deliveries())).not.toContain('disk');
  expect(composed.log).toContainEqual({
    message: 'onMessage failed',
    fields: expect.objectContaining({ attempt: 2, error: expect.stringContaining('disk of the host is full') }),
  });
});

it('tries again after an error that onMessage throws before it returns a promise', async () => {
  const composed = await openComposedEngine();
  let attempts = 0;
  const listener = composed.process({
    onMessage() {
      attempts += 1;
      if (attempts === 1) throw new TypeError('not ready');
    },
  });
  const caller = { applicationId: composed.applicationId };
  await listener.services.webhookEndpoints.create(caller, { webhookUrl: ON_MESSAGE_URL });
  run(listener);
  await composed.connect();
  await advanceUntil(composed, 1_000, () => attempts === 2);
});

it('takes a deadline within the handler for an error of the handler', async () => {
  const { composed, listener, listening, caller, subscriptions, subscribe, enqueue } = await listeningEngine();
  const accountId = await composed.connect();
  const subscriptionId = await subscribe(accountId);
  listening.answer = () => Promise.reject(new DeadlineError(10));
  run(listener);
  await enqueue(subscriptionId, 1);
  const deliveries = async () => (await subscriptions.listDeliveries(caller, accountId, subscriptionId)).data;
  await advanceUntil(composed, 100, async () => (await deliveries()).length === 1);
  expect(await deliveries()).toMatchObject([{ errorClass: 'handler-error', outcome: 'retry' }]);
});

it('aborts the signal at the time limit, and tries again a minute later at the earliest', async () => {
  const { composed, listener, listening, handled, subscribe, enqueue } = await listeningEngine();
  const subscriptionId = await subscribe(await composed.connect());
  listening.answer = ({ attempt }) => (attempt === 1 ? new Promise(() => undefined) : Promise.resolve());
  run(listener);
  await enqueue(subscriptionId, 1);
  await advanceUntil(composed, 1_000, () => handled.length === 2);
  expect(handled[0]?.signal.aborted).toBe(true);
  expect(handled[1]?.signal.aborted).toBe(false);
  expect(Number(handled[1]?.at) - Number(handled[0]?.at)).toBeGreaterThanOrEqual(75_000);
});

it('leaves messages for onMessage to the processes that have one, and sends all others', async () => {
  const { composed, listener, handled, subscribe, enqueue } = await listeningEngine();
  const receiver = await openReceiver();
  const accountId = await composed.connect();
  const inProcess = await subscribe(accountId);
  const webhook = await subscribe(accountId, receiver.url);
  run(composed.engine);
  await enqueue(inProcess, 1);
  await enqueue(webhook, 1);
  await advanceUntil(composed, 500, () => receiver.received.length === 1);
  const reads = countReads(composed);
  await composed.clock.advance(120_000);
  expect(handled).toEqual([]);
  // A message that it cannot deliver must not make the dispatcher spin.
  expect(reads()).toBeLessThan(20);
  run(listener);
  await advanceUntil(composed, 100, () => handled.length === 1);
});

it('hands over what a webhook of the same calendar gets, in the same order and one at a time', async () => {
  const { composed, listener, listening, handled, subscribe, enqueue } = await listeningEngine();
  const receiver = await openReceiver();
  const accountId = await composed.connect();
  const targets = [await subscribe(accountId), await subscribe(accountId, receiver.url)];
  let inFlight = 0;
  listening.answer = async () => {
    inFlight += 1;
    expect(inFlight).toBe(1);
    await composed.clock.sleep(50);
    inFlight -= 1;
  };
  for (const target of targets) {
    for (const [number, type] of (['unknown', 'changed', 'unknown', 'unknown', 'changed'] as const).entries()) {
      await enqueue(target, number, type);
    }
  }
  run(listener);
  await advanceUntil(composed, 20, async () => (await composed.storage.outbox.nextDueAt()) === null);
  // The last change waits with the first one, in one message.
  expect(handled).toHaveLength(4);
  expect(handled.map(({ message }) => JSON.stringify(message))).toEqual(receiver.received.map(({ body }) => body));
});

it('refuses the URL of onMessage from the owner of an API key, and in an engine without onMessage', async () => {
  const { composed, caller, webhookEndpoints, subscriptions } = await listeningEngine();
  const accountId = await composed.connect();
  const body = { webhookUrl: ON_MESSAGE_URL };
  const byKey = { ...caller, apiKeyId: 'key_test' };
  for (const refused of [
    webhookEndpoints.create(byKey, body),
    subscriptions.create(byKey, accountId, { ...body, calendarId: 'primary' }),
  ]) {
    expect(await failureOf(refused)).toMatchObject({
      code: 'InvalidRequest',
      details: [{ path: 'webhookUrl', message: 'must be a valid HTTPS URL' }],
    });
  }
  expect(await failureOf(composed.engine.services.webhookEndpoints.create(caller, body))).toMatchObject({
    code: 'InvalidRequest',
    details: [{ path: 'webhookUrl', message: "is kalends:onMessage, which needs the engine's option onMessage" }],
  });
  expect(() => composed.process({ onMessage: {} as never })).toThrow('onMessage: must be a function');
});

/** Counts the questions to the outbox from now on. */
function countReads({ storage }: ComposedEngine): () => number {
  let count = 0;
  const { nextDueAt } = storage.outbox;
  Object.assign(storage.outbox, {
    nextDueAt: (...input: Parameters<typeof nextDueAt>) => {
      count += 1;
      return nextDueAt(...input);
    },
  });
  return () => count;
}
