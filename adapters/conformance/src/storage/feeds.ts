import assert from 'node:assert/strict';
import type { FeedRow, Storage } from 'kalends/ports';
import {
  ACCOUNT,
  APPLICATION,
  accountRow,
  credentialRow,
  inWorld,
  OTHER_ACCOUNT,
  OTHER_APPLICATION,
  type StorageConformanceOptions,
} from './world.ts';

const feed: FeedRow = {
  id: 'fed_1',
  applicationId: APPLICATION,
  name: 'Team',
  detail: 'busy',
  hash: 'feed-hash-1',
  calendars: [
    { accountId: ACCOUNT, calendarId: 'cal_2' },
    { accountId: ACCOUNT, calendarId: 'cal_1' },
  ],
  createdAt: 1,
};

/** Adds further accounts; resolves with their ids. */
async function addAccounts(storage: Storage, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `acc_1${index}`);
  for (const id of ids) {
    const account = accountRow({ id, providerAccountId: id, email: `${id}@example.com` });
    await storage.accounts.save(account, credentialRow({ id: `crd_${id}`, accountId: id }));
  }
  return ids;
}

/** Feeds: found by their hash, listed and deleted by their application, and without the calendars of deleted accounts, none empty. */
export function feedConformance(options: StorageConformanceOptions): void {
  inWorld(
    options,
    'feeds: found by hash across applications, listed and deleted within one',
    async ({ storage, peer }) => {
      const late: FeedRow = { ...feed, id: 'fed_0', hash: 'feed-hash-0', detail: 'full', createdAt: 2 };
      assert.equal(await storage.feeds.create(late), true);
      assert.equal(await storage.feeds.create(feed), true);
      assert.deepEqual(await peer.feeds.findByHash('nothing', 'feed-hash-1'), feed);
      assert.equal(await peer.feeds.findByHash('nothing'), undefined);
      assert.deepEqual(await storage.feeds.list(APPLICATION, { limit: 5 }), [feed, late]);
      assert.deepEqual(await storage.feeds.list(APPLICATION, { limit: 1 }), [feed]);
      assert.deepEqual(await storage.feeds.list(APPLICATION, { limit: 5, after: feed }), [late]);
      assert.deepEqual(await storage.feeds.list(OTHER_APPLICATION, { limit: 5 }), []);
      assert.equal(await storage.feeds.delete(OTHER_APPLICATION, feed.id), false);
      assert.equal(await storage.feeds.delete(APPLICATION, feed.id), true);
      assert.equal(await storage.feeds.delete(APPLICATION, feed.id), false);
      assert.equal(await peer.feeds.findByHash('feed-hash-1'), undefined);
    },
  );

  inWorld(
    options,
    'feeds: one with the account of another application, or of none, is not made',
    async ({ storage }) => {
      for (const accountId of [OTHER_ACCOUNT, 'acc_none']) {
        const foreign = { ...feed, calendars: [...feed.calendars, { accountId, calendarId: 'cal_1' }] };
        assert.equal(await storage.feeds.create(foreign), false);
      }
      assert.deepEqual(await storage.feeds.list(APPLICATION, { limit: 5 }), []);
    },
  );

  inWorld(
    options,
    'feeds: a deleted account takes its calendars out of them, and those with it that then have none',
    async ({ storage, peer }) => {
      const [added] = await addAccounts(storage, 1);
      const others = [{ accountId: added!, calendarId: 'cal_1' }];
      const shared = { ...feed, id: 'fed_2', hash: 'feed-hash-2', calendars: [...feed.calendars, ...others] };
      const other = { ...feed, id: 'fed_3', hash: 'feed-hash-3', calendars: others };
      for (const each of [feed, shared, other]) assert.equal(await storage.feeds.create(each), true);
      await storage.accounts.delete(APPLICATION, ACCOUNT);
      assert.equal(await peer.feeds.findByHash(feed.hash), undefined);
      assert.deepEqual(await peer.feeds.findByHash(shared.hash), { ...shared, calendars: others });
      assert.deepEqual(await peer.feeds.findByHash(other.hash), other);
      await storage.accounts.delete(APPLICATION, added!);
      assert.deepEqual(await storage.feeds.list(APPLICATION, { limit: 5 }), []);
    },
  );

  inWorld(
    options,
    'feeds: of accounts that are deleted at once, the last takes their feeds with it',
    async ({ storage, peer }) => {
      const accountIds = await addAccounts(storage, 10);
      const calendars = accountIds.map((accountId) => ({ accountId, calendarId: 'cal_1' }));
      for (let index = 0; index < 10; index++) {
        const rotated = [...calendars.slice(index), ...calendars.slice(0, index)];
        await storage.feeds.create({ ...feed, id: `fed_${index}`, hash: `feed-hash-${index}`, calendars: rotated });
      }
      await Promise.all(
        accountIds.map((id, index) => (index % 2 === 0 ? storage : peer).accounts.delete(APPLICATION, id)),
      );
      assert.deepEqual(await storage.feeds.list(APPLICATION, { limit: 50 }), []);
    },
  );

  inWorld(options, 'feeds: a hash is replaced while it is the expected one', async ({ storage }) => {
    await storage.feeds.create(feed);
    await storage.feeds.replaceHash(feed.id, 'another', 'wrong');
    assert.deepEqual(await storage.feeds.findByHash('wrong', feed.hash), feed);
    await storage.feeds.replaceHash(feed.id, feed.hash, 'feed-hash-2');
    assert.deepEqual(await storage.feeds.findByHash('feed-hash-2'), { ...feed, hash: 'feed-hash-2' });
  });
}
