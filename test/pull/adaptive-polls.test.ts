import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { fakeCalendar } from '../mirror/fake-provider.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type Services, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const OTHER = 'cal_2';

let world: SyncWorld;
let stops: (() => Promise<void>)[];
beforeEach(async () => {
  world = await syncWorld({ reconcileEveryMs: 300 * 24 * HOUR_MS });
  world.fake.putCalendar(fakeCalendar(OTHER));
  stops = [];
  for (const calendarId of [CALENDAR, OTHER]) {
    world.fake.put(calendarId, fakeEvent(`first-${calendarId}`));
    await openChannel(calendarId);
    await world.storage.subscriptions.insert(subscriptionTo(calendarId));
    await world.events.list(CALLER, ACCOUNT, calendarId, {});
  }
});
afterEach(async () => {
  for (const stop of stops) await stop();
  await world.close();
});

function openChannel(calendarId: string): Promise<void> {
  return world.storage.channels.insert({
    id: `chn_${calendarId}`,
    applicationId: CALLER.applicationId,
    accountId: ACCOUNT,
    calendarId,
    providerType: 'FAKE',
    kind: 'push',
    providerChannelId: `remote-${calendarId}`,
    resourceId: 'resource',
    tokenHash: '',
    address: '',
    expiresAt: world.clock.now() + 300 * 24 * HOUR_MS,
    renewAt: world.clock.now() + 300 * 24 * HOUR_MS,
    createdAt: world.clock.now(),
  });
}

function subscriptionTo(calendarId: string) {
  return {
    id: `whs_${calendarId}`,
    applicationId: CALLER.applicationId,
    accountId: ACCOUNT,
    calendarId,
    subscriptionType: 'event',
    detail: 'change',
    format: 'plain',
    providerType: 'FAKE',
    url: 'https://receiver.example/hook',
    wrappedKey: 'k',
    sealedSecret: 's',
    previousSecret: null,
    rateLimit: null,
    disabledAt: null,
    failingSince: null,
    createdAt: world.clock.now(),
    updatedAt: world.clock.now(),
  } as const;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const stateOf = (calendarId: string) => world.storage.schedule.get({ ...KEY, calendarId });
const pulls = () => world.fake.calls.filter((call) => call === 'events.pull').length;

function start({ pulls: own }: Pick<Services, 'pulls'>): void {
  const stopping = new AbortController();
  const running = own.run(stopping.signal);
  stops.push(async () => {
    stopping.abort();
    await running;
  });
}

/** Lets virtual time pass in steps of half a minute, leaving the workers room after each. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 30_000) {
    await world.clock.advance(Math.min(left, 30_000));
    for (let i = 0; i < 4; i++) await turn();
  }
}

describe('polls behind a living channel', () => {
  test('become rarer while no push is missed, down to one in six hours', async () => {
    start(world);
    await pass(2 * HOUR_MS);
    expect((await stateOf(CALENDAR)).pollEveryMs).toBeGreaterThan(15 * MINUTE_MS);
    await pass(24 * HOUR_MS);
    expect((await stateOf(CALENDAR)).pollEveryMs).toBe(6 * HOUR_MS);
    const before = pulls();
    await pass(24 * HOUR_MS);
    expect(pulls() - before).toBeLessThanOrEqual(2 * 5);
    const page = await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
    expect(page.pollEveryMs).toBe(6 * HOUR_MS);
  });

  test('return to the shortest interval at every calendar of the client when one push is missed', async () => {
    start(world);
    start(world.peer());
    await pass(26 * HOUR_MS);
    world.fake.put(CALENDAR, fakeEvent('lost'));
    await pass(6 * HOUR_MS + 3 * MINUTE_MS);
    // Both calendars have been polled at most once since the miss was noticed.
    for (const calendarId of [CALENDAR, OTHER]) {
      const { pollEveryMs, dueAt } = await stateOf(calendarId);
      expect(pollEveryMs).toBeLessThan(2 * HOUR_MS);
      expect(dueAt! - world.clock.now()).toBeLessThan(2 * HOUR_MS);
    }
  });

  test('stay rare when the push was only on its way', async () => {
    start(world);
    await pass(26 * HOUR_MS);
    world.fake.put(CALENDAR, fakeEvent('late'));
    await world.storage.schedule.dueBy(KEY, world.clock.now());
    await pass(MINUTE_MS);
    expect((await stateOf(CALENDAR)).unannouncedAt).not.toBeNull();
    await world.storage.schedule.hint(KEY);
    await pass(5 * MINUTE_MS);
    expect(await stateOf(CALENDAR)).toMatchObject({ unannouncedAt: null, pollEveryMs: 6 * HOUR_MS });
    expect((await stateOf(OTHER)).pollEveryMs).toBe(6 * HOUR_MS);
  });

  test('follow the end of the channel', async () => {
    start(world);
    await pass(26 * HOUR_MS);
    await world.storage.channels.update(CALLER.applicationId, `chn_${CALENDAR}`, {
      expiresAt: world.clock.now() + 9 * HOUR_MS,
    });
    await pass(12 * HOUR_MS);
    const { pollEveryMs, dueAt } = await stateOf(CALENDAR);
    expect(pollEveryMs).toBe(2 * MINUTE_MS);
    expect(dueAt! - world.clock.now()).toBeLessThanOrEqual(3 * MINUTE_MS);
  });

  test('leave reads their freshness', async () => {
    start(world);
    await pass(26 * HOUR_MS);
    world.fake.put(CALENDAR, fakeEvent('new'));
    await pass(16 * MINUTE_MS);
    const { data } = await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
    expect(data.map(({ id }) => id)).toContain('new');
  });
});
