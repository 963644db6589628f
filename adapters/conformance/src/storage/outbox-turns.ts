import assert from 'node:assert/strict';
import type { Acknowledgement } from 'kalends/ports';
import { acknowledge, claimDue, claimOne, endOf, enqueue, LEASE_MS } from './outbox-world.ts';
import { APPLICATION, inWorld, type StorageConformanceOptions, subscriptionRow } from './world.ts';

/** OutboxStore: acknowledgements and claims in one transaction, and a clock that is set back. */
export function outboxTurnConformance(options: StorageConformanceOptions): void {
  turns(options);
  clockSetBack(options);
}

function turns(options: StorageConformanceOptions): void {
  inWorld(options, 'outbox: what a turn acknowledges, it can claim again', async (world) => {
    const { storage } = world;
    await storage.subscriptions.insert(subscriptionRow());
    await storage.subscriptions.insert(subscriptionRow({ id: 'whs_2', calendarId: 'cal_2' }));
    for (const id of ['msg_1', 'msg_2']) await enqueue(world, id, { eventType: 'calendar.event.unknown' });
    const turn = async (ends: readonly Acknowledgement[], limit = 9) =>
      (await storage.outbox.acknowledgeAndClaim(ends, { limit, leaseMs: LEASE_MS })).claims;
    const [first, ...none] = await turn([]);
    assert.deepEqual([first?.message.id, none], ['msg_1', []]);
    await enqueue(world, 'msg_3', { targetId: 'whs_2' });
    const claims = await turn([endOf(first, { kind: 'delivered' })]);
    const [third, second] = claims.toSorted((a, b) => (a.target.id < b.target.id ? 1 : -1));
    assert.deepEqual([second?.message.id, third?.message.id, claims.length], ['msg_2', 'msg_3', 2]);
    await enqueue(world, 'msg_4', { targetId: 'whs_2' });
    const ends = [endOf(second, { kind: 'dead' }), endOf(third, { kind: 'delivered' })];
    assert.deepEqual(await turn(ends, 0), []);
    assert.equal((await storage.outbox.listAttempts(APPLICATION, 'whs_1', { limit: 9 })).length, 2);
    assert.deepEqual(
      (await turn([])).map(({ message }) => message.id),
      ['msg_4'],
    );
  });

  inWorld(options, 'outbox: an end that comes too late does not keep a turn from claiming', async (world) => {
    const { storage, clock } = world;
    await storage.subscriptions.insert(subscriptionRow());
    await enqueue(world, 'msg_1');
    const lost = await claimOne(world);
    await clock.advance(LEASE_MS);
    const next = await claimOne(world);
    await storage.subscriptions.insert(subscriptionRow({ id: 'whs_2', calendarId: 'cal_2' }));
    await enqueue(world, 'msg_2', { targetId: 'whs_2' });
    const input = { limit: 9, leaseMs: LEASE_MS };
    const { claims } = await storage.outbox.acknowledgeAndClaim([endOf(lost, { kind: 'dead' })], input);
    assert.deepEqual(
      claims.map(({ message }) => message.id),
      ['msg_2'],
    );
    assert.equal(await acknowledge(world, next, { kind: 'delivered' }), true);
  });

  inWorld(options, 'outbox: renewing extends what is still the sender’s, also when it has run out', async (world) => {
    const { storage, clock } = world;
    for (const id of ['whs_1', 'whs_2']) {
      await storage.subscriptions.insert(subscriptionRow({ id }));
      await enqueue(world, `msg_${id}`, { targetId: id });
    }
    const claim = async () => (await claimDue(storage)).map(({ target }) => target.id).sort();
    const claims = await claimDue(storage, { limit: 2 });
    assert.equal(claims.length, 2);
    const first = claims.find(({ target }) => target.id === 'whs_1');
    const mine = { targetId: 'whs_1', epoch: first?.epoch ?? 0 };
    await clock.advance(600);
    await storage.outbox.renew([mine, { targetId: 'whs_2', epoch: 9 }, { targetId: 'whs_gone', epoch: 1 }], LEASE_MS);
    assert.equal(await storage.outbox.nextDueAt(), clock.now() + 400);
    await clock.advance(400);
    assert.deepEqual(await claim(), ['whs_2']);
    await clock.advance(600);
    await storage.outbox.renew([mine], LEASE_MS);
    assert.deepEqual(await claim(), []);
    await clock.advance(LEASE_MS);
    assert.deepEqual(await claim(), ['whs_1', 'whs_2']);
    await storage.outbox.renew([mine], 9 * LEASE_MS);
    await clock.advance(LEASE_MS);
    assert.deepEqual(await claim(), ['whs_1', 'whs_2']);
    assert.equal(await acknowledge(world, first, { kind: 'delivered' }), false);
  });

  inWorld(options, 'outbox: renewing does not bring back what has ended', async (world) => {
    const { storage } = world;
    await storage.subscriptions.insert(subscriptionRow());
    await enqueue(world, 'msg_1');
    const claim = await claimOne(world);
    await acknowledge(world, claim, { kind: 'delivered' });
    await storage.outbox.renew([{ targetId: 'whs_1', epoch: claim?.epoch ?? 0 }], LEASE_MS);
    assert.equal(await storage.outbox.nextDueAt(), null);
    await enqueue(world, 'msg_2');
    assert.equal((await claimOne(world))?.message.id, 'msg_2');
  });

  inWorld(options, 'outbox: a turn takes any number of ends', async (world) => {
    const { storage } = world;
    for (const id of ['whs_1', 'whs_2']) {
      await storage.subscriptions.insert(subscriptionRow({ id }));
      await enqueue(world, `msg_${id}`, { targetId: id });
    }
    const [first, last] = await claimDue(storage, { limit: 2 });
    const end = endOf(first, { kind: 'delivered' });
    // Subscriptions deleted in the meantime.
    const others = Array.from({ length: 600 }, (_, index) => ({ ...end, targetId: `whs_gone_${index}` }));
    const ends = [end, ...others, endOf(last, { kind: 'delivered' })];
    const { claims } = await storage.outbox.acknowledgeAndClaim(ends, { limit: 9, leaseMs: LEASE_MS });
    assert.deepEqual(claims, []);
    assert.equal(await storage.outbox.nextDueAt(), null);
  });
}

function clockSetBack(options: StorageConformanceOptions): void {
  inWorld(options, 'outbox: once its clock was set back, a storage sends as soon as the rate allows', async (world) => {
    const { storage, clock } = world;
    const rates = { whs_1: null, whs_2: 2 } as const;
    for (const [id, rateLimit] of Object.entries(rates)) {
      await storage.subscriptions.insert(subscriptionRow({ id, rateLimit }));
      await enqueue(world, `msg_${id}`, { targetId: id });
    }
    const send = async () => {
      const claims = await claimDue(storage);
      for (const claim of claims) await acknowledge(world, claim, { kind: 'delivered' });
      return claims.map(({ target }) => target.id).sort();
    };
    assert.deepEqual(await send(), ['whs_1', 'whs_2']);
    await clock.advance(-3_600_000);
    for (const targetId of Object.keys(rates)) {
      for (const time of [1, 2, 3]) {
        await enqueue(world, `msg_${targetId}_${time}`, { targetId, eventType: 'calendar.event.unknown' });
      }
    }
    assert.deepEqual(await send(), ['whs_1']);
    assert.deepEqual(await send(), ['whs_1']);
    await clock.advance(499);
    assert.deepEqual(await send(), ['whs_1']);
    for (let time = 1; time <= 3; time += 1) {
      assert.deepEqual(await send(), []);
      await clock.advance(1);
      assert.deepEqual(await send(), ['whs_2']);
      await clock.advance(499);
    }
  });

  inWorld(options, 'outbox: a clock that is set back during a send holds up nothing behind it', async (world) => {
    const { storage, clock } = world;
    for (const id of ['whs_1', 'whs_2']) {
      await storage.subscriptions.insert(subscriptionRow({ id }));
      await enqueue(world, `msg_${id}`, { targetId: id });
    }
    const claims = await claimDue(storage);
    await clock.advance(-3_600_000);
    await enqueue(world, 'msg_next', { targetId: 'whs_1' });
    for (const claim of claims) {
      const isSent = claim.target.id === 'whs_1';
      await acknowledge(world, claim, isSent ? { kind: 'delivered' } : { kind: 'dead' });
    }
    await storage.outbox.redeliver(APPLICATION, 'whs_2', 'msg_whs_2');
    const next = await claimDue(storage);
    assert.deepEqual(next.map(({ message }) => message.id).sort(), ['msg_next', 'msg_whs_2']);
  });
}
