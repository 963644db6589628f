import assert from 'node:assert/strict';
import type { AssignmentOrder, NewHold, Storage } from 'kalends/ports';
import { CONFIRMATION, newHold as holdOf, KEPT_MS, TTL_MS } from './hold-world.ts';
import {
  ACCOUNT,
  APPLICATION,
  accountRow,
  credentialRow,
  inWorld,
  OTHER_ACCOUNT,
  OTHER_APPLICATION,
  race,
  type StorageConformanceOptions,
} from './world.ts';

const LENGTHS = { ttlMs: TTL_MS, keptMs: KEPT_MS };
const SECOND = 'acc_3';
const THIRD = 'acc_4';
const ACCOUNTS = [ACCOUNT, SECOND, THIRD];
const BOOKED = { eventIds: {}, ...LENGTHS };

/** Choices of one of several accounts: recorded with the hold, by counts that no two choices read at once. */
export function assignmentConformance(options: StorageConformanceOptions): void {
  choosing(options);
  counting(options);
  isolation(options);
  races(options);
}

const calendarIds = ['cal_1'];

/** Each in a slot of its own, unless it says otherwise. */
const newHold = (n: number, patch: Partial<NewHold> = {}): NewHold =>
  holdOf(`hld_${n}`, { participants: [], startMs: n * 100, endMs: n * 100 + 100, ...patch });

function orderOf(patch: Partial<AssignmentOrder> = {}, accounts = ACCOUNTS): AssignmentOrder {
  const candidates = accounts.map((accountId) => ({ accountId, calendarIds, weight: 1 }));
  return { pool: 'sales', sinceMs: null, candidates, ...patch };
}

const take = ({ holds }: Storage, hold: NewHold, assign: AssignmentOrder = orderOf()) =>
  holds.take(hold, { seen: [], ...LENGTHS, dueInMs: null, assign });

/** Takes a slot and resolves with the chosen account. */
async function choose(storage: Storage, hold: NewHold, assign?: AssignmentOrder): Promise<string | undefined> {
  const taken = await take(storage, hold, assign);
  return taken.kind === 'taken' ? taken.hold.participants[0]?.accountId : taken.kind;
}

/** Counts of the accounts, in their order. */
async function countsOf({ holds }: Storage, pool = 'sales', applicationId = APPLICATION, accountIds = ACCOUNTS) {
  const counts = await holds.countAssigned(applicationId, pool, { accountIds, sinceMs: null });
  return accountIds.map((id) => counts.find(({ accountId }) => accountId === id)?.assignments ?? 0);
}

async function addAccounts(storage: Storage): Promise<void> {
  for (const id of [SECOND, THIRD]) {
    const identity = { id, email: `${id}@example.com`, providerAccountId: id };
    await storage.accounts.save(accountRow(identity), credentialRow({ id: `crd_${id}`, accountId: id }));
  }
}

async function book({ holds }: Storage, n: number): Promise<void> {
  await holds.beginConfirmation(APPLICATION, `hld_${n}`, CONFIRMATION);
  assert.equal((await holds.book(APPLICATION, `hld_${n}`, BOOKED))?.state, 'booked');
}

function choosing(options: StorageConformanceOptions): void {
  inWorld(options, 'assignments: the one with the best claim is chosen, and organizes', async (world) => {
    const { storage, peer, clock } = world;
    await addAccounts(storage);
    const guest = { accountId: THIRD, calendarIds };
    const order = orderOf({}, [ACCOUNT, SECOND]);
    const first = await take(storage, newHold(1, { participants: [guest] }), order);
    assert.ok(first.kind === 'taken');
    assert.deepEqual(
      [first.hold.pool, first.hold.participants.map(({ accountId }) => accountId)],
      ['sales', [ACCOUNT, THIRD]],
    );
    assert.deepEqual(await peer.holds.find(APPLICATION, 'hld_1'), first.hold);
    await clock.advance(1);
    assert.equal(await choose(peer, newHold(2), order), SECOND);
    await clock.advance(1);
    // As many as the other, and longer ago.
    assert.equal(await choose(storage, newHold(3), order), ACCOUNT);
    const heavy = orderOf({
      candidates: [{ accountId: ACCOUNT, calendarIds, weight: 5 }, ...order.candidates.slice(1)],
    });
    assert.equal(await choose(storage, newHold(4), heavy), ACCOUNT);
    assert.deepEqual(await countsOf(peer), [3, 1, 0]);
  });

  inWorld(options, 'assignments: a candidate whose slot another hold takes is not chosen', async ({ storage }) => {
    await addAccounts(storage);
    const slot = { startMs: 100, endMs: 200 };
    assert.equal(await choose(storage, newHold(1, slot)), ACCOUNT);
    await storage.holds.remove(APPLICATION, 'hld_1', { state: 'held' });
    await storage.holds.take(newHold(2, { ...slot, participants: [{ accountId: ACCOUNT, calendarIds }] }), {
      seen: [],
      ...LENGTHS,
      dueInMs: null,
    });
    assert.equal(await choose(storage, newHold(3, slot)), SECOND);
    assert.equal(await choose(storage, newHold(4, slot)), THIRD);
    assert.equal(await choose(storage, newHold(5, slot)), 'in-way');
    assert.equal(await choose(storage, newHold(6), orderOf({ candidates: [] })), 'in-way');
    assert.deepEqual(await countsOf(storage), [0, 1, 1]);
    const guest = { participants: [{ accountId: ACCOUNT, calendarIds }] };
    assert.equal(await choose(storage, newHold(7, { ...slot, ...guest }), orderOf({}, [SECOND])), 'in-way');
  });
}

function counting(options: StorageConformanceOptions): void {
  inWorld(options, 'assignments: one counts while its hold is taken, and from its booking on', async (world) => {
    const { storage, clock } = world;
    await addAccounts(storage);
    const { holds } = storage;
    for (const n of [1, 2, 3]) await take(storage, newHold(n));
    assert.deepEqual(await countsOf(storage), [1, 1, 1]);
    await holds.remove(APPLICATION, 'hld_1', { state: 'held' });
    assert.deepEqual(await countsOf(storage), [0, 1, 1]);
    await book(storage, 2);
    await clock.advance(TTL_MS);
    // The hold of the third has expired.
    assert.deepEqual(await countsOf(storage), [0, 1, 0]);
    await clock.advance(KEPT_MS + TTL_MS);
    assert.equal(await holds.purge(10), 2);
    assert.equal(await holds.find(APPLICATION, 'hld_2'), undefined);
    // The booking stands, though it is not kept any more.
    assert.deepEqual(await countsOf(storage), [0, 1, 0]);
  });

  inWorld(options, 'assignments: a confirmation keeps one, and a cancellation ends it', async ({ storage, clock }) => {
    await addAccounts(storage);
    const { holds } = storage;
    await take(storage, newHold(1));
    await clock.advance(TTL_MS - 1);
    await holds.beginConfirmation(APPLICATION, 'hld_1', CONFIRMATION);
    await clock.advance(TTL_MS - 1);
    assert.deepEqual(await countsOf(storage), [1, 0, 0]);
    await clock.advance(1);
    assert.deepEqual(await countsOf(storage), [0, 0, 0]);
    await book(storage, 1);
    assert.deepEqual(await countsOf(storage), [1, 0, 0]);
    await holds.release(APPLICATION, 'hld_1', { state: 'booked', dueInMs: 5 });
    assert.deepEqual(await countsOf(storage), [0, 0, 0]);
    assert.equal((await holds.find(APPLICATION, 'hld_1'))?.pool, 'sales');
    await holds.restore(APPLICATION, 'hld_1');
    assert.deepEqual(await countsOf(storage), [1, 0, 0]);
    await holds.release(APPLICATION, 'hld_1', { state: 'booked', dueInMs: 5 });
    await holds.remove(APPLICATION, 'hld_1', { state: 'releasing' });
    assert.deepEqual(await countsOf(storage), [0, 0, 0]);
  });

  inWorld(options, 'assignments: a move keeps one', async ({ storage }) => {
    await addAccounts(storage);
    const { holds } = storage;
    await take(storage, newHold(1));
    await book(storage, 1);
    const next = newHold(2, { participants: [{ accountId: ACCOUNT, calendarIds }], replaces: 'hld_1' });
    const moving = await holds.take(next, { seen: [], ...LENGTHS, dueInMs: null });
    assert.ok(moving.kind === 'taken' && moving.hold.pool === null);
    assert.equal(await holds.replace(APPLICATION, 'hld_1', { by: 'hld_2', ...LENGTHS }), true);
    const moved = await holds.find(APPLICATION, 'hld_1');
    assert.deepEqual([moved?.startMs, moved?.pool], [200, 'sales']);
    assert.deepEqual(await countsOf(storage), [1, 0, 0]);
  });

  inWorld(options, 'assignments: those before an instant do not count if it says so', async ({ storage, clock }) => {
    await addAccounts(storage);
    await take(storage, newHold(1));
    await book(storage, 1);
    await clock.advance(10);
    const sinceMs = clock.now();
    assert.equal(await choose(storage, newHold(2)), SECOND);
    const input = { accountIds: ACCOUNTS, sinceMs };
    assert.deepEqual(await storage.holds.countAssigned(APPLICATION, 'sales', input), [
      { accountId: SECOND, assignments: 1, lastAssignedMs: sinceMs },
    ]);
    assert.equal(await choose(storage, newHold(3), orderOf({ sinceMs }, [SECOND, ACCOUNT])), ACCOUNT);
  });
}

function isolation(options: StorageConformanceOptions): void {
  inWorld(options, "assignments: a pool is its application's, and pools count apart", async ({ storage }) => {
    await addAccounts(storage);
    await take(storage, newHold(1));
    await take(storage, newHold(2, { applicationId: OTHER_APPLICATION }), orderOf({}, [OTHER_ACCOUNT]));
    const foreign = await take(storage, newHold(3), orderOf({}, [ACCOUNT, OTHER_ACCOUNT]));
    assert.equal(foreign.kind, 'no-account');
    assert.deepEqual(await countsOf(storage, 'sales', OTHER_APPLICATION), [0, 0, 0]);
    assert.deepEqual(await countsOf(storage, 'sales', OTHER_APPLICATION, [OTHER_ACCOUNT]), [1]);
    assert.deepEqual(await countsOf(storage, 'sales', APPLICATION, [OTHER_ACCOUNT]), [0]);
    assert.deepEqual(await countsOf(storage, 'Sales'), [0, 0, 0]);
    assert.equal(await choose(storage, newHold(4), orderOf({ pool: 'support' })), ACCOUNT);
    assert.deepEqual(await countsOf(storage, 'support'), [1, 0, 0]);
    assert.deepEqual(await countsOf(storage), [1, 0, 0]);
  });

  inWorld(options, 'assignments: they go with their account', async ({ storage }) => {
    await addAccounts(storage);
    for (const n of [1, 2]) await take(storage, newHold(n));
    await book(storage, 1);
    await storage.accounts.delete(APPLICATION, ACCOUNT);
    assert.deepEqual(await countsOf(storage), [0, 1, 0]);
    const { ownerless } = await storage.erasure.findOwnerless();
    assert.deepEqual(ownerless, []);
  });
}

function races(options: StorageConformanceOptions): void {
  inWorld(options, 'assignments: choices at the same time take turns', async (world) => {
    await addAccounts(world.storage);
    const chosen = await race(world, 30, (storage, index) => {
      // In both orders: those who lock in their own order would wait for each other.
      const accounts = index % 2 === 0 ? ACCOUNTS : ACCOUNTS.toReversed();
      return choose(storage, newHold(index), orderOf({}, accounts));
    });
    assert.deepEqual(
      ACCOUNTS.map((id) => chosen.filter((each) => each === id).length),
      [10, 10, 10],
    );
    assert.deepEqual(await countsOf(world.storage), [10, 10, 10]);
  });
}
