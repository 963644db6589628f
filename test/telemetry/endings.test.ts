import type { Telemetry } from 'kalends/ports';
import { expect, it, onTestFinished } from 'vitest';
import { openComposedEngine } from '../accounts/composed-engine.ts';
import { openReceiver } from '../webhooks/receiver.ts';

it('counts an account whose grant has ended once, and messages that are given up', async () => {
  const counted: string[] = [];
  const telemetry: Telemetry = {
    count: (metric, labels) => void counted.push(`${metric} ${Object.values(labels).join()}`),
    observe: () => undefined,
  };
  const composed = await openComposedEngine({ telemetry, webhooks: { allowedNetworks: ['127.0.0.0/8'] } });
  const { engine, fake, caller, clock, storage, applicationId } = composed;
  const accountId = await composed.connect();
  fake.grants.clear();
  await clock.advance(2 * 3_600_000);
  await Promise.allSettled([1, 2, 3].map(() => engine.services.accounts.getCredentials(caller, accountId)));
  expect((await engine.services.accounts.get(caller, accountId)).status).toBe('EXPIRED');
  expect(counted.filter((line) => line.includes('expired'))).toEqual(['kalends_accounts_expired_total FAKE']);

  const receiver = await openReceiver();
  receiver.answer = (_request, response) => response.writeHead(410).end();
  const { webhookEndpointId: targetId } = await engine.services.webhookEndpoints.create(caller, {
    webhookUrl: receiver.url,
  });
  const message = { messageId: 'msg_1', timestamp: clock.now(), eventType: 'calendar.event.changed' } as const;
  await storage.outbox.enqueue({ applicationId, targetId, ...message });
  const stopping = new AbortController();
  const running = engine.dispatcher.run(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await running;
    await engine.sender.close();
  });
  const isCounted = () => counted.includes('kalends_messages_given_up_total disabled');
  for (let step = 0; step < 500 && !isCounted(); step += 1) await clock.advance(100);
  expect(counted.filter((line) => line.includes('given_up'))).toEqual(['kalends_messages_given_up_total disabled']);
});
