import assert from 'node:assert/strict';
import { acknowledge, claimDue, claimOne, enqueue, LEASE_MS, settleAll } from './outbox-world.ts';
import {
  ACCOUNT,
  APPLICATION,
  attemptRow,
  inWorld,
  OTHER_ACCOUNT,
  OTHER_APPLICATION,
  race,
  type StorageConformanceOptions,
  subscriptionRow,
} from './world.ts';

/** OutboxStore. */
export function outboxConformance(options: StorageConformanceOptions): void {
  enqueueing(options);
  claiming(options);
  acknowledging(options);
  upkeep(options);
}

function enqueueing(options: StorageConformanceOptions): void {
  inWorld(
    options,
    'outbox: changes coalesce into the unattempted one, whose timestamp moves forward only',
    async (world) => {
      await world.storage.subscriptions.insert(subscriptionRow());
      await enqueue(world, 'msg_1', { timestamp: 50 });
      await enqueue(world, 'msg_2', { timestamp: 70 });
      await enqueue(world, 'msg_3', { timestamp: 60 });
      const claim = await claimOne(world);
      assert.deepEqual(
        [claim?.message.id, claim?.message.timestamp, claim?.message.attempts, claim?.message.applicationId],
        ['msg_1', 70, 1, APPLICATION],
      );
      await acknowledge(world, claim, { kind: 'delivered' });
      assert.equal(await claimOne(world), undefined);
    },
  );

  inWorld(options, 'outbox: nothing coalesces into an attempted message; two wait at most', async (world) => {
    await world.storage.subscriptions.insert(subscriptionRow());
    await enqueue(world, 'msg_1', { timestamp: 50 });
    const first = await claimOne(world);
    for (const id of ['msg_2', 'msg_3']) await enqueue(world, id, { timestamp: 60 });
    await acknowledge(world, first, { kind: 'retry', at: world.clock.now() });
    await enqueue(world, 'msg_4', { timestamp: 70 });
    const again = await claimOne(world);
    assert.deepEqual([again?.message.id, again?.message.timestamp, again?.message.attempts], ['msg_1', 50, 2]);
    await acknowledge(world, again, { kind: 'delivered' });
    const behind = await claimOne(world);
    assert.deepEqual([behind?.message.id, behind?.message.timestamp], ['msg_2', 70]);
    await acknowledge(world, behind, { kind: 'delivered' });
    assert.equal(await world.storage.outbox.nextDueAt(), null);
  });

  inWorld(options, 'outbox: other kinds of message are never merged and keep their order', async (world) => {
    await world.storage.subscriptions.insert(subscriptionRow());
    await enqueue(world, 'msg_1', { eventType: 'calendar.event.unknown' });
    await enqueue(world, 'msg_2', { eventType: 'calendar.event.unknown' });
    await enqueue(world, 'msg_3');
    await enqueue(world, 'msg_4');
    const sent: string[] = [];
    for (let claim = await claimOne(world); claim !== undefined; claim = await claimOne(world)) {
      sent.push(claim.message.id);
      await acknowledge(world, claim, { kind: 'delivered' });
    }
    assert.deepEqual(sent, ['msg_1', 'msg_2', 'msg_3']);
  });

  inWorld(options, 'outbox: concurrent changes leave one message, and none is lost to a claim', async (world) => {
    await world.storage.subscriptions.insert(subscriptionRow());
    await race(world, 12, (storage, index) => enqueue({ storage }, `msg_${index}`, { timestamp: 50 + index }));
    const claim = await claimOne(world);
    assert.equal(claim?.message.timestamp, 61);
    await acknowledge(world, claim, { kind: 'delivered' });
    assert.equal(await claimOne(world), undefined);

    const results = await race(world, 12, async (storage, index) => {
      if (index % 3 === 2) return claimDue(storage, { limit: 1 });
      await enqueue({ storage }, `msg_late_${index}`, { timestamp: 100 + index });
      return [];
    });
    const raced = results.flat();
    assert.equal(raced.length <= 1, true);
    for (const each of raced) await acknowledge(world, each, { kind: 'delivered' });
    const rest = await claimOne(world);
    assert.equal(Math.max(...[...raced, rest].map((each) => each?.message.timestamp ?? 0)), 110);
  });

  inWorld(options, 'outbox: nothing is enqueued for one that is disabled, gone or another tenant’s', async (world) => {
    const { storage } = world;
    await storage.subscriptions.insert(subscriptionRow({ disabledAt: 1 }));
    await storage.subscriptions.insert(subscriptionRow({ id: 'whs_2' }));
    await enqueue(world, 'msg_1');
    await enqueue(world, 'msg_2', { targetId: 'whs_none' });
    const message = { eventType: 'calendar.event.changed', timestamp: 1, messageId: 'msg_3' } as const;
    await storage.outbox.enqueue({ applicationId: OTHER_APPLICATION, targetId: 'whs_2', ...message });
    assert.equal(await claimOne(world), undefined);
    assert.equal(await storage.outbox.nextDueAt(), null);
  });
}

function claiming(options: StorageConformanceOptions): void {
  inWorld(options, 'outbox: at most one message of a subscription is in flight', async (world) => {
    for (const id of ['whs_1', 'whs_2', 'whs_3']) await world.storage.subscriptions.insert(subscriptionRow({ id }));
    for (const id of ['whs_1', 'whs_2', 'whs_3']) {
      await enqueue(world, `msg_${id}`, { targetId: id, eventType: 'calendar.event.unknown' });
      await enqueue(world, `msg_${id}_b`, { targetId: id });
    }
    const claims = (await race(world, 8, (each) => claimDue(each, { limit: 2 }))).flat();
    assert.deepEqual(claims.map(({ message }) => message.id).toSorted(), ['msg_whs_1', 'msg_whs_2', 'msg_whs_3']);
    assert.deepEqual(claims.find(({ target }) => target.id === 'whs_1')?.target, subscriptionRow());
  });

  inWorld(options, 'outbox: the claim of a message that was not sent is no attempt', async (world) => {
    const { storage, clock } = world;
    await storage.subscriptions.insert(subscriptionRow());
    await enqueue(world, 'msg_1');
    await enqueue(world, 'msg_2', { eventType: 'calendar.event.unknown' });
    for (let round = 0; round < 3; round += 1) {
      const claim = await claimOne(world);
      assert.deepEqual([claim?.message.id, claim?.message.attempts], ['msg_1', 1]);
      const fence = { targetId: 'whs_1', messageId: 'msg_1', epoch: claim?.epoch ?? 0 };
      await storage.outbox.giveBack({ ...fence, epoch: fence.epoch + 1 }, 100);
      assert.equal(await storage.outbox.nextDueAt(), clock.now() + LEASE_MS);
      await storage.outbox.giveBack(fence, 100);
      await storage.outbox.giveBack(fence, 500);
      assert.equal(await storage.outbox.nextDueAt(), clock.now() + 100);
      assert.equal(await claimOne(world), undefined);
      await clock.advance(100);
    }
    // It has not been sent: a further change joins it.
    await enqueue(world, 'msg_3', { timestamp: 70 });
    const first = await claimOne(world);
    assert.deepEqual([first?.message.id, first?.message.timestamp], ['msg_1', 70]);
    await acknowledge(world, first, { kind: 'retry', at: clock.now() });
    const again = await claimOne(world);
    assert.equal(again?.message.attempts, 2);
    await storage.outbox.giveBack({ targetId: 'whs_1', messageId: 'msg_1', epoch: again?.epoch ?? 0 }, 0);
    // This one has: nothing joins it.
    await enqueue(world, 'msg_4', { timestamp: 80 });
    const last = await claimOne(world);
    assert.deepEqual([last?.message.attempts, last?.message.timestamp], [2, 70]);
  });

  inWorld(options, 'outbox: claims take turns by application', async (world) => {
    const { storage } = world;
    const ids = ['whs_a', 'whs_b', 'whs_c', 'whs_d', 'whs_e'];
    for (const id of ids) {
      await storage.subscriptions.insert(subscriptionRow({ id }));
      await enqueue(world, `msg_${id}`, { targetId: id });
      await world.clock.advance(1);
    }
    const other = { applicationId: OTHER_APPLICATION, accountId: OTHER_ACCOUNT };
    await storage.subscriptions.insert(subscriptionRow({ id: 'whs_z', ...other }));
    const message = { eventType: 'calendar.event.changed', timestamp: 1, messageId: 'msg_z' } as const;
    await storage.outbox.enqueue({ applicationId: OTHER_APPLICATION, targetId: 'whs_z', ...message });
    const claim = async (limit: number) => {
      const claims = await claimDue(storage, { limit });
      return claims.map(({ target }) => target.id).toSorted();
    };
    assert.deepEqual(await claim(3), ['whs_a', 'whs_b', 'whs_z']);
    assert.deepEqual(await claim(9), ['whs_c', 'whs_d', 'whs_e']);
  });

  inWorld(options, 'outbox: a claim whose sender died is due again when its lease ends', async (world) => {
    await world.storage.subscriptions.insert(subscriptionRow());
    await enqueue(world, 'msg_1');
    const lost = await claimOne(world);
    assert.equal(await world.storage.outbox.nextDueAt(), world.clock.now() + LEASE_MS);
    await world.clock.advance(LEASE_MS - 1);
    assert.equal(await claimOne(world), undefined);
    await world.clock.advance(1);
    const next = await claimOne(world);
    assert.equal(next?.message.attempts, 2);
    assert.ok(lost && next && next.epoch > lost.epoch);
    assert.equal(await acknowledge(world, lost, { kind: 'dead' }), false);
    assert.equal(await acknowledge(world, next, { kind: 'delivered' }), true);
    const { outbox } = world.storage;
    assert.equal((await outbox.listAttempts(APPLICATION, 'whs_1', { limit: 9 })).length, 2);
    assert.equal(await claimOne(world), undefined);
  });

  inWorld(options, 'outbox: the rate limit spaces sends, also over claims of several processes', async (world) => {
    const { clock, storage } = world;
    await storage.subscriptions.insert(subscriptionRow({ rateLimit: 4 }));
    const startedAt = clock.now();
    for (let index = 0; index < 5; index += 1) {
      await enqueue(world, `msg_${index}`, { eventType: 'calendar.event.unknown' });
    }
    const sentAt: number[] = [];
    while (sentAt.length < 5) {
      const handle = sentAt.length % 2 === 0 ? storage : world.peer;
      const [claim] = await claimDue(handle);
      if (claim !== undefined) {
        sentAt.push(clock.now() - startedAt);
        await acknowledge(world, claim, { kind: 'delivered' });
      }
      await clock.advance(10);
    }
    assert.deepEqual(sentAt, [0, 250, 500, 750, 1_000]);
    assert.equal(await storage.outbox.nextDueAt(), null);
    await enqueue(world, 'msg_next');
    assert.equal(await storage.outbox.nextDueAt(), startedAt + 1_250);
  });

  inWorld(
    options,
    'outbox: a rate whose spacing is no whole number of milliseconds is kept on average',
    async (world) => {
      const { clock, storage } = world;
      await storage.subscriptions.insert(subscriptionRow({ rateLimit: 300 }));
      for (let index = 0; index < 31; index += 1) {
        await enqueue(world, `msg_${index}`, { eventType: 'calendar.event.unknown' });
      }
      let sent = 0;
      for (let step = 0; step < 100; step += 1) {
        const claim = await claimOne(world);
        if (claim !== undefined) {
          sent += 1;
          await acknowledge(world, claim, { kind: 'delivered' });
        }
        await clock.advance(1);
      }
      assert.equal(sent, 30);
    },
  );
}

function acknowledging(options: StorageConformanceOptions): void {
  inWorld(
    options,
    'outbox: a retry waits for its time, then a success releases what is behind at once',
    async (world) => {
      const { clock, storage } = world;
      await storage.subscriptions.insert(subscriptionRow());
      await enqueue(world, 'msg_1');
      const retryAt = clock.now() + 5_000;
      assert.equal(await acknowledge(world, await claimOne(world), { kind: 'retry', at: retryAt }), true);
      await enqueue(world, 'msg_2');
      assert.equal(await storage.outbox.nextDueAt(), retryAt);
      assert.equal(await claimOne(world), undefined);
      await clock.advance(5_000);
      const retried = await claimOne(world);
      assert.equal(retried?.message.id, 'msg_1');
      await acknowledge(world, retried, { kind: 'delivered' });
      assert.equal((await claimOne(world))?.message.id, 'msg_2');
    },
  );

  inWorld(options, 'outbox: a dead message gives way to the next', async (world) => {
    await world.storage.subscriptions.insert(subscriptionRow());
    await enqueue(world, 'msg_1');
    const claim = await claimOne(world);
    await enqueue(world, 'msg_2');
    assert.equal(await acknowledge(world, claim, { kind: 'dead' }, { status: null, failure: 'timeout' }), true);
    assert.equal(await acknowledge(world, claim, { kind: 'delivered' }), false);
    assert.equal((await claimOne(world))?.message.id, 'msg_2');
  });

  inWorld(options, 'outbox: disabled ends sending', async (world) => {
    const { storage } = world;
    await storage.subscriptions.insert(subscriptionRow());
    await enqueue(world, 'msg_1');
    const claim = await claimOne(world);
    await enqueue(world, 'msg_2');
    assert.equal(await acknowledge(world, claim, { kind: 'disabled' }, { at: 777, status: 410 }), true);
    const row = await storage.subscriptions.find(APPLICATION, ACCOUNT, 'whs_1');
    assert.deepEqual([row?.disabledAt, row?.failingSince], [777, 777]);
    await world.clock.advance(100_000);
    assert.equal(await claimOne(world), undefined);
    assert.equal(await storage.outbox.nextDueAt(), null);
    assert.equal(await storage.subscriptions.countCovering(APPLICATION, ACCOUNT, 'cal_1'), 0);
  });

  inWorld(options, 'outbox: failingSince is the first failure after the last success', async (world) => {
    const { storage, clock } = world;
    await storage.subscriptions.insert(subscriptionRow());
    const failingSince = async () => (await storage.subscriptions.find(APPLICATION, ACCOUNT, 'whs_1'))?.failingSince;
    await enqueue(world, 'msg_1');
    const fail = async (at: number) =>
      acknowledge(world, await claimOne(world), { kind: 'retry', at: clock.now() }, { at, status: 500 });
    await fail(200);
    await fail(300);
    assert.equal(await failingSince(), 200);
    await acknowledge(world, await claimOne(world), { kind: 'delivered' }, { at: 400 });
    assert.equal(await failingSince(), null);
    await enqueue(world, 'msg_2');
    await fail(500);
    assert.equal(await failingSince(), 500);
  });

  inWorld(options, 'outbox: attempts are listed newest first within one application', async (world) => {
    const { storage, clock } = world;
    await storage.subscriptions.insert(subscriptionRow());
    await enqueue(world, 'msg_1');
    const failure = { status: null, failure: 'ECONNREFUSED', excerpt: '' };
    const retry = { kind: 'retry', at: clock.now() } as const;
    await acknowledge(world, await claimOne(world), retry, { id: 'att_x', at: 10, ...failure });
    await acknowledge(world, await claimOne(world), { kind: 'delivered' }, { id: 'att_y', at: 20 });
    const listed = await storage.outbox.listAttempts(APPLICATION, 'whs_1', { limit: 9 });
    const sent = { timestamp: 50, data: null, change: null, dueAt: null };
    const common = { messageId: 'msg_1', eventType: 'calendar.event.changed', latencyMs: 1.5, sent };
    assert.deepEqual(listed, [
      { ...common, id: 'att_y', at: 20, status: 200, failure: null, excerpt: 'ok', outcome: 'delivered' },
      { ...common, id: 'att_x', at: 10, outcome: 'retry', ...failure },
    ]);
    assert.equal((await storage.outbox.listAttempts(APPLICATION, 'whs_1', { limit: 1 })).length, 1);
    assert.deepEqual(await storage.outbox.listAttempts(OTHER_APPLICATION, 'whs_1', { limit: 9 }), []);
  });

  inWorld(options, 'outbox: another tenant’s acknowledgement is without effect', async (world) => {
    const { storage } = world;
    await storage.subscriptions.insert(subscriptionRow());
    await enqueue(world, 'msg_1');
    const claim = await claimOne(world);
    assert.ok(claim);
    const foreign = {
      applicationId: OTHER_APPLICATION,
      targetId: 'whs_1',
      messageId: 'msg_1',
      epoch: claim.epoch,
      attempt: attemptRow({ id: 'att_f' }),
      outcome: { kind: 'disabled' },
    } as const;
    assert.deepEqual(await settleAll(storage, [foreign]), [false]);
    assert.deepEqual(await storage.outbox.listAttempts(APPLICATION, 'whs_1', { limit: 9 }), []);
    assert.equal(await acknowledge(world, claim, { kind: 'delivered' }), true);
  });
}

function upkeep(options: StorageConformanceOptions): void {
  inWorld(options, 'outbox: a purge takes old attempts and messages that no longer wait', async (world) => {
    const { storage, clock } = world;
    await storage.subscriptions.insert(subscriptionRow());
    await storage.subscriptions.insert(subscriptionRow({ id: 'whs_2', calendarId: 'cal_2' }));
    await enqueue(world, 'msg_1');
    await acknowledge(world, await claimOne(world), { kind: 'delivered' }, { at: 10 });
    await enqueue(world, 'msg_2');
    await acknowledge(world, await claimOne(world), { kind: 'retry', at: clock.now() }, { at: 20 });
    await enqueue(world, 'msg_3', { targetId: 'whs_2' });
    const { outbox } = storage;
    const dueAts = (await outbox.listAttempts(APPLICATION, 'whs_1', { limit: 9 })).map(({ sent }) => sent?.dueAt);
    assert.deepEqual(dueAts, [clock.now(), null]);
    await clock.advance(1_000);
    assert.equal(await storage.outbox.purge(20), 1);
    assert.equal(await storage.outbox.purge(clock.now()), 2);
    assert.equal(await storage.outbox.purge(clock.now()), 0);
    assert.deepEqual(await storage.outbox.listAttempts(APPLICATION, 'whs_1', { limit: 9 }), []);
    const claims = await claimDue(storage);
    assert.deepEqual(
      claims.map(({ message }) => message.id),
      ['msg_2', 'msg_3'],
    );
  });
}
