import assert from 'node:assert/strict';
import type { AnnounceAccount } from 'kalends/ports';

import { acknowledge, claimDue, claimOne, enqueue } from './outbox-world.ts';
import {
  ACCOUNT,
  APPLICATION,
  accountRow,
  credentialRow,
  inWorld,
  itemWrite,
  put,
  type StorageConformanceOptions,
  signInRow,
  subscriptionRow,
  targetOf,
} from './world.ts';

const HOUR_MS = 3_600_000;

/** ErasureStore. */
export function erasureConformance(options: StorageConformanceOptions): void {
  purges(options);
  searches(options);
}

const announced =
  (id: string, data = '{}'): AnnounceAccount =>
  () => [{ eventType: 'enduseraccount.updated', timestamp: 7, data, messageId: () => id }];

function purges(options: StorageConformanceOptions): void {
  inWorld(options, 'erasure: messages about accounts are removed, waiting or not, with all attempts', async (world) => {
    const { storage, clock } = world;
    await storage.endpoints.insert(targetOf(subscriptionRow({ id: 'whe_1', url: 'https://tenant.test/hook' })));
    await storage.subscriptions.insert(subscriptionRow());
    await storage.accounts.save(accountRow({ externalId: 'a' }), credentialRow(), announced('msg_sent'));
    await acknowledge(world, await claimOne(world), { kind: 'delivered' }, { at: 10 });
    await storage.accounts.save(accountRow({ externalId: 'b' }), credentialRow(), announced('msg_waiting'));
    // An attempt long after its message, as a redelivery makes it.
    await acknowledge(world, await claimOne(world), { kind: 'retry', at: 0 }, { at: clock.now() + 9 * HOUR_MS });
    await enqueue(world, 'msg_calendar');
    await clock.advance(HOUR_MS);
    const line = clock.now();
    await storage.accounts.save(accountRow({ externalId: 'c' }), credentialRow(), announced('msg_young'));

    assert.equal(await storage.erasure.purgeMessages(line), 2);
    assert.equal(await storage.erasure.purgeMessages(line), 0);
    assert.deepEqual(await storage.outbox.listAttempts(APPLICATION, 'whe_1', { limit: 9 }), []);
    const claims = await claimDue(storage);
    assert.deepEqual(claims.map(({ message }) => message.id).sort(), ['msg_calendar', 'msg_young']);
  });

  inWorld(options, 'erasure: a line without a message left is not due', async (world) => {
    const { storage, clock } = world;
    await storage.endpoints.insert(targetOf(subscriptionRow({ id: 'whe_1', url: 'https://tenant.test/hook' })));
    await storage.accounts.save(accountRow({ externalId: 'a' }), credentialRow(), announced('msg_old'));
    assert.notEqual(await storage.outbox.nextDueAt(), null);
    await clock.advance(HOUR_MS);
    assert.equal(await storage.erasure.purgeMessages(clock.now()), 1);
    assert.equal(await storage.outbox.nextDueAt(), null);
    await storage.accounts.save(accountRow({ externalId: 'b' }), credentialRow(), announced('msg_new'));
    assert.equal((await claimOne(world))?.message.id, 'msg_new');
  });

  inWorld(options, 'erasure: a message that is being sent stays until it has been', async (world) => {
    const { storage, peer, clock } = world;
    await storage.endpoints.insert(targetOf(subscriptionRow({ id: 'whe_1', url: 'https://tenant.test/hook' })));
    await storage.accounts.save(accountRow({ externalId: 'a' }), credentialRow(), announced('msg_sending'));
    const claim = await claimOne(world);
    await clock.advance(10);
    assert.equal(await peer.erasure.purgeMessages(clock.now()), 0);
    assert.equal(await acknowledge(world, claim, { kind: 'delivered' }), true);
    assert.equal(await peer.erasure.purgeMessages(clock.now()), 1);
    assert.deepEqual(await storage.outbox.listAttempts(APPLICATION, 'whe_1', { limit: 9 }), []);
  });
}

function searches(options: StorageConformanceOptions): void {
  inWorld(options, 'erasure: a search finds a text in any column, in any case, and nothing else', async (world) => {
    const { storage } = world;
    await storage.endpoints.insert(targetOf(subscriptionRow({ id: 'whe_1', url: 'https://tenant.test/hook' })));
    const account = accountRow({ email: 'Jane_100%@People.example', externalId: 'Pupil 7' });
    await storage.accounts.save(account, credentialRow(), announced('msg_1', '{"email":"jane_100%@people.example"}'));
    await put(world, [itemWrite('event', { title: 'Dinner with jane_100%@PEOPLE.example' }, { etag: 'e' })]);

    const found = await storage.erasure.find(['JANE_100%@people.example']);
    assert.deepEqual(found.map(({ table, column, rows }) => `${table}.${column} ${rows}`).sort(), [
      'kalends_account.email 1',
      'kalends_account.email_key 1',
      'kalends_item_body.content 1',
      'kalends_message.data 1',
    ]);
    const either = await storage.erasure.find(['nobody at all', 'pupil 7']);
    assert.deepEqual(either.map(({ column }) => column).sort(), ['external_id', 'external_key']);
    for (const text of ['janeX100%@people.example', 'jane_100x', "'; --", '\\', '%%%']) {
      assert.deepEqual(await storage.erasure.find([text]), []);
    }
  });

  inWorld(options, 'erasure: a search counts each row of a long table once', async (world) => {
    for (const part of [0, 1, 2]) {
      const titles = Array.from({ length: 200 }, (_, index) => (index % 100 === 0 ? 'Rare' : 'Usual'));
      await put(
        world,
        titles.map((title, index) => itemWrite(`item-${part}-${index}`, { title })),
      );
    }
    const counts = async (text: string) =>
      (await world.storage.erasure.find([text])).map(({ table, rows }) => `${table} ${rows}`).sort();
    assert.deepEqual(await counts('"rare"'), ['kalends_item_body 6', 'kalends_item_version 6']);
    assert.deepEqual(await counts('"usual"'), ['kalends_item_body 594', 'kalends_item_version 594']);
  });

  inWorld(options, 'erasure: a search finds letters beyond ASCII in any case, in URLs too', async ({ storage }) => {
    const externalId = 'Zoë ÖZIL, İbrahim STRASSE ΌΔΟΣ';
    const quoted = `{"url":"https://tenant.test/?of=${encodeURIComponent('Özil')}"}`;
    await storage.endpoints.insert(targetOf(subscriptionRow({ id: 'whe_1', url: 'https://tenant.test/hook' })));
    await storage.accounts.save(accountRow({ externalId }), credentialRow(), announced('msg_1', quoted));
    const columnsWith = async (text: string) => (await storage.erasure.find([text])).map(({ column }) => column).sort();
    for (const text of ['zoë özil', 'ZOË ÖZIL', 'İBRAHIM', 'İbrahim Straße', 'όδος', 'Όδος', 'ΌΔΟΣ']) {
      assert.ok((await columnsWith(text)).includes('external_id'), text);
    }
    assert.deepEqual(await columnsWith('zoe ozil'), []);
    const inUrl = encodeURIComponent('özil');
    assert.deepEqual(await columnsWith(inUrl), []);
    assert.deepEqual((await storage.erasure.find(['özil', inUrl])).map(({ column }) => column).sort(), [
      ...['data', 'external_id', 'external_key'],
    ]);
  });

  inWorld(
    options,
    'erasure: rows of accounts that exist have an owner, and none is left of one that was deleted',
    async (world) => {
      const { storage } = world;
      await storage.subscriptions.insert(subscriptionRow());
      await put(world, [itemWrite('event', { title: 'x' })]);
      const signIn = accountRow({ id: 'acc_dav', email: 'dav@example.com', providerAccountId: 'dav' });
      await storage.accounts.save(signIn, signInRow({ id: 'crd_dav', accountId: 'acc_dav' }));
      const sealedIn = async (of = 'sealed_refresh_token') =>
        (await storage.erasure.findOwnerless()).sealed.find(({ column }) => column === of)?.rows;
      assert.equal(await sealedIn('sealed_credentials'), 1);
      assert.equal(await storage.accounts.delete(APPLICATION, 'acc_dav'), true);
      assert.ok(!(await sealedIn('sealed_credentials')));
      assert.deepEqual((await storage.erasure.findOwnerless()).ownerless, []);
      const before = (await sealedIn()) ?? 0;
      assert.ok(before > 0);
      assert.equal(await storage.accounts.delete(APPLICATION, ACCOUNT), true);
      assert.deepEqual((await storage.erasure.findOwnerless()).ownerless, []);
      assert.equal(await sealedIn(), before - 1);
      await storage.erasure.settle();
      await storage.erasure.settle();
    },
  );
}
