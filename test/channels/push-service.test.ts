import type { PushNotification } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { failureOf, openRoom, type Room } from '../accounts/room.ts';

async function watchedRoom() {
  const room = await openRoom();
  const accountId = await room.connect();
  await room.rooms.services.subscriptions.create(room.caller, accountId, {
    calendarId: 'primary',
    webhookUrl: 'https://hooks.invalid/a',
  });
  const key = { applicationId: room.applicationId, accountId, calendarId: 'primary' };
  const [channel] = await room.storage.channels.list(key);
  const { token } = room.fake.openChannels.get(channel!.id)!;
  const hints = async () => (await room.storage.schedule.get(key)).hintSeq;
  const notify = (notification: Partial<PushNotification>) =>
    send(room, [{ providerChannelId: channel!.id, token, kind: 'changed', providerEventIds: [], ...notification }]);
  return { room, key, channel: channel!, hints, notify };
}

async function send(room: Room, notifications: readonly PushNotification[], path = 'fake') {
  const request = new Request('https://calendar.example/api/v1/push/fake', {
    method: 'POST',
    body: JSON.stringify(notifications),
  });
  const receipt = await room.rooms.services.push.receive(path, request);
  await room.rooms.push.settled();
  return receipt;
}

describe('a notification', () => {
  it('raises a hint, makes the collection due, and gets the answer of the provider', async () => {
    const { room, key, hints, notify } = await watchedRoom();
    await room.clock.advance(1_000);
    const { response } = await notify({});
    expect(response.status).toBe(202);
    expect(await hints()).toBe(1);
    expect((await room.storage.schedule.get(key)).dueAt).toBeLessThanOrEqual(room.clock.now());
  });

  it('is pulled at once by the background work of the process', async () => {
    const { room, notify } = await watchedRoom();
    const stopping = new AbortController();
    const running = room.rooms.pulls.run(stopping.signal);
    const pulls = () => room.fake.calls.filter((call) => call === 'events.pull').length;
    const until = async (count: number) => {
      while (pulls() < count) await room.clock.advance(0);
    };
    await until(2);
    await notify({});
    await until(3);
    stopping.abort();
    await running;
  });

  it('that announces the channel changes nothing', async () => {
    const { hints, notify } = await watchedRoom();
    expect((await notify({ kind: 'sync' })).response.status).toBe(202);
    expect(await hints()).toBe(0);
  });

  it.each([
    ['a wrong token', { token: 'x'.repeat(43) }],
    ['no token', { token: undefined }],
    ['an unknown channel', { providerChannelId: 'chn_unknown' }],
  ])('with %s is answered but ignored', async (_name, notification) => {
    const { hints, notify } = await watchedRoom();
    expect((await notify(notification)).response.status).toBe(202);
    expect(await hints()).toBe(0);
  });

  it('for a poll is ignored', async () => {
    const { room, key, channel, hints } = await watchedRoom();
    await room.storage.channels.update(room.applicationId, channel.id, { kind: 'poll', providerChannelId: 'poll_x' });
    const { token } = room.fake.openChannels.get(channel.id)!;
    await send(room, [{ providerChannelId: 'poll_x', token, kind: 'changed', providerEventIds: [] }]);
    expect(await hints()).toBe(0);
    expect(await room.storage.channels.list(key)).toHaveLength(1);
  });

  it('puts the events that it names on the re-read list', async () => {
    const { room, key, notify, hints } = await watchedRoom();
    await notify({ providerEventIds: ['e1', 'e2'] });
    expect((await room.storage.mirror.listRereads(key, 10)).map(({ itemId }) => itemId)).toEqual(['e1', 'e2']);
    expect(await hints()).toBe(1);
  });

  it('of missed notifications is a hint', async () => {
    const { hints, notify } = await watchedRoom();
    await notify({ kind: 'missed' });
    expect(await hints()).toBe(1);
  });

  it('of a removed channel makes upkeep open another, and is a hint', async () => {
    const { room, key, channel, hints, notify } = await watchedRoom();
    await notify({ kind: 'removed' });
    const [row] = await room.storage.channels.list(key);
    expect(row).toMatchObject({ id: channel.id, expiresAt: room.clock.now(), renewAt: room.clock.now() });
    expect(await hints()).toBe(1);
  });

  it('that asks for reauthorization makes the renewal due', async () => {
    const { room, key, hints, notify } = await watchedRoom();
    await notify({ kind: 'reauthorization-required' });
    const [row] = await room.storage.channels.list(key);
    expect(row).toMatchObject({ renewAt: room.clock.now() });
    expect(row!.expiresAt).toBeGreaterThan(room.clock.now());
    expect(await hints()).toBe(0);
  });

  it('at the path of no provider is not found', async () => {
    const { room } = await watchedRoom();
    expect(await failureOf(send(room, [], 'nobody'))).toMatchObject({ code: 'NotFound', status: 404 });
  });

  it('of another provider with the same channel id is ignored', async () => {
    const { room, channel, hints } = await watchedRoom();
    const { token } = room.fake.openChannels.get(channel.id)!;
    const notification = { providerChannelId: channel.id, token, kind: 'changed' as const, providerEventIds: [] };
    await send(room, [notification], 'other');
    expect(await hints()).toBe(0);
  });
});
