import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLIENT, PROVIDERS, registerApplication, startEngine, startProviders } from './engine-world.ts';
import { openReceiver } from './webhooks/receiver.ts';

describe.each(PROVIDERS)('$name: an engine that starts again under another address', (provider) => {
  it('still knows its accounts and sync tokens, and has the provider push to the new address', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kalends-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'kalends.db');
    const providers = await startProviders();
    onTestFinished(() => providers.close());
    const receiver = await openReceiver();
    const { providerType, name, email } = provider;

    const first = await startEngine(providers, path);
    const caller = await registerApplication(providers, first);
    const refreshToken = providers.sandbox[name].issueRefreshToken({ email, clientId: CLIENT.clientId });
    const { account } = await first.engine.accounts.upsert(caller, { email, providerType, refreshToken });
    const { data } = await first.engine.calendars.list(caller, account.id, {});
    const calendarId = data[0]!.id;
    await first.engine.subscriptions.create(caller, account.id, { calendarId, webhookUrl: receiver.url });
    const before = (await first.engine.subscriptions.list(caller, account.id, {})).data[0]!.subscriptionId;
    const { nextSyncToken } = await first.engine.events.list(caller, account.id, calendarId, {});
    await first.stop();

    const second = await startEngine(providers, path);
    onTestFinished(() => second.stop());
    const { engine, publicUrl } = second;
    expect(await engine.accounts.get(caller, account.id)).toEqual(account);
    const isReopened = async () => {
      const { data: subscriptions } = await engine.subscriptions.list(caller, account.id, {});
      const { subscriptionId } = subscriptions[0]!;
      return !subscriptionId.startsWith('poll_') && subscriptionId !== before;
    };
    while (!(await isReopened())) await new Promise((resolve) => setImmediate(resolve));
    const opened = providers.sandbox.requests.list().filter(({ status, requestBody }) => {
      return status < 300 && requestBody.includes(`${publicUrl}/v1/push/`);
    });
    expect(opened).toHaveLength(1);
    await providers.addEvent(provider, 'After the restart');
    await receiver.wait(1);
    const changed = await engine.events.list(caller, account.id, calendarId, { syncToken: nextSyncToken! });
    expect(changed.data).toEqual([expect.objectContaining({ title: 'After the restart' })]);
  });
});
