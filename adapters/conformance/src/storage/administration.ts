import assert from 'node:assert/strict';
import type { AuditRow, Storage } from 'kalends/ports';
import { config, key } from './applications.ts';
import { rejection } from './rejection.ts';
import {
  ACCOUNT,
  APPLICATION,
  accountRow,
  applicationRow,
  credentialRow,
  inWorld,
  OTHER_APPLICATION,
  race,
  type StorageConformanceOptions,
  subscriptionRow,
  targetOf,
} from './world.ts';

const entry = (id: string, patch: Partial<AuditRow> = {}): AuditRow => ({
  id,
  at: 100,
  applicationId: APPLICATION,
  actorType: 'key',
  actorId: 'key_1',
  address: '192.0.2.1',
  action: 'credentials.read',
  target: ACCOUNT,
  changed: [],
  ...patch,
});

const idsIn = async (storage: Storage, filter: Parameters<Storage['audit']['list']>[0] = {}) =>
  (await storage.audit.list(filter, { limit: 100 })).map(({ id }) => id);

/** Contracts that administration relies on: the end of applications, keys in use, clients, and the audit log. */
export function administrationConformance(options: StorageConformanceOptions): void {
  inWorld(options, 'redirect URLs: concurrent changes of one list all count', async (world) => {
    const add = (url: string) => (urls: readonly string[]) => [...urls, url];
    await race(world, 6, ({ applications }, index) =>
      applications.changeRedirectUrls(APPLICATION, add(`https://app.test/${index}`), 7),
    );
    const stored = await world.storage.applications.find(APPLICATION);
    assert.equal(stored?.redirectUrls.length, 7);
    assert.equal(new Set(stored?.redirectUrls).size, 7);
    assert.equal(stored?.updatedAt, 7);
  });

  inWorld(
    options,
    'redirect URLs: a refused change, and one that changes nothing, write nothing',
    async ({ storage }) => {
      const { applications } = storage;
      const refuse = () => {
        throw new Error('refused');
      };
      await assert.rejects(applications.changeRedirectUrls(APPLICATION, refuse, 7, entry('aud_1')), /refused/);
      const unchanged = await applications.changeRedirectUrls(APPLICATION, () => undefined, 7, entry('aud_2'));
      assert.deepEqual(unchanged, applicationRow());
      assert.equal(await applications.changeRedirectUrls('app_none', () => [], 7, entry('aud_3')), undefined);
      assert.deepEqual(await idsIn(storage), []);
    },
  );

  inWorld(
    options,
    'end of an application: begun once, with its keys revoked; then it takes nothing new',
    async (world) => {
      const { storage, peer } = world;
      await storage.apiKeys.create(key);
      const begun = await race(world, 6, ({ applications }) => applications.beginDeletion(APPLICATION, 50));
      assert.equal(begun.filter((isFirst) => isFirst).length, 1);
      assert.equal((await peer.applications.find(APPLICATION))?.deletedAt, 50);
      assert.deepEqual(
        (await peer.applications.listDeleted(9)).map(({ id }) => id),
        [APPLICATION],
      );
      assert.equal((await peer.apiKeys.findByHash(key.hash))?.revokedAt, 50);
      assert.equal(await storage.applications.update(APPLICATION, { name: 'late', updatedAt: 60 }), false);
      assert.equal(await storage.applications.changeRedirectUrls(APPLICATION, () => [], 60), undefined);
      await rejection('apiKeys.create', storage.apiKeys.create({ ...key, id: 'key_2', hash: 'hash-2' }), 'NotFound');
      await rejection('providerConfigs.put', storage.providerConfigs.put(config), 'NotFound');
      await rejection(
        'endpoints.insert',
        storage.endpoints.insert({ ...targetOf(subscriptionRow()), id: 'whe_1' }),
        'NotFound',
      );
      const mailbox = { id: 'acc_9', email: 'new@example.com', providerAccountId: 'sub-9' };
      await rejection(
        'accounts.save',
        storage.accounts.save(accountRow(mailbox), credentialRow({ id: 'crd_9', accountId: 'acc_9' })),
        'NotFound',
      );
      assert.equal(await storage.accounts.save(accountRow({ status: 'EXPIRED' }), credentialRow()), true);
    },
  );

  inWorld(options, 'end of an application: removed once nothing of it is left', async ({ storage, peer }) => {
    const { applications, accounts, endpoints, providerConfigs, apiKeys } = storage;
    await providerConfigs.put(config);
    await apiKeys.create(key);
    const endpoint = { ...targetOf(subscriptionRow()), id: 'whe_1' };
    await endpoints.insert(endpoint);
    assert.equal(await applications.remove(APPLICATION), false);
    await applications.beginDeletion(APPLICATION, 50);
    assert.equal(await applications.remove(APPLICATION, entry('aud_1')), false);
    await accounts.delete(APPLICATION, ACCOUNT);
    assert.equal(await applications.remove(APPLICATION, entry('aud_2')), false);
    await endpoints.delete(APPLICATION, endpoint.id);
    assert.equal(await applications.remove(APPLICATION, entry('aud_3')), true);
    assert.equal(await applications.remove(APPLICATION, entry('aud_4')), false);
    assert.equal(await peer.applications.find(APPLICATION), undefined);
    assert.equal(await peer.apiKeys.findByHash(key.hash), undefined);
    assert.equal(await peer.providerConfigs.findById(APPLICATION, config.id), undefined);
    assert.notEqual(await peer.applications.find(OTHER_APPLICATION), undefined);
    assert.deepEqual(await idsIn(storage), ['aud_3']);
  });

  inWorld(
    options,
    'API keys: uses never go back, and a hash is replaced only where it is still the expected one',
    async (world) => {
      const { apiKeys } = world.storage;
      await apiKeys.create(key);
      await apiKeys.noteUses([
        { id: key.id, at: 500 },
        { id: 'key_none', at: 1 },
      ]);
      await world.peer.apiKeys.noteUses([{ id: key.id, at: 400 }]);
      assert.equal((await apiKeys.findByHash(key.hash))?.lastUsedAt, 500);
      await apiKeys.replaceHash(key.id, 'another', 'wrong');
      await apiKeys.replaceHash(key.id, key.hash, 'hash-new');
      assert.equal(await apiKeys.findByHash(key.hash), undefined);
      assert.deepEqual(await world.peer.apiKeys.findByHash('hash-new'), { ...key, hash: 'hash-new', lastUsedAt: 500 });
    },
  );

  inWorld(
    options,
    'OAuth clients: the grant of a person is found in all applications of a client',
    async ({ storage }) => {
      const { providerConfigs, accounts } = storage;
      const { providerType, clientId } = config;
      const shared = { ...config, id: 'prv_2', applicationId: OTHER_APPLICATION };
      for (const row of [config, shared]) await providerConfigs.put(row);
      const email = 'ada@example.com';
      const hasGrant = (patch: Partial<Parameters<typeof accounts.hasGrant>[0]> = {}) =>
        accounts.hasGrant({ providerType, clientId, providerAccountId: 'sub-1', email, ...patch });
      assert.equal(await hasGrant(), true);
      assert.equal(await hasGrant({ providerAccountId: null }), true);
      assert.equal(await hasGrant({ email: 'x@example.com' }), true);
      assert.equal(await hasGrant({ providerAccountId: null, email: 'x@example.com' }), false);
      assert.equal(await hasGrant({ clientId: 'another' }), false);
      assert.equal(await hasGrant({ providerType: 'ANOTHER' }), false);
      await accounts.delete(APPLICATION, ACCOUNT);
      assert.equal(await hasGrant(), false);
      const elsewhere = { applicationId: OTHER_APPLICATION, providerConfigId: 'prv_2' };
      const row = accountRow({ ...elsewhere, id: 'acc_9', providerAccountId: 'sub-9', email: 'NINE@example.com' });
      await accounts.save(row, credentialRow({ id: 'crd_9', applicationId: OTHER_APPLICATION, accountId: 'acc_9' }));
      assert.equal(await hasGrant({ providerAccountId: null, email: 'nine@example.com' }), true);
      await accounts.expire(OTHER_APPLICATION, 'acc_9', 1, 1);
      assert.equal(await hasGrant({ providerAccountId: 'sub-9' }), false);
    },
  );

  inWorld(options, 'OAuth clients: listed by provider, removed unless accounts use them', async ({ storage }) => {
    const { providerConfigs, accounts } = storage;
    const other = { ...config, id: 'prv_2', providerType: 'ANOTHER', scopes: null, secretExpiresAt: null };
    await providerConfigs.put(config);
    await providerConfigs.put(other);
    assert.deepEqual(await providerConfigs.list(APPLICATION), [other, config]);
    assert.deepEqual(await providerConfigs.list(OTHER_APPLICATION), []);
    assert.equal(await providerConfigs.remove(APPLICATION, config.providerType), 'used');
    assert.equal(await providerConfigs.remove(OTHER_APPLICATION, config.providerType), 'unknown');
    await accounts.delete(APPLICATION, ACCOUNT);
    assert.equal(await providerConfigs.remove(APPLICATION, config.providerType), 'removed');
    assert.equal(await providerConfigs.remove(APPLICATION, config.providerType), 'unknown');
    assert.deepEqual(await providerConfigs.list(APPLICATION), [other]);
  });

  inWorld(options, 'accounts: found by the exact external id', async ({ storage }) => {
    const { accounts } = storage;
    await accounts.save(accountRow({ externalId: 'User_1' }), credentialRow());
    const found = async (externalId: string) =>
      (await accounts.list(APPLICATION, { externalId, limit: 9 })).map(({ id }) => id);
    assert.deepEqual(await found('User_1'), [ACCOUNT]);
    for (const text of ['user_1', 'User', 'User%1', '']) assert.deepEqual(await found(text), [], text);
  });

  inWorld(
    options,
    'audit log: newest first in pages, filtered, purged; it may name what does not exist',
    async (world) => {
      const { audit } = world.storage;
      await audit.append(entry('aud_b'));
      await audit.append(entry('aud_a', { actorType: 'admin', actorId: null, address: null }));
      await audit.append(
        entry('aud_c', { at: 300, applicationId: 'app_gone', action: 'application.deleted', target: 'app_gone' }),
      );
      await audit.append(entry('aud_d', { at: 50, applicationId: null, changed: ['name', 'redirectUrls'] }));
      const rows = await world.peer.audit.list({}, { limit: 2 });
      assert.deepEqual(
        rows.map(({ id }) => id),
        ['aud_c', 'aud_b'],
      );
      const rest = await world.peer.audit.list({}, { limit: 9, after: { at: 100, id: 'aud_b' } });
      assert.deepEqual(rest, [
        entry('aud_a', { actorType: 'admin', actorId: null, address: null }),
        entry('aud_d', { at: 50, applicationId: null, changed: ['name', 'redirectUrls'] }),
      ]);
      assert.deepEqual(await idsIn(world.storage, { applicationId: APPLICATION }), ['aud_b', 'aud_a']);
      assert.deepEqual(await idsIn(world.storage, { actorType: 'admin' }), ['aud_a']);
      assert.deepEqual(await idsIn(world.storage, { actorId: 'key_1', from: 100, to: 300 }), ['aud_b']);
      assert.deepEqual(await idsIn(world.storage, { action: 'application.deleted' }), ['aud_c']);
      assert.deepEqual(await idsIn(world.storage, { target: ACCOUNT, to: 100 }), ['aud_d']);
      assert.equal(await audit.purge(300, 2), 2);
      assert.equal(await audit.purge(300, 2), 1);
      assert.deepEqual(await idsIn(world.storage), ['aud_c']);
    },
  );

  inWorld(options, 'audit log: an entry is written with its change, and only with it', async ({ storage }) => {
    const { applications, apiKeys, accounts, targets, subscriptions } = storage;
    await applications.create(applicationRow({ id: 'app_new' }), entry('created'));
    await rejection('applications.create', applications.create(applicationRow({ id: 'app_new' }), entry('again')));
    await applications.update(APPLICATION, { name: 'x', updatedAt: 2 }, entry('updated'));
    await applications.update('app_none', { name: 'x', updatedAt: 2 }, entry('nothing'));
    await apiKeys.create(key, entry('key'));
    await rejection('apiKeys.create', apiKeys.create(key, entry('key twice')));
    await apiKeys.revoke(APPLICATION, key.id, 5, entry('revoked'));
    await apiKeys.revoke(APPLICATION, key.id, 6, entry('revoked twice'));
    await apiKeys.revoke(APPLICATION, 'key_none', 6, entry('no key'));
    await subscriptions.insert(subscriptionRow({ disabledAt: 2 }));
    const rotation = { previousSealed: 'resealed', expectedSealed: 'secret', sealed: 'next', previousUntil: 9, at: 3 };
    await targets.rotateSecret(APPLICATION, 'whs_1', rotation, entry('rotated'));
    await targets.rotateSecret(APPLICATION, 'whs_1', rotation, entry('rotated twice'));
    await targets.enable(APPLICATION, 'whs_1', { at: 5, message: null }, entry('enabled'));
    await targets.enable(APPLICATION, 'whs_1', { at: 6, message: null }, entry('enabled twice'));
    const taken = accountRow({ id: 'acc_7', email: 'ada@example.com', providerAccountId: null });
    const credential = credentialRow({ id: 'crd_7', accountId: 'acc_7' });
    assert.equal(await accounts.save(taken, credential, undefined, () => entry('taken')), false);
    const seen: unknown[] = [];
    const telling = (id: string) => (before: unknown, after: unknown) => {
      seen.push([id, before === undefined, after === undefined]);
      return entry(id);
    };
    await accounts.save(accountRow(), credentialRow(), undefined, telling('saved'));
    await accounts.expire(APPLICATION, ACCOUNT, 99, 5, undefined, telling('late'));
    await accounts.expire(APPLICATION, ACCOUNT, 2, 5, undefined, telling('expired'));
    await accounts.delete(APPLICATION, ACCOUNT, undefined, telling('deleted'));
    await accounts.delete(APPLICATION, ACCOUNT, undefined, telling('gone'));
    assert.deepEqual(seen, [
      ['saved', false, false],
      ['expired', false, false],
      ['deleted', false, true],
    ]);
    const expected = ['created', 'updated', 'key', 'revoked', 'rotated', 'enabled', 'saved', 'expired', 'deleted'];
    assert.deepEqual((await idsIn(storage)).sort(), expected.sort());
  });
}
