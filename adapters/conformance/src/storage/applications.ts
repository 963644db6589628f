import assert from 'node:assert/strict';
import type { ApiKeyRow, ProviderConfigRow } from 'kalends/ports';
import {
  APPLICATION,
  applicationRow,
  inWorld,
  OTHER_APPLICATION,
  race,
  type StorageConformanceOptions,
} from './world.ts';

export const config: ProviderConfigRow = {
  id: 'prv_1',
  applicationId: APPLICATION,
  providerType: 'PROVIDER_A',
  clientId: 'client',
  wrappedKey: 'wrapped',
  sealedClientSecret: 'sealed',
  settings: { tenant: 'common' },
  scopes: ['openid', 'calendar'],
  secretExpiresAt: 9_000,
  createdAt: 1,
  updatedAt: 1,
};

export const key: ApiKeyRow = {
  id: 'key_1',
  applicationId: APPLICATION,
  name: 'server',
  hash: 'hash-1',
  readOnly: true,
  canReadCredentials: true,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  createdAt: 1,
};

/** ApplicationStore, ProviderConfigStore, ApiKeyStore and UsedStateStore. */
export function applicationConformance(options: StorageConformanceOptions): void {
  inWorld(options, 'storage: opening twice, and from another handle, changes nothing', async ({ storage, peer }) => {
    await Promise.all([storage.open(), peer.open(), storage.open()]);
    assert.deepEqual(await peer.applications.find(APPLICATION), applicationRow());
  });

  inWorld(options, 'applications: lists ascending by creation, then id, in pages', async ({ storage }) => {
    await storage.applications.create(applicationRow({ id: 'app_0', createdAt: 5 }));
    await storage.applications.create(applicationRow({ id: 'app_9', createdAt: 0 }));
    const first = await storage.applications.list({ limit: 2 });
    assert.deepEqual(
      first.map(({ id }) => id),
      ['app_9', APPLICATION],
    );
    const rest = await storage.applications.list({ limit: 9, after: { createdAt: 1, id: APPLICATION } });
    assert.deepEqual(
      rest.map(({ id }) => id),
      [OTHER_APPLICATION, 'app_0'],
    );
  });

  inWorld(options, 'applications: an update changes what it names only', async ({ storage }) => {
    assert.equal(await storage.applications.update(APPLICATION, { name: 'Renamed ✓', updatedAt: 7 }), true);
    assert.deepEqual(await storage.applications.find(APPLICATION), applicationRow({ name: 'Renamed ✓', updatedAt: 7 }));
    assert.equal(await storage.applications.update(APPLICATION, { redirectUrls: [], updatedAt: 8 }), true);
    assert.deepEqual((await storage.applications.find(APPLICATION))?.redirectUrls, []);
    assert.deepEqual((await storage.applications.find(OTHER_APPLICATION))?.name, 'Tenant');
    assert.equal(await storage.applications.update('app_none', { name: 'x', updatedAt: 7 }), false);
    assert.equal(await storage.applications.find('app_none'), undefined);
  });

  inWorld(options, 'provider configs: putting again replaces all but id and createdAt', async ({ storage }) => {
    assert.deepEqual(await storage.providerConfigs.put(config), config);
    const replaced = { ...config, id: 'prv_2', clientId: 'other', settings: {}, createdAt: 9, updatedAt: 9 };
    const expected = { ...replaced, id: 'prv_1', createdAt: 1 };
    assert.deepEqual(await storage.providerConfigs.put(replaced), expected);
    assert.deepEqual(await storage.providerConfigs.find(APPLICATION, 'PROVIDER_A'), expected);
    assert.deepEqual(await storage.providerConfigs.findById(APPLICATION, 'prv_1'), expected);
    assert.equal(await storage.providerConfigs.findById(APPLICATION, 'prv_2'), undefined);
  });

  inWorld(options, 'provider configs: another application neither sees nor shares them', async ({ storage }) => {
    await storage.providerConfigs.put(config);
    assert.equal(await storage.providerConfigs.find(OTHER_APPLICATION, 'PROVIDER_A'), undefined);
    assert.equal(await storage.providerConfigs.findById(OTHER_APPLICATION, 'prv_1'), undefined);
    const own = { ...config, id: 'prv_9', applicationId: OTHER_APPLICATION };
    assert.deepEqual(await storage.providerConfigs.put(own), own);
    assert.deepEqual(await storage.providerConfigs.find(APPLICATION, 'PROVIDER_A'), config);
  });

  inWorld(
    options,
    'API keys: found by hash across applications, listed and revoked within one',
    async ({ storage }) => {
      const late = { ...key, id: 'key_0', hash: 'hash-0', canReadCredentials: false, expiresAt: 99, createdAt: 2 };
      await storage.apiKeys.create(late);
      await storage.apiKeys.create(key);
      assert.deepEqual(await storage.apiKeys.findByHash('hash-1'), key);
      assert.equal(await storage.apiKeys.findByHash('hash-2'), undefined);
      const together = ['hash-1', 'hash-0', 'hash-2', 'hash-1'].map((hash) => storage.apiKeys.findByHash(hash));
      assert.deepEqual(await Promise.all(together), [key, late, undefined, key]);
      assert.deepEqual(await storage.apiKeys.findByHash('hash-2', 'hash-1', 'hash-3'), key);
      assert.equal(await storage.apiKeys.findByHash('hash-2', 'hash-3'), undefined);
      assert.deepEqual(await storage.apiKeys.list(APPLICATION), [key, late]);
      assert.deepEqual(await storage.apiKeys.list(OTHER_APPLICATION), []);
      assert.equal(await storage.apiKeys.revoke(OTHER_APPLICATION, 'key_1', 5), false);
      assert.equal(await storage.apiKeys.revoke(APPLICATION, 'key_1', 5), true);
      assert.equal(await storage.apiKeys.revoke(APPLICATION, 'key_1', 6), true);
      assert.deepEqual(await storage.apiKeys.findByHash('hash-1'), { ...key, revokedAt: 5 });
    },
  );

  inWorld(options, 'used states: of many concurrent callers exactly one marks a state', async (world) => {
    const marked = await race(world, 8, ({ usedStates }) => usedStates.mark('state-1', 1_000));
    assert.equal(marked.filter((isFirst) => isFirst).length, 1);
    assert.equal(await world.peer.usedStates.mark('state-1', 1_000), false);
    assert.equal(await world.peer.usedStates.mark('state-2', 1_000), true);
  });

  inWorld(options, 'used states: a purge removes the marks of states that expired before', async ({ storage }) => {
    const { usedStates } = storage;
    await usedStates.mark('state-1', 1_000);
    await usedStates.mark('state-2', 1_500);
    assert.equal(await usedStates.purge(1_500), 1);
    assert.equal(await usedStates.mark('state-1', 1_000), true);
    assert.equal(await usedStates.mark('state-2', 1_500), false);
  });
}
