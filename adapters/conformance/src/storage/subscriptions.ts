import assert from 'node:assert/strict';
import { claimDue, settleAll } from './outbox-world.ts';
import {
  ACCOUNT,
  APPLICATION,
  attemptRow,
  inWorld,
  OTHER_APPLICATION,
  type StorageConformanceOptions,
  subscriptionRow,
} from './world.ts';

/** SubscriptionStore. */
export function subscriptionConformance(options: StorageConformanceOptions): void {
  inWorld(
    options,
    'subscriptions: found, listed ascending by creation in pages, within one application',
    async ({ storage }) => {
      const { subscriptions } = storage;
      const rows = [
        subscriptionRow(),
        subscriptionRow({ id: 'whs_0', calendarId: null, subscriptionType: 'calendar', rateLimit: 2.5, createdAt: 20 }),
        subscriptionRow({ id: 'whs_2', createdAt: 20, disabledAt: 3, failingSince: 2 }),
      ];
      for (const row of rows.toReversed()) await subscriptions.insert(row);
      assert.deepEqual(await subscriptions.list(APPLICATION, ACCOUNT, { limit: 9 }), rows);
      assert.deepEqual(await subscriptions.list(APPLICATION, ACCOUNT, { limit: 1 }), rows.slice(0, 1));
      const after = { createdAt: 20, id: 'whs_0' };
      assert.deepEqual(await subscriptions.list(APPLICATION, ACCOUNT, { limit: 9, after }), rows.slice(2));
      assert.deepEqual(await subscriptions.find(APPLICATION, ACCOUNT, 'whs_0'), rows[1]);
      assert.equal(await subscriptions.find(APPLICATION, 'acc_2', 'whs_0'), undefined);
      assert.equal(await subscriptions.find(OTHER_APPLICATION, ACCOUNT, 'whs_0'), undefined);
      assert.deepEqual(await subscriptions.list(OTHER_APPLICATION, ACCOUNT, { limit: 9 }), []);
    },
  );

  inWorld(
    options,
    'subscriptions: covering ones are the enabled of the calendar, and of the account’s type calendar',
    async ({ storage }) => {
      const { subscriptions } = storage;
      await subscriptions.insert(subscriptionRow());
      await subscriptions.insert(subscriptionRow({ id: 'whs_2', calendarId: 'cal_2' }));
      await subscriptions.insert(subscriptionRow({ id: 'whs_3', disabledAt: 5 }));
      const count = (calendarId: string | null, applicationId = APPLICATION) =>
        subscriptions.countCovering(applicationId, ACCOUNT, calendarId);
      assert.deepEqual(
        [await count('cal_1'), await count('cal_2'), await count('cal_3'), await count(null)],
        [1, 1, 0, 0],
      );
      await subscriptions.insert(subscriptionRow({ id: 'whs_4', calendarId: null, subscriptionType: 'calendar' }));
      assert.deepEqual(
        [await count('cal_1'), await count('cal_2'), await count('cal_3'), await count(null)],
        [2, 2, 1, 1],
      );
      assert.equal(await count('cal_1', OTHER_APPLICATION), 0);
    },
  );

  inWorld(options, 'subscriptions: deleting one takes its messages and attempts', async ({ storage }) => {
    await storage.subscriptions.insert(subscriptionRow());
    const message = { eventType: 'calendar.event.changed', timestamp: 1, messageId: 'msg_1' } as const;
    await storage.outbox.enqueue({ applicationId: APPLICATION, targetId: 'whs_1', ...message });
    const [claim] = await claimDue(storage, { limit: 1, leaseMs: 100 });
    assert.ok(claim);
    assert.equal(await storage.subscriptions.delete(OTHER_APPLICATION, ACCOUNT, 'whs_1'), false);
    assert.equal(await storage.subscriptions.delete(APPLICATION, 'acc_2', 'whs_1'), false);
    assert.equal(await storage.subscriptions.delete(APPLICATION, ACCOUNT, 'whs_1'), true);
    assert.equal(await storage.subscriptions.delete(APPLICATION, ACCOUNT, 'whs_1'), false);
    const claimed = { applicationId: APPLICATION, targetId: 'whs_1', messageId: 'msg_1', epoch: claim.epoch };
    const end = { ...claimed, attempt: attemptRow(), outcome: { kind: 'delivered' } } as const;
    assert.deepEqual(await settleAll(storage, [end]), [false]);
    assert.deepEqual(await storage.outbox.listAttempts(APPLICATION, 'whs_1', { limit: 9 }), []);
    assert.equal(await storage.outbox.nextDueAt(), null);
  });
}
