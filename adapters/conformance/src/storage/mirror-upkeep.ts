import assert from 'node:assert/strict';
import { acknowledge, claimOne, enqueue } from './outbox-world.ts';
import { rejection } from './rejection.ts';
import {
  ACCOUNT,
  APPLICATION,
  channelRow,
  inWorld,
  itemWrite,
  put,
  race,
  type StorageConformanceOptions,
  type StorageWorld,
  subscriptionRow,
} from './world.ts';

const LAST = { at: 70, messageId: () => 'msg_last' };

/** MirrorStore's sweeps, removal and purge. */
export function mirrorUpkeepConformance(options: StorageConformanceOptions): void {
  sweeps(options);
  removal(options);
  endings(options);
  largeRemoval(options);
  purges(options);
}

function sweeps(options: StorageConformanceOptions): void {
  inWorld(options, 'mirror: a sweep lists what is not marked, written since it began or not', async (world) => {
    const { mirror } = world.storage;
    await put(
      world,
      ['a', 'b', 'c', 'd', 'e'].map((id) => itemWrite(id, 1)),
    );
    await put(world, [itemWrite('c_1', 1, { groupId: 'c' }), itemWrite('e', null)]);
    const { generation, revision } = await mirror.startSweep(world.key);
    assert.equal(revision, 2);
    assert.equal((await put(world, [], { seen: { generation, itemIds: ['a', 'a', 'none'] } })).revision, 2);
    await put(world, [itemWrite('b', 2), itemWrite('n', 1)], { seen: { generation, itemIds: ['a'] } });
    const list = async (input: { readonly after?: string; readonly limit: number }) =>
      (await mirror.listUnseen(world.key, { generation, ...input })).map(({ itemId }) => itemId);
    assert.deepEqual(await list({ limit: 9 }), ['b', 'c', 'c_1', 'd', 'n']);
    assert.deepEqual(await list({ limit: 2 }), ['b', 'c']);
    assert.deepEqual(await list({ limit: 2, after: 'c_1' }), ['d', 'n']);
    assert.deepEqual(await mirror.listUnseen(world.foreignKey, { generation, limit: 9 }), []);
    const [version] = await mirror.listUnseen(world.key, { generation, limit: 1 });
    assert.deepEqual(version, await mirror.findItem(world.key, 'b'));
  });

  inWorld(options, 'mirror: marks of a generation that is over are dropped', async (world) => {
    const { mirror } = world.storage;
    await put(world, [itemWrite('a', 1), itemWrite('b', 1)]);
    const first = await mirror.startSweep(world.key);
    await put(world, [], { seen: { generation: first.generation, itemIds: ['a'] } });
    const second = await mirror.startSweep(world.key);
    assert.ok(second.generation > first.generation);
    await put(world, [], { seen: { generation: first.generation, itemIds: ['b'] } });
    assert.equal(await mirror.endSweep(world.key, first.generation), false);
    const unseen = (generation: number) => mirror.listUnseen(world.key, { generation, limit: 9 });
    assert.equal((await unseen(second.generation)).length, 2);
    assert.deepEqual(await unseen(first.generation), []);
    assert.equal(await mirror.endSweep(world.foreignKey, second.generation), false);
    assert.equal((await unseen(second.generation)).length, 2);
    assert.equal(await mirror.endSweep(world.key, second.generation), true);
    assert.equal(await mirror.endSweep(world.key, second.generation), false);
    assert.deepEqual(await unseen(second.generation), []);
    const third = await mirror.startSweep(world.key);
    assert.ok(third.generation > second.generation);
    assert.equal((await unseen(third.generation)).length, 2);
    await rejection('mirror.startSweep', mirror.startSweep(world.foreignKey), 'NotFound');
  });

  inWorld(options, 'mirror: a full resync is fenced by its lease: whoever lost it replaces no other', async (world) => {
    const { clock, storage } = world;
    await put(world, [itemWrite('a', 1)]);
    const lost = await storage.leases.claim('pull', 1_000);
    await clock.advance(1_000);
    const held = await storage.leases.claim('pull', 1_000);
    assert.ok(lost && held);
    const { generation } = await storage.mirror.startSweep(world.key, { name: 'pull', epoch: held.epoch });
    const late = storage.mirror.startSweep(world.key, { name: 'pull', epoch: lost.epoch });
    await rejection('mirror.startSweep', late, 'Conflict');
    assert.equal((await storage.mirror.listUnseen(world.key, { generation, limit: 9 })).length, 1);
  });
}

function removal(options: StorageConformanceOptions): void {
  inWorld(
    options,
    'mirror: removing a collection takes what belongs to the calendar, and nothing else',
    async (world) => {
      const { key, storage } = world;
      const sibling = { ...key, calendarId: 'cal_2' };
      await put(world, [itemWrite('a', 1)], { providerToken: 't', reread: ['r'] });
      await put({ ...world, key: sibling }, [itemWrite('a', 1)], { providerToken: 't' });
      for (const each of [key, sibling]) await storage.schedule.hint(each);
      await storage.channels.insert(channelRow());
      await storage.channels.insert(channelRow({ id: 'chn_2', calendarId: 'cal_2' }));
      await storage.subscriptions.insert(subscriptionRow());
      await storage.subscriptions.insert(subscriptionRow({ id: 'whs_2', calendarId: 'cal_2' }));
      await storage.subscriptions.insert(subscriptionRow({ id: 'whs_3', subscriptionType: 'calendar' }));

      await storage.mirror.remove(world.foreignKey, LAST);
      assert.equal((await storage.mirror.find(key))?.revision, 1);
      assert.equal((await storage.channels.list(key)).length, 1);

      const name = `pull:${key.applicationId}:${key.accountId}:`;
      const lease = await storage.leases.claim(name, 10_000);
      const epoch = lease?.epoch ?? 0;
      await rejection(
        'mirror.remove',
        storage.mirror.remove(key, { ...LAST, lease: { name, epoch: epoch + 1 } }),
        'Conflict',
      );
      assert.equal((await storage.mirror.find(key))?.revision, 1);
      assert.equal((await storage.schedule.list(key)).length, 2);

      await storage.mirror.remove(key, { ...LAST, lease: { name, epoch } });
      await storage.mirror.remove(key, LAST);
      assert.equal(await storage.mirror.find(key), undefined);
      assert.equal(await storage.mirror.findItem(key, 'a'), undefined);
      assert.equal(await storage.mirror.findProviderToken(key), null);
      assert.equal((await storage.schedule.get(key)).hintSeq, 0);
      // Channel upkeep still has to close them.
      assert.deepEqual(
        (await storage.channels.list(key)).map(({ id, renewAt }) => [id, renewAt]),
        [['chn_1', 0]],
      );
      assert.equal((await storage.mirror.find(sibling))?.revision, 1);
      assert.equal((await storage.schedule.get(sibling)).hintSeq, 1);
      assert.equal((await storage.channels.list(sibling)).length, 1);
      const left = await storage.subscriptions.list(APPLICATION, ACCOUNT, { limit: 9 });
      assert.deepEqual(
        left.map(({ id }) => id),
        ['whs_1', 'whs_2', 'whs_3'],
      );
      assert.equal(await storage.subscriptions.countCovering(APPLICATION, ACCOUNT, 'cal_1'), 1);

      await put(world, []);
      assert.deepEqual(await storage.mirror.listRereads(key, 9), []);
      assert.deepEqual(await storage.mirror.listTouched(key, { since: 0, until: 9, limit: 9 }), []);
      assert.equal((await put(world, [itemWrite('a', 2)])).revision, 1);
    },
  );
}

function endings(options: StorageConformanceOptions): void {
  const idsIn = async ({ storage }: StorageWorld) =>
    (await storage.subscriptions.list(APPLICATION, ACCOUNT, { limit: 9 })).map(({ id }) => id);

  inWorld(options, 'mirror: removing ends subscriptions: one last message each, then they are gone', async (world) => {
    const { storage, key } = world;
    await put(world, []);
    await storage.subscriptions.insert(subscriptionRow());
    await storage.subscriptions.insert(subscriptionRow({ id: 'whs_2', disabledAt: 5 }));
    await enqueue(world, 'msg_1');
    const inFlight = await claimOne(world);
    await enqueue(world, 'msg_2');
    await storage.mirror.remove(key, LAST);
    await storage.mirror.remove(key, { ...LAST, messageId: () => 'msg_again' });
    assert.deepEqual(await idsIn(world), ['whs_1']);
    assert.equal(await acknowledge(world, inFlight, { kind: 'delivered' }), true);
    assert.deepEqual(await idsIn(world), ['whs_1']);
    const last = await claimOne(world);
    assert.deepEqual(
      [last?.message.id, last?.message.eventType, last?.message.timestamp],
      ['msg_last', 'calendar.event.unknown', 70],
    );
    assert.equal(await acknowledge(world, last, { kind: 'retry', at: 0 }), true);
    assert.deepEqual(await idsIn(world), ['whs_1']);
    assert.equal(await acknowledge(world, await claimOne(world), { kind: 'delivered' }), true);
    assert.deepEqual(await idsIn(world), []);
    assert.equal(await claimOne(world), undefined);
  });

  for (const kind of ['dead', 'disabled'] as const) {
    inWorld(options, `mirror: an ended subscription whose last message is ${kind} is gone`, async (world) => {
      await put(world, []);
      await world.storage.subscriptions.insert(subscriptionRow());
      await world.storage.mirror.remove(world.key, LAST);
      assert.equal(await acknowledge(world, await claimOne(world), { kind }), true);
      assert.deepEqual(await idsIn(world), []);
    });
  }

  inWorld(options, 'mirror: an ended subscription that is disabled is gone, whatever waits for it', async (world) => {
    const { storage, key } = world;
    await put(world, []);
    await storage.subscriptions.insert(subscriptionRow());
    await enqueue(world, 'msg_1');
    const inFlight = await claimOne(world);
    await storage.mirror.remove(key, LAST);
    assert.equal(await acknowledge(world, inFlight, { kind: 'disabled' }), true);
    assert.deepEqual(await idsIn(world), []);
    const message = { id: 'msg_gap', eventType: 'calendar.event.unknown', timestamp: 90 } as const;
    assert.equal(await storage.targets.enable(APPLICATION, 'whs_1', { at: 90, message }), false);
  });

  inWorld(options, 'mirror: nothing is told to an ended subscription when its calendar comes back', async (world) => {
    await put(world, []);
    await world.storage.subscriptions.insert(subscriptionRow());
    await world.storage.mirror.remove(world.key, LAST);
    await put(world, [itemWrite('a', 1)], {
      notify: { eventType: 'calendar.event.changed', messageId: () => 'msg_new' },
    });
    assert.equal((await claimOne(world))?.message.id, 'msg_last');
    assert.equal(await claimOne(world), undefined);
  });
}

function largeRemoval(options: StorageConformanceOptions): void {
  inWorld(options, 'mirror: removing takes thousands of versions as well', async (world) => {
    const { mirror } = world.storage;
    for (let page = 0; page < 5; page += 1) {
      const ids = Array.from({ length: 500 }, (_, index) => `i${page * 500 + index}`);
      await put(
        world,
        ids.map((id) => itemWrite(id, 1)),
        { reread: ids },
      );
    }
    await mirror.remove(world.key, LAST);
    await put(world, []);
    assert.deepEqual(await mirror.listRereads(world.key, 9), []);
    assert.equal((await put(world, [itemWrite('i1', 1)])).revision, 1);
    assert.deepEqual(await mirror.listGroups(world.key, { asOf: 1, limit: 9 }), ['i1']);
  });
}

function purges(options: StorageConformanceOptions): void {
  inWorld(options, 'mirror: a purge removes what ended before the time and keeps later answers', async (world) => {
    const { mirror } = world.storage;
    await put(world, [itemWrite('a', 1), itemWrite('b', 1), itemWrite('c', 1)], { at: 5_000_000_000_000 });
    await put(world, [itemWrite('a', 2), itemWrite('b', null)], { at: 5_000_000_000_010 });
    await put(world, [itemWrite('a', 3), itemWrite('b', 3)], { at: 5_000_000_000_020 });
    assert.equal(await mirror.purge({ before: 5_000_000_000_000, limit: 99 }), 0);
    // Ended by revision 2: a=1 and b=1; and the deletion of b.
    assert.equal(await mirror.purge({ before: 5_000_000_000_020, limit: 99 }), 3);
    assert.equal(await mirror.purge({ before: 5_000_000_000_020, limit: 99 }), 0);
    assert.equal((await mirror.find(world.key))?.purgedBelow, 2);
    assert.equal(await mirror.findRevision(world.key, 1), undefined);
    assert.equal((await mirror.findRevision(world.key, 2))?.tag, 'tag-2');
    const at2 = await mirror.readGroups(world.key, ['a', 'b', 'c'], 2);
    assert.deepEqual(
      at2.map(({ content }) => content),
      [2, 1],
    );
    assert.deepEqual(await mirror.listTouched(world.key, { since: 2, until: 3, limit: 9 }), [
      { groupId: 'a', revision: 3 },
      { groupId: 'b', revision: 3 },
    ]);
    await rejection('mirror.readGroups', mirror.readGroups(world.key, ['a'], 1), 'SyncTokenExpired');
    await rejection('mirror.listGroups', mirror.listGroups(world.key, { asOf: 1, limit: 9 }), 'SyncTokenExpired');
    await rejection('mirror.findItem', mirror.findItem(world.key, 'c', 1), 'SyncTokenExpired');
    await rejection(
      'mirror.listTouched',
      mirror.listTouched(world.key, { since: 1, until: 3, limit: 9 }),
      'SyncTokenExpired',
    );
  });

  inWorld(options, 'mirror: a purge of everything old leaves the present whole', async (world) => {
    const { mirror } = world.storage;
    for (const step of [1, 2, 3]) await put(world, [itemWrite('a', step), itemWrite(`n${step}`, step)]);
    await put(world, [itemWrite('n1', null), itemWrite('n2', 9, { groupId: 'a' })]);
    await mirror.purge({ before: Number.MAX_SAFE_INTEGER, limit: 99 });
    const state = await mirror.find(world.key);
    assert.deepEqual([state?.revision, state?.purgedBelow], [4, 4]);
    const groups = await mirror.listGroups(world.key, { asOf: 4, limit: 9 });
    assert.deepEqual(groups, ['a', 'n3']);
    const items = await mirror.readGroups(world.key, groups, 4);
    assert.deepEqual(
      items.map(({ itemId, content }) => [itemId, content]),
      [
        ['a', 3],
        ['n2', 9],
        ['n3', 3],
      ],
    );
    assert.equal(await mirror.findDeletion(world.key, 'n1'), undefined);
    assert.deepEqual((await put(world, [itemWrite('n1', 1), itemWrite('a', 3)])).changed, ['n1']);
  });

  inWorld(options, 'mirror: a purge in small steps removes as much as one at once', async (world) => {
    const { mirror } = world.storage;
    const other = { ...world, key: { ...world.key, calendarId: 'cal_2' } };
    for (let step = 1; step <= 4; step += 1) {
      await put(world, [itemWrite('a', step), itemWrite('b', step % 2 === 0 ? null : step)]);
      await put(other, [itemWrite('a', step)]);
    }
    const removed: number[] = [];
    do removed.push(await mirror.purge({ before: Number.MAX_SAFE_INTEGER, limit: 2 }));
    while (removed.at(-1) === 2);
    // In one calendar three versions of a, two of b and its two deletions; in the other three versions.
    assert.equal(
      removed.reduce((sum, count) => sum + count, 0),
      10,
    );
    assert.equal(await mirror.purge({ before: Number.MAX_SAFE_INTEGER, limit: 99 }), 0);
    assert.equal((await mirror.findItem(world.key, 'a', 4))?.content, 4);
    assert.equal((await mirror.findItem(other.key, 'a', 4))?.content, 4);
  });

  inWorld(options, 'mirror: purges and commits at once lose nothing', async (world) => {
    const { mirror } = world.storage;
    await put(world, []);
    await race<unknown>(world, 16, (storage, index) =>
      index % 4 === 3
        ? storage.mirror.purge({ before: Number.MAX_SAFE_INTEGER, limit: 3 })
        : storage.mirror.commit(world.key, {
            writes: [itemWrite('a', index, { force: true }), itemWrite(`n${index}`, index)],
            basedOn: 0,
            at: world.clock.now(),
            tag: `t${index}`,
          }),
    );
    const state = await mirror.find(world.key);
    assert.equal(state?.revision, 12);
    assert.equal((await mirror.listGroups(world.key, { asOf: 12, limit: 99 })).length, 13);
  });
}
