import assert from 'node:assert/strict';
import { claimDue } from './outbox-world.ts';
import {
  ACCOUNT,
  APPLICATION,
  inWorld,
  itemWrite,
  OTHER_APPLICATION,
  put,
  type StorageConformanceOptions,
  type StorageWorld,
  subscriptionRow,
} from './world.ts';

/** The messages that MirrorStore.commit leaves for subscriptions. */
export function mirrorMessagesConformance(options: StorageConformanceOptions): void {
  const messageIds = async ({ storage }: StorageWorld) => {
    const claims = await claimDue(storage, { leaseMs: 1_000 });
    return claims.map(({ target, message }) => `${target.id} ${message.eventType} ${message.timestamp}`);
  };

  inWorld(options, 'mirror: a change enqueues for each subscription that covers the calendar', async (world) => {
    const { subscriptions } = world.storage;
    await subscriptions.insert(subscriptionRow());
    await subscriptions.insert(subscriptionRow({ id: 'whs_2', calendarId: 'cal_2' }));
    await subscriptions.insert(subscriptionRow({ id: 'whs_3', subscriptionType: 'calendar', calendarId: null }));
    await subscriptions.insert(subscriptionRow({ id: 'whs_4', disabledAt: 1 }));
    await subscriptions.insert(subscriptionRow({ id: 'whs_5', accountId: 'acc_2', applicationId: OTHER_APPLICATION }));
    let made = 0;
    const notify = { eventType: 'calendar.event.changed', messageId: () => `msg_${++made}` } as const;
    await put(world, [itemWrite('a', 1)], { at: 50, notify });
    assert.equal(made, 2);
    const expected = ['whs_1 calendar.event.changed 50', 'whs_3 calendar.event.changed 50'];
    assert.deepEqual((await messageIds(world)).toSorted(), expected);
    assert.equal(await subscriptions.countCovering(APPLICATION, ACCOUNT, 'cal_1'), 2);
  });

  inWorld(options, 'mirror: a change of the calendar list is for subscriptions of the type calendar', async (world) => {
    await world.storage.subscriptions.insert(subscriptionRow());
    await world.storage.subscriptions.insert(subscriptionRow({ id: 'whs_3', subscriptionType: 'calendar' }));
    const notify = { eventType: 'calendar.event.changed', messageId: () => 'msg_1' } as const;
    await put({ ...world, key: { ...world.key, calendarId: null } }, [itemWrite('cal_1', 1)], { at: 50, notify });
    assert.deepEqual(await messageIds(world), ['whs_3 calendar.event.changed 50']);
  });

  inWorld(options, 'mirror: no change enqueues nothing, unless always; a change of the zone is one', async (world) => {
    await world.storage.subscriptions.insert(subscriptionRow());
    let made = 0;
    const notify = { eventType: 'calendar.event.changed', messageId: () => `msg_${++made}` } as const;
    await put(world, [itemWrite('a', 1)]);
    await put(world, [itemWrite('a', 1, { providerTag: 'p' }), itemWrite('b', null)], { at: 40, notify });
    assert.deepEqual(await messageIds(world), []);
    const unknown = { ...notify, eventType: 'calendar.event.unknown', always: true } as const;
    await put(world, [itemWrite('a', 1)], { at: 45, notify: unknown });
    assert.deepEqual(await messageIds(world), ['whs_1 calendar.event.unknown 45']);
    await put(world, [], { at: 50, timeZone: 'Asia/Tokyo', notify });
    assert.equal(made, 2);
  });

  inWorld(options, 'mirror: changes coalesce into the message that has not been attempted', async (world) => {
    await world.storage.subscriptions.insert(subscriptionRow());
    let made = 0;
    const notify = { eventType: 'calendar.event.changed', messageId: () => `msg_${++made}` } as const;
    for (const at of [50, 60, 55]) await put(world, [itemWrite('a', at)], { at, notify });
    assert.equal(made, 1);
    assert.deepEqual(await messageIds(world), ['whs_1 calendar.event.changed 60']);
    for (const at of [70, 80]) await put(world, [itemWrite('a', at)], { at, notify });
    assert.equal(made, 2);
  });

  inWorld(options, 'mirror: gaps that are late coalesce as changes do, and others do not', async (world) => {
    await world.storage.subscriptions.insert(subscriptionRow());
    let made = 0;
    const notify = {
      eventType: 'calendar.event.unknown',
      messageId: () => `msg_${++made}`,
      always: true,
      late: true,
    } as const;
    const tell = (at: number, late = true) => put(world, [], { at, notify: { ...notify, late } });
    for (const at of [50, 60, 55]) await tell(at);
    assert.equal(made, 1);
    assert.deepEqual(await messageIds(world), ['whs_1 calendar.event.unknown 60']);
    for (const at of [70, 80]) await tell(at);
    assert.equal(made, 2);
    await tell(90, false);
    assert.equal(made, 3);
  });
}
