import assert from 'node:assert/strict';
import { begin, holderOf, TTL_MS } from './new-intents.ts';
import { rejection } from './rejection.ts';
import { ACCOUNT, APPLICATION, inWorld, itemWrite, put, rereadIds, type StorageConformanceOptions } from './world.ts';

/** Groups held by open intents against MirrorStore.commit, and commits that belong to an intent. */
export function holdConformance(options: StorageConformanceOptions): void {
  holds(options);
  ownCommits(options);
  removals(options);
}

function holds(options: StorageConformanceOptions): void {
  inWorld(options, 'intents: a commit without the intent does not touch what it holds, and lists it', async (world) => {
    const { mirror, intents } = world.storage;
    await put(world, [itemWrite('a', 1), itemWrite('a_1', 1, { groupId: 'a' }), itemWrite('b', 1)]);
    const { ref } = await begin(world);
    const result = await put(world, [
      itemWrite('a', 2),
      itemWrite('a_1', null, { groupId: 'a' }),
      itemWrite('a_2', 1, { groupId: 'a' }),
      itemWrite('b', 2),
    ]);
    assert.deepEqual(result, { revision: 2, changed: ['b'], deferred: ['a', 'a_1', 'a_2'], setAside: [] });
    assert.deepEqual(await rereadIds(world), ['a', 'a_1', 'a_2']);
    const items = await mirror.readGroups(world.key, ['a'], 2);
    assert.deepEqual(
      items.map(({ itemId, content }) => [itemId, content]),
      [
        ['a', 1],
        ['a_1', 1],
      ],
    );
    await intents.end(ref);
    assert.deepEqual((await put(world, [itemWrite('a', 2)])).changed, ['a']);
  });

  inWorld(options, 'intents: an item cannot leave a held group or enter one', async (world) => {
    await put(world, [itemWrite('x', 1, { groupId: 'a' }), itemWrite('y', 1)]);
    await begin(world);
    const result = await put(world, [itemWrite('x', 1), itemWrite('y', 1, { groupId: 'a' })]);
    assert.deepEqual([result.changed, result.deferred], [[], ['x', 'y']]);
  });

  inWorld(options, 'intents: an item that was read again while it is held stays on the list', async (world) => {
    await put(world, [itemWrite('a', 1)]);
    await begin(world);
    await put(world, [itemWrite('a', 2)]);
    await put(world, [itemWrite('a', 2)], { rereadDone: await world.storage.mirror.listRereads(world.key, 9) });
    assert.deepEqual(await rereadIds(world), ['a']);
  });

  inWorld(options, 'intents: an abandoned one holds on, and a forced write goes through', async (world) => {
    await put(world, [itemWrite('a', 1)]);
    await begin(world);
    await world.clock.advance(TTL_MS);
    assert.deepEqual((await put(world, [itemWrite('a', 2)])).deferred, ['a']);
    assert.deepEqual((await put(world, [itemWrite('a', null, { force: true })])).changed, ['a']);
  });

  inWorld(options, 'intents: one that holds new items keeps them from others', async (world) => {
    await put(world, [itemWrite('old', 1), itemWrite('gone', 1)]);
    await put(world, [itemWrite('gone', null)]);
    const { ref } = await begin(world, { groupIds: ['a'], holdsNewItems: true });
    const writes = [itemWrite('old', 2), itemWrite('new', 1), itemWrite('gone', 2), itemWrite('none', null)];
    const { changed, deferred } = await put(world, writes);
    assert.deepEqual([changed, deferred], [['old'], ['new', 'gone', 'none']]);
    const own = await put(world, [itemWrite('new', 1)], { intent: { id: ref.id, epoch: 1 } });
    assert.deepEqual(own.changed, ['new']);
    const create = await begin(world, { kind: 'create', groupIds: [] });
    const created = await put(world, [itemWrite('created', 1)], { intent: { id: create.ref.id, epoch: 1 } });
    assert.deepEqual(created.changed, ['created']);
  });

  inWorld(options, 'intents: who begins and who commits agree on which came first', async (world) => {
    await put(world, [itemWrite('a', 0)]);
    for (let round = 1; round <= 10; round += 1) {
      const basedOn = (await world.storage.mirror.find(world.key))!.writeCount;
      const [committed, { begun, ref }] = await Promise.all([
        put({ ...world, storage: world.peer }, [itemWrite('a', round)], { basedOn }),
        begin(world),
      ]);
      assert.equal(begun.kind, 'begun');
      const isFirst = committed.changed.length === 1;
      assert.equal(begun.kind === 'begun' && begun.basedOn, isFirst ? basedOn + 1 : basedOn);
      await world.storage.intents.end(ref);
    }
  });
}

function ownCommits(options: StorageConformanceOptions): void {
  inWorld(options, 'intents: its own commit applies whatever it is based on, and goes on or ends it', async (world) => {
    const { mirror } = world.storage;
    await put(world, [itemWrite('a', 1), itemWrite('b', 1)]);
    const { ref } = await begin(world);
    const intent = { id: ref.id, epoch: 1 };
    const first = await put(world, [itemWrite('a', 2), itemWrite('b', 2)], { basedOn: 0, intent });
    assert.deepEqual([first.changed, first.deferred], [['a'], ['b']]);
    assert.equal((await holderOf(world))?.state, 'held');
    await put(world, [itemWrite('a', 3)], { intent: { ...intent, end: { keepMs: 1_000 } } });
    assert.equal(await holderOf(world), undefined);
    assert.deepEqual((await mirror.findItem(world.key, 'a'))?.content, 3);
    assert.equal((await begin(world)).begun.kind, 'begun');
  });

  inWorld(options, 'intents: it is kept from what another one holds', async (world) => {
    await put(world, [itemWrite('a', 1), itemWrite('b', 1)]);
    const { ref } = await begin(world);
    await begin(world, { groupIds: ['b'] });
    const result = await put(world, [itemWrite('a', 2), itemWrite('b', 2)], { intent: { id: ref.id, epoch: 1 } });
    assert.deepEqual([result.changed, result.deferred], [['a'], ['b']]);
  });

  inWorld(options, 'intents: a commit under a lost, ended or foreign one does nothing at all', async (world) => {
    const { intents } = world.storage;
    await put(world, [itemWrite('a', 1)]);
    const { ref, row } = await begin(world);
    const other = { ...world.key, calendarId: 'cal_2' };
    await put({ ...world, key: other }, []);
    const commit = (epoch: number, key = world.key) =>
      put({ ...world, key }, [itemWrite('a', 2)], { intent: { id: row.id, epoch, end: { keepMs: 0 } } });
    await rejection('mirror.commit', commit(2), 'Conflict');
    await rejection('mirror.commit', commit(1, other), 'Conflict');
    await world.clock.advance(TTL_MS);
    await intents.claim(APPLICATION, row.id, TTL_MS);
    await rejection('mirror.commit', commit(1), 'Conflict');
    await intents.end({ ...ref, epoch: 2 });
    await rejection('mirror.commit', commit(2), 'Conflict');
    assert.deepEqual((await world.storage.mirror.findItem(world.key, 'a'))?.content, 1);
  });

  inWorld(
    options,
    'intents: with a key the result is kept with the revision, for as long as it says',
    async (world) => {
      const { intents } = world.storage;
      const idempotency = { key: 'k', bodyHash: 'h' };
      const { row } = await begin(world, { kind: 'create', groupIds: [], idempotency });
      const end = { result: { itemId: 'a' }, keepMs: 1_000 };
      await put(world, [itemWrite('a', 1)], { intent: { id: row.id, epoch: 1, end } });
      await put(world, [itemWrite('a', 2)]);
      const { begun } = await begin(world, { groupIds: [], idempotency });
      const result = { value: { itemId: 'a' }, revision: 1 };
      assert.deepEqual(begun, { kind: 'key-used', by: { ...row, epoch: 1, state: 'done', result } });
      assert.equal(await intents.claim(APPLICATION, row.id, TTL_MS), undefined);
      await world.clock.advance(1_000);
      assert.equal((await begin(world, { groupIds: [], idempotency })).begun.kind, 'begun');
    },
  );

  inWorld(options, 'intents: of an intent’s end and its loss exactly one happens', async (world) => {
    await put(world, [itemWrite('a', 0)]);
    for (let round = 1; round <= 10; round += 1) {
      const { row } = await begin(world);
      await world.clock.advance(TTL_MS);
      const intent = { id: row.id, epoch: 1, end: { keepMs: 0 } };
      const [committed, claim] = await Promise.all([
        put(world, [itemWrite('a', round)], { intent }).then(
          () => true,
          () => false,
        ),
        world.peer.intents.claim(APPLICATION, row.id, TTL_MS),
      ]);
      assert.equal(committed, claim === undefined);
      if (claim !== undefined) await world.peer.intents.end({ applicationId: APPLICATION, id: row.id, epoch: 2 });
    }
  });
}

function removals(options: StorageConformanceOptions): void {
  inWorld(options, 'intents: they go with their collection and with their account', async (world) => {
    const { intents, mirror, accounts } = world.storage;
    await begin(world);
    await mirror.remove(world.key, { at: 1, messageId: () => 'msg_last' });
    assert.equal(await intents.nextAbandonedAt(), null);
    const second = await begin(world);
    assert.equal(second.begun.kind, 'begun');
    await accounts.delete(APPLICATION, ACCOUNT);
    assert.equal(await intents.nextAbandonedAt(), null);
  });
}
