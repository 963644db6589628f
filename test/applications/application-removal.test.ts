import { expect, it, onTestFinished } from 'vitest';
import { failureOf, openComposedEngine, REDIRECT_URL } from '../accounts/composed-engine.ts';

/** Runs the deletions in the background, as an engine does; returns when none is left. */
async function runRemoval(composed: Awaited<ReturnType<typeof openComposedEngine>>): Promise<void> {
  const stopping = new AbortController();
  const running = composed.engine.applicationRemoval.run(stopping.signal).catch(() => undefined);
  onTestFinished(() => stopping.abort());
  for (let round = 0; round < 50; round += 1) {
    await composed.clock.advance(1_000);
    if ((await composed.storage.applications.listDeleted(1)).length === 0) break;
  }
  stopping.abort();
  await running;
}

it('ends an application at once, and then everything of it, grants included', async () => {
  const composed = await openComposedEngine();
  const { engine, applicationId, connect, caller, fake, storage } = composed;
  const { applications, apiKeys, accounts, authorization, webhookEndpoints, audit } = engine.services;
  const { key } = await apiKeys.create(applicationId, { name: 'CI', expiresAt: null });
  const ids = [await connect(), await connect('bo@example.com')];
  await webhookEndpoints.create(caller, { webhookUrl: 'https://receiver.example/hook' });
  const other = await applications.create({ name: 'Other', redirectUrls: [REDIRECT_URL] });

  await composed.clock.advance(1);
  await applications.delete(applicationId, { type: 'admin' });
  await applications.delete(applicationId, { type: 'admin' });
  expect(await applications.get(applicationId)).toMatchObject({ status: 'DELETING', accountsLeft: 2 });
  expect(await failureOf(apiKeys.authenticate(key))).toMatchObject({ code: 'InvalidApiKey' });
  expect(await failureOf(apiKeys.create(applicationId, { name: 'late', expiresAt: null }))).toMatchObject({
    code: 'NotFound',
  });
  expect(await failureOf(authorization.begin(applicationId, 'fake', {}, null))).toMatchObject({ code: 'NotFound' });
  expect(await failureOf(connect('new@example.com'))).toMatchObject({ code: 'NotFound' });

  await composed.clock.advance(1);
  await runRemoval(composed);
  expect(await applications.find(applicationId)).toBeUndefined();
  expect(await failureOf(accounts.get(caller, ids[0] ?? ''))).toMatchObject({ code: 'NotFound' });
  expect(await storage.endpoints.list(applicationId, { limit: 9 })).toEqual([]);
  expect(fake.calls.filter((call) => call === 'revoke')).toHaveLength(2);
  const kept = await applications.get(other.id);
  expect(kept.status).toBe('ACTIVE');
  expect(kept).not.toHaveProperty('accountsLeft');
  const { data } = await audit.list({ applicationId, target: applicationId });
  expect(data.map(({ action, actor }) => [action, actor.type])).toEqual([
    ['application.deleted', 'system'],
    ['application.deletion.begun', 'admin'],
    ['application.created', 'embedded'],
  ]);
  expect(await failureOf(applications.delete('app_none'))).toMatchObject({ code: 'NotFound' });
});

it('carries on where another process stopped', async () => {
  const composed = await openComposedEngine();
  const { engine, applicationId, connect, storage } = composed;
  for (let index = 0; index < 45; index += 1) await connect(`person${index}@example.com`);
  await engine.services.applications.delete(applicationId);
  const stopping = new AbortController();
  const list = storage.accounts.list;
  const dying = composed.process({
    storage: {
      ...storage,
      accounts: {
        ...storage.accounts,
        async list(...input: Parameters<typeof list>) {
          if ((await list(...input)).length === 20) stopping.abort(new Error('killed'));
          return await list(...input);
        },
      },
    },
  });
  await failureOf(dying.applicationRemoval.run(stopping.signal));
  expect(await storage.accounts.list(applicationId, { limit: 99 })).toHaveLength(45);
  await runRemoval(composed);
  expect(await storage.applications.find(applicationId)).toBeUndefined();
});
