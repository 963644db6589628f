import { ProviderError } from 'kalends/ports';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRoom, type Room } from '../accounts/room.ts';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, syncWorld } from '../mirror/sync-world.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LIFE = 6 * DAY + 20 * HOUR;
const HOOK = { calendarId: 'primary', webhookUrl: 'https://hooks.invalid/a' };

function runUpkeep({ rooms }: Room) {
  const stopping = new AbortController();
  const running = rooms.channels.run(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await running;
  });
}

/** Lets the background work become idle. */
async function settle({ clock }: Room, ms = 2_001) {
  for (let turn = 0; turn < 40; turn += 1) await clock.advance(0);
  await clock.advance(ms);
  for (let turn = 0; turn < 40; turn += 1) await clock.advance(0);
}

async function connectedRoom(options: Parameters<typeof openRoom>[0] = {}) {
  const room = await openRoom(options);
  const accountId = await room.connect();
  const key = { applicationId: room.applicationId, accountId, calendarId: 'primary' };
  await room.storage.mirror.ensure(key, { at: room.clock.now(), tag: 't', timeZone: 'UTC' });
  return { room, key, account: await room.rooms.access.get(room.applicationId, accountId) };
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
    const { room, key, account } = await connectedRoom();
    runUpkeep(room);
    await settle(room);
    room.rooms.channels.requestForReads(account, 'primary');
    await settle(room);
    room.rooms.channels.requestForReads(account, 'primary');
    await settle(room);
    expect(room.fake.openChannels.size).toBe(1);
    await room.clock.advance(LIFE * 0.75 - HOUR);
    await room.storage.schedule.noteRead(key, room.clock.now());
    await settle(room, 2 * HOUR);
    expect(room.fake.openChannels.size).toBe(1);
    await settle(room, LIFE * 0.75);
    expect(room.fake.openChannels.size).toBe(0);
    expect(await room.storage.channels.list(key)).toEqual([]);
  });

  it('gets none where the provider does not push, and the provider is not asked again at once', async () => {
    const { room, key, account } = await connectedRoom();
    room.fake.pushUnsupported = true;
    runUpkeep(room);
    for (let round = 0; round < 3; round += 1) {
      room.rooms.channels.requestForReads(account, 'primary');
      await settle(room);
    }
    expect(room.fake.calls.filter((call) => call === 'push.open')).toHaveLength(1);
    expect(await room.storage.channels.list(key)).toEqual([]);
  });

  it('keeps no channel when the option is off', async () => {
    const { room, key, account } = await connectedRoom({ sync: { pushForReads: false } });
    runUpkeep(room);
    room.rooms.channels.requestForReads(account, 'primary');
    await settle(room);
    await room.clock.advance(LIFE * 0.75 - HOUR);
    await room.storage.schedule.noteRead(key, room.clock.now());
    await settle(room, 2 * HOUR);
    expect(room.fake.openChannels.size).toBe(0);
  });

  it('is polled again when it gets a subscription', async () => {
    const { room, key, account } = await connectedRoom();
    runUpkeep(room);
    room.rooms.channels.requestForReads(account, 'primary');
    await settle(room);
    await room.storage.schedule.finish(key, { failures: 0, dueAt: null });
    await room.rooms.services.subscriptions.create(room.caller, key.accountId, HOOK);
    expect((await room.storage.schedule.get(key)).dueAt).toBe(room.clock.now());
  });
});

describe('a gap in coverage', () => {
  const messages = async (room: Room) => {
    const claims = (await room.storage.outbox.acknowledgeAndClaim([], { limit: 9, leaseMs: 1_000 })).claims;
    return claims.map(({ message }) => `${message.eventType} ${message.attempts}`);
  };

  async function subscribedRoom(options: Parameters<typeof openRoom>[0] = {}) {
    const { room, key, account } = await connectedRoom(options);
    await room.rooms.services.subscriptions.create(room.caller, key.accountId, HOOK);
    return { room, key, account };
  }

  it('is announced once when a channel was dead for longer than the poll interval', async () => {
    const { room } = await subscribedRoom();
    await room.clock.advance(LIFE + 16 * MINUTE);
    runUpkeep(room);
    await settle(room);
    expect(await messages(room)).toEqual(['calendar.event.unknown 1']);
    await settle(room, HOUR);
    expect(await messages(room)).toEqual(['calendar.event.unknown 2']);
  });

  it('is not announced when the channel was reopened in time', async () => {
    const { room } = await subscribedRoom();
    await room.clock.advance(LIFE + 14 * MINUTE);
    runUpkeep(room);
    await settle(room);
    expect(await messages(room)).toEqual([]);
  });

  it('is announced when renewals kept failing beyond the end of the channel', async () => {
    const { room } = await subscribedRoom({ sync: { channelLifetimeMs: DAY } });
    runUpkeep(room);
    room.fake.failures.set('push.renew', new ProviderError('unavailable', 'down'));
    room.fake.failures.set('push.open', new ProviderError('unavailable', 'down'));
    await settle(room, DAY * 0.75 + HOUR);
    await settle(room, DAY / 2);
    expect(await messages(room)).toEqual([]);
    room.fake.failures.clear();
    await settle(room, HOUR);
    await settle(room, HOUR);
    expect(await messages(room)).toEqual(['calendar.event.unknown 1']);
  });

  it('is announced when the provider lost the channel at an unknown time', async () => {
    const { room } = await subscribedRoom();
    room.fake.renewsInPlace = true;
    room.fake.openChannels.clear();
    runUpkeep(room);
    await settle(room, LIFE * 0.75 + HOUR);
    expect(await messages(room)).toEqual(['calendar.event.unknown 1']);
  });
});
