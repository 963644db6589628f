import { ProviderError } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { failureOf, openRoom, type Room } from '../accounts/room.ts';

const HOOK = { calendarId: 'primary', webhookUrl: 'https://hooks.invalid/a' };

async function connectedRoom() {
  const room = await openRoom();
  const accountId = await room.connect();
  return { room, accountId, subscriptions: room.rooms.services.subscriptions };
}

async function expireAccount(room: Room, accountId: string) {
  const credential = await room.storage.accounts.findCredential(room.applicationId, accountId);
  await room.storage.accounts.expire(room.applicationId, accountId, credential!.version, room.clock.now());
}

describe('creating a subscription', () => {
  it('answers with id and secret once the mirror is complete and the channel open', async () => {
    const { room, accountId, subscriptions } = await connectedRoom();
    const created = await subscriptions.create(room.caller, accountId, { ...HOOK, rateLimit: 2 });
    expect(created).toEqual({
      webhookSubscriptionId: expect.stringMatching(/^whs_[0-9A-Za-z]{22}$/),
      endpointSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const key = { applicationId: room.applicationId, accountId, calendarId: 'primary' };
    expect((await room.storage.mirror.find(key))?.completedAt).not.toBeNull();
    const { data, nextPageToken } = await subscriptions.list(room.caller, accountId, {});
    const [channel] = await room.storage.channels.list(key);
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
        rateLimit: 2,
        disabledAt: null,
        createdAt: '2026-03-02T09:00:00.000Z',
        updatedAt: '2026-03-02T09:00:00.000Z',
      },
    ]);
    const stored = await room.storage.subscriptions.find(room.applicationId, accountId, created.webhookSubscriptionId);
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
    ['an unknown field', { ...HOOK, colour: 'red' }, 'colour'],
  ])('refuses %s', async (_name, body, path) => {
    const { room, accountId, subscriptions } = await connectedRoom();
    expect(await failureOf(subscriptions.create(room.caller, accountId, body))).toMatchObject({
      code: 'InvalidRequest',
      details: [{ path }],
    });
    expect(room.fake.calls).not.toContain('push.open');
  });

  it('refuses an unknown calendar, an unknown account, and an EXPIRED one', async () => {
    const { room, accountId, subscriptions } = await connectedRoom();
    const create = (id: string, body: object) => failureOf(subscriptions.create(room.caller, id, body));
    expect(await create(accountId, { ...HOOK, calendarId: 'nope' })).toMatchObject({ code: 'NotFound', status: 404 });
    expect(await create('acc_none', HOOK)).toMatchObject({ code: 'NotFound' });
    const stranger = await room.rooms.services.applications.create({ name: 'Other' });
    expect(await failureOf(subscriptions.create({ applicationId: stranger.id }, accountId, HOOK))).toMatchObject({
      code: 'NotFound',
    });
    await expireAccount(room, accountId);
    expect(await create(accountId, HOOK)).toMatchObject({ code: 'InvalidRefreshToken', status: 409 });
  });

  it.each([
    ['unavailable', 503, 'ProviderUnavailable'],
    ['timeout', 504, 'ProviderTimeout'],
    ['rate-limited', 429, 'RateLimited'],
    ['unauthorized', 502, 'ProviderError'],
  ] as const)('leaves nothing behind when the channel fails with %s', async (reason, status, code) => {
    const { room, accountId, subscriptions } = await connectedRoom();
    room.fake.failures.set('push.open', new ProviderError(reason, 'x'));
    expect(await failureOf(subscriptions.create(room.caller, accountId, HOOK))).toMatchObject({ status, code });
    expect((await subscriptions.list(room.caller, accountId, {})).data).toEqual([]);
    const key = { applicationId: room.applicationId, accountId, calendarId: 'primary' };
    expect(await room.storage.channels.list(key)).toEqual([]);
  });
});

describe('listing subscriptions', () => {
  it('pages in order of creation, with tokens bound to the account', async () => {
    const { room, accountId, subscriptions } = await connectedRoom();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push((await subscriptions.create(room.caller, accountId, HOOK)).webhookSubscriptionId);
      await room.clock.advance(1);
    }
    const first = await subscriptions.list(room.caller, accountId, { limit: 2 });
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const pageToken = first.nextPageToken!;
    const second = await subscriptions.list(room.caller, accountId, { pageToken });
    expect(second).toMatchObject({ data: [{ id: ids[2] }], nextPageToken: null });
    const other = await room.connect('bob@example.com');
    for (const work of [
      subscriptions.list(room.caller, other, { pageToken }),
      subscriptions.list(room.caller, accountId, { pageToken: 'x' }),
    ]) {
      expect(await failureOf(work)).toMatchObject({ code: 'InvalidPageToken', status: 400 });
    }
    for (const query of [{ limit: 0 }, { limit: 1000 }, { pageSize: 'x' }, { search: 'x' }]) {
      expect(await failureOf(subscriptions.list(room.caller, accountId, query as never))).toMatchObject({
        code: 'InvalidRequest',
      });
    }
    expect(await failureOf(subscriptions.list(room.caller, 'acc_none', {}))).toMatchObject({ code: 'NotFound' });
  });
});

describe('deleting a subscription', () => {
  it('takes our id, once', async () => {
    const { room, accountId, subscriptions } = await connectedRoom();
    const { webhookSubscriptionId } = await subscriptions.create(room.caller, accountId, HOOK);
    await subscriptions.delete(room.caller, accountId, { subscriptionId: webhookSubscriptionId });
    expect((await subscriptions.list(room.caller, accountId, {})).data).toEqual([]);
    expect(
      await failureOf(subscriptions.delete(room.caller, accountId, { subscriptionId: webhookSubscriptionId })),
    ).toMatchObject({ code: 'NotFound', status: 404 });
  });

  it("takes the provider's id when exactly one subscription uses it, else answers 409", async () => {
    const { room, accountId, subscriptions } = await connectedRoom();
    await subscriptions.create(room.caller, accountId, HOOK);
    const second = await subscriptions.create(room.caller, accountId, HOOK);
    const { data } = await subscriptions.list(room.caller, accountId, {});
    const { subscriptionId } = data[0]!;
    expect(data[1]!.subscriptionId).toBe(subscriptionId);
    expect(await failureOf(subscriptions.delete(room.caller, accountId, { subscriptionId }))).toMatchObject({
      code: 'Conflict',
      status: 409,
    });
    await subscriptions.delete(room.caller, accountId, { subscriptionId: second.webhookSubscriptionId });
    await subscriptions.delete(room.caller, accountId, { subscriptionId });
    expect((await subscriptions.list(room.caller, accountId, {})).data).toEqual([]);
  });

  it('works for an EXPIRED account, and not for another application or account', async () => {
    const { room, accountId, subscriptions } = await connectedRoom();
    const { webhookSubscriptionId: subscriptionId } = await subscriptions.create(room.caller, accountId, HOOK);
    const stranger = { applicationId: (await room.rooms.services.applications.create({ name: 'Other' })).id };
    const other = await room.connect('bob@example.com');
    for (const work of [
      subscriptions.delete(stranger, accountId, { subscriptionId }),
      subscriptions.delete(room.caller, other, { subscriptionId }),
      subscriptions.list(stranger, accountId, {}),
    ]) {
      expect(await failureOf(work)).toMatchObject({ code: 'NotFound' });
    }
    await expireAccount(room, accountId);
    expect((await subscriptions.list(room.caller, accountId, {})).data).toHaveLength(1);
    await subscriptions.delete(room.caller, accountId, { subscriptionId });
    expect((await subscriptions.list(room.caller, accountId, {})).data).toEqual([]);
  });

  it.each([
    ['no body', undefined, ''],
    ['an empty id', { subscriptionId: '' }, 'subscriptionId'],
    ['no id', {}, 'subscriptionId'],
    ['an unknown field', { subscriptionId: 'x', id: 'y' }, 'id'],
  ])('refuses %s', async (_name, input, path) => {
    const { room, accountId, subscriptions } = await connectedRoom();
    expect(await failureOf(subscriptions.delete(room.caller, accountId, input))).toMatchObject({
      code: 'InvalidRequest',
      details: [{ path }],
    });
  });

  it('succeeds also when the provider does not close the channel', async () => {
    const { room, accountId, subscriptions } = await connectedRoom();
    const { webhookSubscriptionId: subscriptionId } = await subscriptions.create(room.caller, accountId, HOOK);
    room.fake.failures.set('push.close', new ProviderError('unavailable', 'down'));
    await subscriptions.delete(room.caller, accountId, { subscriptionId });
    expect((await subscriptions.list(room.caller, accountId, {})).data).toEqual([]);
  });
});
