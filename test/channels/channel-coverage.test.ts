import { type Acknowledgement, ProviderError } from 'kalends/ports';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ComposedEngine, openComposedEngine } from '../accounts/composed-engine.ts';
import { fakeCalendar } from '../accounts/fake-provider.ts';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, syncWorld } from '../mirror/sync-world.ts';
import { runUpkeep, settle } from './upkeep.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LIFE = 6 * DAY + 20 * HOUR;
const HOOK = { calendarId: 'primary', webhookUrl: 'https://hooks.invalid/a' };

async function connectedEngine(options: Parameters<typeof openComposedEngine>[0] = {}) {
  const composed = await openComposedEngine(options);
  const accountId = await composed.connect();
  const key = { applicationId: composed.applicationId, accountId, calendarId: 'primary' };
  await composed.storage.mirror.ensure(key, { at: composed.clock.now(), tag: 't', timeZone: 'UTC' });
  return { composed, key, account: await composed.engine.access.get(composed.applicationId, accountId) };
}

describe('a calendar that is read often', () => {
  it('is detected after reads in ten minutes of an hour', async () => {
    const world = await syncWorld();
    onTestFinished(() => world.close());
    world.fake.put(CALENDAR, fakeEvent('a'));
    const read = async (times: number, everyMs: number) => {
      for (let time = 0; time < times; time += 1) {
        await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
        await world.clock.advance(everyMs);
      }
    };
    await read(30, MINUTE / 10);
    await read(6, 12 * MINUTE);
    expect(world.readOften).toEqual([]);
    await world.clock.advance(HOUR);
    await read(10, MINUTE);
    expect(world.readOften).toEqual([CALENDAR]);
  });

  it('gets a channel, which stays while it is read and is closed a day after the last read', async () => {
    const { composed, key, account } = await connectedEngine();
    runUpkeep(composed);
    await settle(composed);
    composed.engine.channels.requestForReads(account, 'primary');
    await settle(composed);
    composed.engine.channels.requestForReads(account, 'primary');
    await settle(composed);
    expect(composed.fake.openChannels.size).toBe(1);
    await composed.clock.advance(LIFE * 0.75 - HOUR);
    await composed.storage.schedule.noteRead(key, composed.clock.now());
    await settle(composed, 2 * HOUR);
    expect(composed.fake.openChannels.size).toBe(1);
    await settle(composed, LIFE * 0.75);
    expect(composed.fake.openChannels.size).toBe(0);
    expect(await composed.storage.channels.list(key)).toEqual([]);
  });

  it('gets none where the provider does not push, and the provider is not asked again at once', async () => {
    const { composed, key, account } = await connectedEngine();
    composed.fake.pushUnsupported = true;
    runUpkeep(composed);
    await settle(composed);
    for (let round = 0; round < 3; round += 1) {
      composed.engine.channels.requestForReads(account, 'primary');
      await settle(composed);
    }
    expect(composed.fake.calls.filter((call) => call === 'push.open')).toHaveLength(1);
    expect(await composed.storage.channels.list(key)).toEqual([]);
  });

  it('gets none by reads of a process without background work, which keeps no request either', async () => {
    const { composed, account } = await connectedEngine();
    composed.engine.channels.requestForReads(account, 'primary');
    runUpkeep(composed);
    await settle(composed);
    expect(composed.fake.openChannels.size).toBe(0);
  });

  it('keeps no channel when the option is off', async () => {
    const { composed, key, account } = await connectedEngine({ sync: { pushForReads: false } });
    runUpkeep(composed);
    await settle(composed);
    composed.engine.channels.requestForReads(account, 'primary');
    await settle(composed);
    await composed.clock.advance(LIFE * 0.75 - HOUR);
    await composed.storage.schedule.noteRead(key, composed.clock.now());
    await settle(composed, 2 * HOUR);
    expect(composed.fake.openChannels.size).toBe(0);
  });

  it('is polled again when it gets a subscription', async () => {
    const { composed, key, account } = await connectedEngine();
    runUpkeep(composed);
    await settle(composed);
    composed.engine.channels.requestForReads(account, 'primary');
    await settle(composed);
    expect(composed.fake.openChannels.size).toBe(1);
    await composed.storage.schedule.finish(key, { failures: 0, dueAt: null });
    await composed.engine.services.subscriptions.create(composed.caller, key.accountId, HOOK);
    expect((await composed.storage.schedule.get(key)).dueAt).toBe(composed.clock.now());
  });
});

const messages = async (composed: ComposedEngine) => {
  const claims = (await composed.storage.outbox.acknowledgeAndClaim([], { limit: 9, leaseMs: 1_000 })).claims;
  return claims.map(({ message }) => `${message.eventType} ${message.attempts}`);
};

describe('a calendar that is added to a subscribed account', () => {
  async function subscribedAccount() {
    const { composed, account } = await connectedEngine();
    const body = { webhookUrl: HOOK.webhookUrl, subscriptionType: 'calendar', detail: 'record' } as const;
    await composed.engine.services.subscriptions.create(composed.caller, account.row.id, body);
    for (const calendarId of ['primary', 'team']) await composed.engine.mirror.pull(account, calendarId);
    runUpkeep(composed);
    await settle(composed, MINUTE);
    return { composed, account };
  }

  const resources = ({ fake }: ComposedEngine) => [...fake.openChannels.values()].map(({ resource }) => resource);

  /** Delivers every message that waits, and returns their types in order. */
  async function delivered({ storage, clock }: ComposedEngine): Promise<readonly string[]> {
    const types: string[] = [];
    for (let done: readonly Acknowledgement[] = []; ; ) {
      const { claims } = await storage.outbox.acknowledgeAndClaim(done, { limit: 9, leaseMs: 1_000 });
      if (claims.length === 0) return types;
      types.push(...claims.map(({ message }) => message.eventType));
      done = claims.map(({ target, message, epoch }) => ({
        applicationId: target.applicationId,
        targetId: target.id,
        messageId: message.id,
        epoch,
        attempt: {
          id: `dlv_${message.id}`,
          eventType: message.eventType,
          at: clock.now(),
          status: 204,
          failure: null,
          latencyMs: 1,
          excerpt: '',
        },
        outcome: { kind: 'delivered' },
      }));
    }
  }

  it.each([
    ['is covered as soon as it is found, and one message tells of its events', ['first', 'second'], 1],
    ['is covered without a message if it has no events', [], 0],
  ])('%s', async (_title, eventIds, told) => {
    const { composed, account } = await subscribedAccount();
    expect(await delivered(composed)).toEqual([]);
    composed.fake.calendars.push(fakeCalendar('later'));
    composed.fake.events.set(
      'later',
      eventIds.map((id) => ({ kind: 'event', event: fakeEvent(id) })),
    );
    await composed.engine.mirror.pull(account, null);
    await settle(composed);
    expect(resources(composed)).toContainEqual({ kind: 'events', calendarId: 'later' });
    expect(await delivered(composed)).toEqual(['calendar.event.changed']);
    await composed.engine.mirror.pull(account, 'later');
    expect(await delivered(composed)).toEqual(Array(told).fill('calendar.event.unknown'));
    await composed.engine.mirror.pull(account, 'later');
    expect(await delivered(composed)).toEqual([]);
  });
});

describe('a gap in coverage', () => {
  async function subscribedEngine(options: Parameters<typeof openComposedEngine>[0] = {}) {
    const { composed, key, account } = await connectedEngine(options);
    await composed.engine.services.subscriptions.create(composed.caller, key.accountId, HOOK);
    return { composed, key, account };
  }

  it('is announced once when a channel was dead for longer than the poll interval', async () => {
    const { composed } = await subscribedEngine();
    await composed.clock.advance(LIFE + 16 * MINUTE);
    runUpkeep(composed);
    await settle(composed);
    expect(await messages(composed)).toEqual(['calendar.event.unknown 1']);
    await settle(composed, HOUR);
    expect(await messages(composed)).toEqual(['calendar.event.unknown 2']);
  });

  it('is not announced when the channel was reopened in time', async () => {
    const { composed } = await subscribedEngine();
    await composed.clock.advance(LIFE + 14 * MINUTE);
    runUpkeep(composed);
    await settle(composed);
    expect(await messages(composed)).toEqual([]);
  });

  it('is announced when renewals kept failing beyond the end of the channel', async () => {
    const { composed } = await subscribedEngine({ sync: { channelLifetimeMs: DAY } });
    runUpkeep(composed);
    composed.fake.failures.set('push.renew', new ProviderError('unavailable', 'down'));
    composed.fake.failures.set('push.open', new ProviderError('unavailable', 'down'));
    await settle(composed, DAY * 0.75 + HOUR);
    await settle(composed, DAY / 2);
    expect(await messages(composed)).toEqual([]);
    composed.fake.failures.clear();
    await settle(composed, HOUR);
    await settle(composed, HOUR);
    expect(await messages(composed)).toEqual(['calendar.event.unknown 1']);
  });

  it('is announced when the provider lost the channel at an unknown time', async () => {
    const { composed } = await subscribedEngine();
    composed.fake.renewsInPlace = true;
    composed.fake.openChannels.clear();
    runUpkeep(composed);
    await settle(composed, LIFE * 0.75 + HOUR);
    expect(await messages(composed)).toEqual(['calendar.event.unknown 1']);
  });
});
