import type { SubscriptionCreate } from 'kalends/model';
import { ProviderError } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { composeEngine } from '../../src/compose-engine.ts';
import { resolveOptions } from '../../src/resolve-options.ts';
import { type ComposedEngine, openComposedEngine } from '../accounts/composed-engine.ts';
import { runUpkeep, settle } from './upkeep.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LIFE = 6 * DAY + 20 * HOUR;
const HOOK = { calendarId: 'primary', webhookUrl: 'https://hooks.invalid/a' };

const subscribe = (composed: ComposedEngine, accountId: string, body: SubscriptionCreate = HOOK) =>
  composed.engine.services.subscriptions.create(composed.caller, accountId, body);

async function subscribedEngine(options: Parameters<typeof openComposedEngine>[0] = {}) {
  const composed = await openComposedEngine(options);
  const accountId = await composed.connect();
  const { webhookSubscriptionId } = await subscribe(composed, accountId);
  const key = { applicationId: composed.applicationId, accountId, calendarId: 'primary' };
  return { composed, accountId, key, subscriptionId: webhookSubscriptionId };
}

const pushCalls = (composed: ComposedEngine) => composed.fake.calls.filter((call) => call.startsWith('push.'));

describe('a channel', () => {
  it('is opened with our id, a token and our address, after its row was inserted', async () => {
    const composed = await openComposedEngine();
    const accountId = await composed.connect();
    const key = { applicationId: composed.applicationId, accountId, calendarId: 'primary' };
    let rowsDuringOpen: readonly unknown[] = [];
    const { open } = composed.fake.provider.push;
    Object.assign(composed.fake.provider.push, {
      open: async (...args: Parameters<typeof open>) => {
        rowsDuringOpen = await composed.storage.channels.list(key);
        return open(...args);
      },
    });
    await subscribe(composed, accountId);
    expect(rowsDuringOpen).toEqual([expect.objectContaining({ kind: 'push', providerChannelId: null })]);
    const [row] = await composed.storage.channels.list(key);
    expect(row).toMatchObject({
      kind: 'push',
      providerChannelId: row!.id,
      address: 'https://calendar.example/api/v1/push/fake',
      expiresAt: composed.clock.now() + LIFE,
      renewAt: composed.clock.now() + LIFE * 0.75,
    });
    const opened = composed.fake.openChannels.get(row!.id)!;
    expect(opened).toMatchObject({ resource: { kind: 'events', calendarId: 'primary' } });
    expect(opened.token).toMatch(new RegExp(`^${row!.id}\\.[\\w-]{43}$`));
    expect(JSON.stringify(row)).not.toContain(opened.token);
  });

  it('is shared by all subscriptions of a calendar, also by concurrent ones in two processes', async () => {
    const composed = await openComposedEngine();
    const accountId = await composed.connect();
    await subscribe(composed, accountId, { ...HOOK, calendarId: 'team' });
    const other = composed.process();
    const creating = Promise.all([
      ...Array.from({ length: 4 }, () => subscribe(composed, accountId)),
      ...Array.from({ length: 4 }, () => other.services.subscriptions.create(composed.caller, accountId, HOOK)),
    ]);
    let done = false;
    creating.finally(() => {
      done = true;
    });
    while (!done) await composed.clock.advance(200);
    await creating;
    expect(pushCalls(composed)).toEqual(['push.open', 'push.open']);
  });

  it('is closed with the last subscription that used it, and not before', async () => {
    const { composed, accountId, key, subscriptionId } = await subscribedEngine();
    const { subscriptions } = composed.engine.services;
    const second = await subscribe(composed, accountId);
    await subscriptions.delete(composed.caller, accountId, { subscriptionId });
    expect(pushCalls(composed)).toEqual(['push.open']);
    await subscriptions.delete(composed.caller, accountId, { subscriptionId: second.webhookSubscriptionId });
    expect(pushCalls(composed)).toEqual(['push.open', 'push.close']);
    expect(composed.fake.openChannels.size).toBe(0);
    expect(await composed.storage.channels.list(key)).toEqual([]);
  });

  it('is closed with its account', async () => {
    const { composed, accountId } = await subscribedEngine();
    await composed.engine.services.accounts.delete(composed.caller, accountId);
    expect(composed.fake.openChannels.size).toBe(0);
    expect(composed.fake.calls.slice(-2)).toEqual(['push.close', 'revoke']);
  });

  it('makes its collection due, for changes before it was open', async () => {
    const { composed, key } = await subscribedEngine();
    expect((await composed.storage.schedule.get(key)).dueAt).toBeLessThanOrEqual(composed.clock.now());
  });
});

describe('a poll', () => {
  it('replaces a channel where there is no public URL', async () => {
    const { composed, accountId } = await subscribedEngine({ publicUrl: undefined });
    expect(pushCalls(composed)).toEqual([]);
    const { data } = await composed.engine.services.subscriptions.list(composed.caller, accountId, {});
    expect(data[0]).toMatchObject({ subscriptionId: expect.stringMatching(/^poll_\w{22}$/), resourceId: 'primary' });
    expect(Date.parse(data[0]!.expiration)).toBeGreaterThan(composed.clock.now());
  });

  it.each([
    'push-unsupported',
    'unsupported',
    'invalid',
    'forbidden',
    'not-found',
  ] as const)('stands in where the provider refuses: %s', async (reason) => {
    const composed = await openComposedEngine();
    composed.fake.failures.set('push.open', new ProviderError(reason, 'no'));
    const accountId = await composed.connect();
    await subscribe(composed, accountId);
    const { data } = await composed.engine.services.subscriptions.list(composed.caller, accountId, {});
    expect(data[0]?.subscriptionId).toMatch(/^poll_/);
  });

  it('becomes a push as soon as there is a public URL', async () => {
    const { composed, key, accountId } = await subscribedEngine({ publicUrl: undefined });
    const restarted = await restart(composed, 'https://new.example');
    await settle(composed);
    const rows = await composed.storage.channels.list(key);
    expect(rows).toEqual([expect.objectContaining({ kind: 'push', address: 'https://new.example/v1/push/fake' })]);
    const { data } = await restarted.services.subscriptions.list(composed.caller, accountId, {});
    expect(data[0]?.subscriptionId).toBe(rows[0]?.providerChannelId);
  });

  it('is extended while the provider keeps refusing to push', async () => {
    const composed = await openComposedEngine();
    composed.fake.pushUnsupported = true;
    const accountId = await composed.connect();
    await subscribe(composed, accountId);
    runUpkeep(composed);
    const key = { applicationId: composed.applicationId, accountId, calendarId: 'primary' };
    const [before] = await composed.storage.channels.list(key);
    for (let hour = 0; hour < 30; hour += 1) await settle(composed, HOUR);
    const rows = await composed.storage.channels.list(key);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ id: before!.id, kind: 'poll' });
    expect(rows[0]!.expiresAt).toBeGreaterThan(composed.clock.now());
  });
});

/** A new process with another public URL on the same storage, with upkeep running. */
async function restart(composed: ComposedEngine, publicUrl: string | undefined) {
  const engine = composeEngine(
    resolveOptions({
      storage: composed.storage,
      providers: { FAKE: composed.fake.provider },
      secret: Buffer.alloc(32, 7).toString('base64'),
      clock: composed.clock,
      ...(publicUrl === undefined ? {} : { publicUrl }),
    }),
  );
  runUpkeep(composed, engine);
  return engine;
}

describe('upkeep', () => {
  it('replaces a channel that cannot be renewed near the end of its life: opens the new one, then closes the old', async () => {
    const { composed, key } = await subscribedEngine();
    const [before] = await composed.storage.channels.list(key);
    runUpkeep(composed);
    await settle(composed, LIFE * 0.75 - HOUR);
    expect(pushCalls(composed)).toEqual(['push.open']);
    await settle(composed, 2 * HOUR);
    expect(pushCalls(composed)).toEqual(['push.open', 'push.renew', 'push.open', 'push.close']);
    const rows = await composed.storage.channels.list(key);
    expect(rows).toHaveLength(1);
    expect(rows[0]!.id).not.toBe(before!.id);
    expect([...composed.fake.openChannels.keys()]).toEqual([rows[0]!.id]);
    expect((await composed.storage.schedule.get(key)).hintSeq).toBe(0);
  });

  it('extends a channel in place where the provider can', async () => {
    const composed = await openComposedEngine();
    composed.fake.renewsInPlace = true;
    const accountId = await composed.connect();
    await subscribe(composed, accountId);
    const key = { applicationId: composed.applicationId, accountId, calendarId: 'primary' };
    const [before] = await composed.storage.channels.list(key);
    runUpkeep(composed);
    await settle(composed, LIFE * 0.75 + HOUR);
    const [after] = await composed.storage.channels.list(key);
    expect(pushCalls(composed)).toEqual(['push.open', 'push.renew']);
    expect(after).toMatchObject({ id: before!.id, providerChannelId: before!.providerChannelId });
    expect(after!.expiresAt).toBeGreaterThan(before!.expiresAt);
  });

  it('reopens a channel that the provider lost, and pulls the missed changes', async () => {
    const composed = await openComposedEngine();
    composed.fake.renewsInPlace = true;
    const accountId = await composed.connect();
    await subscribe(composed, accountId);
    const key = { applicationId: composed.applicationId, accountId, calendarId: 'primary' };
    composed.fake.openChannels.clear();
    runUpkeep(composed);
    await settle(composed, LIFE * 0.75 + HOUR);
    expect(composed.fake.openChannels.size).toBe(1);
    expect((await composed.storage.schedule.get(key)).hintSeq).toBe(1);
    expect(await composed.storage.channels.list(key)).toHaveLength(1);
  });

  it('reopens a channel with another address at start, and one that expired meanwhile', async () => {
    const { composed, key } = await subscribedEngine();
    await restart(composed, 'https://elsewhere.example/api');
    await settle(composed);
    const [row] = await composed.storage.channels.list(key);
    expect(row).toMatchObject({ address: 'https://elsewhere.example/api/v1/push/fake' });
    expect([...composed.fake.openChannels.values()]).toEqual([
      expect.objectContaining({ address: 'https://elsewhere.example/api/v1/push/fake' }),
    ]);
  });

  it('raises a hint after a channel expired during our own outage', async () => {
    const { composed, key } = await subscribedEngine();
    await composed.clock.advance(LIFE + DAY);
    runUpkeep(composed);
    await settle(composed);
    const rows = await composed.storage.channels.list(key);
    expect(rows).toHaveLength(1);
    expect(rows[0]!.expiresAt).toBeGreaterThan(composed.clock.now());
    expect((await composed.storage.schedule.get(key)).hintSeq).toBe(1);
  });

  it('turns pushes into polls when the public URL is gone', async () => {
    const { composed, key } = await subscribedEngine();
    await restart(composed, undefined);
    await settle(composed);
    expect(await composed.storage.channels.list(key)).toEqual([expect.objectContaining({ kind: 'poll', address: '' })]);
  });

  it('closes the old channel first where the provider allows one for each resource', async () => {
    const { composed, key } = await subscribedEngine();
    const { open } = composed.fake.provider.push;
    Object.assign(composed.fake.provider.push, {
      open: async (...args: Parameters<typeof open>) => {
        if (composed.fake.openChannels.size > 0) throw new ProviderError('conflict', 'there is one already');
        return open(...args);
      },
    });
    await restart(composed, 'https://elsewhere.example');
    await settle(composed);
    expect(await composed.storage.channels.list(key)).toEqual([
      expect.objectContaining({ kind: 'push', address: 'https://elsewhere.example/v1/push/fake' }),
    ]);
    expect(composed.fake.openChannels.size).toBe(1);
  });

  it('retries later when the provider is down, and skips EXPIRED accounts', async () => {
    const { composed, key, accountId } = await subscribedEngine();
    runUpkeep(composed);
    composed.fake.failures.set('push.renew', new ProviderError('unavailable', 'down'));
    await settle(composed, LIFE * 0.75 + HOUR);
    const failed = pushCalls(composed).length;
    expect(await composed.storage.channels.list(key)).toHaveLength(1);
    composed.fake.failures.clear();
    const credential = await composed.storage.accounts.findCredential(composed.applicationId, accountId);
    const expired = composed.storage.accounts.expire(
      composed.applicationId,
      accountId,
      credential!.version,
      composed.clock.now(),
    );
    expect(await expired).toBe(true);
    await settle(composed, HOUR);
    expect(pushCalls(composed)).toHaveLength(failed);
    await composed.connect();
    await settle(composed, HOUR);
    expect(pushCalls(composed).length).toBeGreaterThan(failed);
    expect(composed.fake.openChannels.size).toBe(1);
  });

  it('closes channels without an enabled subscription, and those that a crash left behind', async () => {
    const { composed, key, accountId, subscriptionId } = await subscribedEngine();
    const [row] = await composed.storage.channels.list(key);
    await composed.clock.advance(1);
    await composed.storage.channels.insert({
      ...row!,
      id: 'chn_newer',
      providerChannelId: 'p2',
      createdAt: composed.clock.now(),
    });
    await composed.storage.channels.update(composed.applicationId, row!.id, { renewAt: composed.clock.now() });
    runUpkeep(composed);
    await settle(composed);
    expect((await composed.storage.channels.list(key)).map(({ id }) => id)).toEqual(['chn_newer']);
    await composed.storage.subscriptions.delete(composed.applicationId, accountId, subscriptionId);
    await settle(composed, LIFE * 0.75 + HOUR);
    expect(await composed.storage.channels.list(key)).toEqual([]);
  });
});

describe('a channel that a foreign one blocks', () => {
  it('is replaced by a poll, and opened when the foreign one is gone', async () => {
    const composed = await openComposedEngine();
    const accountId = await composed.connect();
    composed.fake.failures.set('push.open', new ProviderError('conflict', 'there is one already'));
    await subscribe(composed, accountId);
    const key = { applicationId: composed.applicationId, accountId, calendarId: 'primary' };
    expect(await composed.storage.channels.list(key)).toEqual([expect.objectContaining({ kind: 'poll' })]);
    runUpkeep(composed);
    await settle(composed, 13 * HOUR);
    expect(await composed.storage.channels.list(key)).toEqual([expect.objectContaining({ kind: 'poll' })]);
    composed.fake.failures.clear();
    await settle(composed, 13 * HOUR);
    expect(await composed.storage.channels.list(key)).toEqual([expect.objectContaining({ kind: 'push' })]);
  });

  it('is reopened soon when the provider fails after the old one was closed', async () => {
    const { composed, key } = await subscribedEngine();
    const { open } = composed.fake.provider.push;
    let failures = 1;
    Object.assign(composed.fake.provider.push, {
      open: async (...args: Parameters<typeof open>) => {
        if (composed.fake.openChannels.size > 0) throw new ProviderError('conflict', 'there is one already');
        if (failures-- > 0) throw new ProviderError('unavailable', 'the handshake failed');
        return open(...args);
      },
    });
    await restart(composed, 'https://elsewhere.example');
    await settle(composed);
    expect(await composed.storage.channels.list(key)).toEqual([expect.objectContaining({ kind: 'poll' })]);
    await settle(composed, 90_000);
    expect(await composed.storage.channels.list(key)).toEqual([
      expect.objectContaining({ kind: 'push', address: 'https://elsewhere.example/v1/push/fake' }),
    ]);
  });
});

describe('a stopping engine', () => {
  it('waits for no provider, and keeps the rows of channels that are still open there', async () => {
    const { composed, key } = await subscribedEngine();
    const { close } = composed.fake.provider.push;
    let isClosing = false;
    Object.assign(composed.fake.provider.push, {
      close: (...[session]: Parameters<typeof close>) => {
        isClosing = true;
        return new Promise<void>((_resolve, reject) => {
          session.signal?.addEventListener('abort', () => reject(session.signal?.reason));
        });
      },
    });
    const stop = runUpkeep(composed);
    await composed.clock.advance(LIFE * 0.75 + HOUR);
    while (!isClosing) await composed.clock.advance(1);
    await stop();
    expect((await composed.storage.channels.list(key)).map(({ id }) => id).sort()).toEqual(
      [...composed.fake.openChannels.keys()].sort(),
    );
    Object.assign(composed.fake.provider.push, { close });
    runUpkeep(composed);
    await settle(composed, HOUR);
    expect(await composed.storage.channels.list(key)).toHaveLength(1);
    expect(composed.fake.openChannels.size).toBe(1);
  });
});

it('an account of a provider that this process does not have costs the upkeep of no other', async () => {
  const composed = await openComposedEngine();
  const ada = await composed.connect();
  composed.fake.grant('rt-bob', 'bob@example.com');
  const { services } = composed.engine;
  await services.oauthClients.set(composed.applicationId, 'OTHER', { clientId: 'client', clientSecret: 'hush' });
  const body = { email: 'bob@example.com', providerType: 'OTHER', refreshToken: 'rt-bob' };
  const { account } = await services.accounts.upsert(composed.caller, body);
  for (const id of [account.id, ada]) await subscribe(composed, id);
  const rowOf = async (accountId: string) => {
    const [row] = await composed.storage.channels.list({
      applicationId: composed.applicationId,
      accountId,
      calendarId: 'primary',
    });
    return row;
  };
  const before = [await rowOf(account.id), await rowOf(ada)];
  runUpkeep(composed, composed.process({ providers: { FAKE: composed.fake.provider } }));
  await settle(composed, LIFE);
  await settle(composed);
  // Renewed, and tried again later.
  expect((await rowOf(ada))?.expiresAt).toBeGreaterThan(before[1]?.expiresAt ?? 0);
  expect((await rowOf(account.id))?.renewAt).toBeGreaterThan(composed.clock.now());
  expect(composed.log.some(({ message }) => message === 'channel upkeep failed')).toBe(true);
});
