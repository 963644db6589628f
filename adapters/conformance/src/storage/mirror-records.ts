import assert from 'node:assert/strict';
import { type DeliveryClaim, MAX_COMMIT_WRITES, MAX_WAITING_RECORDS, type ToldChange } from 'kalends/ports';
import { acknowledge, claimOne, LEASE_MS } from './outbox-world.ts';
import {
  inWorld,
  itemWrite,
  put,
  race,
  type StorageConformanceOptions,
  type StorageWorld,
  subscriptionRow,
} from './world.ts';

/** The messages that MirrorStore.commit leaves for subscriptions to records. */
export function mirrorRecordsConformance(options: StorageConformanceOptions): void {
  let made = 0;
  const notify = { eventType: 'calendar.event.changed', messageId: () => `msg_record_${++made}` } as const;
  const gap = { ...notify, eventType: 'calendar.event.unknown', always: true } as const;

  inWorld(
    options,
    'records: each changed group is told in order, with its revision and the one before',
    async (world) => {
      await subscribe(world);
      await put(world, [itemWrite('a', 1)]);
      await put(world, [itemWrite('b', 1), itemWrite('a', 2), itemWrite('x', 1, { groupId: 'b' })], { at: 50, notify });
      await put(world, [itemWrite('a', null), itemWrite('x', 2, { groupId: 'b' })], { at: 60, notify });
      const common = { calendarId: 'cal_1', parts: 2 };
      const second = { ...common, revision: 2, tag: 'tag-2', previousTag: 'tag-1' };
      const third = { ...common, revision: 3, tag: 'tag-3', previousTag: 'tag-2' };
      assert.deepEqual(await sentChanges(world), [
        ['event.updated', 50, { ...second, groupId: 'a', part: 1 }],
        ['event.created', 50, { ...second, groupId: 'b', part: 2 }],
        ['event.deleted', 60, { ...third, groupId: 'a', part: 1 }],
        ['event.updated', 60, { ...third, groupId: 'b', part: 2 }],
      ]);
    },
  );

  inWorld(options, 'records: an item that moves to another group changes both', async (world) => {
    await subscribe(world);
    await put(world, [itemWrite('s', 1), itemWrite('a', 1)]);
    await put(world, [itemWrite('a', 1, { groupId: 's' })], { notify });
    await put(world, [itemWrite('a', 1)], { notify });
    assert.deepEqual(groupsOf(await sentChanges(world)), [
      'event.deleted a',
      'event.updated s',
      'event.created a',
      'event.updated s',
    ]);
  });

  inWorld(
    options,
    'records: nothing changed tells nothing; a change of the zone, and what is lost, is unknown',
    async (world) => {
      await subscribe(world);
      await put(world, [itemWrite('a', 1)]);
      await put(world, [itemWrite('a', 1, { providerTag: 'p' }), itemWrite('b', null)], { notify });
      await put(world, [], { notify: { ...gap, late: true } });
      assert.deepEqual(await sentChanges(world), []);
      await put(world, [], { at: 45, notify: gap });
      assert.deepEqual(await sentChanges(world), [['calendar.event.unknown', 45, null]]);
      await put(world, [itemWrite('a', 2)], { at: 50, timeZone: 'Asia/Tokyo', notify });
      assert.deepEqual(await sentChanges(world), [['calendar.event.unknown', 50, null]]);
      await put(world, [itemWrite('a', 3)], { at: 60, notify: { ...gap, late: true } });
      assert.deepEqual(groupsOf(await sentChanges(world)), ['event.updated a']);
    },
  );

  inWorld(options, 'records: other subscriptions, and the calendar list, are told as ever', async (world) => {
    await subscribe(world, { subscriptionType: 'calendar', calendarId: null });
    await world.storage.subscriptions.insert(subscriptionRow({ id: 'whs_2' }));
    const listKey = { ...world.key, calendarId: null };
    await put({ ...world, key: listKey }, [itemWrite('cal_1', 1)], { at: 50, notify });
    assert.deepEqual(await sentChanges(world), [['calendar.event.changed', 50, null]]);
    for (const at of [60, 70]) await put(world, [itemWrite('a', at)], { at, notify });
    const sent = await sentChanges(world);
    assert.deepEqual(sent.map(([eventType, at]) => `${eventType} ${at}`).toSorted(), [
      'calendar.event.changed 70',
      'event.created 60',
      'event.updated 70',
    ]);
    const { storage } = world;
    const rows = await storage.subscriptions.list(world.key.applicationId, world.key.accountId, { limit: 9 });
    assert.deepEqual(
      rows.map(({ detail }) => detail),
      ['record', 'change'],
    );
  });

  inWorld(options, 'records: a message that is sent again stays ahead of the others', async (world) => {
    await subscribe(world);
    for (const content of [1, 2]) await put(world, [itemWrite('a', content)], { notify });
    const head = await claimOne(world);
    await put(world, [itemWrite('a', 3)], { notify });
    await acknowledge(world, head, { kind: 'retry', at: world.clock.now() });
    assert.deepEqual(groupsOf(await sentChanges(world)), ['event.created a', 'event.updated a', 'event.updated a']);
    await world.storage.outbox.redeliver(world.key.applicationId, 'whs_1', head?.message.id ?? '');
    const again = await claimOne(world);
    assert.deepEqual([again?.message.id, again?.message.change], [head?.message.id, head?.message.change]);
    const [attempt] = await world.storage.outbox.listAttempts(world.key.applicationId, 'whs_1', { limit: 1 });
    assert.equal(attempt?.sent?.change?.revision, 3);
  });

  inWorld(
    options,
    'records: more than may wait become one unknown, which stands for what comes until it is sent',
    async (world) => {
      await subscribe(world);
      await put(world, [itemWrite('head', 1)], { notify });
      const head = await claimOne(world);
      const fill = (from: number) =>
        put(
          world,
          Array.from({ length: MAX_COMMIT_WRITES }, (_, index) => itemWrite(`e${from + index}`, 1)),
          { notify },
        );
      for (let from = 0; from < MAX_WAITING_RECORDS; from += MAX_COMMIT_WRITES) await fill(from);
      await put(world, [itemWrite('head', 2)], { at: 70, notify });
      await put(world, [itemWrite('head', 3)], { at: 80, notify });
      await acknowledge(world, head, { kind: 'delivered' });
      const unknown = await claimOne(world);
      assert.deepEqual([unknown?.message.eventType, unknown?.message.timestamp], ['calendar.event.unknown', 70]);
      await put(world, [itemWrite('head', 4)], { notify });
      await acknowledge(world, unknown, { kind: 'delivered' });
      assert.deepEqual(groupsOf(await sentChanges(world)), ['event.updated head']);
    },
  );

  inWorld(options, 'records: as many as may wait are all told', async (world) => {
    await subscribe(world);
    for (let from = 0; from < MAX_WAITING_RECORDS; from += MAX_COMMIT_WRITES) {
      const writes = Array.from({ length: MAX_COMMIT_WRITES }, (_, index) => itemWrite(`e${from + index}`, 1));
      await put(world, writes, { notify });
    }
    const [first] = await world.storage.outbox
      .acknowledgeAndClaim([], { limit: 1, leaseMs: LEASE_MS })
      .then(({ claims }) => claims);
    assert.deepEqual([first?.message.eventType, first?.message.change?.part], ['event.created', 1]);
  });

  inWorld(
    options,
    'records: those of a removed calendar become one unknown, and those of others stay where none waits',
    async (world) => {
      const other = { ...world, key: { ...world.key, calendarId: 'cal_2' } };
      const wholeAccount = { subscriptionType: 'calendar', calendarId: null } as const;
      await subscribe(world, wholeAccount);
      await subscribe(world, { ...wholeAccount, id: 'whs_2', detail: 'change' });
      await put(world, [itemWrite('a', 1)], { notify });
      const remove = ({ storage, key }: StorageWorld, at: number) =>
        storage.mirror.remove(key, { at, messageId: notify.messageId });
      await put(other, []);
      await remove(other, 60);
      await put(other, [itemWrite('b', 1), itemWrite('c', 1)], { at: 65, notify });
      const [head, told] = [await claimOne(world), await claimOne(world)];
      assert.deepEqual(groupsOf([head, told].map(sentOf)).toSorted(), [
        'calendar.event.changed undefined',
        'event.created a',
      ]);
      await remove(other, 70);
      for (const claim of [head, told]) await acknowledge(world, claim, { kind: 'delivered' });
      assert.deepEqual(await sentChanges(world), [['calendar.event.unknown', 70, null]]);
    },
  );

  inWorld(
    options,
    'records: a message outlives the versions that it tells, whose revision is then unknown',
    async (world) => {
      await subscribe(world);
      for (const content of [1, 2]) await put(world, [itemWrite('a', content)], { at: 10 + content, notify });
      await world.storage.mirror.purge({ before: world.clock.now() + 1, limit: 99 });
      const [, last] = await sentChanges(world);
      assert.equal(last?.[2]?.revision, 2);
      assert.equal(await world.storage.mirror.findRevision(world.key, 1), undefined);
    },
  );

  inWorld(
    options,
    'records: the changes of several processes are told in the order of their revisions',
    async (world) => {
      await subscribe(world);
      await put(world, []);
      await race(world, 12, (storage, index) => put({ ...world, storage }, [itemWrite(`e${index}`, 1)], { notify }));
      const revisions = (await sentChanges(world)).map(([, , change]) => change?.revision);
      assert.deepEqual(
        revisions,
        Array.from({ length: 12 }, (_, index) => index + 1),
      );
    },
  );
}

type Sent = readonly [eventType: string, at: number, change: ToldChange | null];

const sentOf = (claim: DeliveryClaim | undefined): Sent => {
  assert.ok(claim !== undefined);
  const { eventType, timestamp, change } = claim.message;
  return [eventType, timestamp, change];
};

const groupsOf = (sent: readonly Sent[]) => sent.map(([eventType, , change]) => `${eventType} ${change?.groupId}`);

function subscribe({ storage }: StorageWorld, patch: Parameters<typeof subscriptionRow>[0] = {}): Promise<void> {
  return storage.subscriptions.insert(subscriptionRow({ detail: 'record', ...patch }));
}

/** Delivers all that waits. */
async function sentChanges(world: StorageWorld): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  let claim: DeliveryClaim | undefined;
  for (claim = await claimOne(world); claim !== undefined; claim = await claimOne(world)) {
    sent.push(sentOf(claim));
    await acknowledge(world, claim, { kind: 'delivered' });
  }
  return sent;
}
