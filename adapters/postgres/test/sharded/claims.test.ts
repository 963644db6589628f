import { type ShardedStorage, shardedStorage } from '@kalends/postgres';
import type { DeliveryCapacity, SubscriptionRow } from 'kalends/ports';
import { expect, onTestFinished, test } from 'vitest';
import { openWithAccount } from '../../../sql/test/mirror/mirror-account.ts';
import { SHARDS, takeShardedDatabases } from './sharded-databases.ts';

const LEASE_MS = 60_000;

function subscription(accountId: string, id: string): SubscriptionRow {
  return {
    ...{ id, applicationId: 'app_1', accountId, calendarId: 'cal_1', subscriptionType: 'event' },
    ...{ providerType: 'PROVIDER_A', detail: 'change', format: 'plain', url: 'https://receiver.test/hook' },
    ...{ wrappedKey: 'wrapped', sealedSecret: 'secret', previousSecret: null, rateLimit: null, disabledAt: null },
    ...{ failingSince: null, createdAt: 10, updatedAt: 10 },
  };
}

/** An account in each of the databases, each with subscriptions for which a message waits. */
async function openWaiting(subscriptions: number): Promise<ShardedStorage> {
  const databases = await takeShardedDatabases();
  let placed = 0;
  const storage = shardedStorage({ ...databases.optionsOf(), place: () => SHARDS[placed++] ?? 'home' });
  onTestFinished(async () => {
    await storage.close();
    await databases.giveBack();
  });
  await openWithAccount(storage);
  const account = await storage.accounts.find('app_1', 'acc_1');
  const credential = await storage.accounts.findCredential('app_1', 'acc_1');
  if (account === undefined || credential === undefined) throw new Error('There is no account');
  for (let index = 1; index <= SHARDS.length; index += 1) {
    const id = `acc_${index}`;
    if (index > 1) {
      await storage.accounts.save(
        { ...account, id, email: `${id}@example.com` },
        { ...credential, id: `crd_${index}`, accountId: id },
      );
    }
    for (let number = 0; number < subscriptions; number += 1) {
      const targetId = `whs_${index}_${number}`;
      await storage.subscriptions.insert(subscription(id, targetId));
      const message = { eventType: 'calendar.event.changed', timestamp: 1, messageId: `msg_${targetId}` } as const;
      await storage.outbox.enqueue({ applicationId: 'app_1', targetId, ...message });
    }
  }
  return storage;
}

const accountsOf = (claims: Awaited<ReturnType<ShardedStorage['outbox']['acknowledgeAndClaim']>>['claims']) =>
  claims.map(({ target }) => target.accountId).toSorted();

test('a claim keeps its limit and the capacity of a host over all databases, and leaves none out', async () => {
  const storage = await openWaiting(2);
  const claim = async (limit: number, capacity?: DeliveryCapacity) => {
    const input = { limit, leaseMs: LEASE_MS, ...(capacity === undefined ? {} : { capacity }) };
    return accountsOf((await storage.outbox.acknowledgeAndClaim([], input)).claims);
  };
  expect(await claim(9, { ofApplication: () => 9, ofHost: () => 0 })).toEqual([]);
  expect(await claim(9, { ofApplication: () => 3, ofHost: () => 2 })).toHaveLength(2);
  expect(await claim(9, { ofApplication: () => 1, ofHost: () => 2 })).toHaveLength(1);
  expect(await claim(3)).toHaveLength(3);
  expect(await claim(9)).toHaveLength(2);
  expect(await claim(9)).toEqual([]);
});

test('claims of one begin with another database each time', async () => {
  const storage = await openWaiting(1);
  const claimed: (string | null)[] = [];
  for (const _ of SHARDS) {
    const { claims } = await storage.outbox.acknowledgeAndClaim([], { limit: 1, leaseMs: LEASE_MS });
    claimed.push(...accountsOf(claims));
  }
  expect(claimed.toSorted()).toEqual(['acc_1', 'acc_2', 'acc_3', 'acc_4']);
  for (let index = 1; index <= SHARDS.length; index += 1) {
    await storage.schedule.dueBy({ applicationId: 'app_1', accountId: `acc_${index}`, calendarId: null }, 1);
  }
  const due = [];
  for (const _ of SHARDS)
    due.push(...(await storage.schedule.claimDueAccounts(LEASE_MS, 1)).map(({ accountId }) => accountId));
  expect(due.toSorted()).toEqual(['acc_1', 'acc_2', 'acc_3', 'acc_4']);
  expect(await storage.schedule.claimDueAccounts(LEASE_MS, 1)).toEqual([]);
});

test('outcomes of claims of several databases are stored by one call, once when it is repeated', async () => {
  const storage = await openWaiting(1);
  const { claims } = await storage.outbox.acknowledgeAndClaim([], { limit: 9, leaseMs: LEASE_MS });
  const acknowledgements = claims.map(({ target, message, epoch }, index) => ({
    ...{
      applicationId: 'app_1',
      targetId: target.id,
      messageId: message.id,
      epoch,
      outcome: { kind: 'delivered' } as const,
    },
    attempt: {
      ...{
        id: `att_${index}`,
        eventType: message.eventType,
        at: 5,
        status: 204,
        failure: null,
        latencyMs: 1,
        excerpt: '',
      },
    },
  }));
  const store = () => storage.outbox.acknowledgeAndClaim(acknowledgements, { limit: 0, leaseMs: LEASE_MS });
  expect((await store()).settled).toEqual([true, true, true, true]);
  expect((await store()).settled).toEqual([false, false, false, false]);
  for (const { target } of claims) {
    expect(await storage.outbox.listAttempts('app_1', target.id, { limit: 9 })).toHaveLength(1);
  }
});
