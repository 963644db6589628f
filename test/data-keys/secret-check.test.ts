import { createEngine, type Engine, type EngineOptions } from 'kalends';
import { parseSecrets, systemRandom } from 'kalends/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createChannelTokens } from '../../src/channels/index.ts';
import { type ComposedEngine, failureOf, openComposedEngine } from '../accounts/composed-engine.ts';

const OLD = Buffer.alloc(32, 21).toString('base64');
const NEW = Buffer.alloc(32, 22).toString('base64');
const FOREIGN = Buffer.alloc(32, 23).toString('base64');
const DAY = 86_400_000;

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: unknown;
}

/** A whole engine on the composed engine's storage and clock, with its background work. */
async function startEngine(
  { storage, fake, clock }: ComposedEngine,
  options: Pick<EngineOptions, 'secret' | 'previousSecrets' | 'lostKeyIds'>,
): Promise<{ readonly engine: Engine; readonly log: readonly Line[] }> {
  const log: Line[] = [];
  const writer = (level: string) => (message: string, fields?: unknown) => void log.push({ level, message, fields });
  const engine = createEngine({
    // Closed by the composed engine.
    storage: { ...storage, close: async () => undefined },
    providers: { FAKE: fake.provider, OTHER: fake.provider },
    publicUrl: 'https://calendar.example/api/',
    webhooks: { allowedNetworks: ['127.0.0.0/8'] },
    clock,
    random: systemRandom,
    logger: { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') },
    ...options,
  });
  await engine.start();
  onTestFinished(() => engine.stop());
  return { engine, log };
}

/** Lets background work go on for days, in steps that its timers meet. */
async function pass({ clock }: ComposedEngine, days: number): Promise<void> {
  for (let hour = 0; hour < days * 24; hour += 1) await clock.advance(DAY / 24);
}

/** Everything that a secret that does not fit must leave as it is. */
async function contentOf({ storage, applicationId }: ComposedEngine, accountIds: readonly string[]) {
  return {
    accounts: await Promise.all(accountIds.map((id) => storage.accounts.find(applicationId, id))),
    credentials: await Promise.all(accountIds.map((id) => storage.accounts.findCredential(applicationId, id))),
    clients: await storage.providerConfigs.list(applicationId),
    keys: (await storage.apiKeys.list(applicationId)).map(({ id, revokedAt }) => ({ id, revokedAt })),
    endpoints: await storage.dataKeys.list('target', { limit: 9 }),
  };
}

const about = (log: readonly Line[]) => log.filter(({ message }) => /secret/.test(message));

describe('a secret that opens nothing', () => {
  async function world() {
    const composed = await openComposedEngine({ secret: OLD, webhooks: { allowedNetworks: ['127.0.0.0/8'] } });
    const { services } = composed.engine;
    const accountId = await composed.connect();
    const { key } = await services.apiKeys.create(composed.applicationId, { name: 'k', expiresAt: null });
    await services.webhookEndpoints.create(composed.caller, { webhookUrl: 'http://127.0.0.1:8080/hook' });
    return { composed, accountId, key };
  }

  it('is logged once for all callers, and touches nothing in a day of background work', async () => {
    const { composed, accountId, key } = await world();
    const before = await contentOf(composed, [accountId]);
    const calls = composed.fake.calls.length;
    const { engine, log } = await startEngine(composed, { secret: FOREIGN });
    await pass(composed, 1);
    expect(await engine.dataKeys.check()).toEqual({
      opens: 'none',
      missingKeyIds: [expect.stringMatching(/^[\w-]{8}$/)],
      isChecked: true,
    });
    expect(await failureOf(engine.apiKeys.authenticate(key))).toMatchObject({ code: 'InternalError', status: 503 });
    expect(about(log)).toMatchObject([{ level: 'error', fields: { reason: expect.stringContaining('key ids') } }]);
    expect(JSON.stringify(log)).not.toContain(FOREIGN.slice(0, 12));
    expect(composed.fake.calls.slice(calls)).toEqual([]);
    expect(await contentOf(composed, [accountId])).toEqual(before);
    await engine.stop();

    const mended = await startEngine(composed, { secret: OLD });
    expect(about(mended.log)).toEqual([]);
    expect(await mended.engine.apiKeys.authenticate(key)).toMatchObject({ applicationId: composed.applicationId });
    expect(await mended.engine.accounts.getCredentials(composed.caller, accountId)).toMatchObject({
      refreshToken: 'rt-ada@example.com',
    });
  });

  it('has providers repeat their notifications, and refuses none of them as forged', async () => {
    const { composed } = await world();
    const token = createChannelTokens(parseSecrets(OLD)).issue('chn_0123456789012345678901');
    const notify = (engine: Engine, sent: string) => {
      const body = JSON.stringify([{ providerChannelId: 'c', token: sent, kind: 'changed', providerEventIds: [] }]);
      return engine.push.receive('fake', new Request('https://calendar.example/push', { method: 'POST', body }));
    };
    const { engine } = await startEngine(composed, { secret: FOREIGN });
    expect(await failureOf(notify(engine, token))).toMatchObject({ code: 'InternalError', status: 503 });
    const mended = (await startEngine(composed, { secret: OLD })).engine;
    expect(await notify(mended, token)).toMatchObject({ genuine: 1, forged: 0 });
    expect(await notify(mended, `${token}x`)).toMatchObject({ genuine: 0, forged: 1 });
  });

  it('is noticed once the clock was set back', async () => {
    const { composed } = await world();
    const { engine } = await startEngine(composed, { secret: OLD });
    expect(await engine.dataKeys.check()).toMatchObject({ opens: 'all' });
    await composed.storage.dataKeys.setSecretId('foreign1');
    await composed.clock.advance(-DAY);
    expect(await engine.dataKeys.check()).toMatchObject({ opens: 'some', missingKeyIds: ['foreign1'] });
  });

  it('seals nothing that the right secret could not open', async () => {
    const { composed, accountId } = await world();
    const before = await contentOf(composed, [accountId]);
    const { engine } = await startEngine(composed, { secret: FOREIGN });
    const { applicationId, caller } = composed;
    composed.fake.grant('rt-eve', 'eve@example.com');
    const body = { email: 'eve@example.com', providerType: 'FAKE', refreshToken: 'rt-eve' };
    for (const attempt of [
      engine.oauthClients.set(applicationId, 'OTHER', { clientId: 'c', clientSecret: 's' }),
      engine.apiKeys.create(applicationId, { name: 'k', expiresAt: null }),
      engine.accounts.upsert(caller, body),
      engine.webhookEndpoints.create(caller, { webhookUrl: 'http://127.0.0.1:8080/other' }),
    ]) {
      expect(await failureOf(attempt)).toMatchObject({ code: 'InternalError', status: 503 });
    }
    expect(await contentOf(composed, [accountId])).toEqual(before);
  });

  it('is given up by naming its key id, and new things are sealed under the present one', async () => {
    const { composed } = await world();
    const [lost = ''] = (await (await startEngine(composed, { secret: FOREIGN })).engine.dataKeys.check())
      .missingKeyIds;
    const { engine, log } = await startEngine(composed, { secret: FOREIGN, lostKeyIds: [lost] });
    expect(await engine.dataKeys.check()).toMatchObject({ opens: 'all', missingKeyIds: [] });
    await engine.oauthClients.set(composed.applicationId, 'FAKE', { clientId: 'c', clientSecret: 's' });
    expect(await failureOf(engine.apiKeys.authenticate('kal_live_unknown'))).toMatchObject({ code: 'InvalidApiKey' });
    expect(about(log)).toEqual([]);
  });
});

it('fits any secret while nothing is stored', async () => {
  const composed = await openComposedEngine();
  await composed.engine.services.oauthClients.remove(composed.applicationId, 'FAKE');
  const { engine } = await startEngine(composed, { secret: FOREIGN });
  expect(await engine.dataKeys.check()).toEqual({ opens: 'all', missingKeyIds: [], isChecked: false });
});

it('fits none but its own once an API key was made, until that is rewrapped', async () => {
  const composed = await openComposedEngine({ secret: OLD });
  await composed.engine.services.oauthClients.remove(composed.applicationId, 'FAKE');
  const { key } = await composed.engine.services.apiKeys.create(composed.applicationId, { name: 'k', expiresAt: null });
  const foreign = (await startEngine(composed, { secret: FOREIGN })).engine;
  expect(await foreign.dataKeys.check()).toMatchObject({ opens: 'none', isChecked: true });
  expect(await failureOf(foreign.apiKeys.authenticate(key))).toMatchObject({ status: 503 });
  const input = { name: 'lost', expiresAt: null };
  expect(await failureOf(foreign.apiKeys.create(composed.applicationId, input))).toMatchObject({ status: 503 });
  await foreign.dataKeys.rewrap();
  const old = (await startEngine(composed, { secret: OLD })).engine;
  expect(await old.dataKeys.check()).toMatchObject({ opens: 'all', isChecked: true });

  const rotated = (await startEngine(composed, { secret: NEW, previousSecrets: [OLD] })).engine;
  await rotated.dataKeys.rewrap();
  const later = (await startEngine(composed, { secret: NEW })).engine;
  expect(await later.dataKeys.check()).toMatchObject({ opens: 'all', isChecked: true });
});

describe('a previous secret that was removed too early', () => {
  async function world() {
    const composed = await openComposedEngine({ secret: OLD, previousSecrets: [NEW] });
    const ada = await composed.connect('ada@example.com');
    const { key: oldKey } = await composed.engine.services.apiKeys.create(composed.applicationId, {
      name: 'old',
      expiresAt: null,
    });
    const next = composed.process({ secret: NEW, previousSecrets: [OLD] });
    await next.services.oauthClients.set(composed.applicationId, 'FAKE', { clientId: 'client', clientSecret: 'hush' });
    composed.fake.grant('rt-bob', 'bob@example.com');
    const body = { email: 'bob@example.com', providerType: 'FAKE', refreshToken: 'rt-bob' };
    const { account } = await next.services.accounts.upsert(composed.caller, body);
    const { events } = next.services;
    const window = { startDateTime: '2027-01-01T00:00:00Z', endDateTime: '2027-01-02T00:00:00Z' };
    for (const id of [ada, account.id]) {
      let isRead = false;
      const read = events.list(composed.caller, id, 'primary', window).finally(() => {
        isRead = true;
      });
      while (!isRead) await composed.clock.advance(10);
      await read;
    }
    const { key: newKey } = await next.services.apiKeys.create(composed.applicationId, {
      name: 'new',
      expiresAt: null,
    });
    return { composed, next, ada, bob: account.id, oldKey, newKey };
  }

  it('expires and deletes no account; the others go on; and all is well once the secret is listed again', {
    timeout: 90_000,
  }, async () => {
    const { composed, next, ada, bob, oldKey, newKey } = await world();
    const before = await contentOf(composed, [ada]);
    const { engine, log } = await startEngine(composed, { secret: NEW });
    await pass(composed, 1);
    const after = await contentOf(composed, [ada]);
    expect(after.accounts).toEqual(before.accounts);
    expect(after.credentials).toEqual(before.credentials);
    expect(await engine.dataKeys.check()).toMatchObject({ opens: 'some', missingKeyIds: [expect.any(String)] });
    expect(about(log)).toHaveLength(1);
    const failing = await engine.operations.getSyncHealth(composed.applicationId, ada);
    expect(
      failing.collections.some(({ failures, lastFailure }) => failures > 3 && lastFailure?.code === 'InternalError'),
    ).toBe(true);
    expect(await failureOf(engine.accounts.getCredentials(composed.caller, ada))).toMatchObject({ status: 503 });
    expect(await engine.accounts.getCredentials(composed.caller, bob)).toMatchObject({ refreshToken: 'rt-bob' });
    expect(await engine.apiKeys.authenticate(newKey)).toMatchObject({ applicationId: composed.applicationId });
    // Made under the secret that is missing: not a wrong key.
    expect(await failureOf(engine.apiKeys.authenticate(oldKey))).toMatchObject({ code: 'InternalError', status: 503 });

    // Another process, which has the secret, rewraps: this one recovers by itself.
    await next.services.dataKeys.rewrap();
    await composed.clock.advance(2_000);
    expect(await engine.dataKeys.check()).toMatchObject({ opens: 'all' });
    expect(about(log).map(({ level }) => level)).toEqual(['error', 'info']);
    expect(await failureOf(engine.apiKeys.authenticate(oldKey))).toMatchObject({ code: 'InvalidApiKey' });
    expect(await engine.accounts.getCredentials(composed.caller, ada)).toMatchObject({
      refreshToken: 'rt-ada@example.com',
    });
    await engine.operations.sync(composed.applicationId, ada);
    await composed.clock.advance(60_000);
    const health = await engine.operations.getSyncHealth(composed.applicationId, ada);
    expect(health.status).toBe('ACTIVE');
    expect(health.collections.map(({ failures }) => failures)).toEqual(health.collections.map(() => 0));
  });
});
