import assert from 'node:assert/strict';
import type { CollectionKey, GroupQuery, ReadContext, TouchedQuery } from 'kalends/ports';
import { rejection } from './rejection.ts';
import {
  APPLICATION,
  accountRow,
  channelRow,
  inWorld,
  itemWrite,
  OTHER_ACCOUNT,
  OTHER_APPLICATION,
  put,
  type StorageConformanceOptions,
  type StorageWorld,
} from './world.ts';

const CALENDAR = 'cal_1';

/** ReadStore, and the reads of MirrorStore that combine two others. */
export function readConformance(options: StorageConformanceOptions): void {
  inWorld(options, 'reads: listed groups are read whole', async (world) => {
    await seedGroups(world);
    const { mirror } = world.storage;
    const queries: readonly GroupQuery[] = [
      { asOf: 0, limit: 9 },
      { asOf: 1, limit: 9 },
      { asOf: 2, limit: 2 },
      { asOf: 2, limit: 2, after: 'b' },
      { asOf: 3, limit: 9, range: { from: 900, to: 910 } },
      { asOf: 3, limit: 1, range: { from: 0, to: null } },
      { asOf: 3, limit: 9, range: { from: null, to: 0 } },
    ];
    for (const query of queries) {
      const expected = await mirror.readGroups(world.key, await mirror.listGroups(world.key, query), query.asOf);
      assert.deepEqual(await mirror.readListed(world.key, query), expected);
    }
    const all = await mirror.readListed(world.key, { asOf: 3, limit: 9 });
    assert.deepEqual(
      all.map(({ itemId, content }) => `${itemId}=${content}`),
      ['a=2', 's=3', 's_1=1', 's_2=2'],
    );
    assert.deepEqual(await mirror.readListed(world.foreignKey, { asOf: 3, limit: 9 }), []);
    assert.deepEqual(await mirror.readListed({ ...world.key, calendarId: 'none' }, { asOf: 3, limit: 9 }), []);
  });

  inWorld(options, 'reads: touched groups come as they were and as they are', async (world) => {
    await seedGroups(world);
    const { mirror } = world.storage;
    const queries: readonly TouchedQuery[] = [
      { since: 0, until: 3, limit: 9 },
      { since: 1, until: 3, limit: 9 },
      { since: 1, until: 2, limit: 1 },
      { since: 0, until: 3, limit: 2, after: { revision: 2, groupId: 'a' } },
      { since: 3, until: 3, limit: 9 },
    ];
    for (const query of queries) {
      const touched = await mirror.listTouched(world.key, query);
      const expected = touched.map(async (group) => ({
        ...group,
        before: await mirror.readGroups(world.key, [group.groupId], query.since),
        after: await mirror.readGroups(world.key, [group.groupId], query.until),
      }));
      assert.deepEqual(await mirror.readTouched(world.key, query), await Promise.all(expected));
    }
    const [, came, changed] = await mirror.readTouched(world.key, { since: 0, until: 3, limit: 9 });
    assert.deepEqual([came?.groupId, came?.before, came?.after.length], ['b', [], 0]);
    assert.deepEqual([changed?.groupId, changed?.after.length], ['s', 3]);
    assert.deepEqual(await mirror.readTouched(world.foreignKey, { since: 0, until: 3, limit: 9 }), []);
  });

  inWorld(options, 'reads: changes since a revision of another history are refused', async (world) => {
    await seedGroups(world);
    const { mirror } = world.storage;
    for (const since of [0, 1, 3]) {
      const query = { since, until: 3, limit: 9 };
      const tag = (await mirror.findRevision(world.key, since))?.tag ?? '';
      assert.deepEqual(
        await mirror.readTouched(world.key, { ...query, tag }),
        await mirror.readTouched(world.key, query),
      );
      await rejection(
        'mirror.readTouched',
        mirror.readTouched(world.key, { ...query, tag: `${tag}x` }),
        'SyncTokenExpired',
      );
    }
  });

  inWorld(options, 'reads: what was purged is refused', async (world) => {
    await seedGroups(world);
    await put(world, [itemWrite('a', 9)]);
    const { mirror } = world.storage;
    await mirror.purge({ before: Number.MAX_SAFE_INTEGER, limit: 99 });
    await rejection('mirror.readListed', mirror.readListed(world.key, { asOf: 2, limit: 9 }), 'SyncTokenExpired');
    await rejection(
      'mirror.readListed',
      mirror.readListed(world.key, { asOf: 2, limit: 9, after: 'zzz' }),
      'SyncTokenExpired',
    );
    await rejection(
      'mirror.readTouched',
      mirror.readTouched(world.key, { since: 2, until: 4, limit: 9 }),
      'SyncTokenExpired',
    );
    await rejection(
      'mirror.readTouched',
      mirror.readTouched(world.key, { since: 2, until: 4, limit: 9, after: { revision: 4, groupId: 'zzz' } }),
      'SyncTokenExpired',
    );
    await rejection('mirror.readGroups', mirror.readGroups(world.key, ['a'], 2), 'SyncTokenExpired');
    await rejection('mirror.readGroups', mirror.readGroups(world.key, ['none'], 2), 'SyncTokenExpired');
  });

  inWorld(options, 'reads: a start tells of account and calendars what their own stores tell', async (world) => {
    const { storage, key, clock } = world;
    const start = () => storage.reads.start(APPLICATION, key.accountId, [CALENDAR, 'none']);
    assert.deepEqual(await start(), { account: accountRow(), calendars: [] });
    await put(world, [itemWrite('a', 1)], { complete: true });
    const expected = async (rest: { readonly isListed: boolean; readonly pushUntil: number | null }) => ({
      account: accountRow(),
      calendars: [
        {
          calendarId: CALENDAR,
          state: await storage.mirror.find(key),
          schedule: await storage.schedule.get(key),
          ...rest,
        },
      ],
    });
    assert.deepEqual(await start(), await expected({ isListed: false, pushUntil: null }));
    await storage.schedule.hint(key);
    await storage.schedule.finish(key, { syncedAt: clock.now(), failures: 0, repeatsLeft: 1, dueAt: 77 });
    const listKey = { ...key, calendarId: null };
    const list: StorageWorld = { ...world, key: listKey };
    await put(list, [itemWrite(CALENDAR, 'Work')]);
    assert.deepEqual(await start(), await expected({ isListed: false, pushUntil: null }));
    await put(list, [], { complete: true });
    assert.deepEqual(await start(), await expected({ isListed: true, pushUntil: null }));
    await storage.channels.insert(channelRow({ id: 'chn_1', expiresAt: 7_000, providerChannelId: 'p1' }));
    await storage.channels.insert(channelRow({ id: 'chn_2', expiresAt: 8_000, providerChannelId: 'p2' }));
    await storage.channels.insert(channelRow({ id: 'chn_3', expiresAt: 9_000 }));
    await storage.channels.insert(channelRow({ id: 'chn_4', expiresAt: 9_000, providerChannelId: 'p', kind: 'poll' }));
    assert.deepEqual(await start(), await expected({ isListed: true, pushUntil: 8_000 }));
    await put(list, [itemWrite(CALENDAR, null)]);
    assert.deepEqual(await start(), await expected({ isListed: false, pushUntil: 8_000 }));
  });

  inWorld(options, 'reads: a start tells of any number of calendars, and nothing to others', async (world) => {
    const { storage, key } = world;
    const ids = Array.from({ length: 20 }, (_, index) => `cal_${index}`);
    for (const calendarId of ids) await put({ ...world, key: { ...key, calendarId } }, [itemWrite('a', 1)]);
    const start = await storage.reads.start(APPLICATION, key.accountId, ids);
    assert.deepEqual(start?.calendars.map(({ calendarId }) => calendarId).toSorted(), ids.toSorted());
    assert.deepEqual((await storage.reads.start(APPLICATION, key.accountId, []))?.calendars, []);
    assert.equal(await storage.reads.start(OTHER_APPLICATION, key.accountId, ids), undefined);
    assert.deepEqual((await storage.reads.start(OTHER_APPLICATION, OTHER_ACCOUNT, ids))?.calendars, []);
    assert.equal(await storage.reads.start(APPLICATION, 'none', ids), undefined);
  });

  startsTogether(options);
  writeStarts(options);
}

function writeStarts(options: StorageConformanceOptions): void {
  inWorld(
    options,
    'reads: the start of a write tells of calendar and events what their own stores tell',
    async (world) => {
      const { storage, key } = world;
      const calendar = { ...key, calendarId: CALENDAR };
      const startWrite = (ids: readonly string[]) => storage.reads.startWrite(calendar, ids);
      assert.deepEqual(await startWrite(['a']), { account: accountRow(), calendars: [], listed: undefined, items: [] });
      await seedGroups(world);
      // An orphan instance: its group has no item of its own.
      await put(world, [itemWrite('o_1', 4, { groupId: 'o' }), itemWrite('s_1', null, { groupId: 's' })], {
        complete: true,
      });
      const list = { ...key, calendarId: null };
      await put({ ...world, key: list }, [itemWrite(CALENDAR, 'Work'), itemWrite('other', 'Home')], { complete: true });
      const { mirror } = storage;
      const started = {
        ...(await storage.reads.start(APPLICATION, key.accountId, [CALENDAR])),
        listed: await mirror.findItem(list, CALENDAR),
      };
      const groupsOf: readonly (readonly [readonly string[], readonly string[]])[] = [
        [['a'], ['a']],
        [['s'], ['s']],
        [['s_2'], ['s']],
        [['s_2', 's'], ['s']],
        [['o_1', 'none'], ['o']],
        [
          ['a', 'o_1', 's_2'],
          ['a', 'o', 's'],
        ],
        // Deleted.
        [['b', 's_1'], []],
        [[], []],
      ];
      for (const [ids, groups] of groupsOf) {
        const items = await mirror.readGroups(key, groups, 4);
        assert.deepEqual(await startWrite(ids), { ...started, items }, ids.join());
      }
    },
  );

  inWorld(options, 'reads: the start of a write tells others nothing', async (world) => {
    const { storage, key, foreignKey } = world;
    await seedGroups(world);
    const startWrite = (patch: Partial<CollectionKey>) =>
      storage.reads.startWrite({ ...key, ...patch, calendarId: CALENDAR }, ['a', 's_1']);
    assert.equal(await startWrite({ applicationId: OTHER_APPLICATION }), undefined);
    assert.equal(await startWrite({ accountId: 'none' }), undefined);
    assert.deepEqual((await startWrite(foreignKey))?.items ?? [], []);
  });
}

function startsTogether(options: StorageConformanceOptions): void {
  inWorld(options, 'reads: starts at the same time are each told what is theirs', async (world) => {
    const { storage, key } = world;
    const ids = Array.from({ length: 6 }, (_, index) => `cal_${index}`);
    for (const calendarId of ids) await put({ ...world, key: { ...key, calendarId } }, [itemWrite('a', 1)]);
    const queries: readonly (readonly [string, string, readonly string[]])[] = [
      ...ids.map((calendarId) => [APPLICATION, key.accountId, [calendarId]] as const),
      [APPLICATION, key.accountId, ids],
      [APPLICATION, key.accountId, []],
      [APPLICATION, key.accountId, ['none', 'cal_1']],
      [APPLICATION, OTHER_ACCOUNT, ids],
      [OTHER_APPLICATION, key.accountId, ids],
      [OTHER_APPLICATION, OTHER_ACCOUNT, ids],
      [APPLICATION, 'none', ids],
      // More than one statement accepts.
      ...Array.from({ length: 3 }, () => [APPLICATION, key.accountId, manyIds()] as const),
    ];
    const start = async (query: (typeof queries)[number]) => inOrder(await storage.reads.start(...query));
    const alone = [];
    for (const query of queries) alone.push(await start(query));
    assert.deepEqual(await Promise.all(queries.map(start)), alone);
    assert.deepEqual(
      alone.map((start) => start?.calendars.length),
      [1, 1, 1, 1, 1, 1, 6, 0, 1, undefined, undefined, 0, undefined, 6, 6, 6],
    );
  });
}

function inOrder(start: ReadContext | undefined): ReadContext | undefined {
  return start && { ...start, calendars: start.calendars.toSorted((a, b) => (a.calendarId < b.calendarId ? -1 : 1)) };
}

/** Maximum number of calendars of one read. */
const manyIds = () => Array.from({ length: 250 }, (_, index) => `cal_${index}`);

/** A series and two single events over three revisions. */
async function seedGroups(world: StorageWorld): Promise<void> {
  await put(world, [
    itemWrite('s', 1),
    itemWrite('s_1', 1, { groupId: 's', rangeStart: 900, rangeEnd: 910 }),
    itemWrite('s_2', 1, { groupId: 's' }),
    itemWrite('b', 1),
  ]);
  await put(world, [itemWrite('s_2', 2, { groupId: 's' }), itemWrite('a', 2)]);
  await put(world, [itemWrite('s', 3), itemWrite('b', null)]);
}
