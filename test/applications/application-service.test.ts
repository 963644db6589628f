import { describe, expect, it } from 'vitest';
import { composeEngine } from '../../src/compose-engine.ts';
import { resolveOptions } from '../../src/resolve-options.ts';
import { failureOf, openComposedEngine, REDIRECT_URL } from '../accounts/composed-engine.ts';

describe('applications', () => {
  it('are created, found, listed in order and updated', async () => {
    const { engine, applicationId, clock } = await openComposedEngine();
    const { applications } = engine.services;
    await clock.advance(1);
    const second = await applications.create({ name: ' Second ' });
    expect(second).toEqual({
      id: expect.stringMatching(/^app_[0-9A-Za-z]{22}$/),
      name: 'Second',
      redirectUrls: [],
      status: 'ACTIVE',
      createdAt: '2026-03-02T09:00:00.001Z',
      updatedAt: '2026-03-02T09:00:00.001Z',
    });
    expect((await applications.list()).data.map(({ id }) => id)).toEqual([applicationId, second.id]);
    expect(await applications.find('app_none')).toBeUndefined();
    const updated = await applications.update(second.id, { redirectUrls: ['http://localhost:3000/cb'] });
    expect(updated).toEqual({ ...second, redirectUrls: ['http://localhost:3000/cb'] });
    expect(await applications.find(second.id)).toEqual(updated);
    expect(await failureOf(applications.update('app_none', { name: 'x' }))).toMatchObject({ code: 'NotFound' });
  });

  it.each([
    ['a relative URL', '/cb'],
    ['another scheme', 'myapp://cb'],
    ['javascript', 'javascript:alert(1)'],
    ['a fragment', 'https://app.example/cb#x'],
    ['user-info', 'https://user@app.example/cb'],
    ['white space', ' https://app.example/cb'],
    ['a backslash', 'https:\\\\app.example/cb'],
    ['one slash', 'https:/app.example/cb'],
  ])('refuse a redirect URL with %s', async (_name, url) => {
    const { engine } = await openComposedEngine();
    const failure = await failureOf(engine.services.applications.create({ name: 'x', redirectUrls: [url] }));
    expect(failure).toMatchObject({ code: 'InvalidRequest', details: [{ path: 'redirectUrls.0' }] });
  });

  it('refuse empty names, unknown fields and repeated redirect URLs, naming them', async () => {
    const { applications } = (await openComposedEngine()).engine.services;
    expect(await failureOf(applications.create({ name: ' ' }))).toMatchObject({ details: [{ path: 'name' }] });
    expect(await failureOf(applications.create({ name: 'x', colour: 1 } as never))).toMatchObject({
      details: [{ path: 'colour', message: 'is not a known field' }],
    });
    const twice = { name: 'x', redirectUrls: [REDIRECT_URL, REDIRECT_URL] };
    expect(await failureOf(applications.create(twice))).toMatchObject({ details: [{ path: 'redirectUrls' }] });
  });

  it('keep the id of a provider configuration that is replaced, and seal its secret', async () => {
    const { engine, storage, applicationId } = await openComposedEngine();
    const { oauthClients } = engine.services;
    const first = await storage.providerConfigs.find(applicationId, 'FAKE');
    const { providerId } = await oauthClients.set(applicationId, 'FAKE', {
      clientId: 'other',
      clientSecret: 'new secret',
      settings: { tenant: 'common' },
    });
    expect(providerId).toBe(first?.id);
    const stored = await storage.providerConfigs.find(applicationId, 'FAKE');
    expect(stored).toMatchObject({ clientId: 'other', settings: { tenant: 'common' } });
    expect(JSON.stringify(stored)).not.toContain('new secret');
  });

  it('have the scopes that sign-ins ask for, if calendars can be read with them', async () => {
    const { engine, applicationId } = await openComposedEngine();
    const { oauthClients, authorization } = engine.services;
    const client = { clientId: 'c', clientSecret: 's' };
    const asked = async () => {
      const { location } = await authorization.begin(applicationId, 'fake', {}, null);
      return new URL(location).searchParams.get('scope');
    };
    expect(await asked()).toBeNull();
    await oauthClients.set(applicationId, 'FAKE', { ...client, scopes: ['calendar', 'mail'] });
    expect(await asked()).toBe('calendar mail');
    expect(await failureOf(oauthClients.set(applicationId, 'FAKE', { ...client, scopes: ['mail'] }))).toMatchObject({
      code: 'InvalidRequest',
      details: [{ path: 'scopes', message: 'must include calendar' }],
    });
    expect(await asked()).toBe('calendar mail');
    await oauthClients.set(applicationId, 'FAKE', client);
    expect(await asked()).toBeNull();
  });

  it('refuse a client for a provider that is not registered, or for no application', async () => {
    const { engine, applicationId } = await openComposedEngine();
    const { oauthClients } = engine.services;
    const client = { clientId: 'c', clientSecret: 's' };
    expect(await failureOf(oauthClients.set(applicationId, 'NOPE', client))).toMatchObject({
      code: 'InvalidRequest',
      message: 'providerType: must be one of FAKE, OTHER',
    });
    expect(await failureOf(oauthClients.set('app_none', 'FAKE', client))).toMatchObject({
      code: 'NotFound',
    });
    expect(await failureOf(oauthClients.set(applicationId, 'FAKE', { clientId: '', clientSecret: 's' }))).toMatchObject(
      { details: [{ path: 'clientId' }] },
    );
  });
});

describe('API keys', () => {
  it('authenticate as their application, are shown once and stored as a hash', async () => {
    const { engine, storage, applicationId } = await openComposedEngine();
    const { apiKeys } = engine.services;
    const { key, apiKey } = await apiKeys.create(applicationId, { name: 'CI', expiresAt: null });
    expect(key).toMatch(/^kal_live_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    expect(await apiKeys.authenticate(key)).toEqual({
      applicationId,
      apiKeyId: apiKey.id,
      canReadCredentials: true,
      readOnly: false,
    });
    expect(await apiKeys.list(applicationId)).toMatchObject({ data: [{ ...apiKey, lastUsedAt: expect.anything() }] });
    expect(apiKey).toMatchObject({ expiresAt: null, revokedAt: null, canReadCredentials: true });
    expect(JSON.stringify(await storage.apiKeys.list(applicationId))).not.toContain(key);
  });

  it('give one and the same 401, whatever is wrong with them', async () => {
    const { engine, applicationId, clock } = await openComposedEngine();
    const { apiKeys } = engine.services;
    const valid = await apiKeys.create(applicationId, { name: 'a', expiresAt: null });
    const expiring = await apiKeys.create(applicationId, {
      name: 'b',
      expiresAt: new Date(clock.now() + 1_000).toISOString(),
    });
    const revoked = await apiKeys.create(applicationId, { name: 'c', expiresAt: null });
    await apiKeys.revoke(applicationId, revoked.apiKey.id);
    expect(await apiKeys.authenticate(expiring.key)).toMatchObject({ applicationId });
    await clock.advance(1_000);
    const { key } = valid;
    const unknown = `${key.slice(0, 12)}${key[12] === 'a' ? 'b' : 'a'}${key.slice(13)}`;
    const wrong = [undefined, null, '', 'kal_', 'x'.repeat(10_000), unknown, `${key}x`, ` ${key}`, key.toUpperCase()];
    const failures = await Promise.all(
      [...wrong, expiring.key, revoked.key].map((text) => failureOf(apiKeys.authenticate(text))),
    );
    for (const failure of failures) {
      expect(failure).toMatchObject({
        code: 'InvalidApiKey',
        status: 401,
        message: 'The API key is missing or not valid.',
      });
    }
    expect(await apiKeys.authenticate(key)).toMatchObject({ applicationId });
  });

  it('still work after the secret was replaced, as long as the earlier one is configured', async () => {
    const { engine, storage, fake, applicationId } = await openComposedEngine();
    const { key } = await engine.services.apiKeys.create(applicationId, { name: 'a', expiresAt: null });
    const secret = Buffer.alloc(32, 8).toString('hex');
    const previous = Buffer.alloc(32, 7).toString('base64');
    const options = { storage, providers: { FAKE: fake.provider }, secret };
    const forgotten = composeEngine(resolveOptions(options)).services.apiKeys;
    // Without the earlier secret the key cannot be told from a wrong one: no client may conclude that it was revoked.
    expect(await failureOf(forgotten.authenticate(key))).toMatchObject({ code: 'InternalError', status: 503 });
    const rotated = composeEngine(resolveOptions({ ...options, previousSecrets: [previous] })).services;
    await rotated.dataKeys.rewrap();
    expect(await failureOf(forgotten.authenticate(key))).toMatchObject({ code: 'InvalidApiKey', status: 401 });
    expect(await rotated.apiKeys.authenticate(key)).toMatchObject({ applicationId });
  });

  it('carry the right to read credentials, and refuse an expiry in the past', async () => {
    const { engine, applicationId, clock } = await openComposedEngine();
    const { apiKeys } = engine.services;
    const { key } = await apiKeys.create(applicationId, {
      name: 'a',
      expiresAt: null,
      canReadCredentials: false,
    });
    expect(await apiKeys.authenticate(key)).toMatchObject({ canReadCredentials: false });
    expect(
      await failureOf(apiKeys.create(applicationId, { name: 'a', expiresAt: new Date(clock.now()).toISOString() })),
    ).toMatchObject({
      details: [{ path: 'expiresAt' }],
    });
    expect(await failureOf(apiKeys.create('app_x', { name: 'a', expiresAt: null }))).toMatchObject({
      code: 'NotFound',
    });
    expect(await failureOf(apiKeys.revoke(applicationId, 'key_x'))).toMatchObject({ code: 'NotFound' });
    expect(await failureOf(apiKeys.list('app_x'))).toMatchObject({ code: 'NotFound' });
  });
});
