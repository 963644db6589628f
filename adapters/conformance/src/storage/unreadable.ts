import assert from 'node:assert/strict';
import type { Commit, UnreadableChanges, UnreadableRow } from 'kalends/ports';
import { inWorld, put, type StorageConformanceOptions, type StorageWorld } from './world.ts';

const NOTHING: UnreadableChanges = { found: [], readIds: [], readGroupIds: [] };

const object = (objectId: string, groupId = objectId) => ({
  objectId,
  groupId,
  isPart: false,
  reason: 'start: must be a date-time',
});

async function commit(world: StorageWorld, unreadable: Partial<UnreadableChanges>, extra: Partial<Commit> = {}) {
  return await put(world, [], { unreadable: { ...NOTHING, ...unreadable }, ...extra });
}

async function listed({ storage, key }: StorageWorld): Promise<readonly UnreadableRow[]> {
  return await storage.mirror.listUnreadable(key.applicationId, key.accountId, { limit: 100 });
}

const ids = async (world: StorageWorld) => (await listed(world)).map(({ objectId }) => objectId);

/** The list of unreadable objects. */
export function unreadableConformance(options: StorageConformanceOptions): void {
  inWorld(options, 'unreadable: lists what is found, once, with its first time and its last reason', async (world) => {
    const { key, storage } = world;
    const first = await commit(world, { found: [object('b'), object('a'), object('')] }, { at: 5 });
    assert.deepEqual([...first.setAside].sort(), ['', 'a', 'b']);
    assert.equal(first.revision, 0, 'no version is made');
    const again = await commit(world, { found: [{ ...object('a', 'm'), isPart: true, reason: 'recurrence: x' }] });
    assert.deepEqual(again.setAside, []);
    assert.deepEqual(await ids(world), ['', 'a', 'b']);
    const row = await storage.mirror.findUnreadable(key, 'a');
    const { place, ...shown } = row ?? assert.fail('it is listed');
    assert.equal(place.objectId, 'a');
    const { calendarId } = key;
    assert.deepEqual(shown, {
      ...{ calendarId, objectId: 'a', groupId: 'm', isPart: true, reason: 'recurrence: x' },
      since: 5,
    });
    assert.equal(await storage.mirror.findUnreadable(key, 'c'), undefined);
  });

  inWorld(options, 'unreadable: counts in each collection of one account', async (world) => {
    const { storage, key, foreignKey } = world;
    const count = ({ applicationId, accountId }: typeof key) =>
      storage.mirror.countUnreadable(applicationId, accountId);
    assert.deepEqual(await count(key), []);
    await commit(world, { found: [object('a'), object('b')] });
    assert.deepEqual(await count(key), [{ calendarId: key.calendarId, count: 2 }]);
    assert.deepEqual(await count(foreignKey), []);
  });

  inWorld(options, 'unreadable: takes off what was read, and groups that were read whole', async (world) => {
    await commit(world, { found: [object('a'), object('m'), object('m_1', 'm'), object('m_2', 'm'), object('z')] });
    await commit(world, { readIds: ['a', 'none'] });
    assert.deepEqual(await ids(world), ['m', 'm_1', 'm_2', 'z']);
    await commit(world, { readGroupIds: ['m'], found: [object('m_2', 'm')] });
    assert.deepEqual(await ids(world), ['m_2', 'z']);
  });

  inWorld(options, 'unreadable: pages go through the calendars of one account alone', async (world) => {
    const { storage, key, clock } = world;
    const other = { ...key, calendarId: 'cal_2' };
    await commit(world, { found: [object('b')] });
    await storage.mirror.ensure(other, { at: clock.now(), tag: 't', timeZone: 'UTC' });
    const found = { unreadable: { ...NOTHING, found: [object('a'), object('c')] } };
    await storage.mirror.commit(other, { writes: [], basedOn: 0, at: 1, tag: 't', ...found });
    const all = await listed(world);
    assert.deepEqual(
      all.map(({ calendarId, objectId }) => [calendarId, objectId]),
      [
        [key.calendarId, 'b'],
        ['cal_2', 'a'],
        ['cal_2', 'c'],
      ],
    );
    const { place } = all[1] ?? assert.fail('there is a second one');
    const rest = await storage.mirror.listUnreadable(key.applicationId, key.accountId, { after: place, limit: 1 });
    assert.deepEqual(
      rest.map(({ objectId }) => objectId),
      ['c'],
    );
    assert.deepEqual(await storage.mirror.listUnreadable('app_other', key.accountId, { limit: 10 }), []);
    assert.deepEqual(await storage.mirror.listUnreadable(key.applicationId, 'acc_other', { limit: 10 }), []);
    assert.equal((await storage.health.stats()).unreadableObjects, 3);
    await storage.mirror.remove(other, { at: 1, messageId: () => 'msg_1' });
    assert.deepEqual(await ids(world), ['b']);
  });

  inWorld(options, 'unreadable: the end of a sweep takes off what it has not found again', async (world) => {
    const { storage, key } = world;
    await commit(world, { found: [object('a'), object('b'), object('c')] });
    const { generation } = await storage.mirror.startSweep(key);
    await commit(world, { found: [object('b')] });
    assert.deepEqual(await ids(world), ['a', 'b', 'c']);
    assert.equal(await storage.mirror.endSweep(key, generation - 1), false);
    assert.deepEqual(await ids(world), ['a', 'b', 'c']);
    assert.equal(await storage.mirror.endSweep(key, generation), true);
    assert.deepEqual(await ids(world), ['b']);
  });
}
