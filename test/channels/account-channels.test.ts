import { ProviderError } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { type ComposedEngine, openComposedEngine } from '../accounts/composed-engine.ts';
import { fakeCalendar } from '../accounts/fake-provider.ts';
import { runUpkeep, settle } from './upkeep.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WHOLE = { webhookUrl: 'https://hooks.invalid/a', subscriptionType: 'calendar' } as const;

const subscribe = ({ engine, caller }: ComposedEngine, accountId: string) =>
  engine.services.subscriptions.create(caller, accountId, WHOLE);

describe('a subscription to a whole account', () => {
  it('leaves the polls of its calendars their pace', async () => {
    const composed = await openComposedEngine();
    const accountId = await composed.connect();
    await subscribe(composed, accountId);
    const key = { applicationId: composed.applicationId, accountId, calendarId: 'primary' };
    const dueAt = composed.clock.now() + 6 * HOUR;
    await composed.storage.schedule.finish(key, { dueAt, failures: 0 });
    runUpkeep(composed);
    for (let time = 0; time < 3; time += 1) await settle(composed, 11 * MINUTE);
    expect((await composed.storage.schedule.get(key)).dueAt).toBe(dueAt);
  });

  it.each([
    false,
    true,
  ])('covers the list and each calendar, also those that come later (list polled: %s)', async (isPolled) => {
    const composed = await openComposedEngine();
    const { open } = composed.fake.provider.push;
    Object.assign(composed.fake.provider.push, {
      open: async (...args: Parameters<typeof open>) => {
        const isList = args[1].resource.kind === 'calendars';
        if (isPolled && isList) throw new ProviderError('push-unsupported', 'no lists');
        return open(...args);
      },
    });
    const accountId = await composed.connect();
    await subscribe(composed, accountId);
    const resources = () => [...composed.fake.openChannels.values()].map(({ resource }) => resource);
    expect(resources()).toEqual([
      ...(isPolled ? [] : [{ kind: 'calendars' }]),
      { kind: 'events', calendarId: 'primary' },
      { kind: 'events', calendarId: 'team' },
    ]);
    runUpkeep(composed);
    composed.fake.calendars.push(fakeCalendar('later'));
    await composed.clock.advance(1);
    await composed.engine.mirror.pull(await composed.engine.access.get(composed.applicationId, accountId), null);
    await settle(composed, 11 * MINUTE);
    expect(resources()).toContainEqual({ kind: 'events', calendarId: 'later' });
    const { data } = await composed.engine.services.subscriptions.list(composed.caller, accountId, {});
    expect(data[0]).toMatchObject({ calendarId: null, subscriptionType: 'calendar' });
    await composed.engine.services.subscriptions.delete(composed.caller, accountId, { subscriptionId: data[0]!.id });
    expect(resources()).toEqual([]);
  });
});

describe('calendars that cannot be watched', () => {
  async function listed(...calendarIds: readonly string[]) {
    const composed = await openComposedEngine();
    composed.fake.calendars.splice(0, Number.POSITIVE_INFINITY, ...calendarIds.map((id) => fakeCalendar(id)));
    const accountId = await composed.connect();
    const key = (calendarId: string | null) => ({ applicationId: composed.applicationId, accountId, calendarId });
    const kinds = async () => {
      const kindOf = async (calendarId: string) =>
        (await composed.storage.channels.list(key(calendarId))).map(({ kind }) => kind).join();
      return Object.fromEntries(
        await Promise.all(['a', 'b', 'c'].map(async (calendarId) => [calendarId, await kindOf(calendarId)])),
      );
    };
    /** The provider finds more calendars, and a pull of the list lists them. */
    const add = async (...added: readonly string[]) => {
      composed.fake.calendars.push(...added.map((id) => fakeCalendar(id)));
      await composed.clock.advance(1);
      await composed.engine.mirror.pull(await composed.engine.access.get(composed.applicationId, accountId), null);
    };
    return { composed, accountId, key, kinds, add };
  }

  /** The provider refuses to watch `b`; returns the number of attempts. */
  function refuseB({ fake }: ComposedEngine, failure: ProviderError) {
    const { open } = fake.provider.push;
    const refused = { times: 0 };
    Object.assign(fake.provider.push, {
      open: async (...args: Parameters<typeof open>) => {
        const { resource } = args[1];
        if (resource.kind !== 'events' || resource.calendarId !== 'b') return open(...args);
        refused.times += 1;
        throw failure;
      },
    });
    return refused;
  }

  it('keep no subscription to the account from being made, and are polled', async () => {
    const { composed, accountId, kinds } = await listed('a', 'b', 'c');
    refuseB(composed, new ProviderError('not-found', 'notFound', { status: 404 }));
    await subscribe(composed, accountId);
    expect(await kinds()).toEqual({ a: 'push', b: 'poll', c: 'push' });
  });

  it('keep no calendar behind them from its channel, and are polled', async () => {
    const { composed, accountId, key, kinds, add } = await listed('a');
    const refused = refuseB(composed, new ProviderError('not-found', 'notFound', { status: 404 }));
    await subscribe(composed, accountId);
    runUpkeep(composed);
    await add('b', 'c');
    for (let time = 0; time < 6; time += 1) await settle(composed, 10 * MINUTE);
    expect(await kinds()).toEqual({ a: 'push', b: 'poll', c: 'push' });
    expect((await composed.storage.schedule.get(key('b'))).dueAt).not.toBeNull();
    expect(refused.times).toBe(1);
    expect(composed.log.some(({ message }) => message === 'channel upkeep failed')).toBe(false);
  });

  it('are polled while the attempts fail, with those behind them watched, and are watched afterwards', async () => {
    const { composed, accountId, key, kinds, add } = await listed('a');
    const { push } = composed.fake.provider;
    const { open } = push;
    refuseB(composed, new ProviderError('malformed', 'no id in the answer'));
    await subscribe(composed, accountId);
    runUpkeep(composed);
    await add('b', 'c');
    await settle(composed, 2 * MINUTE);
    expect(await kinds()).toEqual({ a: 'push', b: '', c: 'push' });
    expect((await composed.storage.schedule.get(key('b'))).dueAt).not.toBeNull();
    expect(composed.log.some(({ message }) => message === 'channel upkeep failed')).toBe(true);
    Object.assign(push, { open });
    await settle(composed, 2 * MINUTE);
    expect(await kinds()).toEqual({ a: 'push', b: 'push', c: 'push' });
  });

  it('keep the living channel that one answer does not find, while it lives', async () => {
    const { composed, accountId, kinds } = await listed('b');
    await composed.engine.mirror.pull(await composed.engine.access.get(composed.applicationId, accountId), 'b');
    await subscribe(composed, accountId);
    const refused = refuseB(composed, new ProviderError('not-found', 'notFound', { status: 404 }));
    const [channel] = await composed.storage.channels.list({ ...composed.caller, accountId, calendarId: 'b' });
    runUpkeep(composed);
    const renewsAt = composed.clock.now() + 0.75 * (channel!.expiresAt - composed.clock.now());
    while (composed.clock.now() < renewsAt) await settle(composed, HOUR);
    // The attempt, and its repetition after five seconds.
    await settle(composed, 6_000);
    expect(refused.times).toBe(2);
    expect((await kinds()).b).toBe('push');
    while (composed.clock.now() < channel!.expiresAt + HOUR) await settle(composed, HOUR);
    expect((await kinds()).b).toBe('poll');
  });

  it.each([
    new ProviderError('rate-limited', 'slow down', { retryAfterMs: HOUR }),
    new ProviderError('unavailable', 'slow down', { status: 503, retryAfterMs: HOUR }),
  ])('are not all asked for while the provider turns the account away ($reason)', async (failure) => {
    const { composed, accountId, kinds, add } = await listed('a');
    await subscribe(composed, accountId);
    runUpkeep(composed);
    composed.fake.failures.set('push.open', failure);
    const before = composed.fake.calls.length;
    await add('b', 'c');
    await settle(composed, 11 * MINUTE);
    expect(composed.fake.calls.slice(before).filter((call) => call === 'push.open')).toHaveLength(1);
    expect(await kinds()).toEqual({ a: 'push', b: '', c: '' });
  });
});

describe('the channel of a calendar list', () => {
  it('is extended after three quarters of each life that the provider grants', async () => {
    const composed = await openComposedEngine({ sync: { channelLifetimeMs: 8 * HOUR } });
    composed.fake.renewsInPlace = true;
    composed.fake.calendars.splice(0);
    const accountId = await composed.connect();
    await subscribe(composed, accountId);
    const renewedAfter: number[] = [];
    const start = composed.clock.now();
    const { renew } = composed.fake.provider.push;
    Object.assign(composed.fake.provider.push, {
      renew: async (...args: Parameters<typeof renew>) => {
        renewedAfter.push(Math.floor((composed.clock.now() - start) / HOUR));
        return renew(...args);
      },
    });
    runUpkeep(composed);
    for (let time = 0; time < 6 * 27; time += 1) await settle(composed, 10 * MINUTE);
    expect(renewedAfter).toEqual([6, 12, 18, 24]);
  });
});

describe('a calendar list that cannot be watched', () => {
  it.each(['push-unsupported', 'conflict'] as const)('is asked for once a day: %s', async (reason) => {
    const composed = await openComposedEngine();
    composed.fake.calendars.splice(0);
    const accountId = await composed.connect();
    composed.fake.failures.set('push.open', new ProviderError(reason, 'no'));
    await subscribe(composed, accountId);
    runUpkeep(composed);
    const before = composed.fake.calls.length;
    for (let time = 0; time < 6 * 25; time += 1) await settle(composed, 10 * MINUTE);
    expect(composed.fake.calls.slice(before).filter((call) => call === 'push.open')).toHaveLength(2);
    const key = { applicationId: composed.applicationId, accountId, calendarId: null };
    const [row] = await composed.storage.channels.list(key);
    expect(row).toMatchObject({ kind: 'poll' });
    expect(row!.expiresAt).toBeGreaterThan(composed.clock.now());
  });

  it('is asked for at once by a new process', async () => {
    const composed = await openComposedEngine();
    composed.fake.pushUnsupported = true;
    const accountId = await composed.connect();
    await subscribe(composed, accountId);
    const stop = runUpkeep(composed);
    await settle(composed, 11 * MINUTE);
    await stop();
    composed.fake.pushUnsupported = false;
    runUpkeep(composed, composed.process());
    await settle(composed);
    const key = { applicationId: composed.applicationId, accountId, calendarId: null };
    expect(await composed.storage.channels.list(key)).toEqual([expect.objectContaining({ kind: 'push' })]);
  });

  it('is asked for again soon when its old channel had to be closed first and the new one failed', async () => {
    const composed = await openComposedEngine();
    const accountId = await composed.connect();
    await subscribe(composed, accountId);
    const { open } = composed.fake.provider.push;
    let failures = 1;
    Object.assign(composed.fake.provider.push, {
      open: async (...args: Parameters<typeof open>) => {
        const isBlocked = [...composed.fake.openChannels.values()].some(
          ({ resource }) => JSON.stringify(resource) === JSON.stringify(args[1].resource),
        );
        if (isBlocked) throw new ProviderError('conflict', 'there is one already');
        if (args[1].resource.kind === 'calendars' && failures-- > 0) throw new ProviderError('unavailable', 'down');
        return open(...args);
      },
    });
    runUpkeep(composed, composed.process({ publicUrl: 'https://elsewhere.example' }));
    const key = { applicationId: composed.applicationId, accountId, calendarId: null };
    await settle(composed);
    expect(await composed.storage.channels.list(key)).toEqual([expect.objectContaining({ kind: 'poll' })]);
    await settle(composed, 90_000);
    expect(await composed.storage.channels.list(key)).toEqual([
      expect.objectContaining({ kind: 'push', address: 'https://elsewhere.example/v1/push/fake' }),
    ]);
  });
});

describe('an account that is deleted', () => {
  async function subscribed(calendars: number) {
    const composed = await openComposedEngine();
    const listed = Array.from({ length: calendars }, (_, index) => fakeCalendar(`c${index}`));
    composed.fake.calendars.splice(0, Number.POSITIVE_INFINITY, ...listed);
    const accountId = await composed.connect();
    await subscribe(composed, accountId);
    expect(composed.fake.openChannels.size).toBe(calendars + 1);
    return { composed, accountId };
  }

  it('has its many channels closed at the provider in the time that it has', async () => {
    const { composed, accountId } = await subscribed(60);
    const { push } = composed.fake.provider;
    const { close } = push;
    Object.assign(push, {
      close: async (...args: Parameters<typeof close>) => {
        await composed.clock.sleep(300, args[0].signal);
        return close(...args);
      },
    });
    let isDeleted = false;
    const deleting = composed.engine.services.accounts.delete(composed.caller, accountId).finally(() => {
      isDeleted = true;
    });
    while (!isDeleted) await composed.clock.advance(50);
    await deleting;
    expect(composed.fake.openChannels.size).toBe(0);
  });

  it('has the channel closed of a calendar that is not listed any more', async () => {
    const { composed, accountId } = await subscribed(2);
    composed.fake.calendars.pop();
    await composed.clock.advance(1);
    await composed.engine.mirror.pull(await composed.engine.access.get(composed.applicationId, accountId), null);
    await composed.engine.services.accounts.delete(composed.caller, accountId);
    expect(composed.fake.openChannels.size).toBe(0);
  });
});
