import assert from 'node:assert/strict';
import type { HeldLease, LeaseStore } from 'kalends/ports';
import { ACCOUNT, APPLICATION, inWorld, race, type StorageConformanceOptions } from './world.ts';

const DAY_MS = 86_400_000;

/** LeaseStore. */
export function leaseConformance(options: StorageConformanceOptions): void {
  leases(options);
  oldLeases(options);
  budgets(options);
}

function leases(options: StorageConformanceOptions): void {
  inWorld(
    options,
    'leases: of concurrent claimers exactly one gets it, and every claim raises the epoch',
    async (world) => {
      const { clock } = world;
      let latest = 0;
      for (let round = 1; round <= 3; round += 1) {
        const claims = await race(world, 8, (storage) => storage.leases.claim('work', 100));
        const won = claims.filter((claim) => claim !== undefined);
        assert.equal(won.length, 1);
        assert.ok(won.every(({ epoch }) => epoch > latest));
        latest = won[0]?.epoch ?? latest;
        await clock.advance(99);
        assert.equal(await world.storage.leases.claim('work', 100), undefined);
        await clock.advance(1);
      }
      assert.ok(await world.storage.leases.claim('other work', 100));
    },
  );

  inWorld(
    options,
    'leases: renewing extends what is still held, also when it has run out',
    async ({ storage, clock }) => {
      const { leases } = storage;
      const mine = await claimed(leases, 'work', 100);
      const other = await claimed(leases, 'other', 100);
      await clock.advance(60);
      await leases.renew([mine, { ...other, epoch: other.epoch + 1 }, { name: 'none', epoch: 1 }], 100);
      await clock.advance(40);
      assert.ok((await claimed(leases, 'other', 1_000)).epoch > other.epoch);
      assert.equal(await leases.claim('work', 100), undefined);
      assert.ok(await leases.claim('none', 100));
      await clock.advance(60);
      await leases.renew([mine], 100);
      assert.equal(await leases.claim('work', 100), undefined);
      await clock.advance(100);
      const next = await claimed(leases, 'work', 100);
      await leases.renew([mine], 1_000);
      await clock.advance(100);
      assert.ok((await claimed(leases, 'work', 100)).epoch > next.epoch);
    },
  );

  inWorld(options, 'leases: many are renewed at once', async ({ storage, clock }) => {
    const held: HeldLease[] = [];
    for (let index = 0; index < 300; index += 1) held.push(await claimed(storage.leases, `work ${index}`, 100));
    await storage.leases.renew(held, 1_000);
    await storage.leases.renew([], 1_000);
    await clock.advance(100);
    for (const { name } of held) assert.equal(await storage.leases.claim(name, 100), undefined);
  });

  inWorld(options, 'leases: giving up frees it at once, for good and only by its holder', async ({ storage }) => {
    const { leases } = storage;
    const mine = await claimed(leases, 'work', 100);
    await leases.release('work', mine.epoch + 1);
    assert.equal(await leases.claim('work', 100), undefined);
    await leases.release('work', mine.epoch);
    await leases.renew([mine], 100);
    assert.ok((await claimed(leases, 'work', 100)).epoch > mine.epoch);
    await leases.release('work', mine.epoch);
    assert.equal(await leases.claim('work', 100), undefined);
  });
}

function oldLeases(options: StorageConformanceOptions): void {
  inWorld(options, 'leases: those that ended long ago are forgotten, in parts', async ({ storage, clock }) => {
    const { leases } = storage;
    const released = await claimed(leases, 'released', 1_000);
    await leases.release('released', released.epoch);
    const runOut = await claimed(leases, 'run out', 100);
    await leases.claim('held', 10_000);
    await clock.advance(1_100);
    assert.equal(await leases.purge({ endedForMs: 2_000, limit: 9 }), 0);
    const recent = await claimed(leases, 'recent', 1);
    await clock.advance(1_000);
    assert.equal(await leases.purge({ endedForMs: 1_500, limit: 1 }), 1);
    assert.equal(await leases.purge({ endedForMs: 1_500, limit: 9 }), 1);
    assert.ok((await claimed(leases, 'released', 1)).epoch > released.epoch);
    assert.ok((await claimed(leases, 'run out', 1)).epoch > runOut.epoch);
    assert.ok((await claimed(leases, 'recent', 1)).epoch > recent.epoch);
    assert.equal(await leases.claim('held', 1), undefined);
  });

  inWorld(
    options,
    'leases: a holder from before a lease was forgotten is refused for good',
    async ({ storage, clock }) => {
      const { leases } = storage;
      const first = await claimed(leases, 'work', 100);
      await leases.release('work', first.epoch);
      const former = [first, await claimed(leases, 'work', 100)];
      await clock.advance(1_000);
      assert.equal(await leases.purge({ endedForMs: 500, limit: 9 }), 1);
      const next = await claimed(leases, 'work', 100);
      await leases.renew(former, 10_000);
      for (const { epoch } of former) await leases.release('work', epoch);
      assert.equal(await leases.claim('work', 100), undefined);
      await clock.advance(100);
      assert.ok((await claimed(leases, 'work', 100)).epoch > next.epoch);
    },
  );

  inWorld(
    options,
    'leases: those of a removed account are free, and its former holder is refused',
    async ({ storage }) => {
      const { leases, accounts } = storage;
      const former = await claimed(leases, `account:${ACCOUNT}`, 1_000);
      await accounts.delete(APPLICATION, ACCOUNT);
      const next = await claimed(leases, former.name, 100);
      assert.ok(next.epoch > former.epoch);
      await leases.release(former.name, former.epoch);
      assert.equal(await leases.claim(former.name, 100), undefined);
    },
  );
}

/** Claims a lease that must be free. */
async function claimed(leases: LeaseStore, name: string, ttlMs: number): Promise<HeldLease> {
  const claim = await leases.claim(name, ttlMs);
  assert.ok(claim, name);
  return { name, epoch: claim.epoch };
}

function budgets(options: StorageConformanceOptions): void {
  const budget = { perMinute: 60, capacity: 10, atMost: 4, keep: 0 };

  inWorld(
    options,
    'budgets: concurrent takers never get more than there is, which comes back evenly',
    async (world) => {
      const { storage, clock } = world;
      const taken = await race(world, 6, ({ leases }) => leases.takeCalls('project', budget));
      assert.deepEqual(
        taken.map((each) => each.taken).toSorted((a, b) => b - a),
        [4, 4, 2, 0, 0, 0],
      );
      const waits = taken.filter((each) => each.taken === 0).map(({ waitMs }) => waitMs);
      assert.ok(waits.every((waitMs) => waitMs > 0 && waitMs <= 1_000));
      assert.equal((await storage.leases.takeCalls('other', budget)).taken, 4);
      await clock.advance(2_000);
      assert.equal((await storage.leases.takeCalls('project', budget)).taken, 2);
      await clock.advance(3_600_000);
      assert.equal((await storage.leases.takeCalls('project', { ...budget, atMost: 99 })).taken, 10);
    },
  );

  inWorld(options, 'budgets: some may be kept for others', async ({ storage, clock }) => {
    const take = (keep: number) => storage.leases.takeCalls('project', { ...budget, keep });
    assert.equal((await take(7)).taken, 3);
    assert.deepEqual(await take(7), { taken: 0, left: 7, waitMs: 1_000 });
    assert.equal((await take(0)).taken, 4);
    assert.deepEqual(await take(7), { taken: 0, left: 3, waitMs: 5_000 });
    await clock.advance(5_000);
    assert.equal((await take(7)).taken, 1);
  });

  inWorld(options, 'budgets: calls that were not needed come back, up to the capacity', async (world) => {
    const { storage, clock } = world;
    const giveBack = (calls: number) => storage.leases.giveBackCalls('project', { calls, capacity: 10 });
    await giveBack(1);
    const take = () => storage.leases.takeCalls('project', budget);
    assert.deepEqual(await take(), { taken: 4, left: 6, waitMs: 0 });
    await race(world, 3, ({ leases }) => leases.giveBackCalls('project', { calls: 1, capacity: 10 }));
    assert.deepEqual(await take(), { taken: 4, left: 5, waitMs: 0 });
    await clock.advance(1_000);
    await giveBack(2);
    assert.deepEqual(await take(), { taken: 4, left: 4, waitMs: 0 });
    await giveBack(99);
    assert.deepEqual(await take(), { taken: 4, left: 6, waitMs: 0 });
  });

  inWorld(options, 'budgets: calls come back as evenly once the clock was set back', async ({ storage, clock }) => {
    const take = () => storage.leases.takeCalls('project', { ...budget, atMost: 99 });
    assert.equal((await take()).taken, 10);
    await clock.advance(-3_600_000);
    assert.deepEqual(await take(), { taken: 0, left: 0, waitMs: 1_000 });
    await clock.advance(3_000);
    assert.equal((await take()).taken, 3);
  });

  inWorld(options, 'budgets: those that were not used for long are removed, and begin anew', async (world) => {
    const { storage, clock } = world;
    const slow = { ...budget, perMinute: 1 };
    await storage.leases.takeCalls('old', slow);
    await clock.advance(1_000);
    await storage.leases.takeCalls('young', slow);
    await clock.advance(1_000);
    await storage.leases.purge({ endedForMs: 1_500, limit: 9 });
    assert.equal((await storage.leases.takeCalls('young', slow)).left, 2);
    assert.equal((await storage.leases.takeCalls('old', slow)).left, 6);
  });

  inWorld(options, 'budgets: the calls of a day are counted once, up to a limit, and anew each day', async (world) => {
    const today = Math.floor(world.clock.now() / DAY_MS);
    const take = (days: number, upTo: number, atMost = 4) =>
      world.storage.leases.takeDayCalls('day', { day: today + days, atMost, upTo });
    const taken = await race(world, 6, ({ leases }) => leases.takeDayCalls('day', { day: today, atMost: 4, upTo: 10 }));
    assert.deepEqual(
      taken.map((each) => each.taken).toSorted((a, b) => b - a),
      [4, 4, 2, 0, 0, 0],
    );
    assert.deepEqual(await take(0, 10), { taken: 0, used: 10 });
    assert.deepEqual(await take(0, 9), { taken: 0, used: 10 });
    assert.deepEqual(await take(0, 13), { taken: 3, used: 13 });
    assert.deepEqual(await take(1, 10), { taken: 4, used: 4 });
    // A process whose clock is late still uses the new day.
    assert.deepEqual(await take(0, 10), { taken: 4, used: 8 });
  });

  inWorld(options, 'budgets: a date that is wrong counts as the nearest that may be right', async (world) => {
    const { clock, storage } = world;
    const take = (days: number, upTo = 10) => {
      const day = Math.floor(clock.now() / DAY_MS) + days;
      return storage.leases.takeDayCalls('day', { day, atMost: 4, upTo });
    };
    const used = [];
    for (const days of [0, -400, 0, 366, 366, 0]) used.push((await take(days)).used);
    assert.deepEqual(used, [4, 8, 10, 4, 8, 10]);
    await clock.advance(2 * DAY_MS);
    assert.deepEqual(await take(0), { taken: 4, used: 4 });
    const day = Math.floor(clock.now() / DAY_MS);
    const other = await world.peer.leases.takeDayCalls('other', { day, atMost: 1, upTo: 1 });
    assert.deepEqual(other, { taken: 1, used: 1 });
  });
}
