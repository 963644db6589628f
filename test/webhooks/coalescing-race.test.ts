import { systemRandom } from 'kalends/runtime';
import { expect, it, onTestFinished } from 'vitest';
import { openComposedEngine } from '../accounts/composed-engine.ts';
import { sizeOf } from '../size-of.ts';
import { newDatabase, STORAGES } from '../storages/new-database.ts';
import { storageAt } from '../storages/storage-at.ts';

const TRIALS = {
  sqlite: sizeOf('trials', { short: 200, long: 2000 }),
  postgres: sizeOf('trials', { short: 50, long: 400 }),
};

it.each(STORAGES)('a change that races the claim of a message is announced by a delivery that starts after it: on %s', {
  timeout: 900_000,
}, async (storage) => {
  const trials = TRIALS[storage];
  const database = await newDatabase(storage);
  // Two handles on one database are two processes as far as it goes.
  const [changer, sender] = [await storageAt(database), await storageAt(database)];
  await changer.open();
  await sender.open();
  onTestFinished(async () => {
    await changer.close();
    await sender.close();
  });
  const composed = await openComposedEngine({ storage: changer, webhooks: { allowedNetworks: ['127.0.0.0/8'] } });
  const { applicationId } = composed;
  const webhookUrl = 'https://127.0.0.1/hook';
  const { webhookEndpointId: targetId } = await composed.engine.services.webhookEndpoints.create(composed.caller, {
    webhookUrl,
  });
  let time = 0;
  const enqueue = (messageId: string) => {
    time += 1;
    const message = { eventType: 'calendar.event.changed', timestamp: time, messageId } as const;
    return changer.outbox.enqueue({ applicationId, targetId, ...message });
  };
  const deliver = async () => {
    const [claim] = (await sender.outbox.acknowledgeAndClaim([], { limit: 1, leaseMs: 60_000 })).claims;
    if (claim === undefined) return undefined;
    const { message, epoch } = claim;
    const attempt = { id: `att_${message.id}_${time}`, eventType: message.eventType, at: time, status: 200 };
    await sender.outbox.acknowledgeAndClaim(
      [
        {
          ...{ applicationId, targetId, messageId: message.id, epoch },
          attempt: { ...attempt, failure: null, latencyMs: 1, excerpt: '' },
          outcome: { kind: 'delivered' },
        },
      ],
      { limit: 0, leaseMs: 1 },
    );
    return message;
  };

  const seen = { intoClaimed: 0, behindClaimed: 0 };
  for (let trial = 0; trial < trials; trial += 1) {
    await enqueue(`msg_${trial}_a`);
    const turns = () => Math.floor(systemRandom.fraction() * 3);
    const pause = async (count: number) => {
      for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    const [changeAfter, sendAfter] = [turns(), turns()];
    const [, first] = await Promise.all([
      pause(changeAfter).then(() => enqueue(`msg_${trial}_b`)),
      pause(sendAfter).then(deliver),
    ]);
    const changedAt = time;
    const second = await deliver();
    expect(await deliver()).toBeUndefined();
    // Told by the message that was claimed after the change, or by one of its own.
    expect(second?.timestamp ?? first?.timestamp).toBe(changedAt);
    if (second === undefined) seen.intoClaimed += 1;
    else seen.behindClaimed += 1;
  }
  expect(seen.intoClaimed).toBeGreaterThan(trials / 20);
  expect(seen.behindClaimed).toBeGreaterThan(trials / 20);
});
