import { seededRandom } from '@kalends/conformance';
import { ProviderError } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AccountAccess } from '../../src/accounts/account-access.ts';
import { createHeldLeases } from '../../src/leases/held-leases.ts';
import { listKeyOf } from '../../src/mirror/index.ts';
import { createReconciliations, type Reconciliations } from '../../src/pull/reconciliations.ts';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

const LIST = listKeyOf(KEY);
const WEEK_MS = 7 * 86_400_000;
const LATER = 900_000_000_000_000;

let world: SyncWorld;
let reconciliations: Reconciliations;
let failures: number;
beforeEach(async () => {
  world = await syncWorld();
  failures = 0;
  world.fake.put(CALENDAR, fakeEvent('a'));
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  const note = () => undefined;
  const logger = { debug: note, info: note, warn: note, error: note };
  const { account, clock, storage } = world;
  const accounts: AccountAccess = {
    get: async () => account,
    session: () => ({ accountId: ACCOUNT, email: account.row.email, accessToken: async () => 'token' }),
  };
  reconciliations = createReconciliations({
    storage,
    accounts,
    clock,
    logger,
    leases: createHeldLeases(storage.leases, { clock, logger }),
    random: seededRandom(1),
    listChanged: async () => undefined,
    enqueued: note,
    plan: { isReconciliationDue: () => true },
    budget: { admit: async () => undefined, noteFailure: async () => void failures++, backoffFactor: () => 1 },
  });
  for (const key of [KEY, LIST]) await storage.schedule.finish(key, { failures: 0, dueAt: LATER });
});
afterEach(() => world.close());

async function reconcile(): Promise<void> {
  world.fake.calls.length = 0;
  await reconciliations.startIfDue(world.account, KEY, { fullAt: 0, fullPages: 1 }, new AbortController().signal);
  await reconciliations.settled();
}

const dueAt = async (key: typeof LIST) => (await world.storage.schedule.get(key)).dueAt;
const pulls = () => world.fake.calls.filter((call) => call === 'events.pull').length;

test('a reconciliation makes a list of a week ago due, and the calendar only when objects are left to read again', async () => {
  await world.clock.advance(WEEK_MS);
  await reconcile();
  expect([await dueAt(LIST), await dueAt(KEY)]).toEqual([world.clock.now(), LATER]);
  await world.storage.mirror.addRereads(KEY, ['a']);
  world.fake.switches.beforeAnswer = async (call) => {
    if (call === 'events.get') await world.storage.mirror.addRereads(KEY, ['a']);
  };
  await reconcile();
  expect(await dueAt(KEY)).toBe(world.clock.now());
});

test('a failed reconciliation is tried again an hour later', async () => {
  world.fake.switches.fail = () => new ProviderError('unavailable', 'down');
  await reconcile();
  expect([failures, pulls()]).toEqual([1, 1]);
  world.fake.switches.fail = undefined;
  await world.clock.advance(3_599_999);
  await reconcile();
  expect(pulls()).toBe(0);
  await world.clock.advance(1);
  await reconcile();
  expect(pulls()).toBe(1);
});
