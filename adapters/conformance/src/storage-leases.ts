import assert from 'node:assert/strict';
import { inWorld, race, type StorageConformanceOptions } from './storage-world.ts';

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
      for (let epoch = 1; epoch <= 3; epoch += 1) {
        const claims = await race(world, 8, (storage) => storage.leases.claim('work', 100));
        assert.deepEqual(
          claims.filter((claim) => claim !== undefined),
          [{ epoch }],
        );
        await clock.advance(99);
        assert.equal(await world.storage.leases.claim('work', 100), undefined);
        await clock.advance(1);
      }
      assert.deepEqual(await world.storage.leases.claim('other work', 100), { epoch: 1 });
    },
  );

  inWorld(
    options,
    'leases: renewing extends what is still held, also when it has run out',
    async ({ storage, clock }) => {
      const { leases } = storage;
      const mine = { name: 'work', epoch: 1 };
      for (const name of ['work', 'other']) await leases.claim(name, 100);
      await clock.advance(60);
      await leases.renew([mine, { name: 'other', epoch: 9 }, { name: 'none', epoch: 1 }], 100);
      await clock.advance(40);
      assert.deepEqual(await leases.claim('other', 1_000), { epoch: 2 });
      assert.equal(await leases.claim('work', 100), undefined);
      assert.deepEqual(await leases.claim('none', 100), { epoch: 1 });
      await clock.advance(60);
      await leases.renew([mine], 100);
      assert.equal(await leases.claim('work', 100), undefined);
      await clock.advance(100);
      assert.deepEqual(await leases.claim('work', 100), { epoch: 2 });
      await leases.renew([mine], 1_000);
      await clock.advance(100);
      assert.deepEqual(await leases.claim('work', 100), { epoch: 3 });
    },
  );

  inWorld(options, 'leases: many are renewed at once', async ({ storage, clock }) => {
    const held = Array.from({ length: 300 }, (_, index) => ({ name: `work ${index}`, epoch: 1 }));
    for (const { name } of held) await storage.leases.claim(name, 100);
    await storage.leases.renew(held, 1_000);
    await storage.leases.renew([], 1_000);
    await clock.advance(100);
    for (const { name } of held) assert.equal(await storage.leases.claim(name, 100), undefined);
  });

  inWorld(options, 'leases: giving up frees it at once, for good and only by its holder', async ({ storage }) => {
    const { leases } = storage;
    await leases.claim('work', 100);
    await leases.release('work', 2);
    assert.equal(await leases.claim('work', 100), undefined);
    await leases.release('work', 1);
    await leases.renew([{ name: 'work', epoch: 1 }], 100);
    const next = await leases.claim('work', 100);
    assert.ok(next !== undefined && next.epoch > 1);
    await leases.release('work', 1);
    assert.equal(await leases.claim('work', 100), undefined);
  });
}

function oldLeases(options: StorageConformanceOptions): void {
  inWorld(options, 'leases: those that ended long ago are forgotten, in parts', async ({ storage, clock }) => {
    const { leases } = storage;
    await leases.claim('released', 1_000);
    await leases.release('released', 1);
    await leases.claim('run out', 100);
    await leases.claim('held', 10_000);
    await clock.advance(1_100);
    assert.equal(await leases.purge({ endedForMs: 2_000, limit: 9 }), 0);
    await leases.claim('recent', 1);
    await clock.advance(1_000);
    assert.equal(await leases.purge({ endedForMs: 1_500, limit: 1 }), 1);
    assert.equal(await leases.purge({ endedForMs: 1_500, limit: 9 }), 1);
    assert.deepEqual(await leases.claim('released', 1), { epoch: 1 });
    assert.deepEqual(await leases.claim('run out', 1), { epoch: 1 });
    assert.deepEqual(await leases.claim('recent', 1), { epoch: 2 });
    assert.equal(await leases.claim('held', 1), undefined);
  });
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
    assert.deepEqual(await take(7), { taken: 0, waitMs: 1_000 });
    assert.equal((await take(0)).taken, 4);
    assert.deepEqual(await take(7), { taken: 0, waitMs: 5_000 });
    await clock.advance(5_000);
    assert.equal((await take(7)).taken, 1);
  });
}
