import assert from 'node:assert/strict';
import type { IntentBegun } from 'kalends/ports';
import { begin, holderOf, intentRow, TTL_MS } from './new-intents.ts';
import { rejection } from './rejection.ts';
import {
  APPLICATION,
  accountRow,
  credentialRow,
  inWorld,
  itemWrite,
  OTHER_APPLICATION,
  put,
  race,
  type StorageConformanceOptions,
} from './world.ts';

/** IntentStore. */
export function intentConformance(options: StorageConformanceOptions): void {
  beginning(options);
  leasing(options);
  journal(options);
  endings(options);
  keys(options);
}

function kinds(begun: readonly { readonly begun: IntentBegun }[]): readonly string[] {
  return begun.map((each) => each.begun.kind).sort();
}

function beginning(options: StorageConformanceOptions): void {
  inWorld(
    options,
    'intents: another one that wants a held group is told of the holder as it was written down',
    async (world) => {
      await put(world, [itemWrite('a', 1)], { timeZone: 'Europe/Berlin' });
      await put(world, [itemWrite('a', 2), itemWrite('a1', 1, { groupId: 'a' }), itemWrite('c', 1)]);
      await put(world, [itemWrite('a1', null, { groupId: 'a' })]);
      const { begun, row } = await begin(world, { holdsNewItems: true, groupIds: ['a', 'b'] });
      const expected = { ...row, epoch: 1, state: 'held', result: null };
      const items = await world.storage.mirror.findItems(world.key, ['a']);
      assert.equal(items[0]?.fromRevision, 2);
      const held = { revision: 3, timeZone: 'Europe/Berlin', items };
      assert.deepEqual(begun, { kind: 'begun', intent: expected, basedOn: 3, held });
      assert.deepEqual(await holderOf(world, 'b', world.peer), expected);
    },
  );

  inWorld(
    options,
    'intents: there is none in a collection that does not exist, or of another tenant',
    async (world) => {
      const { intents } = world.storage;
      await rejection('intents.begin', intents.begin(intentRow(world.key), TTL_MS), 'NotFound');
      await put(world, []);
      await rejection('intents.begin', intents.begin(intentRow(world.foreignKey), TTL_MS), 'NotFound');
    },
  );

  inWorld(options, 'intents: of concurrent ones with a common group exactly one begins', async (world) => {
    await put(world, []);
    const begun = await race(world, 8, (storage, index) =>
      begin(world, { groupIds: ['common', `own ${index}`] }, storage),
    );
    assert.deepEqual(kinds(begun), ['begun', ...Array(7).fill('group-held')]);
    const winner = begun.find((each) => each.begun.kind === 'begun');
    for (const { begun: other } of begun) {
      if (other.kind === 'group-held') assert.equal(other.by.id, winner?.row.id);
    }
    assert.equal((await begin(world, { groupIds: ['another'] })).begun.kind, 'begun');
    const list = { ...world.key, calendarId: null };
    await put({ ...world, key: list }, [], { timeZone: '' });
    assert.equal((await begin(world, { key: list, groupIds: ['common'] })).begun.kind, 'begun');
  });

  inWorld(options, 'intents: a loser leaves nothing behind', async (world) => {
    const { ref } = await begin(world, { groupIds: ['a'] });
    const { begun } = await begin(world, { groupIds: ['b', 'a'] });
    assert.equal(begun.kind, 'group-held');
    assert.equal((await begin(world, { groupIds: ['b'] })).begun.kind, 'begun');
    assert.equal(await world.storage.intents.end(ref), true);
    assert.equal((await begin(world, { groupIds: ['a'] })).begun.kind, 'begun');
  });
}

function leasing(options: StorageConformanceOptions): void {
  inWorld(options, 'intents: an abandoned one goes to exactly one claimer, who raises the epoch', async (world) => {
    const { intents } = world.storage;
    const { row, ref } = await begin(world);
    assert.equal(await intents.claim(APPLICATION, row.id, TTL_MS), undefined);
    await world.clock.advance(TTL_MS);
    assert.equal((await holderOf(world))?.state, 'abandoned');
    assert.equal(await intents.claim(OTHER_APPLICATION, row.id, TTL_MS), undefined);
    assert.equal((await begin(world)).begun.kind, 'group-held');
    const claims = await race(world, 8, (storage) => storage.intents.claim(APPLICATION, row.id, TTL_MS));
    const won = claims.filter((claim) => claim !== undefined);
    assert.deepEqual(won, [{ intent: { ...row, epoch: 2, state: 'held', result: null }, basedOn: 0 }]);
    await intents.renew([ref], 9 * TTL_MS);
    assert.equal(await intents.nextAbandonedAt(), world.clock.now() + TTL_MS);
    assert.equal(await intents.end(ref), false);
    await rejection('intents.record', intents.record(ref, { data: 1 }), 'Conflict');
  });

  inWorld(options, 'intents: renewing extends what is still the holder’s, also when it has run out', async (world) => {
    const { intents } = world.storage;
    const { row, ref } = await begin(world);
    await world.clock.advance(60);
    await intents.renew([{ ...ref, applicationId: OTHER_APPLICATION }], 9 * TTL_MS);
    await intents.renew([ref, { ...ref, id: 'none' }], TTL_MS);
    await world.clock.advance(99);
    assert.equal(await intents.claim(APPLICATION, row.id, TTL_MS), undefined);
    await world.clock.advance(1);
    assert.equal((await holderOf(world))?.state, 'abandoned');
    await intents.renew([ref], TTL_MS);
    assert.equal((await holderOf(world))?.state, 'held');
    await intents.abandon(ref, 7);
    await intents.renew([ref], TTL_MS);
    assert.equal((await holderOf(world))?.state, 'abandoned');
    await intents.end(ref);
    await intents.renew([ref], TTL_MS);
    assert.equal(await intents.nextAbandonedAt(), null);
  });

  inWorld(options, 'intents: those of an account that cools down wait in the background', async (world) => {
    const { storage, clock } = world;
    const { row, ref } = await begin(world);
    await storage.intents.abandon(ref, 0);
    await storage.schedule.coolDown(row.key, 1_000);
    assert.equal(await storage.intents.claimAbandoned(TTL_MS), undefined);
    await clock.advance(1_000);
    assert.equal((await storage.intents.claimAbandoned(TTL_MS))?.intent.id, row.id);
  });

  inWorld(options, 'intents: background work takes what is abandoned, each once, the longest first', async (world) => {
    const { intents } = world.storage;
    assert.equal(await intents.nextAbandonedAt(), null);
    assert.equal(await intents.claimAbandoned(TTL_MS), undefined);
    const first = await begin(world, { groupIds: ['a'] });
    await world.clock.advance(10);
    const second = await begin(world, { groupIds: ['b'] });
    assert.equal(await intents.nextAbandonedAt(), world.clock.now() + 90);
    await world.clock.advance(89);
    assert.equal(await intents.claimAbandoned(TTL_MS), undefined);
    await world.clock.advance(11);
    assert.equal((await intents.claimAbandoned(TTL_MS))?.intent.id, first.row.id);
    const rest = await race(world, 6, (storage) => storage.intents.claimAbandoned(TTL_MS));
    assert.deepEqual(
      rest.flatMap((claim) => claim?.intent.id ?? []),
      [second.row.id],
    );
  });

  inWorld(
    options,
    'intents: one that is given up rests before background work takes it, and no longer',
    async (world) => {
      const { intents } = world.storage;
      const { row, ref } = await begin(world);
      assert.equal(await intents.abandon({ ...ref, epoch: 2 }, 50), false);
      assert.equal(await intents.abandon({ ...ref, applicationId: OTHER_APPLICATION }, 50), false);
      assert.equal((await holderOf(world))?.state, 'held');
      assert.equal(await intents.abandon(ref, 50), true);
      assert.equal((await holderOf(world))?.state, 'abandoned');
      assert.equal(await intents.nextAbandonedAt(), world.clock.now() + 50);
      assert.equal(await intents.claimAbandoned(TTL_MS), undefined);
      await world.clock.advance(50);
      assert.equal((await intents.claimAbandoned(TTL_MS))?.intent.epoch, 2);
      assert.equal(await intents.abandon({ ...ref, epoch: 2 }, 1_000), true);
      assert.equal((await intents.claim(APPLICATION, row.id, TTL_MS))?.intent.epoch, 3);
      await intents.end({ ...ref, epoch: 3 });
      assert.equal(await intents.abandon({ ...ref, epoch: 3 }, 50), false);
    },
  );

  inWorld(options, 'intents: those of an EXPIRED account wait', async (world) => {
    await begin(world);
    await world.clock.advance(TTL_MS);
    await world.storage.accounts.save(accountRow({ status: 'EXPIRED' }), credentialRow());
    assert.equal(await world.storage.intents.nextAbandonedAt(), null);
    assert.equal(await world.storage.intents.claimAbandoned(TTL_MS), undefined);
    await world.storage.accounts.save(accountRow(), credentialRow());
    assert.equal((await world.storage.intents.claimAbandoned(TTL_MS))?.intent.epoch, 2);
  });
}

function journal(options: StorageConformanceOptions): void {
  inWorld(options, 'intents: a step replaces the data and holds further groups', async (world) => {
    const { intents } = world.storage;
    const { row, ref } = await begin(world, { holdsNewItems: true });
    await intents.record(ref, { data: [1, { two: null }], groupIds: ['a', 'b'] });
    const recorded = { ...row, data: [1, { two: null }], groupIds: ['a', 'b'], epoch: 1, state: 'held', result: null };
    assert.deepEqual(await holderOf(world), recorded);
    assert.equal((await begin(world, { groupIds: ['b'] })).begun.kind, 'group-held');
    await intents.record(ref, { data: 2, holdsNewItems: false });
    assert.deepEqual(await holderOf(world), { ...recorded, data: 2, holdsNewItems: false });
  });

  inWorld(options, 'intents: a step that wants a held group, or of another tenant, changes nothing', async (world) => {
    const { intents } = world.storage;
    const { row, ref } = await begin(world);
    await begin(world, { groupIds: ['b'] });
    await rejection('intents.record', intents.record(ref, { data: 2, groupIds: ['c', 'b'] }), 'Conflict');
    const foreign = { ...ref, applicationId: OTHER_APPLICATION };
    await rejection('intents.record', intents.record(foreign, { data: 2 }), 'Conflict');
    assert.deepEqual((await holderOf(world))?.data, row.data);
    assert.equal((await begin(world, { groupIds: ['c'] })).begun.kind, 'begun');
  });
}

function endings(options: StorageConformanceOptions): void {
  inWorld(options, 'intents: without a key nothing is kept of one that has ended', async (world) => {
    const { intents } = world.storage;
    const { ref } = await begin(world);
    assert.equal(await intents.end({ ...ref, applicationId: OTHER_APPLICATION }), false);
    assert.equal(await intents.end(ref, { keepMs: 1_000 }), true);
    assert.equal(await intents.end(ref), false);
    assert.equal(await holderOf(world), undefined);
    assert.equal(await intents.nextAbandonedAt(), null);
  });

  inWorld(options, 'intents: one that lapses holds nothing, keeps its key, and can be opened again', async (world) => {
    const { intents } = world.storage;
    const { row, ref } = await begin(world, { idempotency: { key: 'k', bodyHash: 'h' } });
    assert.equal(await intents.end(ref, { keepMs: 1_000 }), true);
    const lapsed = { ...row, groupIds: [], epoch: 1, state: 'lapsed', result: null };
    assert.equal(await intents.claimAbandoned(TTL_MS), undefined);
    assert.equal((await begin(world)).begun.kind, 'begun');
    const { begun } = await begin(world, { groupIds: [], idempotency: { key: 'k', bodyHash: 'other' } });
    assert.deepEqual(begun, { kind: 'key-used', by: lapsed });
    const claims = await race(world, 4, (storage) => storage.intents.claim(APPLICATION, row.id, TTL_MS));
    assert.deepEqual(
      claims.filter((claim) => claim !== undefined),
      [{ intent: { ...lapsed, epoch: 2, state: 'held' }, basedOn: 0 }],
    );
  });

  inWorld(
    options,
    'intents: what is over is forgotten when its time is, in parts, and what is open never',
    async (world) => {
      const { intents } = world.storage;
      const ended = [];
      for (const key of ['k1', 'k2', 'k3']) {
        const { row, ref } = await begin(world, { groupIds: [], idempotency: { key, bodyHash: 'h' } });
        await intents.end(ref, { keepMs: 1_000 });
        ended.push(row.id);
      }
      await begin(world, { idempotency: { key: 'k4', bodyHash: 'h' } });
      await world.clock.advance(999);
      assert.equal(await intents.purge(10), 0);
      await world.clock.advance(1);
      assert.equal(await intents.claim(APPLICATION, ended[0]!, TTL_MS), undefined);
      assert.equal(
        (await begin(world, { groupIds: [], idempotency: { key: 'k1', bodyHash: 'x' } })).begun.kind,
        'begun',
      );
      assert.equal(await intents.purge(1), 1);
      assert.equal(await intents.purge(10), 1);
      assert.equal((await holderOf(world))?.state, 'abandoned');
    },
  );
}

function keys(options: StorageConformanceOptions): void {
  inWorld(options, 'intents: of concurrent ones with one key exactly one begins', async (world) => {
    await put(world, []);
    const idempotency = { key: 'k', bodyHash: 'h' };
    const begun = await race(world, 8, (storage) => begin(world, { groupIds: [], idempotency }, storage));
    assert.deepEqual(kinds(begun), ['begun', ...Array(7).fill('key-used')]);
  });

  inWorld(options, 'intents: a key is the application’s, in whatever collection', async (world) => {
    await put(world, []);
    const other = { ...world.key, calendarId: 'cal_2' };
    await put({ ...world, key: other }, []);
    const idempotency = { key: 'k', bodyHash: 'h' };
    const begun = await race(world, 8, (storage, index) =>
      begin(world, { key: index < 4 ? world.key : other, groupIds: [], idempotency }, storage),
    );
    assert.deepEqual(kinds(begun), ['begun', ...Array(7).fill('key-used')]);
    const foreign = { ...world.key, applicationId: OTHER_APPLICATION, accountId: 'acc_2' };
    await put({ ...world, key: foreign }, []);
    assert.equal((await begin(world, { key: foreign, groupIds: [], idempotency })).begun.kind, 'begun');
  });

  inWorld(options, 'intents: one without a key meets nobody’s', async (world) => {
    assert.equal((await begin(world, { groupIds: [] })).begun.kind, 'begun');
    assert.equal((await begin(world, { groupIds: [] })).begun.kind, 'begun');
  });
}
