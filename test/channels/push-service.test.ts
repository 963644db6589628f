import type { PushNotification } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { type ComposedEngine, failureOf, openComposedEngine } from '../accounts/composed-engine.ts';

async function watchedEngine() {
  const composed = await openComposedEngine();
  const accountId = await composed.connect();
  await composed.engine.services.subscriptions.create(composed.caller, accountId, {
    calendarId: 'primary',
    webhookUrl: 'https://hooks.invalid/a',
  });
  const key = { applicationId: composed.applicationId, accountId, calendarId: 'primary' };
  const [channel] = await composed.storage.channels.list(key);
  const { token } = composed.fake.openChannels.get(channel!.id)!;
  const hints = async () => (await composed.storage.schedule.get(key)).hintSeq;
  const notify = (notification: Partial<PushNotification>) =>
    send(composed, [{ providerChannelId: channel!.id, token, kind: 'changed', providerEventIds: [], ...notification }]);
  return { composed, key, channel: channel!, hints, notify };
}

async function send(composed: ComposedEngine, notifications: readonly PushNotification[], path = 'fake') {
  const request = new Request('https://calendar.example/api/v1/push/fake', {
    method: 'POST',
    body: JSON.stringify(notifications),
  });
  const receipt = await composed.engine.services.push.receive(path, request);
  await composed.engine.push.settled();
  return receipt;
}

describe('a notification', () => {
  it('raises a hint, makes the collection due, and gets the answer of the provider', async () => {
    const { composed, key, hints, notify } = await watchedEngine();
    await composed.clock.advance(1_000);
    const { response } = await notify({});
    expect(response.status).toBe(202);
    expect(await hints()).toBe(1);
    expect((await composed.storage.schedule.get(key)).dueAt).toBeLessThanOrEqual(composed.clock.now());
  });

  it('is pulled at once by the background work of the process', async () => {
    const { composed, notify } = await watchedEngine();
    const stopping = new AbortController();
    const running = composed.engine.pulls.run(stopping.signal);
    const pulls = () => composed.fake.calls.filter((call) => call === 'events.pull').length;
    const until = async (count: number) => {
      while (pulls() < count) await composed.clock.advance(0);
    };
    await until(2);
    await notify({});
    await until(3);
    stopping.abort();
    await running;
  });

  it('that announces the channel changes nothing', async () => {
    const { hints, notify } = await watchedEngine();
    expect((await notify({ kind: 'sync' })).response.status).toBe(202);
    expect(await hints()).toBe(0);
  });

  it.each([
    ['a wrong token', { token: 'x'.repeat(43) }],
    ['no token', { token: undefined }],
    ['an unknown channel', { providerChannelId: 'chn_unknown' }],
  ])('with %s is answered but ignored', async (_name, notification) => {
    const { hints, notify } = await watchedEngine();
    expect((await notify(notification)).response.status).toBe(202);
    expect(await hints()).toBe(0);
  });

  it('for a poll is ignored', async () => {
    const { composed, key, channel, hints } = await watchedEngine();
    await composed.storage.channels.update(composed.applicationId, channel.id, {
      kind: 'poll',
      providerChannelId: 'poll_x',
    });
    const { token } = composed.fake.openChannels.get(channel.id)!;
    await send(composed, [{ providerChannelId: 'poll_x', token, kind: 'changed', providerEventIds: [] }]);
    expect(await hints()).toBe(0);
    expect(await composed.storage.channels.list(key)).toHaveLength(1);
  });

  it('puts the events that it names on the re-read list', async () => {
    const { composed, key, notify, hints } = await watchedEngine();
    await notify({ providerEventIds: ['e1', 'e2'] });
    expect((await composed.storage.mirror.listRereads(key, 10)).map(({ itemId }) => itemId)).toEqual(['e1', 'e2']);
    expect(await hints()).toBe(1);
  });

  it('is enough for its pull when it names changed events, and not when it names a deleted one', async () => {
    const { composed, key, notify } = await watchedEngine();
    await notify({ providerEventIds: ['e1'] });
    expect(await composed.storage.schedule.get(key)).toMatchObject({ hintSeq: 1, fullHintSeq: 0 });
    await notify({ providerEventIds: ['e2'], isDeletion: true });
    expect(await composed.storage.schedule.get(key)).toMatchObject({ hintSeq: 2, fullHintSeq: 2 });
    expect((await composed.storage.mirror.listRereads(key, 10)).map(({ itemId }) => itemId)).toEqual(['e1', 'e2']);
  });

  it('of missed notifications is a hint', async () => {
    const { hints, notify } = await watchedEngine();
    await notify({ kind: 'missed' });
    expect(await hints()).toBe(1);
  });

  it('of a removed channel makes upkeep open another, and is a hint', async () => {
    const { composed, key, channel, hints, notify } = await watchedEngine();
    await notify({ kind: 'removed' });
    const [row] = await composed.storage.channels.list(key);
    expect(row).toMatchObject({ id: channel.id, expiresAt: composed.clock.now(), renewAt: composed.clock.now() });
    expect(await hints()).toBe(1);
  });

  it('that asks for reauthorization makes the renewal due', async () => {
    const { composed, key, hints, notify } = await watchedEngine();
    await notify({ kind: 'reauthorization-required' });
    const [row] = await composed.storage.channels.list(key);
    expect(row).toMatchObject({ renewAt: composed.clock.now() });
    expect(row!.expiresAt).toBeGreaterThan(composed.clock.now());
    expect(await hints()).toBe(0);
  });

  it('that asks for reauthorization has the channel of a calendar list renewed, once', async () => {
    const composed = await openComposedEngine();
    const accountId = await composed.connect();
    const hook = { webhookUrl: 'https://hooks.invalid/a', subscriptionType: 'calendar' } as const;
    await composed.engine.services.subscriptions.create(composed.caller, accountId, hook);
    const key = { applicationId: composed.applicationId, accountId, calendarId: null };
    const [channel] = await composed.storage.channels.list(key);
    const { token } = composed.fake.openChannels.get(channel!.id)!;
    const stopping = new AbortController();
    const running = composed.engine.channels.run(stopping.signal);
    const renewals = () => composed.fake.calls.filter((call) => call === 'push.renew').length;
    const pass = async (seconds: number) => {
      for (let turn = 0; turn < seconds * 10; turn += 1) await composed.clock.advance(100);
    };
    await pass(30);
    expect(renewals()).toBe(0);
    const kind = 'reauthorization-required';
    await send(composed, [{ providerChannelId: channel!.id, token, kind, providerEventIds: [] }]);
    await pass(30);
    expect(renewals()).toBe(1);
    await pass(700);
    expect(renewals()).toBe(1);
    const channels = await composed.storage.channels.list(key);
    expect(channels.map(({ expiresAt }) => expiresAt > channel!.expiresAt)).toEqual([true]);
    stopping.abort();
    await running;
  });

  it('at the path of no provider is not found', async () => {
    const { composed } = await watchedEngine();
    expect(await failureOf(send(composed, [], 'nobody'))).toMatchObject({ code: 'NotFound', status: 404 });
  });

  it('of another provider with the same channel id is ignored', async () => {
    const { composed, channel, hints } = await watchedEngine();
    const { token } = composed.fake.openChannels.get(channel.id)!;
    const notification = { providerChannelId: channel.id, token, kind: 'changed' as const, providerEventIds: [] };
    await send(composed, [notification], 'other');
    expect(await hints()).toBe(0);
  });
});
