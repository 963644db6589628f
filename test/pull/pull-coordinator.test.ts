import { ProviderError } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { LEASE_MS } from '../../src/leases/lease-keeper.ts';
import { pullLeaseName } from '../../src/mirror/index.ts';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';
import { newDatabase, STORAGES } from '../storages/new-database.ts';

describe.each(STORAGES)('on %s', (storage) => {
  let world: SyncWorld;
  beforeEach(async () => {
    world = await syncWorld({}, 1, await newDatabase(storage));
    world.fake.put(CALENDAR, fakeEvent('a'));
  });
  afterEach(() => world.close());

  const list = (query = {}) => world.events.list(CALLER, ACCOUNT, CALENDAR, query);
  const pulls = () => world.fake.calls.filter((call) => call === 'events.pull').length;

  /** Holds every answer to a pull back until it is called. */
  function holdPulls(): () => void {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    world.fake.switches.beforeAnswer = (call) => (call === 'events.pull' ? held : Promise.resolve());
    return release;
  }

  /** Lets what has begun go on, without time passing. */
  const stand = () => world.clock.advance(0);

  describe('the first pull', () => {
    test('is awaited when the calendar is small', async () => {
      expect((await list()).data).toHaveLength(1);
    });

    test('goes on in the background while readers get CalendarSyncing', async () => {
      await world.calendars.list(CALLER, ACCOUNT, {});
      const release = holdPulls();
      const first = list();
      const outcome = expect(first).rejects.toMatchObject({ code: 'CalendarSyncing', status: 503, retryAfterMs: 2000 });
      await stand();
      await world.clock.advance(2_000);
      await outcome;
      release();
      await stand();
      expect((await list()).data).toHaveLength(1);
      expect(pulls()).toBe(1);
    });

    test("that fails is the reader's failure", async () => {
      world.fake.switches.fail = (call) =>
        call.startsWith('events') ? new ProviderError('unavailable', 'down', { retryAfterMs: 7_000 }) : undefined;
      await expect(list()).rejects.toMatchObject({ code: 'ProviderUnavailable', retryAfterMs: 7_000 });
    });
  });

  describe('a complete mirror', () => {
    beforeEach(() => list());

    test('keeps the outcome of the process that took a pull over: the one that stood still records none', async () => {
      const { leases, schedule } = world.storage;
      const release = holdPulls();
      const { beforeAnswer } = world.fake.switches;
      world.fake.switches.beforeAnswer = async (call) => {
        await beforeAnswer?.(call);
        if (call === 'events.pull') throw new ProviderError('timeout', 'the socket is dead');
      };
      await schedule.hint(KEY);
      const reading = list();
      await stand();
      vi.spyOn(leases, 'renew').mockResolvedValue(undefined);
      await world.clock.advance(LEASE_MS);
      await reading;
      const lease = await leases.claim(pullLeaseName(KEY), LEASE_MS);
      const dueAt = world.clock.now() + 120_000;
      await schedule.finish(
        KEY,
        { syncedAt: world.clock.now(), clearedHintSeq: 1, failures: 0, dueAt },
        { name: pullLeaseName(KEY), epoch: lease?.epoch ?? 0 },
      );
      release();
      await stand();
      expect(await schedule.get(KEY)).toMatchObject({ failures: 0, dueAt });
    });

    test('answers without a pull within the budget, and pulls once beyond it', async () => {
      await world.clock.advance(30_000);
      await list();
      expect(pulls()).toBe(1);
      await world.clock.advance(1);
      await Promise.all(Array.from({ length: 20 }, () => list()));
      expect(pulls()).toBe(2);
    });

    test('answers with its age while the provider is down', async () => {
      const { syncedAt } = await list();
      world.fake.switches.fail = () => new ProviderError('unavailable', 'down');
      await world.clock.advance(60_000);
      const page = await list();
      expect(page.data).toHaveLength(1);
      expect(page.syncedAt).toBe(syncedAt);
      world.fake.switches.fail = undefined;
      await world.clock.advance(5_001);
      expect((await list()).syncedAt).toBe(world.clock.now());
    });

    test('answers after two seconds while a pull is slow', async () => {
      const release = holdPulls();
      await world.clock.advance(60_000);
      const reading = list();
      await stand();
      await world.clock.advance(2_000);
      expect((await reading).data).toHaveLength(1);
      release();
    });

    test('counts its age from the start of the request', async () => {
      const release = holdPulls();
      await world.clock.advance(60_000);
      const startedAt = world.clock.now();
      const pulling = world.mirror.pull(world.account, CALENDAR);
      await stand();
      await world.clock.advance(10_000);
      release();
      await pulling;
      expect((await world.storage.schedule.get(KEY)).syncedAt).toBe(startedAt);
    });

    test('may be older while a push channel is live', async () => {
      await world.storage.channels.insert({
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
        expiresAt: world.clock.now() + 3_600_000,
        renewAt: world.clock.now() + 1_800_000,
        createdAt: world.clock.now(),
      });
      await world.clock.advance(900_000);
      await list();
      expect(pulls()).toBe(1);
      await world.clock.advance(1);
      await list();
      expect(pulls()).toBe(2);
    });

    test('that another process pulled since is as recent as a read needs', async () => {
      const release = holdPulls();
      await world.clock.advance(60_000);
      const pulling = world.peer().mirror.pull(world.account, CALENDAR);
      await stand();
      await world.clock.advance(30_000);
      const reading = list();
      await stand();
      release();
      await pulling;
      await world.clock.advance(1_000);
      await reading;
      await stand();
      expect(pulls()).toBe(2);
    });

    test('is told to be read often in the tenth minute with reads', async () => {
      for (let minute = 1; minute < 10; minute++) {
        expect(world.readOften).toEqual([]);
        await world.clock.advance(60_000);
        await list();
      }
      expect(world.readOften).toEqual([CALENDAR]);
    });

    test('is released by a process that finds it recent, or its account cooling down', async () => {
      const name = pullLeaseName(KEY);
      const claim = async () => {
        const lease = await world.storage.leases.claim(name, 1_000);
        if (lease !== undefined) await world.storage.leases.release(name, lease.epoch);
        return lease !== undefined;
      };
      world.fake.switches.fail = () => new ProviderError('rate-limited', 'later', { retryAfterMs: 60_000 });
      await expect(world.mirror.pull(world.account, CALENDAR)).rejects.toThrow();
      const asked = pulls();
      await expect(world.mirror.pull(world.account, CALENDAR)).rejects.toThrow();
      expect(pulls()).toBe(asked);
      expect(await claim()).toBe(true);
    });

    test('is pulled by one of several processes', async () => {
      const peer = world.peer();
      await world.clock.advance(60_000);
      const both = Promise.all([list(), peer.events.list(CALLER, ACCOUNT, CALENDAR, {})]);
      for (let step = 0; step < 20; step++) await world.clock.advance(50);
      await both;
      expect(pulls()).toBe(2);
      await peer.pulls.close();
    });

    test('is pulled once before an unknown id is not found', async () => {
      const get = (id: string) => world.events.get(CALLER, ACCOUNT, CALENDAR, id);
      world.fake.put(CALENDAR, fakeEvent('new'));
      expect((await get('new')).title).toBe('new');
      await expect(get('none')).rejects.toMatchObject({ code: 'NotFound' });
      expect(pulls()).toBe(3);
    });

    test('is not served for an EXPIRED account', async () => {
      world.setStatus('EXPIRED');
      await expect(list()).rejects.toMatchObject({ code: 'InvalidRefreshToken', status: 409 });
      world.setStatus('ACTIVE');
      world.fake.switches.fail = () => new ProviderError('invalid-grant', 'revoked');
      await world.clock.advance(60_000);
      await expect(list()).rejects.toMatchObject({ code: 'InvalidRefreshToken', status: 409 });
    });
  });

  test('an unknown calendar is not found, after one pull of the list', async () => {
    await list();
    await expect(world.events.list(CALLER, ACCOUNT, 'nowhere', {})).rejects.toMatchObject({ code: 'NotFound' });
    expect(world.fake.calls.filter((call) => call === 'calendars.pull')).toHaveLength(2);
  });
});

test('reads of an account at one time note the read of its list once', async () => {
  const world = await syncWorld();
  onTestFinished(() => world.close());
  world.fake.put(CALENDAR, fakeEvent('a'));
  const read = () => world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  await read();
  const dueBy = vi.spyOn(world.storage.schedule, 'dueBy');
  const ofList = () => dueBy.mock.calls.filter(([{ calendarId }]) => calendarId === null).length;
  await world.clock.advance(60_000);
  await Promise.all(Array.from({ length: 20 }, read));
  expect(ofList()).toBe(1);
  await world.clock.advance(60_000);
  await read();
  expect(ofList()).toBe(2);
});
