import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failureOf, openComposedEngine } from '../accounts/composed-engine.ts';
import { fakeProvider } from '../accounts/fake-provider.ts';
import { tokensOf } from '../accounts/tokens-of.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { serviceKeyring } from './service-keyring.ts';

const UNAVAILABLE = {
  code: 'InternalError',
  status: 503,
  retryAfterMs: 5_000,
  message: 'the keyring is unavailable; try again later',
};

describe('options', () => {
  const base = {
    storage: sqlite({ path: ':memory:' }),
    providers: { FAKE: fakeProvider(() => 0).provider },
    secret: Buffer.alloc(32).toString('hex'),
  };
  const create = (options: object) => () => createEngine({ ...base, ...options } as never);

  it('refuse a keyring that is given twice, and a cache of no number', () => {
    const keyring = serviceKeyring('far');
    expect(create({ keyring, previousKeyrings: [serviceKeyring('far')] })).toThrow(
      'previousKeyrings: must have each key once, but that of far is there again',
    );
    for (const cachedDataKeys of [-1, 1.5, Number.NaN, 2_000_000]) {
      expect(create({ cachedDataKeys })).toThrow('cachedDataKeys: must be a whole number from 0 to 1000000');
    }
  });
});

describe('an engine with a keyring in a service', () => {
  it('asks it once for each account in five minutes, however often the tokens are read', async () => {
    const keyring = serviceKeyring('far');
    const composed = await openComposedEngine({ keyring });
    const accountId = await composed.connect();
    const other = composed.process();
    const calls = keyring.calls.length;
    const { accounts } = other.services;
    for (let times = 0; times < 20; times += 1) await accounts.getCredentials(composed.caller, accountId);
    expect(keyring.calls.slice(calls)).toEqual(['unwrap']);
    await composed.clock.advance(299_000);
    await accounts.getCredentials(composed.caller, accountId);
    expect(keyring.calls.slice(calls)).toEqual(['unwrap']);
    await composed.clock.advance(1_000);
    await accounts.getCredentials(composed.caller, accountId);
    expect(keyring.calls.slice(calls)).toEqual(['unwrap', 'unwrap']);
  });

  it('goes on with known keys during an outage, answers 503 for others, and expires nothing', async () => {
    const keyring = serviceKeyring('far');
    const composed = await openComposedEngine({ keyring });
    const ada = await composed.connect();
    const eve = await composed.connect('eve@example.com');
    const { accounts, oauthClients } = composed.process().services;
    await accounts.getCredentials(composed.caller, ada);
    keyring.isAway = true;
    expect(await accounts.getCredentials(composed.caller, ada)).toMatchObject({ status: 'ACTIVE' });
    expect(await failureOf(accounts.getCredentials(composed.caller, eve))).toMatchObject(UNAVAILABLE);
    const client = { clientId: 'client', clientSecret: 'next' };
    expect(await failureOf(oauthClients.set(composed.applicationId, 'FAKE', client))).toMatchObject(UNAVAILABLE);
    composed.fake.grant('rt-mallory', 'mallory@example.com');
    const upsert = { email: 'mallory@example.com', providerType: 'FAKE', refreshToken: 'rt-mallory' };
    expect(await failureOf(accounts.upsert(composed.caller, upsert))).toMatchObject(UNAVAILABLE);
    // The provider was not asked: a token that it rotates would have been lost.
    expect(composed.fake.calls.filter((call) => call === 'refresh')).toHaveLength(2);
    await composed.clock.advance(300_000);
    expect(await failureOf(accounts.getCredentials(composed.caller, ada))).toMatchObject(UNAVAILABLE);
    keyring.isAway = false;
    for (const accountId of [ada, eve]) {
      expect(await accounts.getCredentials(composed.caller, accountId)).toMatchObject({ status: 'ACTIVE' });
    }
    expect((await accounts.list(composed.caller, {})).data).toHaveLength(2);
  });

  it('loses no rotated token when the service goes away during a refresh', async () => {
    const keyring = serviceKeyring('far');
    const composed = await openComposedEngine({ keyring });
    const accountId = await composed.connect();
    composed.fake.rotates = true;
    composed.fake.wayBack = async () => {
      keyring.isAway = true;
      await composed.clock.advance(300_000);
    };
    const { accounts } = composed.engine.services;
    await composed.clock.advance(composed.fake.tokenLifeMs);
    await failureOf(accounts.getCredentials(composed.caller, accountId));
    composed.fake.wayBack = async () => undefined;
    keyring.isAway = false;
    const first = await tokensOf(accounts.getCredentials(composed.caller, accountId));
    await composed.clock.advance(composed.fake.tokenLifeMs);
    const second = await tokensOf(accounts.getCredentials(composed.caller, accountId));
    expect([first.status, second.status]).toEqual(['ACTIVE', 'ACTIVE']);
    expect(new Set(['rt-ada@example.com', first.refreshToken, second.refreshToken]).size).toBe(3);
  });

  it('logs an outage once a minute, with the reason, and its end', async () => {
    const keyring = serviceKeyring('far');
    const composed = await openComposedEngine({ keyring });
    const accountId = await composed.connect();
    const { accounts } = composed.process().services;
    const read = () => accounts.getCredentials(composed.caller, accountId);
    const lines = () => composed.log.filter(({ message }) => message.includes('keyring')).map(({ message }) => message);
    keyring.isAway = true;
    for (let times = 0; times < 5; times += 1) await failureOf(read());
    expect(lines()).toEqual(['the keyring is unavailable']);
    expect(composed.log.find(({ message }) => message === 'the keyring is unavailable')?.fields).toEqual({
      keyring: 'far',
      error: 'the service was taken away by the test',
    });
    await composed.clock.advance(60_000);
    await failureOf(read());
    keyring.isAway = false;
    await read();
    expect(lines()).toEqual(['the keyring is unavailable', 'the keyring is unavailable', 'the keyring answers again']);
  });

  it('opens the client secret of no one who only begins an authorization', async () => {
    const keyring = serviceKeyring('far');
    const composed = await openComposedEngine({ keyring });
    const { authorization } = composed.process().services;
    keyring.isAway = true;
    const calls = keyring.calls.length;
    const begun = await authorization.begin(composed.applicationId, 'fake', {}, null);
    expect(begun).toMatchObject({ isRefused: false });
    expect(begun.location).toContain('client');
    expect(keyring.calls.slice(calls)).toEqual([]);
  });

  it('reports each keyring, the one that wraps first', async () => {
    const [far, former] = [serviceKeyring('far'), serviceKeyring('former')];
    former.isAway = true;
    const { engine } = await openComposedEngine({ keyring: far, previousKeyrings: [former] });
    expect(await engine.services.dataKeys.checkKeyrings()).toEqual([
      { id: 'far', isCurrent: true, problem: null },
      { id: 'former', isCurrent: false, problem: 'the service was taken away by the test' },
      { id: expect.stringMatching(/^local:[\w-]{8}$/), isCurrent: false, problem: null },
    ]);
  });
});

describe('moving between keyrings', () => {
  it('rewraps every key by the current one, there and back, and the audit log has an entry for each', async () => {
    const far = serviceKeyring('far');
    const composed = await openComposedEngine({ previousKeyrings: [far] });
    const accountId = await composed.connect();
    const moved = composed.process({ keyring: far, previousKeyrings: [] });
    expect(await moved.services.dataKeys.rewrap()).toMatchObject({ rewrapped: 2, current: 0, unopened: 0 });
    expect(await moved.services.dataKeys.rewrap()).toMatchObject({ rewrapped: 0, current: 2, unopened: 0 });
    // The process before the move opens them, because it knows the keyring.
    expect(await composed.engine.services.accounts.getCredentials(composed.caller, accountId)).toMatchObject({});
    await composed.clock.advance(1_000);
    const back = composed.process();
    expect(await back.services.dataKeys.rewrap({}, { type: 'command', id: 'root' })).toMatchObject({ rewrapped: 2 });
    const without = composed.process({ previousKeyrings: [] });
    const read = without.services.accounts.getCredentials(composed.caller, accountId);
    expect(await read).toMatchObject({ refreshToken: 'rt-ada@example.com' });
    const { data } = await back.services.audit.list({ action: 'secrets.rewrapped' });
    expect(data.map(({ actor, target, applicationId }) => [actor.type, actor.id, target, applicationId])).toEqual([
      ['command', 'root', expect.stringMatching(/^local:/), null],
      ['embedded', null, 'far', null],
    ]);
  });

  it('ends a run during an outage, names no key unopened, and goes on afterwards', async () => {
    const far = serviceKeyring('far');
    const composed = await openComposedEngine({});
    await composed.connect();
    await composed.connect('eve@example.com');
    const moved = composed.process({ keyring: far });
    const progress = () => {
      far.isAway = true;
    };
    expect(await failureOf(moved.services.dataKeys.rewrap({ progress }))).toMatchObject(UNAVAILABLE);
    far.isAway = false;
    expect(await moved.services.dataKeys.rewrap()).toMatchObject({ rewrapped: 2, current: 1, unopened: 0 });
  });

  it('leaves keys of a keyring that is not configured, and says so', async () => {
    const far = serviceKeyring('far');
    const composed = await openComposedEngine({ keyring: far });
    const accountId = await composed.connect();
    const without = composed.process({ keyring: serviceKeyring('other') });
    const report = await without.services.dataKeys.rewrap();
    expect(report).toMatchObject({ rewrapped: 0, unopened: 2 });
    expect(report.unopenedKeys[1]).toMatchObject({
      accountId,
      reason: expect.stringContaining('or by such a keyring'),
    });
    const read = without.services.accounts.getCredentials(composed.caller, accountId);
    expect(await failureOf(read)).toMatchObject({ code: 'InternalError', status: 503 });
    expect(await without.services.accounts.get(composed.caller, accountId)).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('background work during an outage of the keyring', () => {
  it('keeps a message that cannot be signed, and has all of its attempts left', async () => {
    const keyring = serviceKeyring('far');
    const composed = await openComposedEngine({ keyring, webhooks: { allowedNetworks: ['127.0.0.0/8'] } });
    const receiver = await openReceiver();
    const body = { webhookUrl: receiver.url };
    const { webhookEndpointId, endpointSecret } = await composed.engine.services.webhookEndpoints.create(
      composed.caller,
      body,
    );
    const { dispatcher, sender, services } = composed.process();
    const stopping = new AbortController();
    keyring.isAway = true;
    const running = dispatcher.run(stopping.signal);
    onTestFinished(async () => {
      stopping.abort();
      await running;
      await sender.close();
    });
    const { applicationId, clock, storage } = composed;
    const target = { applicationId, targetId: webhookEndpointId };
    const message = { eventType: 'calendar.event.changed', timestamp: clock.now(), messageId: 'msg_1' } as const;
    await storage.outbox.enqueue({ ...target, ...message });
    const calls = keyring.calls.length;
    for (let seconds = 0; seconds < 180; seconds += 1) await clock.advance(1_000);
    // Once in ten seconds: an outage is no reason to call the service without a pause. More often than a message has attempts.
    expect(keyring.calls.length - calls).toBeGreaterThan(10);
    expect(keyring.calls.length - calls).toBeLessThan(30);
    expect(receiver.received).toEqual([]);
    keyring.isAway = false;
    receiver.answer = (_request, response) => response.writeHead(500).end();
    for (let step = 0; step < 500 && receiver.received.length === 0; step += 1) await clock.advance(100);
    receiver.answer = (_request, response) => response.end('ok');
    for (let step = 0; step < 5_000 && receiver.received.length === 1; step += 1) await clock.advance(100);
    const [{ headers, body: sent } = expect.fail('nothing was delivered')] = receiver.received;
    const sentAt = new Date(Number(headers['hook-timestamp']) * 1000);
    expect(headers['hook-signature']).toBe(new Webhook(endpointSecret).sign('msg_1', sentAt, sent));
    for (let step = 0; step < 50; step += 1) await clock.advance(100);
    const { data } = await services.webhookEndpoints.listDeliveries(composed.caller, webhookEndpointId, {});
    expect(data.map(({ messageId, status }) => [messageId, status])).toEqual([
      ['msg_1', 200],
      ['msg_1', 500],
    ]);
    expect(receiver.received).toHaveLength(2);
  });

  it('tries pulls again after half a minute each time, and does not slow down the polls of the account', async () => {
    const keyring = serviceKeyring('far');
    const composed = await openComposedEngine({ keyring, cachedDataKeys: 0 });
    const accountId = await composed.connect();
    // Providers ask for a token before they call.
    const { provider } = composed.fake;
    const pull: typeof provider.calendars.pull = async function* (session, token) {
      await session.accessToken();
      yield* provider.calendars.pull(session, token);
    };
    const FAKE = { ...provider, calendars: { ...provider.calendars, pull } };
    const { pulls, services } = composed.process({ providers: { FAKE, OTHER: provider } });
    await services.calendars.list(composed.caller, accountId, {});
    const key = { applicationId: composed.applicationId, accountId, calendarId: null };
    const { clock, storage } = composed;
    await storage.schedule.dueBy(key, clock.now());
    keyring.isAway = true;
    const stopping = new AbortController();
    const running = pulls.run(stopping.signal);
    onTestFinished(async () => {
      stopping.abort();
      await running;
    });
    const calls = keyring.calls.length;
    for (let seconds = 0; seconds < 600; seconds += 1) await clock.advance(1_000);
    const tries = keyring.calls.length - calls;
    expect(tries).toBeGreaterThanOrEqual(16);
    expect(tries).toBeLessThanOrEqual(25);
    expect(await storage.schedule.get(key)).toMatchObject({ failures: 0 });
    const { syncedAt } = await storage.schedule.get(key);
    keyring.isAway = false;
    for (let seconds = 0; seconds < 40; seconds += 1) await clock.advance(1_000);
    const after = await storage.schedule.get(key);
    expect(after.syncedAt).toBeGreaterThan(syncedAt ?? Number.POSITIVE_INFINITY);
    expect(after).toMatchObject({ failures: 0 });
    expect(await services.accounts.get(composed.caller, accountId)).toMatchObject({ status: 'ACTIVE' });
  });
});
