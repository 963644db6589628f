import type { Actor } from 'kalends';
import { ProviderError } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { failureOf, openComposedEngine } from '../accounts/composed-engine.ts';

const OPERATOR: Actor = { type: 'admin', id: 'ada', address: '192.0.2.9' };
const HOOK = 'https://93.184.216.34/hook?token=t0ken';
const SINCE = '2026-01-01T00:00:00Z';

/** An application with an endpoint and, a second later, a subscription; `fail` lets a message to each fail. */
async function openReceivers() {
  const composed = await openComposedEngine();
  const { engine, applicationId, caller, connect, clock, storage } = composed;
  const { operations, webhookEndpoints, subscriptions, events, audit } = engine.services;
  const accountId = await connect();
  await events.list(caller, accountId, 'primary', {});
  const { webhookEndpointId } = await webhookEndpoints.create(caller, { webhookUrl: HOOK });
  await clock.advance(1_000);
  const body = { calendarId: 'primary', webhookUrl: HOOK };
  const { webhookSubscriptionId } = await subscriptions.create(caller, accountId, body);
  const ids = [webhookEndpointId, webhookSubscriptionId];
  const fail = async (kind: 'dead' | 'disabled') => {
    for (const targetId of ids) {
      const message = {
        eventType: 'calendar.event.unknown',
        timestamp: clock.now(),
        messageId: `msg_${targetId}`,
      } as const;
      await storage.outbox.enqueue({ applicationId, targetId, ...message });
    }
    const { claims } = await storage.outbox.acknowledgeAndClaim([], { limit: 9, leaseMs: 1_000 });
    const acknowledgements = claims.map(({ target, message: { id, eventType }, epoch }) => ({
      applicationId,
      targetId: target.id,
      messageId: id,
      epoch,
      attempt: { id: `att_${id}`, eventType, at: clock.now(), status: 500, failure: null, latencyMs: 1, excerpt: '' },
      outcome: { kind },
    }));
    await storage.outbox.acknowledgeAndClaim(acknowledgements, { limit: 0, leaseMs: 1_000 });
  };
  return { ...composed, operations, accountId, ids, fail, audit };
}

describe('receivers', () => {
  it('are listed in pages, subscriptions and endpoints together, without their tokens', async () => {
    const { operations, applicationId, accountId, ids } = await openReceivers();
    const [endpoint, subscription] = ids;
    const url = 'https://93.184.216.34/hook?token=***';
    const all = await operations.listReceivers(applicationId);
    expect(all.nextPageToken).toBeNull();
    expect(all.data).toMatchObject([
      { id: endpoint, kind: 'endpoint', url, endUserAccountId: null, calendarId: null, subscriptionType: null },
      { id: subscription, kind: 'subscription', url, endUserAccountId: accountId, calendarId: 'primary' },
    ]);
    expect(JSON.stringify(all)).not.toContain('t0ken');
    const first = await operations.listReceivers(applicationId, { limit: '1' });
    const second = await operations.listReceivers(applicationId, { limit: '1', pageToken: first.nextPageToken ?? '' });
    expect([...first.data, ...second.data]).toEqual(all.data);
    expect(second.nextPageToken).toBeNull();
  });

  it('show their deliveries, and send again what has failed', async () => {
    const { operations, applicationId, ids, fail, audit, storage } = await openReceivers();
    await fail('dead');
    for (const id of ids) {
      const { data } = await operations.listDeliveries(applicationId, id);
      expect(data).toMatchObject([{ messageId: `msg_${id}`, status: 500, outcome: 'dead' }]);
      expect(await operations.recover(applicationId, id, { since: SINCE }, OPERATOR)).toEqual({ recovered: 1 });
      await operations.redeliver(applicationId, id, { messageId: `msg_${id}` }, OPERATOR);
    }
    const { claims } = await storage.outbox.acknowledgeAndClaim([], { limit: 9, leaseMs: 1_000 });
    expect(claims.map(({ message }) => message.id).toSorted()).toEqual(ids.map((id) => `msg_${id}`).toSorted());
    for (const action of ['receiver.redelivered', 'receiver.recovered']) {
      const { data } = await audit.list({ action });
      expect(data).toMatchObject([{ actor: OPERATOR }, { actor: OPERATOR }]);
      expect(data.map(({ target }) => target).toSorted()).toEqual(ids.toSorted());
    }
  });

  it('are enabled again', async () => {
    const { operations, applicationId, ids, fail, audit } = await openReceivers();
    await fail('disabled');
    for (const id of ids) {
      const recovering = operations.recover(applicationId, id, { since: SINCE });
      expect(await failureOf(recovering)).toMatchObject({ code: 'Conflict' });
      expect(await operations.enableReceiver(applicationId, id, OPERATOR)).toMatchObject({ id, disabledAt: null });
    }
    const { data } = await audit.list({ action: 'receiver.enabled' });
    expect(data.map(({ target }) => target).toSorted()).toEqual(ids.toSorted());
    expect((await audit.list({ action: 'receiver.recovered' })).data).toEqual([]);
  });

  it('are in the audit log when they are enabled, also where no channel can be opened then; once', async () => {
    const { operations, applicationId, caller, engine, clock, fake, ids, fail, audit } = await openReceivers();
    const [endpoint = '', subscription = ''] = ids;
    await fail('disabled');
    await clock.advance(30 * 86_400_000);
    fake.failures.set('push.open', new ProviderError('unavailable', 'away'));
    const enabling = operations.enableReceiver(applicationId, subscription, OPERATOR);
    expect(await failureOf(enabling)).toMatchObject({ code: 'ProviderUnavailable' });
    expect((await operations.listReceivers(applicationId)).data[1]).toMatchObject({ disabledAt: null });
    await engine.services.webhookEndpoints.enable(caller, endpoint);
    fake.failures.clear();
    await operations.enableReceiver(applicationId, subscription, OPERATOR);
    expect((await audit.list({ action: 'receiver.enabled' })).data).toMatchObject([
      { target: endpoint, actor: { type: 'key', id: caller.apiKeyId } },
      { target: subscription, actor: OPERATOR },
    ]);
  });

  it("are not another application's", async () => {
    const { operations, engine, ids, fail, audit } = await openReceivers();
    await fail('dead');
    const { id: other } = await engine.services.applications.create({ name: 'Other' });
    const before = await audit.list();
    for (const id of ids) {
      const calls = [
        operations.listDeliveries(other, id),
        operations.redeliver(other, id, { messageId: `msg_${id}` }),
        operations.recover(other, id, { since: SINCE }),
        operations.enableReceiver(other, id),
      ];
      expect((await Promise.all(calls.map(failureOf))).map(({ code }) => code)).toEqual(calls.map(() => 'NotFound'));
    }
    expect(await operations.listReceivers(other)).toEqual({ data: [], nextPageToken: null });
    expect(await failureOf(operations.listReceivers('app_none'))).toMatchObject({ code: 'NotFound' });
    expect(await audit.list()).toEqual(before);
  });
});
