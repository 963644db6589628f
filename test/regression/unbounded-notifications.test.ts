import { expect, it } from 'vitest';
import { openComposedEngine } from '../accounts/composed-engine.ts';
import { createWorld } from '../interface/world.ts';

it('stops reading a notification that is too long', async () => {
  const world = await createWorld();
  for (const path of ['/v1/push/provider_a', '/v1/push/provider_b']) {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent >= 50_000_000) return controller.close();
        controller.enqueue(new Uint8Array(100_000).fill(0x20));
        sent += 100_000;
      },
    });
    const request = new Request(`http://kalends.test${path}`, { method: 'POST', body, duplex: 'half' } as RequestInit);
    const answer = await world.handler(request);
    expect([400, 413]).toContain(answer.status);
    expect(sent).toBeLessThan(1_000_000);
  }
  const value = Array.from({ length: 1_001 }, (_, index) => ({ subscriptionId: `s${index}` }));
  const post = (items: readonly unknown[]) => world.call('POST', '/v1/push/provider_b', { body: { value: items } });
  expect((await post(value)).status).toBe(400);
  expect((await post(value.slice(1))).status).toBe(202);
  await world.close();
});

it('acts once on each channel of a request, and finds what is genuine among forged notifications', async () => {
  const composed = await openComposedEngine();
  const accountId = await composed.connect();
  const subscription = { calendarId: 'primary', webhookUrl: 'https://hooks.invalid/a' };
  await composed.engine.services.subscriptions.create(composed.caller, accountId, subscription);
  const key = { applicationId: composed.applicationId, accountId, calendarId: 'primary' };
  const [channel] = await composed.storage.channels.list(key);
  const { token } = composed.fake.openChannels.get(channel!.id)!;
  const send = async (notifications: readonly unknown[]) => {
    const request = new Request('https://calendar.example/', { method: 'POST', body: JSON.stringify(notifications) });
    const receipt = await composed.engine.services.push.receive('fake', request);
    await composed.engine.push.settled();
    return receipt;
  };
  const named = (id: string) => ({
    providerChannelId: channel!.id,
    token,
    kind: 'changed',
    providerEventIds: [id],
  });
  await send([named('e1'), named('e2'), named('e1')]);
  expect((await composed.storage.mirror.listRereads(key, 10)).map(({ itemId }) => itemId)).toEqual(['e1', 'e2']);
  expect((await composed.storage.schedule.get(key)).hintSeq).toBe(1);

  const forged = (index: number) => ({ ...named('e3'), token: `${channel!.id}.${String(index).padStart(43, '0')}` });
  const flood = Array.from({ length: 500 }, (_, index) => forged(index));
  expect(await send([...flood, named('e4')])).toMatchObject({ genuine: 1, forged: 500 });
  expect((await composed.storage.schedule.get(key)).hintSeq).toBe(2);
  expect(await send(flood)).toMatchObject({ genuine: 0, forged: 500 });
  expect((await composed.storage.schedule.get(key)).hintSeq).toBe(2);
});
