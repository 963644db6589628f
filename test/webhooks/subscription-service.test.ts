import type { SubscriptionCreate } from 'kalends/model';
import { ProviderError } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { type ComposedEngine, failureOf, openComposedEngine } from '../accounts/composed-engine.ts';

const HOOK = { calendarId: 'primary', webhookUrl: 'https://hooks.invalid/a' };

async function connectedEngine() {
  const composed = await openComposedEngine();
  const accountId = await composed.connect();
  return { composed, accountId, subscriptions: composed.engine.services.subscriptions };
}

async function expireAccount(composed: ComposedEngine, accountId: string) {
  const credential = await composed.storage.accounts.findCredential(composed.applicationId, accountId);
  await composed.storage.accounts.expire(composed.applicationId, accountId, credential!.version, composed.clock.now());
}

describe('creating a subscription', () => {
  it('answers with id and secret once the mirror is complete and the channel open', async () => {
    const { composed, accountId, subscriptions } = await connectedEngine();
    const created = await subscriptions.create(composed.caller, accountId, { ...HOOK, rateLimit: 2 });
    expect(created).toEqual({
      webhookSubscriptionId: expect.stringMatching(/^whs_[0-9A-Za-z]{22}$/),
      endpointSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const key = { applicationId: composed.applicationId, accountId, calendarId: 'primary' };
    expect((await composed.storage.mirror.find(key))?.completedAt).not.toBeNull();
    const { data, nextPageToken } = await subscriptions.list(composed.caller, accountId, {});
    const [channel] = await composed.storage.channels.list(key);
    expect(nextPageToken).toBeNull();
    expect(data).toEqual([
      {
        id: created.webhookSubscriptionId,
        provider: 'FAKE',
        url: HOOK.webhookUrl,
        calendarId: 'primary',
        expiration: new Date(channel!.expiresAt).toISOString(),
        subscriptionId: channel!.providerChannelId,
        resourceId: channel!.resourceId,
        endUserAccountId: accountId,
        subscriptionType: 'event',
        detail: 'change',
        format: 'plain',
        rateLimit: 2,
        disabledAt: null,
        createdAt: '2026-03-02T09:00:00.000Z',
        updatedAt: '2026-03-02T09:00:00.000Z',
      },
    ]);
    const stored = await composed.storage.subscriptions.find(
      composed.applicationId,
      accountId,
      created.webhookSubscriptionId,
    );
    expect(JSON.stringify(stored)).not.toContain(created.endpointSecret.slice(6));
  });

  it.each([
    ['no body', undefined, ''],
    ['no calendar', { webhookUrl: HOOK.webhookUrl }, 'calendarId'],
    ['no URL', { calendarId: 'primary' }, 'webhookUrl'],
    ['plain http', { ...HOOK, webhookUrl: 'http://hooks.invalid/' }, 'webhookUrl'],
    ['an address inside', { ...HOOK, webhookUrl: 'https://10.0.0.1/' }, 'webhookUrl'],
    ['a rate below 1', { ...HOOK, rateLimit: 0.5 }, 'rateLimit'],
    ['a rate in words', { ...HOOK, rateLimit: 'fast' }, 'rateLimit'],
    ['an unknown type', { ...HOOK, subscriptionType: 'all' }, 'subscriptionType'],
    ['an unknown detail', { ...HOOK, detail: 'records' }, 'detail'],
    ['an unknown format', { ...HOOK, format: 'xml' }, 'format'],
    ['an unknown field', { ...HOOK, colour: 'red' }, 'colour'],
  ])('refuses %s', async (_name, body, path) => {
    const { composed, accountId, subscriptions } = await connectedEngine();
    expect(await failureOf(subscriptions.create(composed.caller, accountId, body as SubscriptionCreate))).toMatchObject(
      {
        code: 'InvalidRequest',
        details: [{ path }],
      },
    );
    expect(composed.fake.calls).not.toContain('push.open');
  });

  it('refuses an unknown calendar, an unknown account, and an EXPIRED one', async () => {
    const { composed, accountId, subscriptions } = await connectedEngine();
    const create = (id: string, body: SubscriptionCreate) => failureOf(subscriptions.create(composed.caller, id, body));
    expect(await create(accountId, { ...HOOK, calendarId: 'nope' })).toMatchObject({ code: 'NotFound', status: 404 });
    expect(await create('acc_none', HOOK)).toMatchObject({ code: 'NotFound' });
    const stranger = await composed.engine.services.applications.create({ name: 'Other' });
    expect(await failureOf(subscriptions.create({ applicationId: stranger.id }, accountId, HOOK))).toMatchObject({
      code: 'NotFound',
    });
    await expireAccount(composed, accountId);
    expect(await create(accountId, HOOK)).toMatchObject({ code: 'InvalidRefreshToken', status: 409 });
  });

  it.each([
    ['unavailable', 503, 'ProviderUnavailable'],
    ['timeout', 504, 'ProviderTimeout'],
    ['rate-limited', 429, 'RateLimited'],
    ['unauthorized', 502, 'ProviderError'],
  ] as const)('leaves nothing behind when the channel fails with %s', async (reason, status, code) => {
    const { composed, accountId, subscriptions } = await connectedEngine();
    composed.fake.failures.set('push.open', new ProviderError(reason, 'x'));
    expect(await failureOf(subscriptions.create(composed.caller, accountId, HOOK))).toMatchObject({ status, code });
    expect((await subscriptions.list(composed.caller, accountId, {})).data).toEqual([]);
    const key = { applicationId: composed.applicationId, accountId, calendarId: 'primary' };
    expect(await composed.storage.channels.list(key)).toEqual([]);
  });
});

describe('listing subscriptions', () => {
  it('pages in order of creation, with tokens bound to the account', async () => {
    const { composed, accountId, subscriptions } = await connectedEngine();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push((await subscriptions.create(composed.caller, accountId, HOOK)).webhookSubscriptionId);
      await composed.clock.advance(1);
    }
    const first = await subscriptions.list(composed.caller, accountId, { limit: 2 });
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const pageToken = first.nextPageToken!;
    const second = await subscriptions.list(composed.caller, accountId, { pageToken });
    expect(second).toMatchObject({ data: [{ id: ids[2] }], nextPageToken: null });
    const other = await composed.connect('bob@example.com');
    for (const work of [
      subscriptions.list(composed.caller, other, { pageToken }),
      subscriptions.list(composed.caller, accountId, { pageToken: 'x' }),
    ]) {
      expect(await failureOf(work)).toMatchObject({ code: 'InvalidPageToken', status: 400 });
    }
    for (const query of [{ limit: 0 }, { limit: 1000 }, { pageSize: 'x' }, { search: 'x' }]) {
      expect(await failureOf(subscriptions.list(composed.caller, accountId, query as never))).toMatchObject({
        code: 'InvalidRequest',
      });
    }
    expect(await failureOf(subscriptions.list(composed.caller, 'acc_none', {}))).toMatchObject({ code: 'NotFound' });
  });
});

describe('deleting a subscription', () => {
  it('takes our id, once', async () => {
    const { composed, accountId, subscriptions } = await connectedEngine();
    const { webhookSubscriptionId } = await subscriptions.create(composed.caller, accountId, HOOK);
    await subscriptions.delete(composed.caller, accountId, { subscriptionId: webhookSubscriptionId });
    expect((await subscriptions.list(composed.caller, accountId, {})).data).toEqual([]);
    expect(
      await failureOf(subscriptions.delete(composed.caller, accountId, { subscriptionId: webhookSubscriptionId })),
    ).toMatchObject({ code: 'NotFound', status: 404 });
  });

  it("takes the provider's id when exactly one subscription uses it, else answers 409", async () => {
    const { composed, accountId, subscriptions } = await connectedEngine();
    await subscriptions.create(composed.caller, accountId, HOOK);
    const second = await subscriptions.create(composed.caller, accountId, HOOK);
    const { data } = await subscriptions.list(composed.caller, accountId, {});
    const { subscriptionId } = data[0]!;
    expect(data[1]!.subscriptionId).toBe(subscriptionId);
    expect(await failureOf(subscriptions.delete(composed.caller, accountId, { subscriptionId }))).toMatchObject({
      code: 'Conflict',
      status: 409,
    });
    await subscriptions.delete(composed.caller, accountId, { subscriptionId: second.webhookSubscriptionId });
    await subscriptions.delete(composed.caller, accountId, { subscriptionId });
    expect((await subscriptions.list(composed.caller, accountId, {})).data).toEqual([]);
  });

  it('works for an EXPIRED account, and not for another application or account', async () => {
    const { composed, accountId, subscriptions } = await connectedEngine();
    const { webhookSubscriptionId: subscriptionId } = await subscriptions.create(composed.caller, accountId, HOOK);
    const stranger = { applicationId: (await composed.engine.services.applications.create({ name: 'Other' })).id };
    const other = await composed.connect('bob@example.com');
    for (const work of [
      subscriptions.delete(stranger, accountId, { subscriptionId }),
      subscriptions.delete(composed.caller, other, { subscriptionId }),
      subscriptions.list(stranger, accountId, {}),
    ]) {
      expect(await failureOf(work)).toMatchObject({ code: 'NotFound' });
    }
    await expireAccount(composed, accountId);
    expect((await subscriptions.list(composed.caller, accountId, {})).data).toHaveLength(1);
    await subscriptions.delete(composed.caller, accountId, { subscriptionId });
    expect((await subscriptions.list(composed.caller, accountId, {})).data).toEqual([]);
  });

  it.each([
    ['no body', undefined, ''],
    ['an empty id', { subscriptionId: '' }, 'subscriptionId'],
    ['no id', {}, 'subscriptionId'],
    ['an unknown field', { subscriptionId: 'x', id: 'y' }, 'id'],
  ])('refuses %s', async (_name, input, path) => {
    const { composed, accountId, subscriptions } = await connectedEngine();
    expect(
      await failureOf(subscriptions.delete(composed.caller, accountId, input as { subscriptionId: string })),
    ).toMatchObject({
      code: 'InvalidRequest',
      details: [{ path }],
    });
  });

  it('succeeds also when the provider does not close the channel', async () => {
    const { composed, accountId, subscriptions } = await connectedEngine();
    const { webhookSubscriptionId: subscriptionId } = await subscriptions.create(composed.caller, accountId, HOOK);
    composed.fake.failures.set('push.close', new ProviderError('unavailable', 'down'));
    await subscriptions.delete(composed.caller, accountId, { subscriptionId });
    expect((await subscriptions.list(composed.caller, accountId, {})).data).toEqual([]);
  });
});
