import { type Activity, activity as schema } from 'kalends/model';
import { expect, it, onTestFinished } from 'vitest';
import { createReceiver } from '../interface/receiver.ts';
import { createWorld, PROVIDERS, type World } from '../interface/world.ts';

/** Records the activities of an engine; `until` resolves with the first one, past or to come, that fits. */
function record({ engine }: Pick<World, 'engine'>) {
  const all: Activity[] = [];
  const waiting = new Set<() => void>();
  const stop = engine.activity.subscribe((activity) => {
    all.push(activity);
    for (const wake of waiting) wake();
  });
  onTestFinished(stop);
  const until = async (fits: (activity: Activity) => boolean): Promise<Activity> => {
    for (;;) {
      const found = all.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
      });
    }
  };
  return { all, until };
}

async function open(options: Parameters<typeof createWorld>[0] = {}): Promise<World> {
  const world = await createWorld(options);
  onTestFinished(() => world.close());
  return world;
}

it.each(PROVIDERS)('tells a change at $provider from the notification to the delivery', async ({ provider }) => {
  const world = await open();
  const receiver = await createReceiver();
  onTestFinished(receiver.close);
  const { accountId, calendarId, email } = await world.connect(provider);
  const { all, until } = record(world);
  const subscribed = await world.call('POST', `/v1/calendarSubscriptions/${accountId}`, {
    body: { calendarId, webhookUrl: `${receiver.url}/hook` },
  });
  expect(subscribed.status).toBe(201);
  const receiverId = subscribed.body.webhookSubscriptionId;
  await until((each) => each.type === 'pull.ended' && each.calendarId === calendarId);
  const [path, body] =
    provider === 'google'
      ? [
          `/calendars/${calendarId}/events`,
          { summary: 'x', start: { date: '2027-05-01' }, end: { date: '2027-05-02' } },
        ]
      : [
          '/me/events',
          {
            subject: 'x',
            start: { dateTime: '2027-05-01T09:00:00', timeZone: 'UTC' },
            end: { dateTime: '2027-05-01T10:00:00', timeZone: 'UTC' },
          },
        ];
  const from = all.length;
  await world.atProvider(provider, email, 'POST', path, body);
  const isDelivered = (each: Activity) => each.type === 'delivery.attempted' && all.indexOf(each) >= from;
  const delivered = await until(isDelivered);
  const after = all.slice(from).filter((each) => !('calendarId' in each) || each.calendarId === calendarId);
  const first = (type: Activity['type']) => after.findIndex((each) => each.type === type);
  const steps = ['notification.received', 'message.enqueued', 'delivery.attempted'] as const;
  expect(steps.map(first)).toEqual([...steps.map(first)].sort((one, other) => one - other));
  const collection = { applicationId: world.applicationId, endUserAccountId: accountId, calendarId };
  expect(after[first('notification.received')]).toMatchObject({ ...collection, kinds: ['changed'] });
  expect(await until((each) => each.type === 'pull.ended' && each.changed === 1)).toMatchObject({
    ...collection,
    outcome: 'ok',
    errorCode: null,
  });
  const { messageId } = delivered as Extract<Activity, { type: 'delivery.attempted' }>;
  const message = { applicationId: world.applicationId, messageId, receiverId, eventType: 'calendar.event.changed' };
  expect(after[first('message.enqueued')]).toMatchObject(message);
  expect(delivered).toMatchObject({ ...message, status: 204, outcome: 'delivered', nextAttemptAt: null });
  // An attempt is in the log before the activity tells of it.
  const { data } = await world.engine.operations.listDeliveries(world.applicationId, receiverId);
  expect(data.map((each) => each.messageId)).toContain(messageId);
  for (const each of all) expect(schema.parse(each)).toEqual(each);
});

it('tells a failed attempt with its class and the next one', async () => {
  const world = await open();
  const receiver = await createReceiver(() => 503);
  onTestFinished(receiver.close);
  const { until } = record(world);
  const { body } = await world.call('POST', '/v1/webhookEndpoints', { body: { webhookUrl: `${receiver.url}/hook` } });
  await world.connect('google');
  const attempted = await until((each) => each.type === 'delivery.attempted');
  expect(attempted).toMatchObject({
    receiverId: body.webhookEndpointId,
    eventType: 'enduseraccount.created',
    status: 503,
    errorClass: 'server-error',
    outcome: 'retry',
  });
  const { at, nextAttemptAt } = attempted as Extract<Activity, { type: 'delivery.attempted' }>;
  expect(Date.parse(nextAttemptAt ?? '')).toBeGreaterThan(Date.parse(at));
});

it('tells the statuses of an account, the entries of the log, and no name or secret', async () => {
  const world = await open();
  const { all, until } = record(world);
  const { accountId, email } = await world.connect('microsoft');
  const { applicationId: app, engine } = world;
  await engine.operations.expire(app, accountId, { type: 'admin', id: 'ops@example.com', address: '192.0.2.7' });
  await engine.accounts.delete({ applicationId: app }, accountId);
  await until((each) => each.type === 'account.status.changed' && each.status === null);
  const statuses = all.flatMap((each) => (each.type === 'account.status.changed' ? [each.status] : []));
  expect(statuses).toEqual(['ACTIVE', 'EXPIRED', null]);
  const acts = all.flatMap((each) =>
    each.type === 'audit.written' ? [[each.action, each.target, each.actorType]] : [],
  );
  expect(acts).toEqual([
    ['account.connected', accountId, 'key'],
    ['account.expired', accountId, 'admin'],
    ['account.deleted', accountId, 'embedded'],
  ]);
  const { data } = await engine.audit.list({ applicationId: app, target: accountId });
  const entries = all.flatMap((each) => (each.type === 'audit.written' ? [each.entryId] : []));
  expect(data.map(({ id }) => id)).toEqual([...entries].reverse());
  expect(JSON.stringify(all)).not.toMatch(new RegExp(`${email}|ops@example|192\\.0\\.2\\.7|Person`));
});

it('tells a failed pull with the code of the interface', async () => {
  const world = await open();
  const { accountId } = await world.connect('google');
  const { until } = record(world);
  world.sandbox.faults.arm({ provider: 'google', kind: 'answer', status: 403, headers: {} });
  await world.engine.operations.sync(world.applicationId, accountId);
  expect(await until((each) => each.type === 'pull.ended' && each.outcome !== 'ok')).toMatchObject({
    endUserAccountId: accountId,
    outcome: 'failed',
    changed: null,
    errorCode: 'Forbidden',
    durationMs: expect.any(Number),
  });
});

it('ends with the engine', async () => {
  const world = await createWorld();
  const ended: string[] = [];
  world.engine.activity.subscribe(() => undefined, { ended: () => void ended.push('first') });
  await world.close();
  world.engine.activity.subscribe(() => undefined, { ended: () => void ended.push('late') });
  expect(ended).toEqual(['first', 'late']);
});
