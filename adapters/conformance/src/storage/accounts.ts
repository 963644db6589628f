import assert from 'node:assert/strict';
import { claimDue } from './outbox-world.ts';
import { rejection } from './rejection.ts';
import {
  ACCOUNT,
  APPLICATION,
  accountRow,
  channelRow,
  credentialRow,
  inWorld,
  itemWrite,
  OTHER_ACCOUNT,
  OTHER_APPLICATION,
  put,
  race,
  type StorageConformanceOptions,
  signInRow,
  subscriptionRow,
} from './world.ts';

const second = (patch: Parameters<typeof accountRow>[0] = {}) =>
  accountRow({ id: 'acc_3', providerAccountId: 'sub-3', email: 'grace@example.com', createdAt: 20, ...patch });
const secondCredential = credentialRow({ id: 'crd_3', accountId: 'acc_3' });

/** AccountStore. */
export function accountConformance(options: StorageConformanceOptions): void {
  inWorld(options, 'accounts: found by id within their application only', async ({ storage }) => {
    assert.deepEqual(await storage.accounts.find(APPLICATION, ACCOUNT), accountRow());
    assert.deepEqual(await storage.accounts.findCredential(APPLICATION, ACCOUNT), credentialRow());
    assert.equal(await storage.accounts.find(OTHER_APPLICATION, ACCOUNT), undefined);
    assert.equal(await storage.accounts.findCredential(OTHER_APPLICATION, ACCOUNT), undefined);
    assert.equal(await storage.accounts.find(APPLICATION, 'acc_none'), undefined);
  });

  inWorld(options, 'accounts: identity is the provider’s id, else the e-mail in any case', async ({ storage }) => {
    await storage.accounts.save(second({ providerAccountId: null }), secondCredential);
    const find = (providerAccountId: string | null, email: string, applicationId = APPLICATION) =>
      storage.accounts.findByIdentity(applicationId, 'PROVIDER_A', { providerAccountId, email });
    assert.equal((await find('sub-1', 'grace@example.com'))?.id, ACCOUNT);
    assert.equal((await find('sub-9', 'GRACE@example.com'))?.id, 'acc_3');
    assert.equal((await find(null, 'ada@example.COM'))?.id, ACCOUNT);
    assert.equal((await find('sub-1', 'x@example.com', OTHER_APPLICATION))?.id, OTHER_ACCOUNT);
    assert.equal(await find(null, 'x@example.com'), undefined);
    const elsewhere = { providerAccountId: 'sub-1', email: 'ada@example.com' };
    assert.equal(await storage.accounts.findByIdentity(APPLICATION, 'PROVIDER_B', elsewhere), undefined);
  });

  inWorld(options, 'accounts: an e-mail that is not verified is its account’s alone', async ({ storage }) => {
    const claimed = (id: string, email: string) => {
      const row = second({ id: `acc_${id}`, providerAccountId: `sub-${id}`, email, isEmailVerified: false });
      return [row, credentialRow({ id: `crd_${id}`, accountId: row.id })] as const;
    };
    const find = (providerAccountId: string | null, email: string) =>
      storage.accounts.findByIdentity(APPLICATION, 'PROVIDER_A', { providerAccountId, email });
    const [three, four, five] = [
      claimed('3', 'Grace@example.com'),
      claimed('4', 'grace@example.com'),
      claimed('5', 'ada@example.com'),
    ];
    for (const [row, credential] of [three, four, five])
      assert.equal(await storage.accounts.save(row, credential), true);
    assert.deepEqual(await find('sub-3', 'x@example.com'), three[0]);
    assert.equal(await find(null, 'grace@example.com'), undefined);
    assert.equal((await find(null, 'ada@example.com'))?.id, ACCOUNT);
    const listed = await storage.accounts.list(APPLICATION, { limit: 9, search: 'GRACE' });
    assert.deepEqual(listed.map(({ id }) => id).sort(), ['acc_3', 'acc_4']);
    assert.deepEqual(await storage.accounts.list(APPLICATION, { limit: 9, search: 'sub-' }), []);

    assert.equal(await storage.accounts.save({ ...three[0], isEmailVerified: true }, three[1]), true);
    assert.equal((await find(null, 'grace@example.com'))?.id, 'acc_3');
    assert.equal(await storage.accounts.save({ ...four[0], isEmailVerified: true }, four[1]), false);
    assert.equal(await storage.accounts.save({ ...five[0], isEmailVerified: true }, five[1]), false);
  });

  inWorld(options, 'accounts: lists ascending by creation in pages, filtered by status', async ({ storage }) => {
    await storage.accounts.save(second({ status: 'EXPIRED', createdAt: 5 }), secondCredential);
    const ids = async (input: Parameters<typeof storage.accounts.list>[1]) =>
      (await storage.accounts.list(APPLICATION, input)).map(({ id }) => id);
    assert.deepEqual(await ids({ limit: 9 }), ['acc_3', ACCOUNT]);
    assert.deepEqual(await ids({ limit: 1 }), ['acc_3']);
    assert.deepEqual(await ids({ limit: 9, after: { createdAt: 5, id: 'acc_3' } }), [ACCOUNT]);
    assert.deepEqual(await ids({ limit: 9, status: 'EXPIRED' }), ['acc_3']);
    assert.deepEqual(await ids({ limit: 9, status: 'ACTIVE' }), [ACCOUNT]);
    assert.deepEqual(await ids({ limit: 9, providerType: accountRow().providerType }), ['acc_3', ACCOUNT]);
    assert.deepEqual(await ids({ limit: 9, providerType: 'PROVIDER_C' }), []);
  });

  inWorld(
    options,
    'accounts: are counted within their application only, whatever their status',
    async ({ storage }) => {
      await storage.accounts.save(second({ status: 'EXPIRED' }), secondCredential);
      assert.equal(await storage.accounts.count(APPLICATION), 2);
      assert.equal(await storage.accounts.count(OTHER_APPLICATION), 1);
      assert.equal(await storage.accounts.count('app_none'), 0);
    },
  );

  inWorld(
    options,
    'accounts: search is a literal substring of e-mail or external id in any case',
    async ({ storage }) => {
      await storage.accounts.save(second({ externalId: 'Öl_100%\\A' }), secondCredential);
      const search = async (text: string) =>
        (await storage.accounts.list(APPLICATION, { limit: 9, search: text })).map(({ id }) => id);
      assert.deepEqual(await search('EXAMPLE.com'), [ACCOUNT, 'acc_3']);
      assert.deepEqual(await search('GRACE'), ['acc_3']);
      assert.deepEqual(await search('öL_100%\\a'), ['acc_3']);
      assert.deepEqual(await search('%'), ['acc_3']);
      assert.deepEqual(await search('a_a'), []);
      assert.deepEqual(await search('comöl'), []);
    },
  );

  inWorld(
    options,
    'accounts: search takes letters that differ in case alone for one, as that of events',
    async ({ storage }) => {
      const found = async (externalId: string, search: string, email = 'x@example.com') => {
        await storage.accounts.save(second({ email, externalId }), secondCredential);
        return (await storage.accounts.list(APPLICATION, { limit: 9, search })).length === 1;
      };
      for (const texts of [
        ['İstanbul', 'istanbul', 'ISTANBUL', 'ıstanbul'],
        ['ΣΊΣΥΦΟΣ', 'Σίσυφος', 'σίσυφοσ'],
        ['straße', 'STRASSE', 'STRAẞE'],
      ]) {
        for (const externalId of texts) {
          for (const text of texts) assert.ok(await found(externalId, text), `${text} in ${externalId}`);
        }
      }
      assert.ok(await found('ΣΊΣΥΦΟΣ', 'ΣΊΣ'), 'a sigma inside');
      assert.ok(await found('x', 'RASSE@', 'Straße@example.com'), 'an address');
      assert.equal(await found('Strase', 'straße'), false);
    },
  );

  inWorld(options, 'accounts: saving again replaces the row and raises the version', async ({ storage }) => {
    const account = accountRow({ email: 'new@example.com', externalId: 'x', createdAt: 99, updatedAt: 50 });
    const credential = credentialRow({ id: 'crd_9', sealedAccessToken: 'newer', version: 77, createdAt: 99 });
    assert.equal(await storage.accounts.save(account, credential), true);
    assert.deepEqual(await storage.accounts.find(APPLICATION, ACCOUNT), { ...account, createdAt: 10 });
    const expected = { ...credential, id: 'crd_1', version: 2, createdAt: 10 };
    assert.deepEqual(await storage.accounts.findCredential(APPLICATION, ACCOUNT), expected);
  });

  inWorld(options, 'accounts: a taken identity is refused and nothing written', async ({ storage }) => {
    const save = (patch: Parameters<typeof accountRow>[0]) => storage.accounts.save(second(patch), secondCredential);
    assert.equal(await save({ email: 'ADA@example.com' }), false);
    assert.equal(await save({ providerAccountId: 'sub-1' }), false);
    assert.equal(await storage.accounts.find(APPLICATION, 'acc_3'), undefined);
    assert.equal(await storage.accounts.findCredential(APPLICATION, 'acc_3'), undefined);
    assert.equal(await save({ email: 'ADA@example.com', providerType: 'PROVIDER_B' }), true);
    assert.equal(await save({ email: 'ada@example.com' }), false);
    assert.equal((await storage.accounts.find(APPLICATION, 'acc_3'))?.providerType, 'PROVIDER_B');
  });

  inWorld(options, 'accounts: the id of another application’s account is a conflict', async ({ storage }) => {
    const stolen = accountRow({ applicationId: OTHER_APPLICATION, email: 'x@example.com', providerAccountId: 'x' });
    const credential = credentialRow({ applicationId: OTHER_APPLICATION });
    await rejection('accounts.save', storage.accounts.save(stolen, credential), 'Conflict');
    assert.deepEqual(await storage.accounts.find(APPLICATION, ACCOUNT), accountRow());
    assert.deepEqual(await storage.accounts.findCredential(APPLICATION, ACCOUNT), credentialRow());
  });

  inWorld(options, 'accounts: of many that connect one mailbox at once exactly one is saved', async (world) => {
    const saved = await race(world, 6, ({ accounts }, index) =>
      accounts.save(
        second({ id: `acc_r${index}` }),
        credentialRow({ id: `crd_r${index}`, accountId: `acc_r${index}` }),
      ),
    );
    assert.deepEqual(
      saved.filter((isSaved) => isSaved),
      [true],
    );
  });

  inWorld(options, 'credentials: of many that replace one version exactly one succeeds', async (world) => {
    const tokens = { sealedRefreshToken: 'r', expiresAt: 6_000, updatedAt: 60 };
    const replaced = await race(world, 6, ({ accounts }, index) =>
      accounts.replaceTokens(APPLICATION, ACCOUNT, 1, { ...tokens, sealedAccessToken: `a${index}` }),
    );
    const winner = replaced.indexOf(true);
    assert.equal(replaced.lastIndexOf(true), winner);
    assert.deepEqual(
      await world.storage.accounts.findCredential(APPLICATION, ACCOUNT),
      credentialRow({ ...tokens, sealedAccessToken: `a${winner}`, version: 2 }),
    );
    const foreign = { ...tokens, sealedAccessToken: 'x' };
    assert.equal(await world.storage.accounts.replaceTokens(OTHER_APPLICATION, ACCOUNT, 2, foreign), false);
    assert.equal((await world.storage.accounts.findCredential(APPLICATION, ACCOUNT))?.version, 2);
  });

  inWorld(options, 'credentials: tokens with other scopes change the account too, once', async (world) => {
    const { accounts } = world.storage;
    const tokens = { sealedAccessToken: 'a', sealedRefreshToken: 'r', expiresAt: 6_000, updatedAt: 60 };
    const narrower = { ...tokens, authorizedScopes: ['narrow'] };
    const announced: unknown[] = [];
    const announce = (...rows: readonly unknown[]) => {
      announced.push(rows);
      return [];
    };
    assert.equal(await accounts.replaceTokens(APPLICATION, ACCOUNT, 9, narrower, announce), false);
    assert.equal(await accounts.replaceTokens(OTHER_APPLICATION, ACCOUNT, 1, narrower, announce), false);
    assert.deepEqual(await accounts.find(APPLICATION, ACCOUNT), accountRow());
    assert.equal(await accounts.replaceTokens(APPLICATION, ACCOUNT, 1, narrower, announce), true);
    const after = accountRow({ authorizedScopes: ['narrow'], updatedAt: 60 });
    assert.deepEqual(await accounts.find(APPLICATION, ACCOUNT), after);
    assert.deepEqual(announced, [[accountRow(), after]]);
    assert.equal((await accounts.findCredential(APPLICATION, ACCOUNT))?.version, 2);
    assert.equal(await accounts.replaceTokens(APPLICATION, ACCOUNT, 2, tokens, announce), true);
    assert.deepEqual(await accounts.find(APPLICATION, ACCOUNT), after);
    assert.equal(announced.length, 1);
  });

  inWorld(options, 'credentials: those without OAuth are stored, replaced and expired like tokens', async (world) => {
    const { accounts } = world.storage;
    const account = second({ providerConfigId: null, authorizedScopes: [] });
    const signIn = signInRow({ id: 'crd_3', accountId: 'acc_3' });
    assert.equal(await accounts.save(account, signIn), true);
    assert.deepEqual(await accounts.find(APPLICATION, 'acc_3'), account);
    assert.deepEqual(await accounts.findCredential(APPLICATION, 'acc_3'), signIn);

    const replaced = await race(world, 6, (storage, index) =>
      storage.accounts.replaceCredentials(APPLICATION, 'acc_3', 1, { sealedCredentials: `c${index}`, updatedAt: 60 }),
    );
    const winner = replaced.indexOf(true);
    assert.equal(replaced.lastIndexOf(true), winner);
    const current = { ...signIn, sealedCredentials: `c${winner}`, version: 2, updatedAt: 60 };
    assert.deepEqual(await accounts.findCredential(APPLICATION, 'acc_3'), current);
    const other = { sealedCredentials: 'x', updatedAt: 61 };
    const tokens = { sealedAccessToken: 'a', sealedRefreshToken: 'r', expiresAt: 9, updatedAt: 61 };
    assert.equal(await accounts.replaceCredentials(OTHER_APPLICATION, 'acc_3', 2, other), false);
    // Neither way of signing in replaces the other but by a new connection.
    assert.equal(await accounts.replaceTokens(APPLICATION, 'acc_3', 2, tokens), false);
    assert.equal(await accounts.replaceCredentials(APPLICATION, ACCOUNT, 1, other), false);
    assert.deepEqual(await accounts.findCredential(APPLICATION, 'acc_3'), current);

    assert.equal(await accounts.expire(APPLICATION, 'acc_3', 2, 70), true);
    assert.equal((await accounts.findCredential(APPLICATION, 'acc_3'))?.status, 'EXPIRED');
    const asTokens = { ...secondCredential, id: 'crd_3', version: 3 };
    assert.equal(await accounts.save(second(), asTokens), true);
    assert.deepEqual(await accounts.findCredential(APPLICATION, 'acc_3'), asTokens);
    assert.equal(await accounts.save(account, { ...signIn, kind: 'url' }), true);
    assert.deepEqual(await accounts.findCredential(APPLICATION, 'acc_3'), { ...signIn, kind: 'url', version: 4 });
  });

  inWorld(options, 'credentials: of many that expire one version exactly one is told so', async (world) => {
    const { accounts } = world.storage;
    assert.equal(await accounts.expire(APPLICATION, ACCOUNT, 9, 70), false);
    assert.equal(await accounts.expire(OTHER_APPLICATION, ACCOUNT, 1, 70), false);
    assert.equal((await accounts.find(APPLICATION, ACCOUNT))?.status, 'ACTIVE');
    const expired = await race(world, 6, (storage) => storage.accounts.expire(APPLICATION, ACCOUNT, 1, 70));
    assert.equal(expired.filter((isExpired) => isExpired).length, 1);
    assert.deepEqual(await accounts.find(APPLICATION, ACCOUNT), accountRow({ status: 'EXPIRED', updatedAt: 70 }));
    assert.equal((await accounts.findCredential(APPLICATION, ACCOUNT))?.status, 'EXPIRED');
  });

  inWorld(options, 'accounts: deleting one takes everything that hangs on it, and nothing else', async (world) => {
    const { storage, key, clock } = world;
    await put(world, [itemWrite('a', 1)], { providerToken: 'token', reread: ['b'] });
    await storage.schedule.hint(key);
    await storage.channels.insert(channelRow());
    await storage.subscriptions.insert(subscriptionRow());
    const message = { eventType: 'calendar.event.changed', timestamp: 1, messageId: 'msg_1' } as const;
    await storage.outbox.enqueue({ applicationId: APPLICATION, targetId: 'whs_1', ...message });
    assert.equal(await storage.accounts.delete(OTHER_APPLICATION, ACCOUNT), false);
    assert.equal((await storage.mirror.findItem(key, 'a'))?.content, 1);

    assert.equal(await storage.accounts.delete(APPLICATION, ACCOUNT), true);
    assert.equal(await storage.accounts.delete(APPLICATION, ACCOUNT), false);
    assert.equal(await storage.accounts.findCredential(APPLICATION, ACCOUNT), undefined);
    assert.equal(await storage.mirror.find(key), undefined);
    assert.equal(await storage.mirror.findProviderToken(key), null);
    assert.deepEqual(await storage.mirror.listRereads(key, 9), []);
    assert.equal((await storage.schedule.get(key)).hintSeq, 0);
    assert.equal(await storage.schedule.hint(key), 0);
    assert.equal(await storage.schedule.nextDueAt(), null);
    assert.deepEqual(await storage.channels.list(key), []);
    assert.equal(await storage.subscriptions.find(APPLICATION, ACCOUNT, 'whs_1'), undefined);
    assert.deepEqual(await claimDue(storage, { leaseMs: 1 }), []);
    await rejection(
      'mirror.ensure',
      storage.mirror.ensure(key, { at: clock.now(), tag: 't', timeZone: 'UTC' }),
      'NotFound',
    );
    assert.equal((await storage.accounts.find(OTHER_APPLICATION, OTHER_ACCOUNT))?.id, OTHER_ACCOUNT);

    assert.equal(await storage.accounts.save(accountRow(), credentialRow()), true);
    await put(world, []);
    assert.equal(await storage.mirror.findItem(key, 'a'), undefined);
  });
}
