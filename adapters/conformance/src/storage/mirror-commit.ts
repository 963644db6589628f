import assert from 'node:assert/strict';
import { type Commit, type ItemWrite, MAX_COMMIT_WRITES } from 'kalends/ports';
import { rejection } from './rejection.ts';
import { inWorld, itemWrite, put, race, rereadIds, type StorageConformanceOptions, subscriptionRow } from './world.ts';

/** MirrorStore.ensure and MirrorStore.commit. */
export function mirrorCommitConformance(options: StorageConformanceOptions): void {
  collections(options);
  versions(options);
  deferral(options);
  resumePoints(options);
  fences(options);
  leftovers(options);
}

function leftovers(options: StorageConformanceOptions): void {
  inWorld(options, 'mirror: a commit tells what it has left in the groups that it names', async (world) => {
    const { mirror } = world.storage;
    await put(world, [itemWrite('s', 1), itemWrite('s_1', 1, { groupId: 's' }), itemWrite('a', 1), itemWrite('z', 1)]);
    const commit = async (writes: readonly ItemWrite[], patch: Partial<Commit> = {}) => {
      const { left, ...result } = await put(world, writes, { readsLeft: true, ...patch });
      assert.deepEqual(left?.items, await mirror.readGroups(world.key, left?.groupIds ?? [], result.revision));
      assert.equal(left?.timeZone, (await mirror.find(world.key))?.timeZone);
      return {
        ...result,
        groupIds: left?.groupIds,
        ids: left?.items.map(({ itemId }) => itemId),
        rereads: left?.hasRereads,
      };
    };
    const unchanged = { revision: 1, changed: [], deferred: [], setAside: [], rereads: false };
    assert.deepEqual(await commit([]), { ...unchanged, groupIds: [], ids: [] });
    assert.deepEqual(await commit([itemWrite('a', 1)]), { ...unchanged, groupIds: ['a'], ids: ['a'] });
    const moved = [
      itemWrite('s_2', 1, { groupId: 's' }),
      itemWrite('s_1', null, { groupId: 's' }),
      itemWrite('a', null),
    ];
    const { ids, revision } = await commit(moved);
    assert.deepEqual([ids, revision], [['s', 's_2'], 2]);
    // Deferred: it shows what is there.
    const stale = await commit([itemWrite('s', 9)], { basedOn: 0 });
    assert.deepEqual([stale.deferred, stale.ids, stale.rereads], [['s'], ['s', 's_2'], true]);
    const { left } = await put(world, [itemWrite('z', 2)]);
    assert.equal(left, undefined);
  });
}

function collections(options: StorageConformanceOptions): void {
  inWorld(options, 'mirror: ensure creates a collection at revision 0, once', async (world) => {
    const { key, foreignKey, storage } = world;
    assert.equal(await storage.mirror.find(key), undefined);
    const init = { at: 5, tag: 'first', timeZone: 'Europe/Berlin' };
    const expected = {
      revision: 0,
      tag: 'first',
      timeZone: 'Europe/Berlin',
      at: 5,
      completedAt: null,
      writeCount: 0,
      purgedBelow: 0,
    };
    const states = await race(world, 4, ({ mirror }) => mirror.ensure(key, init));
    for (const state of states) assert.deepEqual(state, expected);
    assert.deepEqual(await storage.mirror.ensure(key, { at: 9, tag: 'other', timeZone: 'UTC' }), expected);
    assert.deepEqual(await storage.mirror.find(key), expected);
    assert.deepEqual(await storage.mirror.findRevision(key, 0), { tag: 'first', timeZone: 'Europe/Berlin', at: 5 });
    assert.equal(await storage.mirror.find(foreignKey), undefined);
    await rejection('mirror.ensure', storage.mirror.ensure(foreignKey, init), 'NotFound');
    assert.deepEqual(await storage.mirror.find(key), expected);
  });

  inWorld(options, 'mirror: the calendar list and calendars of one account are collections apart', async (world) => {
    const list = { ...world.key, calendarId: null };
    await put(world, [itemWrite('x', 'event')]);
    await put({ ...world, key: list }, [itemWrite('x', 'calendar')], { timeZone: '' });
    const { mirror } = world.storage;
    assert.equal((await mirror.findItem(list, 'x'))?.content, 'calendar');
    assert.equal((await mirror.findItem(world.key, 'x'))?.content, 'event');
  });

  inWorld(options, 'mirror: a commit to no collection, or to another tenant’s, is NotFound', async (world) => {
    const commit: Commit = { writes: [itemWrite('a', 1)], basedOn: 0, at: 1, tag: 't' };
    await rejection('mirror.commit', world.storage.mirror.commit(world.key, commit), 'NotFound');
    await put(world, []);
    await rejection('mirror.commit', world.storage.mirror.commit(world.foreignKey, commit), 'NotFound');
    assert.equal(await world.storage.mirror.findItem(world.key, 'a'), undefined);
  });

  inWorld(options, `mirror: more than ${MAX_COMMIT_WRITES} writes are refused`, async (world) => {
    const writes = Array.from({ length: MAX_COMMIT_WRITES + 1 }, (_, index) => itemWrite(`i${index}`, index));
    await rejection('mirror.commit', put(world, writes), 'InvalidRequest');
    assert.equal((await put(world, writes.slice(1))).changed.length, MAX_COMMIT_WRITES);
  });
}

function versions(options: StorageConformanceOptions): void {
  inWorld(
    options,
    'mirror: a commit that changes something makes one revision with its tag and time',
    async (world) => {
      const result = await put(world, [itemWrite('a', { title: 'Ä 🗓' }), itemWrite('b', [1, null])], {
        at: 50,
        tag: 'T1',
        timeZone: 'Asia/Tokyo',
      });
      assert.deepEqual(result, { revision: 1, changed: ['a', 'b'], deferred: [], setAside: [] });
      const state = await world.storage.mirror.find(world.key);
      assert.deepEqual([state?.revision, state?.tag, state?.timeZone], [1, 'T1', 'Asia/Tokyo']);
      assert.equal((await world.storage.mirror.findRevision(world.key, 1))?.tag, 'T1');
      assert.equal((await world.storage.mirror.findRevision(world.key, 0))?.timeZone, 'UTC');
      assert.equal(await world.storage.mirror.findRevision(world.key, 2), undefined);
      assert.equal(await world.storage.mirror.findRevision(world.foreignKey, 1), undefined);
      const item = await world.storage.mirror.findItem(world.key, 'a');
      assert.equal(item?.contentText ?? '{"title":"Ä 🗓"}', '{"title":"Ä 🗓"}');
      const { contentText: _, ...found } = { ...item, content: item?.content };
      assert.deepEqual(found, {
        itemId: 'a',
        groupId: 'a',
        fromRevision: 1,
        etag: '{"title":"Ä 🗓"}',
        providerTag: null,
        mappingVersion: 1,
        content: { title: 'Ä 🗓' },
        privateContent: null,
      });
    },
  );

  inWorld(
    options,
    'mirror: private content moves in place, without a version, and is kept or cleared',
    async (world) => {
      const { mirror } = world.storage;
      const find = async (asOf?: number) => (await mirror.findItem(world.key, 'a', asOf))?.privateContent;
      await put(world, [itemWrite('a', 1, { privateContent: { n: 1 } }), itemWrite('b', 1)]);
      assert.deepEqual(await find(), { n: 1 });
      const refreshed = await put(world, [
        itemWrite('a', 1, { privateContent: { n: 2 } }),
        itemWrite('b', 1, { privateContent: null }),
      ]);
      assert.deepEqual(refreshed, { revision: 1, changed: [], deferred: [], setAside: [] });
      assert.deepEqual([await find(), await find(1)], [{ n: 2 }, { n: 2 }]);
      assert.deepEqual(
        (await mirror.readGroups(world.key, ['a', 'b'], 1)).map((item) => [item.content, item.privateContent]),
        [
          [1, { n: 2 }],
          [1, null],
        ],
      );
      await put(world, [itemWrite('a', 1)]);
      assert.deepEqual(await find(), { n: 2 });
      await put(world, [itemWrite('a', 1, { privateContent: null })]);
      assert.equal(await find(), null);
      await put(world, [itemWrite('a', 2, { privateContent: 'new' })]);
      assert.deepEqual([await find(), await find(1)], ['new', null]);
      await put(world, [itemWrite('a', 3)]);
      assert.equal(await find(), null);
    },
  );

  inWorld(options, 'mirror: content is read back exactly as it was written', async (world) => {
    const content = {
      empty: '',
      nul: '\u0000',
      quotes: `"'\\`,
      astral: '👩‍👩‍👧‍👦 \u{10ffff}',
      numbers: [0, -1.5, 1e21, Number.MAX_SAFE_INTEGER],
      nested: { deep: [{ yes: true, no: false, none: null }] },
    };
    await put(world, [itemWrite('a', content)]);
    assert.deepEqual((await world.storage.mirror.findItem(world.key, 'a'))?.content, content);
  });

  inWorld(options, 'mirror: ids and tags are read back exactly as they were written', async (world) => {
    for (const [index, text] of ['NULL', '{a,b}', '"quoted"', 'back\\slash', "'", ' spaced ', '👩‍👩‍👧'].entries()) {
      const written = { etag: text, providerTag: text };
      await put(world, [
        itemWrite(text, index, written),
        itemWrite(`member ${text}`, 1, { ...written, groupId: text }),
      ]);
      const own = await world.storage.mirror.findItem(world.key, text);
      assert.deepEqual([own?.itemId, own?.etag, own?.providerTag], [text, text, text]);
      const member = await world.storage.mirror.findItem(world.key, `member ${text}`);
      assert.deepEqual([member?.itemId, member?.groupId, member?.etag], [`member ${text}`, text, text]);
    }
  });

  inWorld(options, 'mirror: an equal etag makes no version and no revision, only the tags move', async (world) => {
    await put(world, [itemWrite('a', 1, { providerTag: 'p1' }), itemWrite('a1', 1, { groupId: 'a' })]);
    const result = await put(world, [
      itemWrite('a', 1, { providerTag: 'p2', mappingVersion: 2, rangeStart: 500, rangeEnd: null }),
      itemWrite('a1', 1, { groupId: 'a', providerTag: 'p3' }),
    ]);
    assert.deepEqual(result, { revision: 1, changed: [], deferred: [], setAside: [] });
    const item = await world.storage.mirror.findItem(world.key, 'a');
    assert.deepEqual([item?.fromRevision, item?.providerTag, item?.mappingVersion], [1, 'p2', 2]);
    assert.equal((await world.storage.mirror.findItem(world.key, 'a1'))?.providerTag, 'p3');
    assert.deepEqual(await world.storage.mirror.listTouched(world.key, { since: 1, until: 9, limit: 9 }), []);
    const late = { asOf: 1, limit: 9, range: { from: 1_000, to: null } };
    assert.deepEqual(await world.storage.mirror.listGroups(world.key, late), ['a']);
  });

  inWorld(options, 'mirror: an equal etag moves either end of the range', async (world) => {
    const { mirror } = world.storage;
    await put(world, [itemWrite('a', 1), itemWrite('b', 1, { rangeStart: 50 })]);
    await put(world, [itemWrite('a', 1, { rangeEnd: 200 }), itemWrite('b', 1, { rangeStart: 10 })]);
    const list = (from: number, to: number) => mirror.listGroups(world.key, { asOf: 1, limit: 9, range: { from, to } });
    assert.deepEqual(await list(150, 300), ['a']);
    assert.deepEqual(await list(5, 20), ['a', 'b']);
  });

  inWorld(options, 'mirror: deleting what is not there changes nothing', async (world) => {
    assert.deepEqual(await put(world, [itemWrite('a', null)]), {
      revision: 0,
      changed: [],
      deferred: [],
      setAside: [],
    });
    await put(world, [itemWrite('a', 1)]);
    await put(world, [itemWrite('a', null)]);
    assert.deepEqual(await put(world, [itemWrite('a', null)]), {
      revision: 2,
      changed: [],
      deferred: [],
      setAside: [],
    });
  });

  inWorld(options, 'mirror: a deleted item can come back, with the same content too', async (world) => {
    await put(world, [itemWrite('a', 1)]);
    await put(world, [itemWrite('a', null)]);
    assert.deepEqual((await put(world, [itemWrite('a', 1)])).changed, ['a']);
    const { mirror } = world.storage;
    assert.equal((await mirror.findItem(world.key, 'a'))?.fromRevision, 3);
    assert.equal((await mirror.findItem(world.key, 'a', 1))?.fromRevision, 1);
    assert.equal(await mirror.findItem(world.key, 'a', 2), undefined);
    assert.equal(await mirror.findDeletion(world.key, 'a'), undefined);
  });

  inWorld(options, 'mirror: of two writes of one item the later stands', async (world) => {
    assert.deepEqual((await put(world, [itemWrite('a', 1), itemWrite('b', 1), itemWrite('a', 2)])).changed, ['a', 'b']);
    assert.equal((await world.storage.mirror.findItem(world.key, 'a'))?.content, 2);
  });

  inWorld(options, 'mirror: an item that changes its group touches both', async (world) => {
    const { mirror } = world.storage;
    await put(world, [itemWrite('s', 'S'), itemWrite('t', 'T'), itemWrite('x', 1, { groupId: 's' })]);
    assert.deepEqual((await put(world, [itemWrite('x', 1, { groupId: 't' })])).changed, ['x']);
    await put(world, [itemWrite('x', 1)]);
    const inGroup = async (groupId: string, asOf: number) =>
      (await mirror.readGroups(world.key, [groupId], asOf)).map(({ itemId }) => itemId);
    assert.deepEqual([await inGroup('s', 1), await inGroup('t', 1)], [['s', 'x'], ['t']]);
    assert.deepEqual([await inGroup('s', 2), await inGroup('t', 2)], [['s'], ['t', 'x']]);
    assert.deepEqual([await inGroup('t', 3), await inGroup('x', 3)], [['t'], ['x']]);
    assert.deepEqual(await mirror.listTouched(world.key, { since: 1, until: 3, limit: 9 }), [
      { groupId: 's', revision: 2 },
      { groupId: 't', revision: 3 },
      { groupId: 'x', revision: 3 },
    ]);
    assert.equal((await mirror.findItem(world.key, 'x', 2))?.groupId, 't');
    assert.equal((await mirror.findItems(world.key, ['x'])).length, 1);
    assert.equal(await mirror.findDeletion(world.key, 'x'), undefined);
    await put(world, [itemWrite('x', null)]);
    assert.deepEqual(await mirror.findDeletion(world.key, 'x'), { groupId: 'x', revision: 4 });
    await put(world, [itemWrite('y', 1)]);
    await put(world, [itemWrite('y', 1, { groupId: 's' })]);
    await put(world, [itemWrite('y', null, { groupId: 's' })]);
    assert.deepEqual(await mirror.findDeletion(world.key, 'y'), { groupId: 's', revision: 7 });
  });

  inWorld(options, 'mirror: a change of the zone alone makes a revision, the same zone none', async (world) => {
    assert.equal((await put(world, [], { timeZone: 'UTC' })).revision, 0);
    assert.deepEqual(await put(world, [], { timeZone: 'Asia/Tokyo' }), {
      revision: 1,
      changed: [],
      deferred: [],
      setAside: [],
    });
    assert.equal((await world.storage.mirror.findRevision(world.key, 1))?.timeZone, 'Asia/Tokyo');
    await put(world, [itemWrite('a', 1)]);
    assert.equal((await world.storage.mirror.findRevision(world.key, 2))?.timeZone, 'Asia/Tokyo');
  });

  inWorld(options, 'mirror: times of the log never move back, whatever the writers’ clocks say', async (world) => {
    await put(world, [itemWrite('a', 1)], { at: 5_000_000_000_000 });
    await put(world, [itemWrite('a', 2)], { at: 4_000_000_000_000 });
    assert.equal((await world.storage.mirror.findRevision(world.key, 2))?.at, 5_000_000_000_000);
  });

  inWorld(options, 'mirror: complete is noted once', async (world) => {
    assert.equal((await put(world, [], { complete: true, at: 70 })).revision, 0);
    await put(world, [itemWrite('a', 1)], { complete: true, at: 90 });
    assert.equal((await world.storage.mirror.find(world.key))?.completedAt, 70);
  });

  inWorld(options, 'mirror: concurrent commits each get a revision of their own, in one order', async (world) => {
    await put(world, []);
    const results = await race(world, 12, ({ mirror }, index) =>
      mirror.commit(world.key, {
        writes: [itemWrite(`i${index}`, index), itemWrite('shared', index, { force: true })],
        basedOn: 0,
        at: index,
        tag: `t${index}`,
      }),
    );
    assert.deepEqual(
      results.map(({ revision }) => revision).toSorted((a, b) => a - b),
      Array.from({ length: 12 }, (_, index) => index + 1),
    );
    for (const [index, { revision }] of results.entries()) {
      const read = (asOf: number) => world.storage.mirror.findItem(world.key, 'shared', asOf);
      assert.equal((await read(revision))?.content, index);
      assert.equal((await world.storage.mirror.findRevision(world.key, revision))?.tag, `t${index}`);
      assert.equal(await world.storage.mirror.findItem(world.key, `i${index}`, revision - 1), undefined);
      assert.equal((await world.storage.mirror.findItem(world.key, `i${index}`, revision))?.content, index);
    }
  });

  inWorld(options, 'mirror: a commit that fails half-way leaves nothing behind', async (world) => {
    await put(world, [itemWrite('a', 1)], { providerToken: 'one' });
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const broken = { ...itemWrite('b', 1), content: cyclic };
    await rejection('mirror.commit', put(world, [itemWrite('a', 2), broken], { providerToken: 'two', reread: ['z'] }));
    await world.storage.subscriptions.insert(subscriptionRow());
    const failing = () => assert.fail('no id');
    const notify = { eventType: 'calendar.event.changed', messageId: failing } as const;
    await assert.rejects(put(world, [itemWrite('a', 3)], { providerToken: 'three', reread: ['z'], notify }), /no id/);
    assert.equal((await world.storage.mirror.find(world.key))?.revision, 1);
    assert.equal((await world.storage.mirror.findItem(world.key, 'a'))?.content, 1);
    assert.equal(await world.storage.mirror.findProviderToken(world.key), 'one');
    assert.deepEqual(await world.storage.mirror.listRereads(world.key, 9), []);
    assert.equal((await put(world, [itemWrite('a', 4)])).revision, 2);
  });
}

function deferral(options: StorageConformanceOptions): void {
  inWorld(options, 'mirror: what was written after basedOn is deferred to the re-read list', async (world) => {
    await put(world, [itemWrite('a', 1), itemWrite('b', 1), itemWrite('c', 1)]);
    await put(world, [itemWrite('a', 2), itemWrite('b', null)]);
    const stale = [itemWrite('a', 'old'), itemWrite('b', 'old'), itemWrite('c', 3), itemWrite('d', 4)];
    const result = await put(world, stale, { basedOn: 1 });
    assert.deepEqual(result, { revision: 3, changed: ['c', 'd'], deferred: ['a', 'b'], setAside: [] });
    assert.equal((await world.storage.mirror.findItem(world.key, 'a'))?.content, 2);
    assert.equal(await world.storage.mirror.findItem(world.key, 'b'), undefined);
    assert.deepEqual(await rereadIds(world), ['a', 'b']);
  });

  inWorld(options, 'mirror: what was confirmed after basedOn, under another tag, is newer as well', async (world) => {
    const find = () => world.storage.mirror.find(world.key);
    await put(world, [itemWrite('a', 1, { providerTag: 'first' })]);
    const before = await find();
    await put(world, [itemWrite('a', 1, { providerTag: 'first' })]);
    assert.deepEqual(await find(), before);
    const again = await put(world, [itemWrite('a', 1, { providerTag: 'third' })]);
    assert.deepEqual(again, { revision: 1, changed: [], deferred: [], setAside: [] });
    const after = await find();
    assert.deepEqual(after, { ...before, writeCount: before!.writeCount + 1 });
    const stale = itemWrite('a', 2, { providerTag: 'second' });
    const result = await put(world, [stale, itemWrite('b', 1)], { basedOn: before!.writeCount });
    assert.deepEqual(result, { revision: 2, changed: ['b'], deferred: ['a'], setAside: [] });
    assert.equal((await world.storage.mirror.findItem(world.key, 'a'))?.content, 1);
    await put(world, [stale], { basedOn: after!.writeCount });
    assert.equal((await world.storage.mirror.findItem(world.key, 'a'))?.content, 2);
  });

  inWorld(options, 'mirror: force applies all the same', async (world) => {
    await put(world, [itemWrite('a', 1)]);
    const result = await put(world, [itemWrite('a', 2, { force: true })], { basedOn: 0 });
    assert.deepEqual(result, { revision: 2, changed: ['a'], deferred: [], setAside: [] });
    assert.deepEqual(await world.storage.mirror.listRereads(world.key, 9), []);
  });

  inWorld(options, 'mirror: the re-read list is oldest first and holds each id once', async (world) => {
    const { mirror } = world.storage;
    await put(world, [itemWrite('m', 1)], { reread: ['z'] });
    await mirror.addRereads(world.key, ['b', 'b']);
    assert.equal((await put(world, [], { reread: ['a', 'z'] })).revision, 1);
    const list = async (limit: number) => await rereadIds(world, limit);
    assert.deepEqual(await list(9), ['z', 'b', 'a']);
    assert.deepEqual(await list(2), ['z', 'b']);
    assert.deepEqual(await mirror.listRereads(world.foreignKey, 9), []);
    await mirror.addRereads(world.foreignKey, ['x']);
    const [z, b] = await mirror.listRereads(world.key, 9);
    await put(world, [itemWrite('m', 2)], { rereadDone: [z!, { itemId: 'none', seq: 1_000_000, times: 0 }] });
    assert.deepEqual(await list(9), ['b', 'a']);
    await put(world, [itemWrite('m', 'stale')], { rereadDone: [b!], basedOn: 1 });
    assert.deepEqual(await list(9), ['a', 'm']);
  });

  inWorld(options, 'mirror: an id that is put on again while it is read again stays on the list', async (world) => {
    const { mirror } = world.storage;
    await put(world, [itemWrite('m', 1)], { reread: ['a', 'b', 'c'] });
    const listed = await mirror.listRereads(world.key, 9);
    await mirror.addRereads(world.key, ['a']);
    await put(world, [], { reread: ['b'] });
    await put(world, [itemWrite('m', 2)], { rereadDone: listed });
    assert.deepEqual(await rereadIds(world), ['a', 'b']);
    await put(world, [], { rereadDone: await mirror.listRereads(world.key, 9) });
    assert.deepEqual(await rereadIds(world), []);
    await mirror.addRereads(world.key, ['a', 'b', 'c']);
    await put(world, [], { rereadDone: listed });
    assert.deepEqual(await rereadIds(world), ['a', 'b', 'c']);
  });
}

function resumePoints(options: StorageConformanceOptions): void {
  inWorld(options, 'mirror: the provider token is kept, replaced, left alone and forgotten', async (world) => {
    const find = () => world.storage.mirror.findProviderToken(world.key);
    assert.equal(await find(), null);
    await put(world, [], { providerToken: 'one' });
    assert.equal(await find(), 'one');
    await put(world, [itemWrite('a', 1)]);
    assert.equal(await find(), 'one');
    const long = `two${'x'.repeat(20_000)}`;
    await put(world, [], { providerToken: long });
    assert.equal(await find(), long);
    assert.equal(await world.storage.mirror.findProviderToken(world.foreignKey), null);
    await put(world, [], { providerToken: null });
    assert.equal(await find(), null);
  });
}

function fences(options: StorageConformanceOptions): void {
  inWorld(options, 'mirror: a commit is fenced by its lease', async (world) => {
    const { clock, storage } = world;
    const lease = await storage.leases.claim('account:acc_1', 1_000);
    assert.ok(lease);
    const held = { name: 'account:acc_1', epoch: lease.epoch };
    assert.equal((await put(world, [itemWrite('a', 1)], { lease: held })).revision, 1);
    const refused = async (fence: { readonly name: string; readonly epoch: number }) => {
      const late = put(world, [itemWrite('a', 2)], { lease: fence, providerToken: 'x' });
      await rejection('mirror.commit', late, 'Conflict');
      assert.equal(await storage.mirror.findProviderToken(world.key), null);
    };
    await refused({ ...held, epoch: lease.epoch + 1 });
    await refused({ ...held, name: 'account:none' });
    await clock.advance(1_000);
    assert.equal((await put(world, [itemWrite('a', 3)], { lease: held })).revision, 2);
    const next = await storage.leases.claim('account:acc_1', 1_000);
    await refused(held);
    assert.ok(next);
    assert.equal((await put(world, [itemWrite('a', 2)], { lease: { ...held, epoch: next.epoch } })).revision, 3);
    await storage.leases.release('account:acc_1', next.epoch);
    await refused({ ...held, epoch: next.epoch });
    assert.equal((await storage.mirror.find(world.key))?.revision, 3);
  });
}
