import { sqlite } from '@kalends/sqlite';
import { expect, it } from 'vitest';
import { eventsPath, expectProblem } from '../interface/steps.ts';
import { PROVIDERS } from '../interface/world.ts';
import { createInterceptedWorld } from './intercepted-world.ts';

it.each(PROVIDERS)('$provider: a write that arrives after its intent was settled by another process is read', async ({
  provider,
}) => {
  let aheadMs = 0;
  const storage = sqlite({
    path: ':memory:',
    clock: { now: () => Date.now() + aheadMs, sleep: () => Promise.reject(new Error('nobody sleeps by this clock')) },
  });
  const { world, network } = await createInterceptedWorld({ storage });
  const at = await world.connect(provider);
  const sent = { title: 'before', start: { dateTime: '2026-03-01T09:00:00Z' } };
  const path = eventsPath(at, (await world.call('POST', eventsPath(at), { body: sent })).body.id);
  network.intercept = async (request, pass) => {
    if (request.method === 'PATCH') {
      // The process stands still for longer than its lease; another one looks, finds nothing done, and ends the intent.
      aheadMs += 31_000;
      const taken = await storage.intents.claimAbandoned(1_000);
      const { key, id, epoch } = taken!.intent;
      await storage.intents.end({ applicationId: key.applicationId, id, epoch });
    }
    return await pass();
  };
  expectProblem(await world.call('PUT', path, { body: { title: 'after' } }), 409, 'Conflict');
  expect((await world.call('GET', path)).body.title).toBe('after');
  await world.close();
});
