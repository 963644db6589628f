import { ProviderError } from 'kalends/ports';
import { describe, expect, it, onTestFinished } from 'vitest';
import { composeEngine } from '../../src/compose-engine.ts';
import { resolveOptions } from '../../src/resolve-options.ts';
import { fakeCalendar } from '../accounts/fake-provider.ts';
import { openRoom, type Room } from '../accounts/room.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LIFE = 6 * DAY + 20 * HOUR;
const HOOK = { calendarId: 'primary', webhookUrl: 'https://hooks.invalid/a' };

const subscribe = (room: Room, accountId: string, body: object = HOOK) =>
  room.rooms.services.subscriptions.create(room.caller, accountId, body);

async function subscribedRoom(options: Parameters<typeof openRoom>[0] = {}) {
  const room = await openRoom(options);
  const accountId = await room.connect();
  const { webhookSubscriptionId } = await subscribe(room, accountId);
  const key = { applicationId: room.applicationId, accountId, calendarId: 'primary' };
  return { room, accountId, key, subscriptionId: webhookSubscriptionId };
}

function runUpkeep(room: Room, rooms = room.rooms) {
  const stopping = new AbortController();
  const running = rooms.channels.run(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await running;
  };
  onTestFinished(stop);
  return stop;
}

const pushCalls = (room: Room) => room.fake.calls.filter((call) => call.startsWith('push.'));

/** Lets the background work become idle. */
const settle = async (room: Room, ms = 2_001) => {
  for (let turn = 0; turn < 40; turn += 1) await room.clock.advance(0);
  await room.clock.advance(ms);
  for (let turn = 0; turn < 40; turn += 1) await room.clock.advance(0);
};

describe('a channel', () => {
  it('is opened with our id, a token and our address, after its row was inserted', async () => {
    const room = await openRoom();
    const accountId = await room.connect();
    const key = { applicationId: room.applicationId, accountId, calendarId: 'primary' };
    let rowsDuringOpen: readonly unknown[] = [];
    const { open } = room.fake.provider.push;
    Object.assign(room.fake.provider.push, {
      open: async (...args: Parameters<typeof open>) => {
        rowsDuringOpen = await room.storage.channels.list(key);
        return open(...args);
      },
    });
    await subscribe(room, accountId);
    expect(rowsDuringOpen).toEqual([expect.objectContaining({ kind: 'push', providerChannelId: null })]);
    const [row] = await room.storage.channels.list(key);
    expect(row).toMatchObject({
      kind: 'push',
      providerChannelId: row!.id,
      address: 'https://calendar.example/api/v1/push/fake',
      expiresAt: room.clock.now() + LIFE,
      renewAt: room.clock.now() + LIFE * 0.75,
    });
    const opened = room.fake.openChannels.get(row!.id)!;
    expect(opened).toMatchObject({ resource: { kind: 'events', calendarId: 'primary' } });
    expect(opened.token).toMatch(new RegExp(`^${row!.id}\\.[\\w-]{43}$`));
    expect(JSON.stringify(row)).not.toContain(opened.token);
  });

  it('is shared by all subscriptions of a calendar, also by concurrent ones in two processes', async () => {
    const room = await openRoom();
    const accountId = await room.connect();
    await subscribe(room, accountId, { ...HOOK, calendarId: 'team' });
    const other = room.process();
    const creating = Promise.all([
      ...Array.from({ length: 4 }, () => subscribe(room, accountId)),
      ...Array.from({ length: 4 }, () => other.services.subscriptions.create(room.caller, accountId, HOOK)),
    ]);
    let done = false;
    creating.finally(() => {
      done = true;
    });
    while (!done) await room.clock.advance(200);
    await creating;
    expect(pushCalls(room)).toEqual(['push.open', 'push.open']);
  });

  it('is closed with the last subscription that used it, and not before', async () => {
    const { room, accountId, key, subscriptionId } = await subscribedRoom();
    const { subscriptions } = room.rooms.services;
    const second = await subscribe(room, accountId);
    await subscriptions.delete(room.caller, accountId, { subscriptionId });
    expect(pushCalls(room)).toEqual(['push.open']);
    await subscriptions.delete(room.caller, accountId, { subscriptionId: second.webhookSubscriptionId });
    expect(pushCalls(room)).toEqual(['push.open', 'push.close']);
    expect(room.fake.openChannels.size).toBe(0);
    expect(await room.storage.channels.list(key)).toEqual([]);
  });

  it('is closed with its account', async () => {
    const { room, accountId } = await subscribedRoom();
    await room.rooms.services.accounts.delete(room.caller, accountId);
    expect(room.fake.openChannels.size).toBe(0);
    expect(room.fake.calls.slice(-2)).toEqual(['push.close', 'revoke']);
  });

  it('makes its collection due, for changes before it was open', async () => {
    const { room, key } = await subscribedRoom();
    expect((await room.storage.schedule.get(key)).dueAt).toBeLessThanOrEqual(room.clock.now());
  });
});

describe('a poll', () => {
  it('replaces a channel where there is no public URL', async () => {
    const { room, accountId } = await subscribedRoom({ publicUrl: undefined });
    expect(pushCalls(room)).toEqual([]);
    const { data } = await room.rooms.services.subscriptions.list(room.caller, accountId, {});
    expect(data[0]).toMatchObject({ subscriptionId: expect.stringMatching(/^poll_\w{22}$/), resourceId: 'primary' });
    expect(Date.parse(data[0]!.expiration)).toBeGreaterThan(room.clock.now());
  });

  it.each([
    'push-unsupported',
    'unsupported',
    'invalid',
    'forbidden',
  ] as const)('stands in where the provider refuses: %s', async (reason) => {
    const room = await openRoom();
    room.fake.failures.set('push.open', new ProviderError(reason, 'no'));
    const accountId = await room.connect();
    await subscribe(room, accountId);
    const { data } = await room.rooms.services.subscriptions.list(room.caller, accountId, {});
    expect(data[0]?.subscriptionId).toMatch(/^poll_/);
  });

  it('becomes a push as soon as there is a public URL', async () => {
    const { room, key, accountId } = await subscribedRoom({ publicUrl: undefined });
    const restarted = await restart(room, 'https://new.example');
    await settle(room);
    const rows = await room.storage.channels.list(key);
    expect(rows).toEqual([expect.objectContaining({ kind: 'push', address: 'https://new.example/v1/push/fake' })]);
    const { data } = await restarted.services.subscriptions.list(room.caller, accountId, {});
    expect(data[0]?.subscriptionId).toBe(rows[0]?.providerChannelId);
  });

  it('is extended while the provider keeps refusing to push', async () => {
    const room = await openRoom();
    room.fake.pushUnsupported = true;
    const accountId = await room.connect();
    await subscribe(room, accountId);
    runUpkeep(room);
    const key = { applicationId: room.applicationId, accountId, calendarId: 'primary' };
    const [before] = await room.storage.channels.list(key);
    for (let hour = 0; hour < 30; hour += 1) await settle(room, HOUR);
    const rows = await room.storage.channels.list(key);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ id: before!.id, kind: 'poll' });
    expect(rows[0]!.expiresAt).toBeGreaterThan(room.clock.now());
  });
});

/** A new process with another public URL on the same storage, with upkeep running. */
async function restart(room: Room, publicUrl: string | undefined) {
  const rooms = composeEngine(
    resolveOptions({
      storage: room.storage,
      providers: { FAKE: room.fake.provider },
      secret: Buffer.alloc(32, 7).toString('base64'),
      clock: room.clock,
      ...(publicUrl === undefined ? {} : { publicUrl }),
    }),
  );
  runUpkeep(room, rooms);
  return rooms;
}

describe('upkeep', () => {
  it('replaces a channel that cannot be renewed near the end of its life: opens the new one, then closes the old', async () => {
    const { room, key } = await subscribedRoom();
    const [before] = await room.storage.channels.list(key);
    runUpkeep(room);
    await settle(room, LIFE * 0.75 - HOUR);
    expect(pushCalls(room)).toEqual(['push.open']);
    await settle(room, 2 * HOUR);
    expect(pushCalls(room)).toEqual(['push.open', 'push.renew', 'push.open', 'push.close']);
    const rows = await room.storage.channels.list(key);
    expect(rows).toHaveLength(1);
    expect(rows[0]!.id).not.toBe(before!.id);
    expect([...room.fake.openChannels.keys()]).toEqual([rows[0]!.id]);
    expect((await room.storage.schedule.get(key)).hintSeq).toBe(0);
  });

  it('extends a channel in place where the provider can', async () => {
    const room = await openRoom();
    room.fake.renewsInPlace = true;
    const accountId = await room.connect();
    await subscribe(room, accountId);
    const key = { applicationId: room.applicationId, accountId, calendarId: 'primary' };
    const [before] = await room.storage.channels.list(key);
    runUpkeep(room);
    await settle(room, LIFE * 0.75 + HOUR);
    const [after] = await room.storage.channels.list(key);
    expect(pushCalls(room)).toEqual(['push.open', 'push.renew']);
    expect(after).toMatchObject({ id: before!.id, providerChannelId: before!.providerChannelId });
    expect(after!.expiresAt).toBeGreaterThan(before!.expiresAt);
  });

  it('reopens a channel that the provider lost, and pulls the missed changes', async () => {
    const room = await openRoom();
    room.fake.renewsInPlace = true;
    const accountId = await room.connect();
    await subscribe(room, accountId);
    const key = { applicationId: room.applicationId, accountId, calendarId: 'primary' };
    room.fake.openChannels.clear();
    runUpkeep(room);
    await settle(room, LIFE * 0.75 + HOUR);
    expect(room.fake.openChannels.size).toBe(1);
    expect((await room.storage.schedule.get(key)).hintSeq).toBe(1);
    expect(await room.storage.channels.list(key)).toHaveLength(1);
  });

  it('reopens a channel with another address at start, and one that expired meanwhile', async () => {
    const { room, key } = await subscribedRoom();
    await restart(room, 'https://elsewhere.example/api');
    await settle(room);
    const [row] = await room.storage.channels.list(key);
    expect(row).toMatchObject({ address: 'https://elsewhere.example/api/v1/push/fake' });
    expect([...room.fake.openChannels.values()]).toEqual([
      expect.objectContaining({ address: 'https://elsewhere.example/api/v1/push/fake' }),
    ]);
  });

  it('raises a hint after a channel expired during our own outage', async () => {
    const { room, key } = await subscribedRoom();
    await room.clock.advance(LIFE + DAY);
    runUpkeep(room);
    await settle(room);
    const rows = await room.storage.channels.list(key);
    expect(rows).toHaveLength(1);
    expect(rows[0]!.expiresAt).toBeGreaterThan(room.clock.now());
    expect((await room.storage.schedule.get(key)).hintSeq).toBe(1);
  });

  it('turns pushes into polls when the public URL is gone', async () => {
    const { room, key } = await subscribedRoom();
    await restart(room, undefined);
    await settle(room);
    expect(await room.storage.channels.list(key)).toEqual([expect.objectContaining({ kind: 'poll', address: '' })]);
  });

  it('closes the old channel first where the provider allows one for each resource', async () => {
    const { room, key } = await subscribedRoom();
    const { open } = room.fake.provider.push;
    Object.assign(room.fake.provider.push, {
      open: async (...args: Parameters<typeof open>) => {
        if (room.fake.openChannels.size > 0) throw new ProviderError('conflict', 'there is one already');
        return open(...args);
      },
    });
    await restart(room, 'https://elsewhere.example');
    await settle(room);
    expect(await room.storage.channels.list(key)).toEqual([
      expect.objectContaining({ kind: 'push', address: 'https://elsewhere.example/v1/push/fake' }),
    ]);
    expect(room.fake.openChannels.size).toBe(1);
  });

  it('retries later when the provider is down, and skips EXPIRED accounts', async () => {
    const { room, key, accountId } = await subscribedRoom();
    runUpkeep(room);
    room.fake.failures.set('push.renew', new ProviderError('unavailable', 'down'));
    await settle(room, LIFE * 0.75 + HOUR);
    const failed = pushCalls(room).length;
    expect(await room.storage.channels.list(key)).toHaveLength(1);
    room.fake.failures.clear();
    const credential = await room.storage.accounts.findCredential(room.applicationId, accountId);
    const expired = room.storage.accounts.expire(room.applicationId, accountId, credential!.version, room.clock.now());
    expect(await expired).toBe(true);
    await settle(room, HOUR);
    expect(pushCalls(room)).toHaveLength(failed);
    await room.connect();
    await settle(room, HOUR);
    expect(pushCalls(room).length).toBeGreaterThan(failed);
    expect(room.fake.openChannels.size).toBe(1);
  });

  it('closes channels without an enabled subscription, and those that a crash left behind', async () => {
    const { room, key, accountId, subscriptionId } = await subscribedRoom();
    const [row] = await room.storage.channels.list(key);
    await room.clock.advance(1);
    await room.storage.channels.insert({
      ...row!,
      id: 'chn_newer',
      providerChannelId: 'p2',
      createdAt: room.clock.now(),
    });
    await room.storage.channels.update(room.applicationId, row!.id, { renewAt: room.clock.now() });
    runUpkeep(room);
    await settle(room);
    expect((await room.storage.channels.list(key)).map(({ id }) => id)).toEqual(['chn_newer']);
    await room.storage.subscriptions.delete(room.applicationId, accountId, subscriptionId);
    await settle(room, LIFE * 0.75 + HOUR);
    expect(await room.storage.channels.list(key)).toEqual([]);
  });
});

describe('a channel that a foreign one blocks', () => {
  it('is replaced by a poll, and opened when the foreign one is gone', async () => {
    const room = await openRoom();
    const accountId = await room.connect();
    room.fake.failures.set('push.open', new ProviderError('conflict', 'there is one already'));
    await subscribe(room, accountId);
    const key = { applicationId: room.applicationId, accountId, calendarId: 'primary' };
    expect(await room.storage.channels.list(key)).toEqual([expect.objectContaining({ kind: 'poll' })]);
    runUpkeep(room);
    await settle(room, 13 * HOUR);
    expect(await room.storage.channels.list(key)).toEqual([expect.objectContaining({ kind: 'poll' })]);
    room.fake.failures.clear();
    await settle(room, 13 * HOUR);
    expect(await room.storage.channels.list(key)).toEqual([expect.objectContaining({ kind: 'push' })]);
  });

  it('is reopened soon when the provider fails after the old one was closed', async () => {
    const { room, key } = await subscribedRoom();
    const { open } = room.fake.provider.push;
    let failures = 1;
    Object.assign(room.fake.provider.push, {
      open: async (...args: Parameters<typeof open>) => {
        if (room.fake.openChannels.size > 0) throw new ProviderError('conflict', 'there is one already');
        if (failures-- > 0) throw new ProviderError('unavailable', 'the handshake failed');
        return open(...args);
      },
    });
    await restart(room, 'https://elsewhere.example');
    await settle(room);
    expect(await room.storage.channels.list(key)).toEqual([expect.objectContaining({ kind: 'poll' })]);
    await settle(room, 90_000);
    expect(await room.storage.channels.list(key)).toEqual([
      expect.objectContaining({ kind: 'push', address: 'https://elsewhere.example/v1/push/fake' }),
    ]);
  });
});

describe('a stopping engine', () => {
  it('waits for no provider, and keeps the rows of channels that are still open there', async () => {
    const { room, key } = await subscribedRoom();
    const { close } = room.fake.provider.push;
    let isClosing = false;
    Object.assign(room.fake.provider.push, {
      close: (...[session]: Parameters<typeof close>) => {
        isClosing = true;
        return new Promise<void>((_resolve, reject) => {
          session.signal?.addEventListener('abort', () => reject(session.signal?.reason));
        });
      },
    });
    const stop = runUpkeep(room);
    await room.clock.advance(LIFE * 0.75 + HOUR);
    while (!isClosing) await room.clock.advance(1);
    await stop();
    expect((await room.storage.channels.list(key)).map(({ id }) => id).sort()).toEqual(
      [...room.fake.openChannels.keys()].sort(),
    );
    Object.assign(room.fake.provider.push, { close });
    runUpkeep(room);
    await settle(room, HOUR);
    expect(await room.storage.channels.list(key)).toHaveLength(1);
    expect(room.fake.openChannels.size).toBe(1);
  });
});

describe('a subscription to a whole account', () => {
  it.each([
    false,
    true,
  ])('covers the list and each calendar, also those that come later (list polled: %s)', async (isPolled) => {
    const room = await openRoom();
    const { open } = room.fake.provider.push;
    Object.assign(room.fake.provider.push, {
      open: async (...args: Parameters<typeof open>) => {
        const isList = args[1].resource.kind === 'calendars';
        if (isPolled && isList) throw new ProviderError('push-unsupported', 'no lists');
        return open(...args);
      },
    });
    const accountId = await room.connect();
    await subscribe(room, accountId, { webhookUrl: HOOK.webhookUrl, subscriptionType: 'calendar' });
    const resources = () => [...room.fake.openChannels.values()].map(({ resource }) => resource);
    expect(resources()).toEqual([
      ...(isPolled ? [] : [{ kind: 'calendars' }]),
      { kind: 'events', calendarId: 'primary' },
      { kind: 'events', calendarId: 'team' },
    ]);
    runUpkeep(room);
    room.fake.calendars.push(fakeCalendar('later'));
    await room.clock.advance(1);
    await room.rooms.mirror.pull(await room.rooms.access.get(room.applicationId, accountId), null);
    await settle(room, 11 * 60_000);
    expect(resources()).toContainEqual({ kind: 'events', calendarId: 'later' });
    const { data } = await room.rooms.services.subscriptions.list(room.caller, accountId, {});
    expect(data[0]).toMatchObject({ calendarId: null, subscriptionType: 'calendar' });
    await room.rooms.services.subscriptions.delete(room.caller, accountId, { subscriptionId: data[0]!.id });
    expect(resources()).toEqual([]);
  });
});
