import { ProviderError, type Storage } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newDatabase, STORAGES } from '../storages/new-database.ts';
import { fakeEvent, fakeException, newYork } from './fake-events.ts';
import { fakeCalendar } from './fake-provider.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from './sync-world.ts';

/** Notes the epoch of every claim from now on. */
function noteEpochs({ leases, pulls }: Pick<Storage, 'leases' | 'pulls'>): Map<string, number> {
  const epochs = new Map<string, number>();
  const { claim } = leases;
  const { begin } = pulls;
  Object.assign(leases, {
    async claim(name: string, ttlMs: number) {
      const lease = await claim(name, ttlMs);
      if (lease !== undefined) epochs.set(name, lease.epoch);
      return lease;
    },
  });
  Object.assign(pulls, {
    async begin(...[key, lease]: Parameters<typeof begin>) {
      const begun = await begin(key, lease);
      if (begun.epoch !== undefined) epochs.set(lease.name, begun.epoch);
      return begun;
    },
  });
  return epochs;
}

describe.each(STORAGES)('on %s', (storage) => {
  let world: SyncWorld;
  /** Latest epoch of each lease, by its name. */
  let epochs: Map<string, number>;
  beforeEach(async () => {
    world = await syncWorld({}, 1, await newDatabase(storage));
    epochs = noteEpochs(world.storage);
    world.fake.put(CALENDAR, fakeEvent('a'));
    world.fake.put(CALENDAR, fakeEvent('b'));
    await list();
  });
  afterEach(() => world.close());

  const list = (query = {}) => world.events.list(CALLER, ACCOUNT, CALENDAR, query);
  const titles = async () => (await list()).data.map((event) => 'title' in event && event.title).sort();
  const pull = () => world.mirror.pull(world.account, CALENDAR);
  /** Runs once, while the next answer to `call` is on its way. */
  function during(call: string, work: () => Promise<unknown>) {
    const { switches } = world.fake;
    switches.beforeAnswer = async (name) => {
      if (name !== call) return;
      switches.beforeAnswer = undefined;
      await work();
    };
  }
  /** The process stands still for so long that another one takes the collection over, for a minute. */
  async function loseLease(kind: string) {
    const name = `${kind}:app_1:acc_1:cal_1`;
    await world.storage.leases.release(name, epochs.get(name) ?? 0);
    expect(await world.storage.leases.claim(name, 60_000)).toBeDefined();
  }
  /** Lets what has begun go on, without time passing. */
  const stand = () => world.clock.advance(0);
  const update = (id: string, title: string) => world.events.update(CALLER, ACCOUNT, CALENDAR, id, { title });

  describe('a pull never undoes newer data', () => {
    test('a page fetched before our PUT and committed after it', async () => {
      world.fake.put(CALENDAR, fakeEvent('a', { title: 'theirs' }));
      during('events.pull', () => update('a', 'ours'));
      await pull();
      expect(await titles()).toEqual(['b', 'ours']);
      expect(world.fake.calls).toContain('events.get');
      expect(await world.storage.mirror.listRereads(KEY, 10)).toEqual([]);
    });

    test('a sweep that listed before our POST', async () => {
      world.fake.expireTokens();
      during('events.pull', () =>
        world.events.create(CALLER, ACCOUNT, CALENDAR, { title: 'new', start: { dateTime: '2026-03-05T09:00:00' } }),
      );
      await pull();
      expect(await titles()).toEqual(['a', 'b', 'new']);
    });

    test('a sweep that lists after a deletion whose event we had written just before', async () => {
      world.fake.expireTokens();
      world.fake.switches.hidden.add('a');
      during('events.pull', async () => {
        await update('a', 'ours');
        world.fake.events(CALENDAR).delete('a');
      });
      await pull();
      expect(await titles()).toEqual(['b']);
    });

    test('a sweep removes nothing that the provider still has', async () => {
      world.fake.expireTokens();
      world.fake.switches.hidden.add('a');
      world.fake.events(CALENDAR).delete('b');
      await pull();
      expect(await titles()).toEqual(['a']);
    });

    test('a declined event that the provider no longer lists stays until we delete it', async () => {
      const declined = fakeEvent('a', { myResponseStatus: 'declined' }, { isKeptLocally: true });
      world.fake.put(CALENDAR, declined);
      await pull();
      world.fake.remove(CALENDAR, 'a');
      await pull();
      world.fake.expireTokens();
      await pull();
      expect(await titles()).toEqual(['a', 'b']);
      await world.events.delete(CALLER, ACCOUNT, CALENDAR, 'a');
      await pull();
      expect(await titles()).toEqual(['b']);
    });

    test('two PUTs of one event run one after the other', async () => {
      let second: Promise<unknown> = Promise.resolve();
      during('events.update', async () => {
        second = update('a', 'second');
        await stand();
      });
      await update('a', 'first');
      await second;
      expect(world.fake.events(CALENDAR).get('a')?.content?.title).toBe('second');
      expect(await titles()).toEqual(['b', 'second']);
    });

    test('our own deletion is not undone by a page from before it', async () => {
      world.fake.put(CALENDAR, fakeEvent('a', { title: 'theirs' }));
      during('events.pull', () => world.events.delete(CALLER, ACCOUNT, CALENDAR, 'a'));
      await pull();
      expect(await titles()).toEqual(['b']);
    });

    test('a whole series does not drop an exception that we created meanwhile', async () => {
      world.fake.put(
        CALENDAR,
        fakeEvent('s', { ...newYork('2026-03-02', '09:00', '10:00'), recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }),
      );
      await pull();
      world.fake.put(CALENDAR, { ...world.fake.events(CALENDAR).get('s')! });
      world.fake.touchSeries(CALENDAR, 's');
      during('events.pull', () => update('s_20260303T140000Z', 'ours'));
      await pull();
      expect(await titles()).toContain('ours');
    });

    test('a process that lost its lease cannot commit', async () => {
      world.fake.put(CALENDAR, fakeEvent('a', { title: 'late' }));
      const { revision } = (await world.storage.mirror.find(KEY))!;
      during('events.pull', () => loseLease('pull'));
      const stuck = pull();
      await stand();
      expect((await world.storage.mirror.find(KEY))!.revision).toBe(revision);
      await world.clock.advance(61_000);
      await stuck;
      expect(await titles()).toEqual(['b', 'late']);
    });

    test('a process that lost its lease replaces no full resync of another', async () => {
      world.fake.expireTokens();
      const { startSweep } = world.storage.mirror;
      const mirror: { startSweep: typeof startSweep } = world.storage.mirror;
      let refused: unknown;
      mirror.startSweep = async (key, fence) => {
        mirror.startSweep = startSweep;
        await loseLease('pull');
        return await startSweep(key, fence).catch((error) => {
          refused = error;
          throw error;
        });
      };
      const pulling = pull();
      await stand();
      expect(refused).toMatchObject({ code: 'Conflict' });
      await world.clock.advance(61_000);
      await pulling;
    });

    test('a pull whose provider takes minutes to answer keeps its lease', async () => {
      world.fake.put(CALENDAR, fakeEvent('a', { title: 'slow' }));
      during('events.pull', async () => {
        await world.clock.advance(300_000);
        expect(await world.storage.leases.claim('pull:app_1:acc_1:cal_1', 60_000)).toBeUndefined();
      });
      await pull();
      expect(await titles()).toEqual(['b', 'slow']);
    });

    test('a pull that fails half-way resumes from the same token', async () => {
      for (let i = 0; i < 10; i++) world.fake.put(CALENDAR, fakeEvent(`n${i}`));
      world.fake.switches.pageSize = 4;
      world.fake.switches.fail = (call) =>
        call === 'events.pull.page' ? new ProviderError('unavailable', 'down') : undefined;
      await expect(pull()).rejects.toMatchObject({ code: 'ProviderUnavailable' });
      world.fake.switches.fail = undefined;
      await pull();
      expect(await titles()).toHaveLength(12);
    });
  });

  describe('hints', () => {
    const schedule = () => world.storage.schedule.get(KEY);

    test('a push in the middle of a pull stays pending', async () => {
      during('events.pull', () => world.storage.schedule.hint(KEY));
      await pull();
      expect(await schedule()).toMatchObject({ hintSeq: 1, clearedHintSeq: 0, dueAt: world.clock.now() });
      await pull();
      expect(await schedule()).toMatchObject({ hintSeq: 1, clearedHintSeq: 1 });
    });

    test('a hinted pull that finds nothing repeats after 5 s and 60 s', async () => {
      await world.storage.schedule.hint(KEY);
      const waits: number[] = [];
      for (let round = 0; round < 3; round++) {
        await pull();
        const { dueAt } = await schedule();
        waits.push(dueAt! - world.clock.now());
        await world.clock.advance(1);
      }
      expect(waits.slice(0, 2)).toEqual([5_000, 60_000]);
      expect(waits[2]).toBeGreaterThan(60_000);
    });

    test('a read pulls at once while a hint is pending', async () => {
      world.fake.put(CALENDAR, fakeEvent('c'));
      expect(await titles()).toEqual(['a', 'b']);
      await world.storage.schedule.hint(KEY);
      expect(await titles()).toEqual(['a', 'b', 'c']);
    });
  });

  describe('messages', () => {
    /** Delivers what waits. */
    const waiting = async () => {
      const claims = (await world.storage.outbox.acknowledgeAndClaim([], { limit: 10, leaseMs: 1_000 })).claims;
      for (const { target, message, epoch } of claims) {
        const { applicationId, id: targetId } = target;
        const { id: messageId, eventType } = message;
        const attempt = {
          id: `att_${messageId}`,
          eventType,
          at: 0,
          status: 200,
          failure: null,
          latencyMs: 0,
          excerpt: '',
        };
        const outcome = { kind: 'delivered' } as const;
        await world.storage.outbox.acknowledgeAndClaim(
          [{ applicationId, targetId, messageId, epoch, attempt, outcome }],
          { limit: 0, leaseMs: 1 },
        );
      }
      return claims.map(({ message }) => message.eventType);
    };

    beforeEach(() =>
      world.storage.subscriptions.insert({
        id: 'whs_1',
        applicationId: CALLER.applicationId,
        accountId: ACCOUNT,
        calendarId: CALENDAR,
        subscriptionType: 'event',
        detail: 'change',
        format: 'plain',
        providerType: 'FAKE',
        url: 'https://example.com/',
        wrappedKey: 'k',
        sealedSecret: 's',
        previousSecret: null,
        rateLimit: null,
        disabledAt: null,
        failingSince: null,
        createdAt: world.clock.now(),
        updatedAt: world.clock.now(),
      }),
    );

    test('a pull of an unchanged calendar writes nothing and sends nothing', async () => {
      const before = (await world.storage.mirror.find(KEY))?.revision;
      world.fake.put(CALENDAR, { ...world.fake.events(CALENDAR).get('a')! });
      await pull();
      expect((await world.storage.mirror.find(KEY))?.revision).toBe(before);
      expect(await waiting()).toEqual([]);
    });

    test('a change is announced, our own write once and not again by its echo', async () => {
      await update('a', 'ours');
      await pull();
      expect(await waiting()).toEqual(['calendar.event.changed']);
      expect(await waiting()).toEqual([]);
    });

    test('a resync after an expired token announces a gap, even without a change', async () => {
      world.fake.expireTokens();
      await pull();
      expect(await waiting()).toEqual(['calendar.event.unknown']);
    });

    test('an interrupted resync announces the gap when it is completed later', async () => {
      world.fake.expireTokens();
      world.fake.switches.pageSize = 1;
      world.fake.switches.fail = (call) =>
        call === 'events.pull.page' ? new ProviderError('unavailable', 'down') : undefined;
      await expect(pull()).rejects.toThrow();
      world.fake.switches.fail = undefined;
      await pull();
      expect(await waiting()).toEqual(['calendar.event.unknown']);
    });

    test('a new mapping maps everything again without announcing a gap', async () => {
      Object.assign(world.fake.provider, { mappingVersion: 2 });
      await pull();
      expect(await waiting()).toEqual([]);
      const item = await world.storage.mirror.findItem(KEY, 'a');
      expect(item?.mappingVersion).toBe(2);
    });
  });

  describe('exceptions', () => {
    test('an exception that arrives before its master is shown by itself, then takes its slot', async () => {
      const slot = { kind: 'instant', startMs: Date.parse('2026-03-03T14:00:00Z') } as const;
      world.fake.put(CALENDAR, fakeException('x', 's', slot, newYork('2026-03-04', '12:00', '13:00')));
      await pull();
      expect((await list()).data.map(({ id }) => id)).toContain('s_20260303T140000Z');
      world.fake.put(
        CALENDAR,
        fakeEvent('s', { ...newYork('2026-03-02', '09:00', '10:00'), recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }),
      );
      await pull();
      const window = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-03-10T00:00:00Z' };
      const expanded = await list({ ...window, expandRecurrences: 'true', search: 's' });
      expect(expanded.data.map(({ id }) => id).filter((id) => id.startsWith('s_'))).toHaveLength(2);
    });

    test('a deleted orphan is swept', async () => {
      const slot = { kind: 'instant', startMs: Date.parse('2026-03-03T14:00:00Z') } as const;
      world.fake.put(CALENDAR, fakeException('x', 's', slot));
      await pull();
      world.fake.events(CALENDAR).delete('x');
      world.fake.expireTokens();
      await pull();
      expect(await titles()).toEqual(['a', 'b']);
    });
  });

  test('a calendar unshared and soon shared again keeps its history, and is resynced in full', async () => {
    const { nextSyncToken } = await list();
    const calendar = world.fake.calendars.get(CALENDAR)!;
    world.fake.removeCalendar(CALENDAR);
    await world.mirror.pull(world.account, null);
    await expect(list()).rejects.toMatchObject({ code: 'NotFound' });
    world.fake.putCalendar(calendar);
    world.fake.put(CALENDAR, fakeEvent('a', { title: 'meanwhile' }));
    const { data } = await list({ syncToken: nextSyncToken! });
    expect(data).toMatchObject([
      { id: 'a', title: 'meanwhile' },
      { id: 'b', isDeleted: true },
    ]);
  });

  test('a calendar removed and shared again starts a new history: old tokens get 410', async () => {
    const { nextSyncToken } = await list();
    const calendar = world.fake.calendars.get(CALENDAR)!;
    world.fake.removeCalendar(CALENDAR);
    await world.mirror.pull(world.account, null);
    await expect(list()).rejects.toMatchObject({ code: 'NotFound' });
    await world.clock.advance(600_000);
    await world.mirror.pull(world.account, null);
    world.fake.putCalendar(calendar);
    world.fake.put(CALENDAR, fakeEvent('a'));
    await expect(list({ syncToken: nextSyncToken! })).rejects.toMatchObject({ code: 'SyncTokenExpired' });
  });

  test('the calendar list is read in full once a day, and loses calendars missing from it', async () => {
    world.fake.putCalendar(fakeCalendar('cal_2'));
    await world.mirror.pull(world.account, null);
    // Read-only fields change without a word in the incremental feed, and so does a calendar that vanishes silently.
    world.fake.calendars.set(CALENDAR, fakeCalendar(CALENDAR, { name: 'renamed' }));
    world.fake.calendars.delete('cal_2');
    await world.mirror.pull(world.account, null);
    expect((await world.mirror.findCalendar(world.account, CALENDAR))?.name).toBe(CALENDAR);
    await world.clock.advance(86_400_000);
    await world.mirror.pull(world.account, null);
    expect((await world.mirror.findCalendar(world.account, CALENDAR))?.name).toBe('renamed');
    expect(await world.mirror.findCalendar(world.account, 'cal_2')).toBeUndefined();
  });

  test('a calendar that a full list skipped stays, with its events', async () => {
    world.fake.switches.hidden.add(CALENDAR);
    await world.clock.advance(86_400_000);
    await world.mirror.pull(world.account, null);
    expect(world.fake.calls).toContain('calendars.exists');
    expect(await titles()).toEqual(['a', 'b']);
  });

  describe('a list of calendars', () => {
    const listKey = { ...KEY, calendarId: null };

    test('that crossed with our own change is due again at once', async () => {
      world.fake.putCalendar(fakeCalendar(CALENDAR, { name: 'theirs' }));
      during('calendars.pull', () => world.calendars.update(CALLER, ACCOUNT, CALENDAR, { name: 'ours' }));
      await world.mirror.pull(world.account, null);
      expect((await world.storage.schedule.get(listKey)).dueAt).toBe(world.clock.now());
      await world.mirror.pull(world.account, null);
      expect((await world.mirror.findCalendar(world.account, CALENDAR))?.name).toBe('ours');
      expect((await world.storage.schedule.get(listKey)).dueAt).not.toBe(world.clock.now());
    });
  });

  test('an item put on the re-read list during its re-read is read once more', async () => {
    world.fake.put(CALENDAR, fakeEvent('a', { title: 'first' }));
    world.fake.switches.namesOnly = true;
    during('events.get', async () => {
      world.fake.put(CALENDAR, fakeEvent('a', { title: 'second' }));
      await world.storage.mirror.addRereads(KEY, ['a']);
    });
    await pull();
    expect(world.fake.calls.filter((call) => call === 'events.get')).toHaveLength(2);
    expect(await titles()).toEqual(['b', 'second']);
  });
});
