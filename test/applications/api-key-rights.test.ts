import { createEngine, KalendsError } from 'kalends';
import { describe, expect, it } from 'vitest';
import { composeEngine } from '../../src/compose-engine.ts';
import { resolveOptions } from '../../src/resolve-options.ts';
import { SERVICE_EFFECTS } from '../../src/service-effects.ts';
import { failureOf, openComposedEngine } from '../accounts/composed-engine.ts';

const SECRETS = [8, 7].map((byte) => Buffer.alloc(32, byte).toString('base64'));

describe('a key that may only read', () => {
  it('is refused by every method that changes something, and by no other', async () => {
    const { storage, fake, applicationId } = await openComposedEngine();
    const [, secret = ''] = SECRETS;
    const engine = createEngine({ storage, providers: { FAKE: fake.provider }, secret });
    const { key } = await engine.apiKeys.create(applicationId, { name: 'reader', expiresAt: null, readOnly: true });
    const caller = await engine.apiKeys.authenticate(key);
    expect(caller.readOnly).toBe(true);
    for (const [service, methods] of Object.entries(SERVICE_EFFECTS)) {
      for (const [method, effect] of Object.entries(methods)) {
        const work = engine[service as keyof typeof SERVICE_EFFECTS] as unknown as Record<
          string,
          (...parameters: unknown[]) => Promise<unknown>
        >;
        const outcome = await work[method]?.(caller, 'acc_none', 'x', 'x', {}).catch((error: unknown) => error);
        expect(KalendsError.isInstance(outcome) && outcome.code === 'Forbidden', `${service}.${method}`).toBe(
          effect === 'writes',
        );
      }
    }
  });
});

describe('a key in use', () => {
  it('shows its last use to the minute', async () => {
    const { engine, clock, applicationId, storage } = await openComposedEngine();
    const { apiKeys } = engine.services;
    const { key } = await apiKeys.create(applicationId, { name: 'a', expiresAt: '90d' });
    const uses = () => apiKeys.list(applicationId).then(({ data }) => data[0]?.lastUsedAt);
    expect(await uses()).toBeNull();
    const first = clock.now();
    await apiKeys.authenticate(key);
    await storage.apiKeys.list(applicationId);
    expect(await uses()).toBe(new Date(first).toISOString());
    await clock.advance(59_999);
    await apiKeys.authenticate(key);
    expect(await uses()).toBe(new Date(first).toISOString());
    await clock.advance(1);
    await apiKeys.authenticate(key);
    await storage.apiKeys.list(applicationId);
    expect(await uses()).toBe(new Date(first + 60_000).toISOString());
  });

  it('is stored anew under the current secret, and then outlives the previous one', async () => {
    const { engine, storage, fake, applicationId } = await openComposedEngine();
    const { key } = await engine.services.apiKeys.create(applicationId, { name: 'a', expiresAt: null });
    const [secret = '', previous = ''] = SECRETS;
    const options = { storage, providers: { FAKE: fake.provider }, secret };
    const rotated = composeEngine(resolveOptions({ ...options, previousSecrets: [previous] })).services.apiKeys;
    await rotated.authenticate(key);
    await storage.apiKeys.list(applicationId);
    const alone = composeEngine(resolveOptions(options)).services.apiKeys;
    expect(await alone.authenticate(key)).toMatchObject({ applicationId });
  });

  it('ends after its days, at a date or at a time', async () => {
    const { engine, clock, applicationId } = await openComposedEngine();
    const { apiKeys } = engine.services;
    const expiry = async (expiresAt: string | null) =>
      (await apiKeys.create(applicationId, { name: 'a', expiresAt })).apiKey.expiresAt;
    expect(await expiry('90d')).toBe(new Date(clock.now() + 90 * 86_400_000).toISOString());
    expect(await expiry('2027-01-31')).toBe('2027-01-31T00:00:00.000Z');
    expect(await expiry('2027-01-31T12:00:00+02:00')).toBe('2027-01-31T10:00:00.000Z');
    expect(await expiry(null)).toBeNull();
    for (const wrong of ['', '0d', '90', 'd', '2027-02-30', 'tomorrow', '90 d']) {
      expect(await failureOf(apiKeys.create(applicationId, { name: 'a', expiresAt: wrong })), wrong).toMatchObject({
        details: [{ path: 'expiresAt' }],
      });
    }
  });
});
