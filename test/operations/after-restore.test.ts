import { expect, it } from 'vitest';
import { openComposedEngine } from '../accounts/composed-engine.ts';

it('makes every collection due, also of accounts that wait for a reconnect, tells each subscriber once, and says so in the audit log', async () => {
  const composed = await openComposedEngine({ webhooks: { allowedNetworks: ['127.0.0.0/8'] } });
  const { engine, storage, applicationId, caller, clock } = composed;
  const { services } = engine;
  const [ada, bob] = [await composed.connect('ada@example.com'), await composed.connect('bob@example.com')];
  const webhookUrl = 'http://127.0.0.1:8080/hook';
  const subscribe = (id: string) => services.subscriptions.create(caller, id, { calendarId: 'primary', webhookUrl });
  const subscriptions = [await subscribe(ada), await subscribe(bob)];
  await services.operations.expire(applicationId, bob);
  const stopping = new AbortController();
  const pulling = engine.pulls.run(stopping.signal);
  for (let step = 0; step < 50; step += 1) await clock.advance(100);
  stopping.abort();
  await pulling;
  const state = async (accountId: string) =>
    (await storage.schedule.list({ applicationId, accountId })).map(({ calendarId, dueAt }) => [calendarId, dueAt]);
  const [before, ofBob] = [await state(ada), await state(bob)];
  expect(ofBob.length).toBeGreaterThan(1);
  expect(before.some(([, dueAt]) => Number(dueAt) > clock.now())).toBe(true);

  const seen: unknown[] = [];
  const by = { type: 'command', id: 'operator', address: null } as const;
  const report = await services.operations.resumeAfterRestore({ progress: (each) => seen.push(each) }, by);
  expect(report).toEqual({ accounts: 2, calendars: before.length + ofBob.length - 2 });
  expect(seen.at(-1)).toEqual(report);
  for (const [, dueAt] of [...(await state(ada)), ...(await state(bob))]) {
    expect(Number(dueAt)).toBeLessThanOrEqual(clock.now());
  }

  const { data } = await services.audit.list({ action: 'restore.resumed' });
  expect(data).toMatchObject([{ applicationId: null, target: 'installation', actor: by }]);
  const { claims } = await storage.outbox.acknowledgeAndClaim([], { limit: 9, leaseMs: 1_000 });
  for (const { webhookSubscriptionId } of subscriptions) {
    const sent = claims.filter(({ target }) => target.id === webhookSubscriptionId);
    expect(sent.map(({ message }) => message.eventType)).toEqual(['calendar.event.unknown']);
  }
});
