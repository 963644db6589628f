import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import {
  type DataKeyKind,
  type DataKeyRow,
  type ProviderConfigRow,
  type Storage,
  WRAPPING_NAME_LENGTH,
} from 'kalends/ports';
import {
  ACCOUNT,
  APPLICATION,
  accountRow,
  credentialRow,
  inWorld,
  OTHER_ACCOUNT,
  OTHER_APPLICATION,
  race,
  type StorageConformanceOptions,
  signInRow,
  subscriptionRow,
  targetOf,
} from './world.ts';

/** An application's OAuth client. */
export const CLIENT: ProviderConfigRow = {
  id: 'prv_1',
  applicationId: APPLICATION,
  providerType: 'PROVIDER_A',
  clientId: 'client',
  wrappedKey: 'wrapped',
  sealedClientSecret: 'sealed',
  settings: {},
  scopes: null,
  secretExpiresAt: null,
  createdAt: 1,
  updatedAt: 1,
};

const STORED: Readonly<Record<DataKeyKind, DataKeyRow>> = {
  client: {
    kind: 'client',
    id: 'prv_1',
    applicationId: APPLICATION,
    providerType: 'PROVIDER_A',
    wrappedKey: 'wrapped',
  },
  credential: {
    kind: 'credential',
    id: 'crd_1',
    applicationId: APPLICATION,
    accountId: ACCOUNT,
    wrappedKey: 'wrapped',
  },
  target: { kind: 'target', id: 'whs_1', applicationId: APPLICATION, wrappedKey: 'wrapped' },
};
const KINDS = Object.keys(STORED) as readonly DataKeyKind[];

/** Creates one row of each kind; the accounts' credentials exist already. */
async function fill({ providerConfigs, subscriptions }: Storage): Promise<void> {
  await providerConfigs.put(CLIENT);
  await subscriptions.insert(subscriptionRow());
}

/** Returns the rows without their data keys. */
async function contents({ providerConfigs, accounts, subscriptions }: Storage) {
  const rows = [
    await providerConfigs.find(APPLICATION, 'PROVIDER_A'),
    await accounts.findCredential(APPLICATION, ACCOUNT),
    await subscriptions.find(APPLICATION, ACCOUNT, 'whs_1'),
  ];
  return rows.map((row) => row && { ...row, wrappedKey: '' });
}

/** DataKeyStore. */
export function dataKeyConformance(options: StorageConformanceOptions): void {
  inWorld(
    options,
    'data keys: listed in pages by id, each kind by itself, of all applications',
    async ({ storage }) => {
      await fill(storage);
      const { client, credential, target } = STORED;
      const others = {
        client: { ...client, id: 'prv_0', applicationId: OTHER_APPLICATION, wrappedKey: 'other' },
        credential: { ...credential, id: 'crd_2', applicationId: OTHER_APPLICATION, accountId: OTHER_ACCOUNT },
        target: { ...target, id: 'whe_1', applicationId: OTHER_APPLICATION, wrappedKey: 'other' },
      };
      const { id, applicationId, wrappedKey } = others.client;
      await storage.providerConfigs.put({ ...CLIENT, id, applicationId, wrappedKey });
      await storage.endpoints.insert(
        targetOf(subscriptionRow({ id: 'whe_1', applicationId: OTHER_APPLICATION, wrappedKey: 'other' })),
      );
      assert.deepEqual(await storage.dataKeys.list('client', { limit: 9 }), [others.client, client]);
      assert.deepEqual(await storage.dataKeys.list('credential', { limit: 9 }), [credential, others.credential]);
      assert.deepEqual(await storage.dataKeys.list('target', { limit: 9 }), [others.target, target]);
      assert.deepEqual(await storage.dataKeys.list('credential', { limit: 1 }), [credential]);
      assert.deepEqual(await storage.dataKeys.list('credential', { limit: 9, after: 'crd_1' }), [others.credential]);
      assert.deepEqual(await storage.dataKeys.list('credential', { limit: 9, after: 'crd_2' }), []);
    },
  );

  inWorld(options, 'data keys: the first secret of API keys is recorded, until it is replaced', async (world) => {
    const { storage, peer } = world;
    assert.equal(await storage.dataKeys.findSecretId(), undefined);
    let names = 0;
    await race(world, 8, (each) => each.dataKeys.setSecretId(`secret_${names++}`, { ifNone: true }));
    const first = await storage.dataKeys.findSecretId();
    assert.match(first ?? '', /^secret_[0-7]$/);
    assert.equal(await peer.dataKeys.findSecretId(), first);
    await peer.dataKeys.setSecretId('next');
    assert.equal(await storage.dataKeys.findSecretId(), 'next');
    assert.equal((await storage.health.inspect()).zoneData, null);
  });

  inWorld(options, 'data keys: one sample of each wrapping key, of all applications', async ({ storage }) => {
    await fill(storage);
    const { client, target } = STORED;
    const named = (id: string, key: string) => ({ ...target, id, wrappedKey: key });
    const keys = ['1.AAAAAAAA.x', '1.AAAAAAAA.y', '1.BBBBBBBB.x', '1.aaaaaaaa.x', '1.AAAAAAAA.z'];
    const rows = keys.map((key, index) => named(`whe_${index}`, key));
    for (const { id, wrappedKey } of rows) {
      const applicationId = id === 'whe_2' ? OTHER_APPLICATION : APPLICATION;
      await storage.endpoints.insert(targetOf(subscriptionRow({ id, applicationId, wrappedKey })));
    }
    const found = await storage.dataKeys.samples('target', 9);
    // Bytes decide the order: capitals come first.
    const names = found.map(({ wrappedKey }) => wrappedKey.slice(0, WRAPPING_NAME_LENGTH));
    assert.deepEqual(names, ['1.AAAAAAAA.', '1.BBBBBBBB.', '1.aaaaaaaa.', 'wrapped']);
    assert.ok(rows.some((row) => row.id === found[0]?.id && row.wrappedKey === found[0].wrappedKey));
    assert.deepEqual(found.slice(1), [{ ...rows[2], applicationId: OTHER_APPLICATION }, rows[3], target]);
    assert.deepEqual(await storage.dataKeys.samples('target', 2), found.slice(0, 2));
    assert.deepEqual(await storage.dataKeys.samples('client', 9), [client]);
    // Both accounts' credentials have the same name: which one comes is the database's choice.
    const credentials = await storage.dataKeys.samples('credential', 9);
    assert.equal(credentials.length, 1);
    assert.ok(
      (await storage.dataKeys.list('credential', { limit: 9 })).some((row) => isDeepStrictEqual(row, credentials[0])),
    );
  });

  inWorld(options, 'data keys: one is replaced, and nothing else of its row', async ({ storage, peer }) => {
    await fill(storage);
    const before = await contents(storage);
    for (const kind of KINDS) {
      assert.equal(await storage.dataKeys.replace(STORED[kind], 'anew'), 'anew');
      const [first] = await peer.dataKeys.list(kind, { limit: 1 });
      assert.deepEqual(first, { ...STORED[kind], wrappedKey: 'anew' });
    }
    assert.deepEqual(await contents(peer), before);
    const [, untouched] = await storage.dataKeys.list('credential', { limit: 9 });
    assert.equal(untouched?.wrappedKey, 'wrapped');
  });

  inWorld(options, 'data keys: what was changed or removed meanwhile stays so', async ({ storage }) => {
    await fill(storage);
    for (const kind of KINDS) {
      const late = { ...STORED[kind], wrappedKey: 'before' };
      assert.equal(await storage.dataKeys.replace(late, 'late'), 'wrapped');
      const foreign = { ...STORED[kind], applicationId: OTHER_APPLICATION };
      assert.equal(await storage.dataKeys.replace(foreign, 'foreign'), undefined);
      assert.deepEqual((await storage.dataKeys.list(kind, { limit: 1 }))[0], STORED[kind]);
    }
    await storage.accounts.delete(APPLICATION, ACCOUNT);
    for (const kind of ['credential', 'target'] as const) {
      assert.equal(await storage.dataKeys.replace(STORED[kind], 'late'), undefined);
    }
    assert.deepEqual(await storage.dataKeys.list('target', { limit: 9 }), []);
  });

  inWorld(options, 'data keys: of concurrent replacements one wins, and all are told which', async (world) => {
    await fill(world.storage);
    for (const kind of KINDS) {
      const told = await race(world, 8, ({ dataKeys }, index) => dataKeys.replace(STORED[kind], `key-${index}`));
      const [row] = await world.peer.dataKeys.list(kind, { limit: 1 });
      assert.match(row?.wrappedKey ?? '', /^key-\d$/);
      assert.deepEqual(told, Array(8).fill(row?.wrappedKey));
    }
  });

  inWorld(options, 'data keys: a refresh and a replacement do not undo each other', async (world) => {
    const tokens = { sealedAccessToken: 'a2', sealedRefreshToken: 'r2', expiresAt: 9_000, updatedAt: 20 };
    const [refreshed, replaced] = await Promise.all([
      world.storage.accounts.replaceTokens(APPLICATION, ACCOUNT, 1, tokens),
      world.peer.dataKeys.replace(STORED.credential, 'anew'),
    ]);
    assert.deepEqual([refreshed, replaced], [true, 'anew']);
    const stored = await world.storage.accounts.findCredential(APPLICATION, ACCOUNT);
    assert.deepEqual(stored, { ...credentialRow(), ...tokens, wrappedKey: 'anew', version: 2 });
  });

  inWorld(options, 'data keys: credentials without OAuth have theirs replaced as tokens have', async (world) => {
    const { accounts, dataKeys } = world.storage;
    await accounts.save(accountRow({ providerConfigId: null }), signInRow({ wrappedKey: 'own' }));
    const [row] = await dataKeys.list('credential', { limit: 1 });
    assert.ok(row !== undefined && row.wrappedKey === 'own');
    const [proved, replaced] = await Promise.all([
      accounts.replaceCredentials(APPLICATION, ACCOUNT, 2, { sealedCredentials: 'c2', updatedAt: 20 }),
      world.peer.dataKeys.replace(row, 'anew'),
    ]);
    assert.deepEqual([proved, replaced], [true, 'anew']);
    const expected = signInRow({ wrappedKey: 'anew', sealedCredentials: 'c2', version: 3, updatedAt: 20 });
    assert.deepEqual(await accounts.findCredential(APPLICATION, ACCOUNT), expected);
  });

  inWorld(options, 'data keys: a replacement never comes over a reconnection', async (world) => {
    const reconnected = credentialRow({ wrappedKey: 'own', sealedAccessToken: 'a2', sealedRefreshToken: 'r2' });
    const [saved, key] = await Promise.all([
      world.storage.accounts.save(accountRow(), reconnected),
      world.peer.dataKeys.replace(STORED.credential, 'anew'),
    ]);
    assert.equal(saved, true);
    assert.ok(key === 'anew' || key === 'own');
    const stored = await world.peer.accounts.findCredential(APPLICATION, ACCOUNT);
    assert.deepEqual(stored, { ...reconnected, version: 2 });
  });

  inWorld(options, 'data keys: a replacement and a new secret of a target do not undo each other', async (world) => {
    await fill(world.storage);
    const previous = { expectedSealed: 'secret', previousSealed: 'resealed', previousUntil: 900 };
    const rotation = { ...previous, sealed: 'next', at: 50 };
    const [rotated, replaced] = await Promise.all([
      world.storage.targets.rotateSecret(APPLICATION, 'whs_1', rotation),
      world.peer.dataKeys.replace(STORED.target, 'anew'),
    ]);
    assert.deepEqual([rotated, replaced], [true, 'anew']);
    const stored = await world.storage.subscriptions.find(APPLICATION, ACCOUNT, 'whs_1');
    assert.deepEqual([stored?.sealedSecret, stored?.wrappedKey], ['next', 'anew']);
  });
}
