import type { Engine } from 'kalends';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from './accounts/composed-engine.ts';
import {
  CLIENT,
  PROVIDERS,
  type Providers,
  REDIRECT_URL,
  type RunningEngine,
  registerApplication,
  startEngine,
  startProviders,
  type TestProvider,
} from './engine-world.ts';
import { openReceiver } from './webhooks/receiver.ts';

let providers: Providers;
let running: RunningEngine;
let engine: Engine;
let caller: { readonly applicationId: string };

beforeAll(async () => {
  providers = await startProviders();
  running = await startEngine(providers, ':memory:');
  engine = running.engine;
  caller = await registerApplication(providers, running);
});

afterAll(async () => {
  await running.stop();
  await providers.close();
});

async function connect({ providerType, name, email }: TestProvider): Promise<string> {
  const refreshToken = providers.sandbox[name].issueRefreshToken({ email, clientId: CLIENT.clientId });
  return (await engine.accounts.upsert(caller, { email, providerType, refreshToken })).account.id;
}

/** Follows the sandbox's consent page as a browser would, up to the redirect to our callback. */
async function consent(location: string, email: string): Promise<string> {
  const page = await fetch(location, { redirect: 'manual' });
  expect(page.status).toBe(200);
  const html = await page.text();
  const decode = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
  const action = decode(/<form[^>]* action="([^"]*)"/.exec(html)?.[1] ?? '');
  const form = new URLSearchParams();
  for (const [, name, value] of html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
    form.append(decode(name!), decode(value!));
  }
  form.append('mailbox', email);
  form.append('decision', 'allow');
  const answer = await fetch(new URL(action, location), { method: 'POST', body: form, redirect: 'manual' });
  return answer.headers.get('location') ?? '';
}

describe.each(PROVIDERS)('$name, over HTTP', (provider) => {
  it('connects by refresh token and hands out credentials that work', async () => {
    const accountId = await connect(provider);
    expect(await engine.accounts.get(caller, accountId)).toMatchObject({
      email: provider.email,
      status: 'ACTIVE',
      providerAccountId: expect.any(String),
    });
    expect(await engine.accounts.getCredentials(caller, accountId)).toMatchObject({ status: 'ACTIVE' });
  });

  it('connects through the browser, under the same id', async () => {
    const accountId = await connect(provider);
    const path = provider.providerType.toLowerCase();
    const query = { loginHint: provider.email, state: 'abc', prompt: 'consent' };
    const begun = await engine.authorization.begin(caller.applicationId, path, query, null);
    const back = await consent(begun.location, provider.email);
    expect(back.startsWith(`${running.publicUrl}/v1/oauth/callback/${path}?`)).toBe(true);
    const cookie = begun.cookies.map((text) => text.split(';')[0]).join('; ');
    const answer = await fetch(back, { headers: { cookie }, redirect: 'manual' });
    expect(answer.headers.get('location')).toBe(`${REDIRECT_URL}?endUserAccountId=${accountId}&state=abc`);
    const again = await fetch(back, { headers: { cookie }, redirect: 'manual' });
    expect(again.status).toBe(400);
  });

  it('tells a subscriber of a change at the provider, which a sync token then fetches', async () => {
    const accountId = await connect(provider);
    const receiver = await openReceiver();
    const { data: calendars } = await engine.calendars.list(caller, accountId, {});
    const primary = calendars.find((calendar) => 'isPrimary' in calendar && calendar.isPrimary);
    const calendarId = primary!.id;
    const created = await engine.subscriptions.create(caller, accountId, { calendarId, webhookUrl: receiver.url });
    const { data: subscriptions } = await engine.subscriptions.list(caller, accountId, {});
    const subscription = subscriptions.find(({ id }) => id === created.webhookSubscriptionId)!;
    expect(subscription.subscriptionId).not.toMatch(/^poll_/);
    const { nextSyncToken } = await engine.events.list(caller, accountId, calendarId, {});

    const title = `Lunch ${provider.name}`;
    await providers.addEvent(provider, title);
    await receiver.wait(1);
    const { headers, body } = receiver.received[0]!;
    const verified = new Webhook(created.endpointSecret).verify(body, headers as Record<string, string>);
    expect(verified).toEqual({ eventType: 'calendar.event.changed', timestamp: expect.any(String) });
    const changed = await engine.events.list(caller, accountId, calendarId, { syncToken: nextSyncToken! });
    expect(changed.data).toEqual([expect.objectContaining({ title })]);

    await engine.subscriptions.delete(caller, accountId, { subscriptionId: subscription.subscriptionId });
    expect((await engine.subscriptions.list(caller, accountId, {})).data).toEqual([]);
  });

  it('subscribes where the provider cannot make a subscription at present, and polls', async () => {
    if (provider.name !== 'microsoft') return;
    const accountId = await connect(provider);
    // Without a channel of an earlier test.
    const { id: calendarId } = await engine.calendars.create(caller, accountId, { name: 'Quiet' });
    const input = { calendarId, webhookUrl: (await openReceiver()).url };
    const { controls } = providers.sandbox.microsoft;
    for (const refusal of ['extensionError', 'unknownBackend']) {
      controls['setSubscriptionRefusal']!({ refusal });
      const { webhookSubscriptionId } = await engine.subscriptions.create(caller, accountId, input);
      const { data } = await engine.subscriptions.list(caller, accountId, {});
      expect(data).toMatchObject([{ id: webhookSubscriptionId, subscriptionId: expect.stringMatching(/^poll_/) }]);
      await engine.subscriptions.delete(caller, accountId, { subscriptionId: data[0]!.subscriptionId });
    }
    controls['setSubscriptionRefusal']!({ refusal: 'none' });
  });

  it('expires an account whose grant was revoked, until it is reconnected', async () => {
    const { email, name } = provider;
    const accountId = await connect(provider);
    const { data } = await engine.calendars.list(caller, accountId, {});
    const calendarId = data[0]!.id;
    expect(providers.sandbox[name].controls['revokeGrant']!({ email })).toMatchObject({ revoked: expect.any(Number) });
    providers.sandbox[name].controls['expireAccessTokens']!({ email });
    // An event that is not in the mirror is asked for at the provider.
    const expired = { code: 'InvalidRefreshToken', status: 409 };
    expect(await failureOf(engine.events.get(caller, accountId, calendarId, 'unknown'))).toMatchObject(expired);
    expect(await engine.accounts.get(caller, accountId)).toMatchObject({ status: 'EXPIRED' });
    expect(await failureOf(engine.calendars.list(caller, accountId, {}))).toMatchObject(expired);
    expect(await engine.accounts.getCredentials(caller, accountId)).toMatchObject({ status: 'EXPIRED' });
    expect(await connect(provider)).toBe(accountId);
    expect((await engine.calendars.list(caller, accountId, {})).data.length).toBeGreaterThan(0);
  });

  it('refuses a refresh token that is not one, and deletes the account', async () => {
    const accountId = await connect(provider);
    const { providerType, email } = provider;
    expect(
      await failureOf(engine.accounts.upsert(caller, { email, providerType, refreshToken: 'nonsense' })),
    ).toMatchObject({ code: 'InvalidRefreshToken', status: 400 });
    await engine.accounts.delete(caller, accountId);
    expect(await failureOf(engine.accounts.get(caller, accountId))).toMatchObject({ code: 'NotFound' });
  });
});
