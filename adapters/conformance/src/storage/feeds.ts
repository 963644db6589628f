import assert from 'node:assert/strict';
import type { FeedRow } from 'kalends/ports';
import {
  ACCOUNT,
  APPLICATION,
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

/** Feeds: found by their hash, listed and deleted by their application, and without the calendars of deleted accounts. */
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

  inWorld(options, 'feeds: a deleted account takes its calendars out of them', async ({ storage }) => {
    await storage.feeds.create(feed);
    await storage.accounts.delete(APPLICATION, ACCOUNT);
    assert.deepEqual(await storage.feeds.findByHash(feed.hash), { ...feed, calendars: [] });
  });

  inWorld(options, 'feeds: a hash is replaced while it is the expected one', async ({ storage }) => {
    await storage.feeds.create(feed);
    await storage.feeds.replaceHash(feed.id, 'another', 'wrong');
    assert.deepEqual(await storage.feeds.findByHash('wrong', feed.hash), feed);
    await storage.feeds.replaceHash(feed.id, feed.hash, 'feed-hash-2');
    assert.deepEqual(await storage.feeds.findByHash('feed-hash-2'), { ...feed, hash: 'feed-hash-2' });
  });
}
