import { type ChannelRow, ProviderError, type ScheduleState } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPollPlan, type PollPlan, retryAfterOf } from '../../src/pull/poll-plan.ts';
import { resolveSyncSettings } from '../../src/pull/sync-settings.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

const HOUR_MS = 3_600_000;
const SETTINGS = resolveSyncSettings();

let world: SyncWorld;
let factor: number;
/** In the middle of the jitter. */
let fraction: number;
let plan: PollPlan;
let now: number;
beforeEach(async () => {
  world = await syncWorld();
  [factor, fraction] = [1, 0.5];
  now = world.clock.now();
  plan = createPollPlan({
    storage: world.storage,
    clock: world.clock,
    random: { bytes: (length) => new Uint8Array(length), fraction: () => fraction },
    settings: SETTINGS,
    budget: { backoffFactor: () => factor },
  });
});
afterEach(() => world.close());

const schedule = (fields: Partial<ScheduleState> = {}): ScheduleState => ({
  hintSeq: 0,
  clearedHintSeq: 0,
  syncedAt: now,
  lastReadAt: now,
  dueAt: null,
  failures: 0,
  repeatsLeft: 0,
  fullHintSeq: 0,
  pollEveryMs: null,
  unannouncedAt: null,
  notBefore: 0,
  ...fields,
});
const dueIn = async (fields: Partial<ScheduleState>, outcome: { changed: number; againMs?: number }) => {
  const start = { ...(await world.storage.pulls.read(KEY)), schedule: schedule(fields) };
  const { dueAt, repeatsLeft } = await plan.afterSuccess(world.account, KEY, start, { ...outcome, listed: 0 });
  return [dueAt === null ? null : dueAt - now, repeatsLeft];
};
const open = (fields: Partial<ChannelRow>) =>
  world.storage.channels.insert({
    id: 'chn_1',
    applicationId: CALLER.applicationId,
    accountId: ACCOUNT,
    calendarId: CALENDAR,
    providerType: 'FAKE',
    kind: 'push',
    providerChannelId: 'p1',
    resourceId: 'r1',
    tokenHash: 'h',
    address: 'https://example.com',
    expiresAt: now + HOUR_MS,
    renewAt: now,
    createdAt: now,
    ...fields,
  });

describe('a push channel', () => {
  test.each<[string, Partial<ChannelRow>, boolean]>([
    ['is live', {}, true],
    ['polls', { kind: 'poll' }, false],
    ['is not open yet', { providerChannelId: null }, false],
    ['has expired', { expiresAt: 0 }, false],
  ])('that %s counts as push: %s', async (_name, fields, isPush) => {
    await open(fields);
    expect(await plan.freshMs(KEY)).toBe(isPush ? SETTINGS.freshWithPushMs : SETTINGS.freshWithoutPushMs);
    // Polls behind push come up to a tenth of their interval early, in the middle a twentieth.
    const everyMs = isPush ? SETTINGS.pollWithPushMs * 0.95 : SETTINGS.pollWithoutPushMs;
    for (const changed of [0, 1]) expect(await dueIn({}, { changed })).toEqual([everyMs, 0]);
  });

  test('is not asked for when its end is known', async () => {
    await open({});
    expect(await plan.freshMs(KEY, null)).toBe(SETTINGS.freshWithoutPushMs);
    expect(await plan.freshMs(KEY, now)).toBe(SETTINGS.freshWithoutPushMs);
    expect(await plan.freshMs(KEY, now + 1)).toBe(SETTINGS.freshWithPushMs);
  });
});

describe('after a pull', () => {
  test('a calendar is polled with jitter, slower under a budget', async () => {
    fraction = 0;
    expect(await dueIn({}, { changed: 0 })).toEqual([90_000, 0]);
    fraction = 1;
    expect(await dueIn({}, { changed: 0 })).toEqual([150_000, 0]);
    factor = 4;
    expect(await dueIn({}, { changed: 0 })).toEqual([600_000, 0]);
  });

  test('a calendar that was not read for an hour is not polled', async () => {
    expect(await dueIn({ lastReadAt: now - HOUR_MS + 1 }, { changed: 0 })).toEqual([120_000, 0]);
    expect(await dueIn({ lastReadAt: now - HOUR_MS }, { changed: 0 })).toEqual([null, 0]);
    expect(await dueIn({ lastReadAt: null }, { changed: 0 })).toEqual([null, 0]);
  });

  test('a hinted pull that found nothing is repeated twice', async () => {
    const hinted = { hintSeq: 2, clearedHintSeq: 1 };
    expect(await dueIn(hinted, { changed: 0 })).toEqual([5_000, 2]);
    expect(await dueIn({ repeatsLeft: 2 }, { changed: 0 })).toEqual([60_000, 1]);
    expect(await dueIn({ repeatsLeft: 1 }, { changed: 0 })).toEqual([120_000, 0]);
    expect(await dueIn(hinted, { changed: 1 })).toEqual([120_000, 0]);
  });

  test('what is left on the re-read list makes it due sooner', async () => {
    expect(await dueIn({}, { changed: 1, againMs: 3_000 })).toEqual([3_000, 0]);
    expect(await dueIn({ hintSeq: 1 }, { changed: 0, againMs: 9_000 })).toEqual([5_000, 2]);
    expect(await dueIn({ lastReadAt: null }, { changed: 1, againMs: 0 })).toEqual([0, 0]);
  });
});

test('a reconciliation is due once a day for each page, at most each fourteenth, later under a budget', () => {
  const day = SETTINGS.reconcileEveryMs;
  const isDue = (ageMs: number, fullPages: number) => plan.isReconciliationDue(KEY, { fullAt: now - ageMs, fullPages });
  for (const pages of [0, 1]) expect([isDue(day, pages), isDue(day - 1, pages)]).toEqual([true, false]);
  expect([isDue(4 * day, 4), isDue(4 * day - 1, 4)]).toEqual([true, false]);
  expect([isDue(14 * day, 99), isDue(14 * day - 1, 99)]).toEqual([true, false]);
  factor = 2;
  expect([isDue(day, 1), isDue(2 * day, 1)]).toEqual([false, true]);
});

describe('after a failure', () => {
  const error = new ProviderError('unavailable', 'down');
  const backoff = async (failures: number, fields: Partial<ScheduleState> = {}, cause: Error = error) => {
    const dueAt = await plan.afterFailure(KEY, schedule(fields), failures, cause);
    return dueAt === null ? null : dueAt - now;
  };

  test('the wait doubles to an hour', async () => {
    const first = (await backoff(1)) ?? 0;
    expect(first).toBeGreaterThan(0);
    expect([await backoff(2), await backoff(3), await backoff(4)]).toEqual([2 * first, 4 * first, 8 * first]);
    expect(await backoff(10)).toBe(360 * first);
    expect(await backoff(1_000_000)).toBe(360 * first);
  });

  test('the provider is left alone for as long as it asks, up to an hour', async () => {
    const asked = (retryAfterMs: number) => new ProviderError('rate-limited', 'later', { retryAfterMs });
    expect(await backoff(1, {}, asked(50_000))).toBe(50_000);
    expect(await backoff(1, {}, asked(10 * HOUR_MS))).toBe(HOUR_MS);
    expect(retryAfterOf(error)).toBe(0);
    expect(retryAfterOf(Object.assign(new Error('other'), { retryAfterMs: 5_000 }))).toBe(0);
    expect(retryAfterOf(undefined)).toBe(0);
  });

  test('a calendar that nothing watches is left to reads from the sixth on', async () => {
    expect(await backoff(5, { lastReadAt: null })).not.toBeNull();
    expect(await backoff(6, { lastReadAt: null })).toBeNull();
    expect(await backoff(6)).not.toBeNull();
  });
});
