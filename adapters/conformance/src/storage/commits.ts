import assert from 'node:assert/strict';
import type { AuditRow, Committed, Storage } from 'kalends/ports';
import { acknowledge, claimOne, enqueue } from './outbox-world.ts';
import { rejection } from './rejection.ts';
import {
  ACCOUNT,
  APPLICATION,
  accountRow,
  applicationRow,
  credentialRow,
  inWorld,
  itemWrite,
  OTHER_APPLICATION,
  put,
  race,
  type StorageConformanceOptions,
  type StorageWorld,
  subscriptionRow,
  targetOf,
} from './world.ts';

/** StorageCommits. */
export function commitConformance(options: StorageConformanceOptions): void {
  inWorld(options, 'commits: a new message is told with its target, and a merged one is not', async (world) => {
    const { storage } = world;
    await storage.subscriptions.insert(subscriptionRow());
    const { told } = listen(storage);
    await enqueue(world, 'msg_1', { timestamp: 50 });
    await enqueue(world, 'msg_2', { timestamp: 60 });
    assert.deepEqual(told, [message('msg_1', 'whs_1', 'calendar.event.changed')]);
  });

  inWorld(
    options,
    'commits: a commit of the mirror tells each message that it enqueues, before it resolves',
    async (world) => {
      const { storage } = world;
      await storage.subscriptions.insert(subscriptionRow());
      await storage.subscriptions.insert(
        subscriptionRow({ id: 'whs_2', calendarId: null, subscriptionType: 'calendar' }),
      );
      const { told } = listen(storage);
      let number = 0;
      const notify = { eventType: 'calendar.event.changed', messageId: () => `msg_${++number}` } as const;
      await put(world, [itemWrite('evt_1', {})], { notify });
      assert.deepEqual(told, [
        message('msg_1', 'whs_1', 'calendar.event.changed'),
        message('msg_2', 'whs_2', 'calendar.event.changed'),
      ]);
      await put(world, [itemWrite('evt_1', {})], { notify });
      assert.equal(told.length, 2);
    },
  );

  inWorld(
    options,
    'commits: the statuses of an account are told, its messages and its entry with them',
    async (world) => {
      const { storage } = world;
      const row = accountRow({ id: 'acc_3', email: 'eva@example.com', providerAccountId: 'sub-3' });
      const credential = credentialRow({ id: 'crd_3', accountId: 'acc_3' });
      await storage.endpoints.insert(targetOf(subscriptionRow({ id: 'whe_1' })));
      const { told } = listen(storage);
      const notice = {
        eventType: 'enduseraccount.updated',
        timestamp: 1,
        data: '{}',
        messageId: () => 'msg_1',
      } as const;
      await storage.accounts.save(row, credential);
      await storage.accounts.save({ ...row, email: 'eve@example.com' }, credential);
      await storage.accounts.expire(
        APPLICATION,
        'acc_3',
        2,
        20,
        () => [notice],
        () => entry('aud_1', 'acc_3'),
      );
      assert.equal(await storage.accounts.expire(APPLICATION, 'acc_3', 2, 20), false);
      await storage.accounts.delete(APPLICATION, 'acc_3');
      assert.deepEqual(told, [
        status('acc_3', 'ACTIVE'),
        status('acc_3', 'EXPIRED'),
        message('msg_1', 'whe_1', 'enduseraccount.updated'),
        { kind: 'audit', entry: entry('aud_1', 'acc_3') },
        status('acc_3', null),
      ]);
    },
  );

  inWorld(options, 'commits: an entry is told when it is written, alone or with its change', async ({ storage }) => {
    const { told } = listen(storage);
    await storage.audit.append(entry('aud_1', ACCOUNT));
    await storage.applications.create(applicationRow({ id: 'app_3' }), entry('aud_2', 'app_3'));
    assert.equal(await storage.apiKeys.revoke(APPLICATION, 'key_unknown', 1, entry('aud_3', 'key_unknown')), false);
    assert.deepEqual(told, [
      { kind: 'audit', entry: entry('aud_1', ACCOUNT) },
      { kind: 'audit', entry: entry('aud_2', 'app_3') },
    ]);
  });

  inWorld(options, 'commits: what is rolled back is not told', async (world) => {
    const { storage } = world;
    const { told } = listen(storage);
    const failing = () => {
      throw new Error('no entry');
    };
    await assert.rejects(storage.accounts.expire(APPLICATION, ACCOUNT, 1, 20, undefined, failing), /no entry/);
    await rejection(
      'applications.create',
      storage.applications.create(applicationRow({ id: APPLICATION }), entry('aud_1', APPLICATION)),
    );
    assert.deepEqual(told, []);
  });

  inWorld(options, 'commits: of racing changes each is told once, by the process that made it', async (world) => {
    const own = listen(world.storage);
    const other = world.peer === world.storage ? { told: [] } : listen(world.peer);
    await world.storage.endpoints.insert(targetOf(subscriptionRow({ id: 'whe_1' })));
    const send = (storage: Storage, index: number) =>
      enqueue({ storage }, `msg_${index}`, { eventType: 'calendar.event.unknown', targetId: 'whe_1' });
    await race(world, 20, send);
    const ids = [...own.told, ...other.told].map((each) => (each.kind === 'message' ? each.message.id : each.kind));
    assert.deepEqual(ids.sort(), Array.from({ length: 20 }, (_, index) => `msg_${index}`).sort());
    assert.deepEqual(other.told.length, world.peer === world.storage ? 0 : 10);
  });

  inWorld(
    options,
    'commits: a listener that was taken off is not called, and an attempt is no new message',
    async (world) => {
      const { storage } = world;
      await storage.subscriptions.insert(subscriptionRow());
      const [first, second] = [listen(storage), listen(storage)];
      await enqueue(world, 'msg_1');
      first.stop();
      first.stop();
      await acknowledge(world, await claimOne(world), { kind: 'delivered' });
      await storage.outbox.redeliver(APPLICATION, 'whs_1', 'msg_1');
      await enqueue(world, 'msg_2');
      await storage.applications.beginDeletion(OTHER_APPLICATION, 1);
      const told = ({ told }: Listening) => told.map((each) => (each.kind === 'message' ? each.message.id : each.kind));
      assert.deepEqual([told(first), told(second)], [['msg_1'], ['msg_1', 'msg_2']]);
    },
  );
}

interface Listening {
  readonly told: readonly Committed[];
  stop(): void;
}

function listen({ commits }: Pick<StorageWorld['storage'], 'commits'>): Listening {
  const told: Committed[] = [];
  return { told, stop: commits.subscribe((change) => told.push(change)) };
}

const message = (id: string, targetId: string, eventType: 'calendar.event.changed' | 'enduseraccount.updated') => ({
  kind: 'message',
  message: { id, applicationId: APPLICATION, targetId, eventType },
});

const status = (accountId: string, value: 'ACTIVE' | 'EXPIRED' | null) => ({
  kind: 'account-status',
  applicationId: APPLICATION,
  accountId,
  status: value,
});

function entry(id: string, target: string): AuditRow {
  return {
    id,
    at: 20,
    applicationId: APPLICATION,
    actorType: 'admin',
    actorId: 'ops@example.com',
    address: null,
    action: 'thing.changed',
    target,
    changed: ['name'],
  };
}
