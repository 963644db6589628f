import assert from 'node:assert/strict';
import type { AccountRow, AnnounceAccount, DeliveryOutcome, TargetRow } from 'kalends/ports';
import { claimDue, claimOne, LEASE_MS, settleAll } from './outbox-world.ts';
import {
  ACCOUNT,
  APPLICATION,
  accountRow,
  attemptRow,
  credentialRow,
  inWorld,
  OTHER_APPLICATION,
  type StorageConformanceOptions,
  type StorageWorld,
  subscriptionRow,
  targetOf,
} from './world.ts';

/** EndpointStore, TargetStore, and their messages in the outbox. */
export function targetConformance(options: StorageConformanceOptions): void {
  endpoints(options);
  receivers(options);
  announcements(options);
  secrets(options);
  enabling(options);
  redelivering(options);
  sharing(options);
}

const endpointRow = (patch: Partial<TargetRow> = {}): TargetRow =>
  targetOf(subscriptionRow({ id: 'whe_1', url: 'https://tenant.test/hook', ...patch }));

let made = 0;

function enqueue({ storage }: StorageWorld, targetId: string, patch: { messageId?: string; data?: string } = {}) {
  made += 1;
  const message = { eventType: 'calendar.event.unknown', timestamp: made, messageId: `msg_${made}`, ...patch } as const;
  return storage.outbox.enqueue({ applicationId: APPLICATION, targetId, ...message });
}

/** Claims and acknowledges the head; resolves with its message id. */
async function settle(world: StorageWorld, outcome: DeliveryOutcome): Promise<string | undefined> {
  const claim = await claimOne(world);
  if (claim === undefined) return undefined;
  made += 1;
  const { target, message, epoch } = claim;
  const claimed = { applicationId: target.applicationId, targetId: target.id, messageId: message.id, epoch };
  const attempt = attemptRow({ id: `att_${made}`, eventType: message.eventType, at: made });
  assert.deepEqual(await settleAll(world.storage, [{ ...claimed, attempt, outcome }]), [true]);
  return message.id;
}

async function deliverAll(world: StorageWorld): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let id = await settle(world, { kind: 'delivered' }); id !== undefined; ) {
    ids.push(id);
    id = await settle(world, { kind: 'delivered' });
  }
  return ids;
}

function endpoints(options: StorageConformanceOptions): void {
  inWorld(
    options,
    'endpoints: found and listed by creation, within one application, apart from subscriptions',
    async ({ storage }) => {
      const rows = [endpointRow(), endpointRow({ id: 'whe_0', createdAt: 20, rateLimit: 3 })];
      for (const row of rows.toReversed()) await storage.endpoints.insert(row);
      await storage.subscriptions.insert(subscriptionRow());
      assert.deepEqual(await storage.endpoints.list(APPLICATION, { limit: 9 }), rows);
      const after = { createdAt: 10, id: 'whe_1' };
      assert.deepEqual(await storage.endpoints.list(APPLICATION, { limit: 9, after }), rows.slice(1));
      assert.deepEqual(await storage.endpoints.list(OTHER_APPLICATION, { limit: 9 }), []);
      assert.deepEqual(await storage.endpoints.find(APPLICATION, 'whe_0'), rows[1]);
      assert.equal(await storage.endpoints.find(OTHER_APPLICATION, 'whe_0'), undefined);
      assert.equal(await storage.endpoints.find(APPLICATION, 'whs_1'), undefined);
      assert.equal(await storage.subscriptions.find(APPLICATION, ACCOUNT, 'whe_0'), undefined);
    },
  );

  inWorld(options, 'endpoints: deleting one takes its messages; subscriptions are not touched', async (world) => {
    const { storage } = world;
    await storage.endpoints.insert(endpointRow());
    await storage.subscriptions.insert(subscriptionRow());
    await enqueue(world, 'whe_1');
    assert.equal(await storage.endpoints.delete(APPLICATION, 'whs_1'), false);
    assert.equal(await storage.endpoints.delete(OTHER_APPLICATION, 'whe_1'), false);
    assert.equal(await storage.endpoints.delete(APPLICATION, 'whe_1'), true);
    assert.equal(await storage.endpoints.delete(APPLICATION, 'whe_1'), false);
    assert.equal(await claimOne(world), undefined);
  });

  inWorld(options, 'endpoints: messages keep their data, their order and are never merged', async (world) => {
    await world.storage.endpoints.insert(endpointRow());
    const told = ['{"n":1}', '{"n":2}', '{"n":3}'];
    for (const data of told) await enqueue(world, 'whe_1', { data });
    const claims: (string | null | undefined)[] = [];
    for (let count = 0; count < 3; count += 1) {
      claims.push((await claimOne(world))?.message.data);
      await world.clock.advance(LEASE_MS);
      await settle(world, { kind: 'delivered' });
    }
    assert.deepEqual(claims, told);
  });
}

function receivers(options: StorageConformanceOptions): void {
  inWorld(
    options,
    'receivers: subscriptions and endpoints by creation, within one application',
    async ({ storage }) => {
      const account = { accountId: null, calendarId: null, subscriptionType: null, providerType: null };
      const endpoint = { ...account, detail: null, format: null };
      const subscription = subscriptionRow({ createdAt: 15 });
      const first = endpointRow({ createdAt: 10 });
      const last = endpointRow({ id: 'whe_0', createdAt: 20 });
      for (const row of [last, first]) await storage.endpoints.insert(row);
      await storage.subscriptions.insert(subscription);
      const rows = [{ ...first, ...endpoint }, subscription, { ...last, ...endpoint }];
      assert.deepEqual(await storage.targets.list(APPLICATION, { limit: 9 }), rows);
      const after = { createdAt: 10, id: 'whe_1' };
      assert.deepEqual(await storage.targets.list(APPLICATION, { limit: 1, after }), rows.slice(1, 2));
      assert.deepEqual(await storage.targets.list(OTHER_APPLICATION, { limit: 9 }), []);
      for (const row of rows) {
        assert.deepEqual(await storage.targets.find(APPLICATION, row.id), row);
        assert.equal(await storage.targets.find(OTHER_APPLICATION, row.id), undefined);
      }
      assert.equal(await storage.targets.find(APPLICATION, 'whs_none'), undefined);
    },
  );
}

function announcements(options: StorageConformanceOptions): void {
  const announcing = (name: string, seen: (readonly (AccountRow | undefined)[])[]): AnnounceAccount => {
    return (before, after) => {
      seen.push([before, after]);
      const data = JSON.stringify({ name });
      const messageId = () => `msg_${name}`;
      return [{ eventType: 'enduseraccount.updated', timestamp: 7, data, messageId }];
    };
  };

  inWorld(
    options,
    'accounts: each change is announced to the application’s endpoints in its transaction',
    async (world) => {
      const { storage } = world;
      await storage.endpoints.insert(endpointRow());
      await storage.endpoints.insert(endpointRow({ id: 'whe_2', disabledAt: 1 }));
      await storage.subscriptions.insert(subscriptionRow());
      const seen: (readonly (AccountRow | undefined)[])[] = [];
      const stored = accountRow();
      const changed = accountRow({ externalId: 'x', updatedAt: 20 });
      const made = accountRow({ id: 'acc_new', email: 'new@example.com', providerAccountId: 'sub-new' });
      const credential = credentialRow({ id: 'crd_new', accountId: 'acc_new' });
      await storage.accounts.save(changed, credentialRow(), announcing('saved', seen));
      await storage.accounts.save(made, credential, announcing('made', seen));
      assert.equal(await storage.accounts.expire(APPLICATION, ACCOUNT, 9, 30, announcing('late', seen)), false);
      assert.equal(await storage.accounts.expire(APPLICATION, ACCOUNT, 2, 30, announcing('expired', seen)), true);
      assert.equal(await storage.accounts.delete(APPLICATION, ACCOUNT, announcing('deleted', seen)), true);
      assert.equal(await storage.accounts.delete(APPLICATION, ACCOUNT, announcing('again', seen)), false);
      const expired = { ...changed, status: 'EXPIRED', updatedAt: 30 };
      assert.deepEqual(seen, [
        [stored, changed],
        [undefined, made],
        [changed, expired],
        [expired, undefined],
      ]);
      assert.deepEqual(await deliverAll(world), ['msg_saved', 'msg_made', 'msg_expired', 'msg_deleted']);
    },
  );
}

function secrets(options: StorageConformanceOptions): void {
  inWorld(options, 'targets: of concurrent rotations of a secret one succeeds', async ({ storage, peer }) => {
    await storage.subscriptions.insert(subscriptionRow());
    const rotation = (sealed: string) => {
      const previous = { expectedSealed: 'secret', previousSealed: 'resealed', previousUntil: 900 };
      return { ...previous, sealed, at: 50 };
    };
    const rotate = (handle: typeof storage, sealed: string, applicationId = APPLICATION) =>
      handle.targets.rotateSecret(applicationId, 'whs_1', rotation(sealed));
    assert.equal(await rotate(storage, 'foreign', OTHER_APPLICATION), false);
    const results = await Promise.all([rotate(storage, 'a'), rotate(peer, 'b'), rotate(storage, 'c')]);
    assert.equal(results.filter(Boolean).length, 1);
    const row = await storage.subscriptions.find(APPLICATION, ACCOUNT, 'whs_1');
    assert.equal(row?.sealedSecret, ['a', 'b', 'c'][results.indexOf(true)]);
    assert.deepEqual(row?.previousSecret, { sealed: 'resealed', until: 900 });
    assert.equal(row?.updatedAt, 50);
  });
}

function enabling(options: StorageConformanceOptions): void {
  const input = { at: 60, message: { id: 'msg_gap', eventType: 'calendar.event.unknown', timestamp: 60 } } as const;

  inWorld(options, 'targets: an enabled subscription gets one message in place of what waited', async (world) => {
    const { storage } = world;
    await storage.subscriptions.insert(subscriptionRow());
    for (const messageId of ['msg_a', 'msg_b', 'msg_c']) await enqueue(world, 'whs_1', { messageId });
    await settle(world, { kind: 'disabled' });
    assert.equal(await storage.targets.enable(OTHER_APPLICATION, 'whs_1', input), false);
    assert.equal(await storage.targets.enable(APPLICATION, 'whs_1', input), true);
    assert.equal(await storage.targets.enable(APPLICATION, 'whs_1', input), false);
    const row = await storage.subscriptions.find(APPLICATION, ACCOUNT, 'whs_1');
    assert.deepEqual([row?.disabledAt, row?.failingSince, row?.updatedAt], [null, null, 60]);
    assert.deepEqual(await deliverAll(world), ['msg_gap']);
  });

  inWorld(options, 'targets: an enabled endpoint gets what waited for it', async (world) => {
    const { storage, clock } = world;
    await storage.endpoints.insert(endpointRow());
    for (const messageId of ['msg_a', 'msg_b', 'msg_c']) await enqueue(world, 'whe_1', { messageId });
    await settle(world, { kind: 'retry', at: clock.now() });
    await settle(world, { kind: 'disabled' });
    assert.equal(await storage.targets.enable(APPLICATION, 'whe_1', { at: 60, message: null }), true);
    assert.deepEqual(await deliverAll(world), ['msg_b', 'msg_c']);
  });
}

function redelivering(options: StorageConformanceOptions): void {
  inWorld(
    options,
    'outbox: a message is sent again under its id, dead or delivered, before younger ones',
    async (world) => {
      const { storage, clock } = world;
      await storage.subscriptions.insert(subscriptionRow());
      for (const messageId of ['msg_a', 'msg_b', 'msg_c']) await enqueue(world, 'whs_1', { messageId });
      await settle(world, { kind: 'dead' });
      await settle(world, { kind: 'delivered' });
      await settle(world, { kind: 'retry', at: clock.now() + 60_000 });
      const { outbox } = storage;
      assert.equal(await outbox.redeliver(APPLICATION, 'whs_1', 'msg_b'), 'enqueued');
      assert.equal(await outbox.redeliver(APPLICATION, 'whs_1', 'msg_a'), 'enqueued');
      assert.equal(await outbox.redeliver(APPLICATION, 'whs_1', 'msg_none'), 'unknown');
      assert.equal(await outbox.redeliver(OTHER_APPLICATION, 'whs_1', 'msg_a'), 'unknown');
      const claim = await claimOne(world);
      assert.deepEqual([claim?.message.id, claim?.message.attempts], ['msg_a', 1]);
      await clock.advance(LEASE_MS);
      assert.deepEqual(await deliverAll(world), ['msg_a', 'msg_b']);
      assert.equal(await outbox.redeliver(APPLICATION, 'whs_1', 'msg_c'), 'enqueued');
      assert.deepEqual(await deliverAll(world), ['msg_c']);
    },
  );

  inWorld(options, 'outbox: one that comes back while another is in flight waits for it', async (world) => {
    const { storage } = world;
    await storage.subscriptions.insert(subscriptionRow());
    for (const messageId of ['msg_a', 'msg_b']) await enqueue(world, 'whs_1', { messageId });
    await settle(world, { kind: 'dead' });
    const claim = await claimOne(world);
    assert.ok(claim);
    assert.equal(await storage.outbox.redeliver(APPLICATION, 'whs_1', 'msg_a'), 'enqueued');
    assert.equal(await claimOne(world), undefined);
    const { message, epoch } = claim;
    const claimed = { applicationId: APPLICATION, targetId: 'whs_1', messageId: message.id, epoch };
    const end = { ...claimed, attempt: attemptRow({ id: 'att_x' }), outcome: { kind: 'delivered' } } as const;
    assert.deepEqual(await settleAll(storage, [end]), [true]);
    assert.deepEqual(await deliverAll(world), ['msg_a']);
  });

  inWorld(options, 'outbox: recovery brings back what is dead or waits for a retry since a time', async (world) => {
    const { storage, clock } = world;
    const startedAt = clock.now();
    await storage.subscriptions.insert(subscriptionRow());
    const outcomes: readonly DeliveryOutcome[] = [
      { kind: 'dead' },
      { kind: 'dead' },
      { kind: 'delivered' },
      { kind: 'retry', at: startedAt + 1e6 },
    ];
    for (const [index, outcome] of outcomes.entries()) {
      await enqueue(world, 'whs_1', { messageId: `msg_r${index}` });
      await settle(world, outcome);
      await clock.advance(10);
    }
    const { outbox } = storage;
    assert.equal(await outbox.recover(OTHER_APPLICATION, 'whs_1', 0), 'unknown');
    assert.equal(await outbox.recover(APPLICATION, 'whs_1', clock.now()), 0);
    assert.equal(await claimOne(world), undefined);
    assert.equal(await outbox.recover(APPLICATION, 'whs_1', startedAt + 10), 2);
    assert.deepEqual(await deliverAll(world), ['msg_r1', 'msg_r3']);
    assert.equal(await outbox.recover(APPLICATION, 'whs_1', startedAt), 1);
    await settle(world, { kind: 'disabled' });
    assert.equal(await outbox.recover(APPLICATION, 'whs_1', 0), 'disabled');
    assert.equal(await outbox.redeliver(APPLICATION, 'whs_1', 'msg_r2'), 'disabled');
  });
}

function sharing(options: StorageConformanceOptions): void {
  inWorld(options, 'outbox: messages for the process itself have a lane without a host', async ({ storage, clock }) => {
    await storage.endpoints.insert(endpointRow({ url: 'kalends:onMessage' }));
    await storage.endpoints.insert(endpointRow({ id: 'whe_2' }));
    for (const targetId of ['whe_1', 'whe_2']) {
      const message = { eventType: 'enduseraccount.created', timestamp: 1, messageId: `msg_${targetId}` } as const;
      await storage.outbox.enqueue({ applicationId: APPLICATION, targetId, ...message });
      await clock.advance(1);
    }
    const capacity = {
      ofApplication: () => 10,
      ofHost: (_application: string, host: string) => (host === '' ? 0 : 10),
    };
    const others = await claimDue(storage, { capacity });
    assert.deepEqual(
      others.map(({ target }) => target.id),
      ['whe_2'],
    );
    const own = await claimDue(storage, {});
    assert.deepEqual(
      own.map(({ target, host }) => [target.id, target.accountId, host]),
      [['whe_1', null, '']],
    );
  });

  inWorld(options, 'outbox: a host gets as many as there is capacity for, and the others go on', async (world) => {
    const { storage } = world;
    for (const [index, host] of ['busy', 'busy', 'busy', 'free', 'free'].entries()) {
      const id = `whs_${host}${index}`;
      await storage.subscriptions.insert(subscriptionRow({ id, url: `https://${host}.test:8443/${index}` }));
      await enqueue(world, id);
      await world.clock.advance(1);
    }
    const capacity = {
      ofApplication: () => 3,
      ofHost: (_application: string, host: string) => (host === 'busy.test:8443' ? 1 : 5),
    };
    const claims = await claimDue(storage, { capacity });
    assert.deepEqual(claims.map(({ target }) => target.id).toSorted(), ['whs_busy0', 'whs_free3', 'whs_free4']);
    assert.equal(claims[0]?.host, 'busy.test:8443');
    const full = { ofApplication: () => 3, ofHost: (_application: string, host: string) => (host[0] === 'f' ? 5 : 0) };
    assert.deepEqual(await claimDue(storage, { capacity: full }), []);
    const leaseEnd = await storage.outbox.nextDueAt(full);
    assert.ok(leaseEnd !== null && leaseEnd > world.clock.now());
    assert.ok(((await storage.outbox.nextDueAt()) ?? Number.POSITIVE_INFINITY) <= world.clock.now());
  });

  inWorld(options, 'outbox: several ends are settled at once, each for itself', async (world) => {
    const { storage, clock } = world;
    const ids = ['whs_a', 'whs_b', 'whs_c'];
    for (const id of ids) {
      await storage.subscriptions.insert(subscriptionRow({ id }));
      await enqueue(world, id, { messageId: `msg_${id}` });
    }
    const claims = await claimDue(storage);
    const outcomes = { whs_a: 'delivered', whs_b: 'dead', whs_c: 'disabled' } as const;
    const ends = claims.map(({ target, message, epoch }, index) => ({
      applicationId: APPLICATION,
      targetId: target.id,
      messageId: message.id,
      epoch: target.id === 'whs_b' ? epoch - 1 : epoch,
      attempt: attemptRow({ id: `att_s${index}` }),
      outcome: { kind: outcomes[target.id as keyof typeof outcomes] },
    }));
    const settled = await settleAll(storage, ends);
    assert.deepEqual(Object.fromEntries(ends.map(({ targetId }, index) => [targetId, settled[index]])), {
      whs_a: true,
      whs_b: false,
      whs_c: true,
    });
    for (const id of ids) {
      assert.equal((await storage.outbox.listAttempts(APPLICATION, id, { limit: 9 })).length, 1);
    }
    assert.deepEqual(await settleAll(storage, []), []);
    await clock.advance(LEASE_MS);
    assert.deepEqual(await deliverAll(world), ['msg_whs_b']);
  });

  inWorld(options, 'outbox: attempts are listed in pages', async (world) => {
    const { storage } = world;
    await storage.subscriptions.insert(subscriptionRow());
    for (let count = 0; count < 3; count += 1) await enqueue(world, 'whs_1');
    await deliverAll(world);
    const all = await storage.outbox.listAttempts(APPLICATION, 'whs_1', { limit: 9 });
    assert.equal(all.length, 3);
    const [first] = all;
    assert.ok(first);
    const after = { at: first.at, id: first.id };
    assert.deepEqual(await storage.outbox.listAttempts(APPLICATION, 'whs_1', { limit: 9, after }), all.slice(1));
  });
}
