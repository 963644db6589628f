import assert from 'node:assert/strict';
import type { CollectionKey, FinishedPull, PullStart } from 'kalends/ports';
import {
  ACCOUNT,
  APPLICATION,
  channelRow,
  ensureMirrored,
  inWorld,
  itemWrite,
  put,
  type StorageConformanceOptions,
  type StorageWorld,
  subscriptionRow,
} from './world.ts';

const CALENDAR = 'cal_1';
/** Some storages keep leases where their accounts are, by their names. */
const LEASE = { name: `pull:${APPLICATION}:${ACCOUNT}:${CALENDAR}`, ttlMs: 10_000 };
const FINISHED: FinishedPull = {
  syncedAt: 1_000,
  clearedHintSeq: 1,
  failures: 0,
  lastFailure: null,
  repeatsLeft: 1,
  dueAt: 5_000,
  polls: { everyMs: 60_000, readEveryMs: null, unannouncedAt: 7 },
};

/** The beginnings and ends of pulls, against the stores' own methods. */
export function pullConformance(options: StorageConformanceOptions): void {
  inWorld(options, 'pulls: a calendar removed during its own gets no schedule again', async ({ storage, key }) => {
    const { leases, mirror, schedule } = storage;
    await ensureMirrored(storage, key);
    await schedule.dueBy(key, 5);
    const lease = await leases.claim(LEASE.name, LEASE.ttlMs);
    await mirror.remove(key, { at: 2, messageId: () => 'msg_1' });
    await schedule.finish(key, { failures: 1, dueAt: 90 });
    await schedule.finish(key, { failures: 1, dueAt: 90 }, { name: LEASE.name, epoch: lease?.epoch ?? 0 });
    assert.deepEqual(await schedule.list(key), []);
    assert.equal(await schedule.nextDueAt(), null);
  });

  inWorld(options, 'pulls: the start tells what each store tells, and nothing to others', async (world) => {
    const { storage, key, clock } = world;
    const listKey = { ...key, calendarId: null };
    const areEqual = async () => {
      for (const of of [key, listKey, { ...key, calendarId: 'none' }, world.foreignKey]) {
        const expected = await expectedStart(world, of);
        assert.deepEqual(await storage.pulls.read(of), expected);
        assert.deepEqual((await storage.pulls.begin(of, LEASE)).start, expected);
      }
    };
    await areEqual();
    await put(world, [itemWrite('a', 1), itemWrite('s', 1)], { complete: true, providerToken: 'token 1' });
    await put({ ...world, key: listKey }, [itemWrite(CALENDAR, 'Work')], { providerToken: 'token of the list' });
    await areEqual();
    await put({ ...world, key: listKey }, [itemWrite(CALENDAR, 'Work, renamed')]);
    await storage.schedule.hint(key);
    await storage.schedule.finish(key, { syncedAt: clock.now(), failures: 2, repeatsLeft: 1, dueAt: 77 });
    await areEqual();
    await put(world, [], { reread: ['b', 'c'] });
    assert.equal((await storage.pulls.read(key)).hasRereads, true);
    await areEqual();
    const { generation } = await storage.mirror.startSweep(key);
    for (const isSweeping of [true, false]) {
      const expected = { ...(await expectedStart(world, key)), isSweeping };
      assert.deepEqual(await storage.pulls.read(key), expected);
      assert.deepEqual((await storage.pulls.begin(key, LEASE)).start, expected);
      await storage.mirror.endSweep(key, generation);
    }
    const later = clock.now() + 1_000;
    await storage.channels.insert(channelRow({ id: 'chn_1', expiresAt: later, createdAt: 5, providerChannelId: null }));
    await storage.channels.insert(
      channelRow({ id: 'chn_2', expiresAt: later, createdAt: 6, kind: 'poll', providerChannelId: 'p' }),
    );
    await storage.channels.insert(
      channelRow({ id: 'chn_3', expiresAt: clock.now(), createdAt: 7, providerChannelId: 'p' }),
    );
    await areEqual();
    await storage.channels.insert(channelRow({ id: 'chn_4', expiresAt: later, createdAt: 9, providerChannelId: 'p' }));
    await storage.channels.insert(
      channelRow({ id: 'chn_5', expiresAt: later + 1, createdAt: 8, providerChannelId: 'p' }),
    );
    assert.deepEqual((await storage.pulls.read(key)).push, { since: 8, until: later + 1 });
    await areEqual();
    await storage.subscriptions.insert(subscriptionRow({ id: 'sub_1' }));
    assert.deepEqual(
      [(await storage.pulls.read(key)).isSubscribed, (await storage.pulls.read(listKey)).isSubscribed],
      [true, false],
    );
    await areEqual();
    await storage.subscriptions.insert(
      subscriptionRow({ id: 'sub_2', calendarId: null, subscriptionType: 'calendar' }),
    );
    assert.equal((await storage.pulls.read(listKey)).isSubscribed, true);
    await areEqual();
    await put({ ...world, key: listKey }, [itemWrite(CALENDAR, null)]);
    await areEqual();
    assert.equal((await storage.pulls.read(key)).calendar, undefined);
    await storage.schedule.coolDown(key, 1_000);
    assert.equal((await storage.pulls.read(key)).coolDownMs, 1_000);
    await areEqual();
    await clock.advance(1_000);
    await areEqual();
  });

  inWorld(options, 'pulls: of any number that begin, one has the lease', async ({ storage, key, clock }) => {
    const begun = await Promise.all(Array.from({ length: 5 }, () => storage.pulls.begin(key, LEASE)));
    const [epoch, ...others] = begun.flatMap((each) => (each.epoch === undefined ? [] : [each.epoch]));
    assert.deepEqual(others, []);
    assert.equal(await storage.leases.claim(LEASE.name, LEASE.ttlMs), undefined);
    await clock.advance(LEASE.ttlMs);
    assert.equal((await storage.pulls.begin(key, LEASE)).epoch, Number(epoch) + 1);
  });

  inWorld(options, 'pulls: the end leaves what the stores leave, and the lease free', async (world) => {
    const { storage, key } = world;
    const other = { ...key, calendarId: 'other' };
    const ends: readonly FinishedPull[] = [
      FINISHED,
      { ...FINISHED, clearedHintSeq: 0, syncedAt: 500 },
      { failures: 0, dueAt: null },
      { ...FINISHED, polls: { everyMs: 90_000, readEveryMs: 60_000, unannouncedAt: null } },
      { ...FINISHED, polls: { everyMs: 90_000, readEveryMs: 120_000, unannouncedAt: null }, dueAt: 9e12 },
    ];
    for (const of of [key, other]) await put({ ...world, key: of }, [itemWrite('a', 1)], { complete: true });
    for (const [index, finished] of ends.entries()) {
      for (const of of index === 0 ? [] : [key, other]) await storage.schedule.hint(of, { isNamed: index % 2 === 0 });
      const { epoch } = await storage.pulls.begin(key, LEASE);
      const lease = { name: LEASE.name, epoch: Number(epoch) };
      assert.equal(await storage.pulls.end(key, lease, { providerToken: `token ${index}`, finished }), true);
      await storage.schedule.finish(other, finished);
      assert.deepEqual(await storage.schedule.get(key), await storage.schedule.get(other));
      assert.equal(await storage.mirror.findProviderToken(key), `token ${index}`);
      // The token is older than this end.
      assert.equal(await storage.pulls.end(key, lease, { providerToken: 'late', finished }), false);
    }
    const { epoch } = await storage.pulls.begin(key, LEASE);
    assert.equal(await storage.pulls.end(key, { ...LEASE, epoch: Number(epoch) }, { finished: FINISHED }), true);
    assert.equal(await storage.mirror.findProviderToken(key), 'token 4');
  });

  inWorld(options, 'pulls: one that has lost its lease ends without effect', async (world) => {
    const { storage, key, clock } = world;
    await put(world, [itemWrite('a', 1)], { complete: true, providerToken: 'first' });
    await storage.schedule.finish(key, { failures: 3, dueAt: 77 });
    const { epoch } = await storage.pulls.begin(key, LEASE);
    await clock.advance(LEASE.ttlMs);
    const taken = await storage.leases.claim(LEASE.name, LEASE.ttlMs);
    const before = await storage.pulls.read(key);
    const end = { providerToken: 'second', finished: FINISHED };
    assert.equal(await storage.pulls.end(key, { name: LEASE.name, epoch: Number(epoch) }, end), false);
    assert.deepEqual(await storage.pulls.read(key), before);
    // The other holder's is not released.
    assert.equal(await storage.leases.claim(LEASE.name, LEASE.ttlMs), undefined);
    assert.equal(await storage.pulls.end(key, { name: LEASE.name, epoch: Number(taken?.epoch) }, end), true);
    assert.equal(await storage.mirror.findProviderToken(key), 'second');
  });
}

async function expectedStart({ storage, clock }: StorageWorld, key: CollectionKey): Promise<PullStart> {
  const { applicationId, accountId, calendarId } = key;
  const channels = (await storage.channels.list(key)).filter(
    ({ kind, providerChannelId, expiresAt }) =>
      kind === 'push' && providerChannelId !== null && expiresAt > clock.now(),
  );
  const schedule = await storage.schedule.get(key);
  return {
    schedule,
    coolDownMs: Math.max(0, schedule.notBefore - clock.now()),
    calendar: calendarId === null ? undefined : await storage.mirror.findItem({ ...key, calendarId: null }, calendarId),
    state: await storage.mirror.find(key),
    providerToken: await storage.mirror.findProviderToken(key),
    hasRereads: (await storage.mirror.listRereads(key, 1)).length > 0,
    isSweeping: false,
    push:
      channels.length === 0
        ? null
        : {
            since: Math.min(...channels.map(({ createdAt }) => createdAt)),
            until: Math.max(...channels.map(({ expiresAt }) => expiresAt)),
          },
    isSubscribed: (await storage.subscriptions.countCovering(applicationId, accountId, calendarId)) > 0,
  };
}
