import assert from 'node:assert/strict';
import type { Storage } from 'kalends/ports';
import { BOOKED, CONFIRMATION, KEPT_MS, newHold, TTL_MS, take } from './hold-world.ts';
import {
  ACCOUNT,
  APPLICATION,
  accountRow,
  credentialRow,
  inWorld,
  itemWrite,
  OTHER_ACCOUNT,
  OTHER_APPLICATION,
  put,
  race,
  type StorageConformanceOptions,
} from './world.ts';

const SECOND_ACCOUNT = 'acc_3';

/** Slots that are taken: at most one at a time for an account, for as long as they say, whatever processes do. */
export function slotHoldConformance(options: StorageConformanceOptions): void {
  taking(options);
  races(options);
  confirming(options);
  booking(options);
  replacing(options);
  replacingAgain(options);
  removal(options);
  work(options);
}

async function addAccount(storage: Storage): Promise<void> {
  const identity = { id: SECOND_ACCOUNT, email: 'second@example.com', providerAccountId: 'sub_3' };
  await storage.accounts.save(accountRow(identity), credentialRow({ id: 'crd_3', accountId: SECOND_ACCOUNT }));
}

function taking(options: StorageConformanceOptions): void {
  inWorld(options, 'holds: a slot is taken for an account until its time is over', async ({ storage, peer, clock }) => {
    const hold = newHold('hld_1', { participants: [{ accountId: ACCOUNT, calendarIds: ['b', 'a'] }] });
    const state = { state: 'held', takenUntil: clock.now() + TTL_MS, isTaken: true, epoch: 0, pool: null } as const;
    const participants = hold.participants.map((each) => ({ ...each, eventId: null }));
    const row = { ...hold, participants, ...state, bodyHash: null, writeTo: null };
    assert.deepEqual(await take(storage, hold), { kind: 'taken', hold: row });
    assert.deepEqual(await peer.holds.find(APPLICATION, 'hld_1'), row);
    assert.equal((await take(peer, newHold('hld_2', { startMs: 199, endMs: 300 }))).kind, 'in-way');
    assert.equal((await take(peer, newHold('hld_3', { startMs: 200, endMs: 300 }))).kind, 'taken');
    assert.equal((await take(peer, newHold('hld_4', { startMs: 50, endMs: 100 }))).kind, 'taken');
    await clock.advance(TTL_MS - 1);
    assert.equal((await take(peer, newHold('hld_2'))).kind, 'in-way');
    await clock.advance(1);
    assert.equal((await storage.holds.find(APPLICATION, 'hld_1'))?.isTaken, false);
    assert.equal((await take(peer, newHold('hld_2'))).kind, 'taken');
  });

  inWorld(options, 'holds: of several accounts all are taken or none', async ({ storage }) => {
    await addAccount(storage);
    const both = [SECOND_ACCOUNT, ACCOUNT].map((accountId) => ({ accountId, calendarIds: ['cal_1'] }));
    await take(storage, newHold('hld_1', { startMs: 150, endMs: 160 }));
    assert.equal((await take(storage, newHold('hld_2', { participants: both }))).kind, 'in-way');
    const window = { startMs: 0, endMs: 1_000 };
    assert.deepEqual(await storage.holds.listTaken(APPLICATION, [SECOND_ACCOUNT], window), []);
    await take(storage, newHold('hld_3', { participants: both, startMs: 300, endMs: 400 }));
    const stored = (await storage.holds.find(APPLICATION, 'hld_3'))?.participants;
    assert.deepEqual(
      stored?.map(({ eventId: _, ...each }) => each),
      both,
    );
    assert.deepEqual(
      (await storage.holds.listTaken(APPLICATION, [ACCOUNT, SECOND_ACCOUNT], window))
        .map((slot) => JSON.stringify(slot))
        .sort(),
      [
        { holdId: 'hld_1', accountId: ACCOUNT, startMs: 150, endMs: 160 },
        { holdId: 'hld_3', accountId: ACCOUNT, startMs: 300, endMs: 400 },
        { holdId: 'hld_3', accountId: SECOND_ACCOUNT, startMs: 300, endMs: 400 },
      ].map((slot) => JSON.stringify(slot)),
    );
  });

  inWorld(options, "holds: they are their application's alone", async ({ storage }) => {
    const foreign = newHold('hld_0', { participants: [{ accountId: OTHER_ACCOUNT, calendarIds: ['cal_1'] }] });
    assert.equal((await take(storage, foreign)).kind, 'no-account');
    await take(storage, newHold('hld_1'));
    const { holds } = storage;
    const window = { startMs: 0, endMs: 1_000 };
    assert.equal(await holds.find(OTHER_APPLICATION, 'hld_1'), undefined);
    assert.deepEqual(await holds.listTaken(OTHER_APPLICATION, [ACCOUNT], window), []);
    assert.equal(await holds.beginConfirmation(OTHER_APPLICATION, 'hld_1', CONFIRMATION), undefined);
    assert.equal(await holds.book(OTHER_APPLICATION, 'hld_1', BOOKED), undefined);
    assert.equal(await holds.remove(OTHER_APPLICATION, 'hld_1', { state: 'held' }), false);
    assert.deepEqual(await holds.listTaken(APPLICATION, [ACCOUNT], { startMs: 200, endMs: 300 }), []);
    assert.equal((await holds.listTaken(APPLICATION, [ACCOUNT], { startMs: 199, endMs: 300 })).length, 1);
  });

  inWorld(options, 'holds: none is taken by a check that read a mirror which has moved since', async (world) => {
    const { storage, key } = world;
    await put(world, [itemWrite('a', 1)]);
    const seen = [{ accountId: ACCOUNT, calendarId: 'cal_1', revision: 1 }];
    await put(world, [itemWrite('b', 1)]);
    assert.equal((await take(storage, newHold('hld_1'), seen)).kind, 'moved');
    const missing = { accountId: ACCOUNT, calendarId: 'none', revision: 1 };
    assert.equal((await take(storage, newHold('hld_1'), [missing])).kind, 'moved');
    const { revision } = (await storage.mirror.find(key))!;
    assert.equal((await take(storage, newHold('hld_1'), [{ ...seen[0]!, revision }])).kind, 'taken');
  });
}

function races(options: StorageConformanceOptions): void {
  inWorld(options, 'holds: of many attempts on one slot exactly one takes it', async (world) => {
    await addAccount(world.storage);
    const accounts = [ACCOUNT, SECOND_ACCOUNT];
    const attempts = await race(world, 40, (storage, index) => {
      // In both orders: those who lock in their own order would wait for each other.
      const ordered = index % 4 < 2 ? accounts : accounts.toReversed();
      const participants = ordered.map((accountId) => ({ accountId, calendarIds: ['cal_1'] }));
      return take(storage, newHold(`hld_${index}`, { participants, startMs: 100 + index }));
    });
    const kinds = attempts.map(({ kind }) => kind).sort();
    assert.deepEqual(kinds, [...Array(39).fill('in-way'), 'taken']);
    const window = { startMs: 0, endMs: 1_000 };
    assert.equal((await world.storage.holds.listTaken(APPLICATION, accounts, window)).length, 2);
  });
}

function confirming(options: StorageConformanceOptions): void {
  inWorld(options, 'holds: a confirmation keeps the slot, and can be repeated with the same content', async (world) => {
    const { clock, storage, peer } = world;
    const { holds } = storage;
    await take(storage, newHold('hld_1'));
    await clock.advance(TTL_MS - 1);
    const first = await holds.beginConfirmation(APPLICATION, 'hld_1', CONFIRMATION);
    const until = clock.now() + TTL_MS;
    assert.ok(first?.kind === 'begun' && !first.isRepeat);
    assert.deepEqual([first.hold.state, first.hold.epoch, first.hold.takenUntil], ['confirming', 1, until]);
    assert.deepEqual(await peer.holds.find(APPLICATION, 'hld_1'), first.hold);
    const other = await holds.beginConfirmation(APPLICATION, 'hld_1', { ...CONFIRMATION, bodyHash: 'other' });
    assert.equal(other?.kind, 'other-body');
    const again = await peer.holds.beginConfirmation(APPLICATION, 'hld_1', CONFIRMATION);
    assert.ok(again?.kind === 'begun' && again.isRepeat && again.hold.epoch === 2);
    assert.equal((await take(storage, newHold('hld_2'))).kind, 'in-way');
    await clock.advance(TTL_MS);
    const late = await holds.beginConfirmation(APPLICATION, 'hld_1', CONFIRMATION);
    assert.ok(late?.kind === 'begun' && late.isRepeat && late.hold.isTaken);
    await clock.advance(TTL_MS);
    assert.equal((await take(storage, newHold('hld_2'))).kind, 'taken');
    assert.equal((await holds.beginConfirmation(APPLICATION, 'hld_1', CONFIRMATION))?.kind, 'in-way');
  });

  inWorld(
    options,
    'holds: one whose time is over, or that is not there, is not confirmed',
    async ({ storage, clock }) => {
      await take(storage, newHold('hld_1'));
      await clock.advance(TTL_MS);
      assert.equal((await storage.holds.beginConfirmation(APPLICATION, 'hld_1', CONFIRMATION))?.kind, 'expired');
      assert.equal(await storage.holds.beginConfirmation(APPLICATION, 'hld_9', CONFIRMATION), undefined);
    },
  );
}

function booking(options: StorageConformanceOptions): void {
  inWorld(
    options,
    'holds: a booked one has its event, and takes the slot for a while',
    async ({ storage, peer, clock }) => {
      const { holds } = storage;
      await take(storage, newHold('hld_1'));
      assert.equal(await holds.book(APPLICATION, 'hld_1', BOOKED), undefined);
      await holds.beginConfirmation(APPLICATION, 'hld_1', CONFIRMATION);
      const booked = await holds.book(APPLICATION, 'hld_1', { ...BOOKED, ttlMs: 5_000 });
      assert.deepEqual([booked?.state, booked?.participants[0]?.eventId, booked?.isTaken], ['booked', 'evt', true]);
      assert.deepEqual(await peer.holds.find(APPLICATION, 'hld_1'), booked);
      assert.deepEqual(
        await peer.holds.book(APPLICATION, 'hld_1', { ...BOOKED, eventIds: { [ACCOUNT]: 'another' } }),
        booked,
      );
      const begun = await holds.beginConfirmation(APPLICATION, 'hld_1', CONFIRMATION);
      assert.deepEqual(begun, { kind: 'booked', hold: booked });
      await clock.advance(4_999);
      assert.equal((await take(storage, newHold('hld_2'))).kind, 'in-way');
      await clock.advance(1);
      assert.equal((await take(storage, newHold('hld_2'))).kind, 'taken');
      assert.equal((await holds.find(APPLICATION, 'hld_1'))?.isTaken, false);
    },
  );

  inWorld(options, 'holds: one whose time was over is booked only while nothing else takes the slot', async (world) => {
    const { clock, storage } = world;
    for (const [id, isTaken] of [
      ['hld_1', false],
      ['hld_2', true],
    ] as const) {
      await take(storage, newHold(id));
      await storage.holds.beginConfirmation(APPLICATION, id, CONFIRMATION);
      await clock.advance(TTL_MS);
      if (isTaken) await take(storage, newHold('hld_3'));
      const booked = await storage.holds.book(APPLICATION, id, BOOKED);
      assert.equal(booked?.state, isTaken ? undefined : 'booked');
      await clock.advance(TTL_MS);
    }
  });
}

function replacing(options: StorageConformanceOptions): void {
  inWorld(options, 'holds: a booked one moves to the slot of another, which may overlap its own', async (world) => {
    const { clock, storage, peer } = world;
    const { holds } = storage;
    await take(storage, newHold('hld_1'));
    await holds.beginConfirmation(APPLICATION, 'hld_1', CONFIRMATION);
    await holds.book(APPLICATION, 'hld_1', BOOKED);
    const next = newHold('hld_2', { replaces: 'hld_1', startMs: 150, endMs: 250, timeZone: 'UTC' });
    assert.equal((await take(storage, next)).kind, 'taken');
    assert.equal((await take(peer, { ...next, id: 'hld_3', startMs: 900, endMs: 950 })).kind, 'replacing');
    const by = { by: 'hld_2', ttlMs: TTL_MS, keptMs: KEPT_MS };
    assert.equal(await holds.replace(OTHER_APPLICATION, 'hld_1', by), false);
    assert.equal(await holds.replace(APPLICATION, 'hld_9', by), false);
    assert.equal(await holds.replace(APPLICATION, 'hld_1', by), true);
    assert.equal(await holds.replace(APPLICATION, 'hld_1', by), false);
    assert.equal(await holds.find(APPLICATION, 'hld_2'), undefined);
    const moved = await peer.holds.find(APPLICATION, 'hld_1');
    assert.deepEqual([moved?.startMs, moved?.endMs, moved?.timeZone, moved?.state], [150, 250, 'UTC', 'booked']);
    const taken = await holds.listTaken(APPLICATION, [ACCOUNT], { startMs: 0, endMs: 1_000 });
    assert.deepEqual(taken, [{ holdId: 'hld_1', accountId: ACCOUNT, startMs: 150, endMs: 250 }]);
    await clock.advance(TTL_MS);
    assert.deepEqual(await holds.listTaken(APPLICATION, [ACCOUNT], { startMs: 0, endMs: 1_000 }), []);
  });
}

function replacingAgain(options: StorageConformanceOptions): void {
  inWorld(options, 'holds: a move that begins removes those of its booking whose time is over', async (world) => {
    const { clock, storage, peer } = world;
    const { holds } = storage;
    for (const [id, startMs] of [['hld_1', 100] as const, ['hld_2', 300] as const]) {
      await take(storage, newHold(id, { startMs, endMs: startMs + 100 }));
      await holds.beginConfirmation(APPLICATION, id, CONFIRMATION);
      await holds.book(APPLICATION, id, BOOKED);
    }
    await take(storage, newHold('hld_3', { replaces: 'hld_1', startMs: 500, endMs: 600 }), [], 0);
    await take(storage, newHold('hld_4', { replaces: 'hld_2', startMs: 600, endMs: 700 }), [], 0);
    await clock.advance(TTL_MS);
    const next = newHold('hld_5', { replaces: 'hld_1', startMs: 800, endMs: 900 });
    assert.equal((await take(peer, next, [], 0)).kind, 'taken');
    assert.equal(await holds.find(APPLICATION, 'hld_3'), undefined);
    const due = await holds.listDue(10);
    assert.deepEqual(due.map(({ id }) => id).sort(), ['hld_4', 'hld_5']);
    assert.equal(await holds.replace(APPLICATION, 'hld_1', { by: 'hld_3', ttlMs: TTL_MS, keptMs: KEPT_MS }), false);
  });
}

/** Which holds are due for work on their events, and how that work ends. */
function work(options: StorageConformanceOptions): void {
  const dueIds = async ({ holds }: Storage) => (await holds.listDue(10)).map(({ id }) => id);

  inWorld(options, 'holds: one can be due when its time is over', async ({ clock, storage, peer }) => {
    await take(storage, newHold('hld_1'), [], 9 * TTL_MS);
    await take(storage, newHold('hld_2', { startMs: 300, endMs: 400 }));
    await clock.advance(300);
    for (const id of ['hld_1', 'hld_2']) await storage.holds.postpone(APPLICATION, id, null);
    await clock.advance(TTL_MS - 301);
    assert.deepEqual(await dueIds(peer), []);
    await clock.advance(1);
    assert.deepEqual(await dueIds(peer), ['hld_1']);
  });

  inWorld(options, 'holds: one keeps what it was taken with, and is due when it says', async (world) => {
    const { clock, storage, peer } = world;
    const shown = { tentative: 'each', search: { stepMinutes: 5 }, notifyAttendees: 'none' } as const;
    const taken = await take(storage, newHold('hld_1', shown), [], 500);
    await take(storage, newHold('hld_2', { startMs: 300, endMs: 400 }), [], 400);
    await take(storage, newHold('hld_3', { startMs: 500, endMs: 600 }));
    assert.ok(taken.kind === 'taken');
    assert.deepEqual(await peer.holds.find(APPLICATION, 'hld_1'), taken.hold);
    const { tentative, search, notifyAttendees } = taken.hold;
    assert.deepEqual({ tentative, search, notifyAttendees }, shown);
    await clock.advance(399);
    assert.deepEqual(await dueIds(peer), []);
    await clock.advance(101);
    assert.deepEqual(await dueIds(peer), ['hld_2', 'hld_1']);
    assert.deepEqual(
      (await peer.holds.listDue(1)).map(({ id }) => id),
      ['hld_2'],
    );
    await storage.holds.postpone(APPLICATION, 'hld_2', 600);
    await storage.holds.postpone(APPLICATION, 'hld_3', 0);
    await storage.holds.postpone(OTHER_APPLICATION, 'hld_1', 600);
    assert.deepEqual(await dueIds(peer), ['hld_1']);
    await clock.advance(600);
    assert.deepEqual(await dueIds(peer), ['hld_1', 'hld_2']);
    assert.equal(await storage.holds.settle(OTHER_APPLICATION, 'hld_1', { state: 'held', epoch: 0 }), false);
    assert.equal(await storage.holds.settle(APPLICATION, 'hld_1', { state: 'held', epoch: 1 }), false);
    assert.equal(await storage.holds.settle(APPLICATION, 'hld_1', { state: 'held', epoch: 0 }), true);
    assert.equal((await peer.holds.find(APPLICATION, 'hld_1'))?.tentative, null);
    assert.deepEqual(await dueIds(peer), ['hld_2']);
    // Kept until the work is done, however old.
    await clock.advance(10 * KEPT_MS);
    await storage.holds.purge(10);
    assert.deepEqual(
      (await peer.holds.listDue(10)).map(({ id }) => id),
      ['hld_2'],
    );
  });

  inWorld(options, 'holds: a confirmation is due at its end, unless its hold is booked', async (world) => {
    const { clock, storage, peer } = world;
    const { holds } = storage;
    await take(storage, newHold('hld_1', { tentative: 'organizer' }), [], 10);
    await take(storage, newHold('hld_2', { startMs: 300, endMs: 400 }));
    for (const id of ['hld_1', 'hld_2'])
      await holds.beginConfirmation(APPLICATION, id, { ...CONFIRMATION, writeTo: 'each' });
    await clock.advance(TTL_MS - 1);
    assert.deepEqual(await dueIds(peer), []);
    await clock.advance(1);
    assert.deepEqual((await dueIds(peer)).sort(), ['hld_1', 'hld_2']);
    const row = await peer.holds.find(APPLICATION, 'hld_2');
    assert.deepEqual([row?.writeTo, row?.notifyAttendees, row?.epoch], ['each', null, 1]);
    for (const id of ['hld_1', 'hld_2']) await holds.book(APPLICATION, id, BOOKED);
    // Its tentative events are still to be removed.
    assert.deepEqual(await dueIds(peer), ['hld_1']);
    assert.equal(await holds.settle(APPLICATION, 'hld_1', { state: 'booked', epoch: 1 }), true);
    assert.deepEqual(await dueIds(peer), []);
  });

  inWorld(
    options,
    'holds: one that is released takes nothing, and can be restored while its events stand',
    async (world) => {
      const { clock, storage, peer } = world;
      const { holds } = storage;
      await take(storage, newHold('hld_1'));
      await holds.beginConfirmation(APPLICATION, 'hld_1', CONFIRMATION);
      assert.equal(await holds.release(APPLICATION, 'hld_1', { state: 'confirming', epoch: 2, dueInMs: 5 }), false);
      await holds.book(APPLICATION, 'hld_1', BOOKED);
      assert.equal(await holds.restore(APPLICATION, 'hld_1'), false);
      assert.equal(await holds.release(OTHER_APPLICATION, 'hld_1', { state: 'booked', dueInMs: 5 }), false);
      const released = { state: 'booked', dueInMs: 5, notifyAttendees: 'none', tentative: 'each' } as const;
      assert.equal(await holds.release(APPLICATION, 'hld_1', released), true);
      assert.equal(await peer.holds.release(APPLICATION, 'hld_1', released), false);
      const row = await peer.holds.find(APPLICATION, 'hld_1');
      assert.deepEqual([row?.state, row?.isTaken, row?.notifyAttendees], ['releasing', false, 'none']);
      assert.equal(row?.tentative, 'each');
      assert.equal((await holds.beginConfirmation(APPLICATION, 'hld_1', CONFIRMATION))?.kind, 'expired');
      assert.equal(await holds.book(APPLICATION, 'hld_1', BOOKED), undefined);
      assert.equal((await take(peer, newHold('hld_2'))).kind, 'taken');
      await clock.advance(5);
      assert.deepEqual(await dueIds(peer), ['hld_1']);
      assert.equal(await holds.restore(OTHER_APPLICATION, 'hld_1'), false);
      assert.equal(await holds.restore(APPLICATION, 'hld_1'), true);
      assert.deepEqual(await dueIds(peer), []);
      const restored = await peer.holds.find(APPLICATION, 'hld_1');
      assert.deepEqual([restored?.state, restored?.participants[0]?.eventId], ['booked', 'evt']);
    },
  );

  inWorld(options, 'holds: one is extended while nothing else takes its slot', async (world) => {
    const { clock, storage, peer } = world;
    const { holds } = storage;
    await take(storage, newHold('hld_1'));
    assert.equal(await holds.extend(OTHER_APPLICATION, 'hld_1', { ttlMs: TTL_MS }), false);
    await clock.advance(TTL_MS);
    assert.equal(await holds.extend(APPLICATION, 'hld_1', { ttlMs: TTL_MS }), true);
    assert.equal((await take(peer, newHold('hld_2'))).kind, 'in-way');
    await clock.advance(TTL_MS);
    await take(peer, newHold('hld_3'));
    assert.equal(await holds.extend(APPLICATION, 'hld_1', { ttlMs: TTL_MS }), false);
  });
}

function removal(options: StorageConformanceOptions): void {
  inWorld(
    options,
    'holds: one is removed in the state and of the epoch that are expected',
    async ({ storage, peer }) => {
      const { holds } = storage;
      await take(storage, newHold('hld_1'));
      assert.equal(await holds.remove(APPLICATION, 'hld_1', { state: 'booked' }), false);
      await holds.beginConfirmation(APPLICATION, 'hld_1', CONFIRMATION);
      assert.equal(await holds.remove(APPLICATION, 'hld_1', { state: 'held' }), false);
      assert.equal(await holds.remove(APPLICATION, 'hld_1', { state: 'confirming', epoch: 2 }), false);
      assert.equal(await holds.remove(APPLICATION, 'hld_1', { state: 'confirming', epoch: 1 }), true);
      assert.equal(await peer.holds.find(APPLICATION, 'hld_1'), undefined);
      assert.equal((await take(peer, newHold('hld_2'))).kind, 'taken');
    },
  );

  inWorld(
    options,
    'holds: the deletion of an account removes what it organizes, and takes it out of others',
    async (world) => {
      const { storage } = world;
      await addAccount(storage);
      const both = [ACCOUNT, SECOND_ACCOUNT].map((accountId) => ({ accountId, calendarIds: ['cal_1'] }));
      await take(storage, newHold('hld_1', { participants: both }));
      await take(storage, newHold('hld_2', { participants: both.toReversed(), startMs: 300, endMs: 400 }));
      await storage.accounts.delete(APPLICATION, ACCOUNT);
      assert.equal(await storage.holds.find(APPLICATION, 'hld_1'), undefined);
      const left = (await storage.holds.find(APPLICATION, 'hld_2'))?.participants;
      assert.deepEqual(left, [{ ...both[1], eventId: null }]);
      const taken = await storage.holds.listTaken(APPLICATION, [ACCOUNT, SECOND_ACCOUNT], { startMs: 0, endMs: 1_000 });
      assert.deepEqual(
        taken.map(({ holdId }) => holdId),
        ['hld_2'],
      );
      assert.equal((await storage.holds.beginConfirmation(APPLICATION, 'hld_2', CONFIRMATION))?.kind, 'begun');
    },
  );

  inWorld(options, 'holds: they are kept for a while after their time', async ({ storage, clock }) => {
    await take(storage, newHold('hld_1'));
    await take(storage, newHold('hld_2', { startMs: 300, endMs: 400 }));
    await storage.holds.beginConfirmation(APPLICATION, 'hld_2', CONFIRMATION);
    await storage.holds.book(APPLICATION, 'hld_2', { ...BOOKED, keptMs: 3 * KEPT_MS });
    await clock.advance(TTL_MS + KEPT_MS - 1);
    assert.equal(await storage.holds.purge(10), 0);
    await clock.advance(1);
    assert.equal(await storage.holds.purge(10), 1);
    assert.equal(await storage.holds.find(APPLICATION, 'hld_1'), undefined);
    assert.equal((await storage.holds.find(APPLICATION, 'hld_2'))?.state, 'booked');
    await clock.advance(3 * KEPT_MS);
    assert.equal(await storage.holds.purge(0), 0);
    assert.equal(await storage.holds.purge(10), 1);
  });
}
