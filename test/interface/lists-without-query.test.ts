import { expect, it, onTestFinished } from 'vitest';
import { createWorld } from './world.ts';

it('lists without a query as with an empty one', async () => {
  const world = await createWorld();
  onTestFinished(() => world.close());
  const { engine, applicationId } = world;
  const { accountId, calendarId } = await world.connect('google');
  const caller = { applicationId };
  const webhookUrl = 'https://shop.example.com/hook';
  const { webhookSubscriptionId } = await engine.subscriptions.create(caller, accountId, { calendarId, webhookUrl });
  const { webhookEndpointId } = await engine.webhookEndpoints.create(caller, { webhookUrl });
  const lists: readonly ((query?: object) => Promise<{ readonly data: readonly unknown[] }>)[] = [
    (query) => engine.accounts.list(caller, query),
    (query) => engine.accounts.listUnreadable(caller, accountId, query),
    (query) => engine.calendars.list(caller, accountId, query),
    (query) => engine.events.list(caller, accountId, calendarId, query),
    (query) => engine.subscriptions.list(caller, accountId, query),
    (query) => engine.subscriptions.listDeliveries(caller, accountId, webhookSubscriptionId, query),
    (query) => engine.webhookEndpoints.list(caller, query),
    (query) => engine.webhookEndpoints.listDeliveries(caller, webhookEndpointId, query),
  ];
  for (const list of lists) expect((await list()).data).toEqual((await list({})).data);
  expect((await engine.accounts.list(caller)).data).toHaveLength(1);
});
