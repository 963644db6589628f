import type { Actor } from 'kalends';
import { ProviderError } from 'kalends/ports';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ComposedEngine, failureOf, openComposedEngine, REDIRECT_URL } from '../accounts/composed-engine.ts';

const OPERATOR: Actor = { type: 'admin', id: 'ada', address: '192.0.2.9' };

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function openAccount() {
  const composed = await openComposedEngine();
  const { engine, caller, connect } = composed;
  const accountId = await connect();
  const { operations, events } = engine.services;
  const read = (calendarId: string) => events.list(caller, accountId, calendarId, {});
  await read('primary');
  return { ...composed, accountId, operations, read };
}

/** Runs the background pulls until the end of the test. */
function work({ engine }: ComposedEngine): void {
  const stopping = new AbortController();
  const running = engine.pulls.run(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await running;
  });
}

describe('the health of an account', () => {
  it('tells of each collection when it was pulled, how often, and how it is watched', async () => {
    const { operations, applicationId, accountId, clock, engine, caller, read } = await openAccount();
    await engine.services.subscriptions.create(caller, accountId, {
      calendarId: 'primary',
      webhookUrl: 'https://receiver.example/hook',
    });
    await clock.advance(1_000_000);
    await read('primary');
    const at = new Date(clock.now()).toISOString();
    const health = await operations.getSyncHealth(applicationId, accountId);
    expect(health).toMatchObject({ status: 'ACTIVE', coolDownUntil: null, backoffFactor: 1, progress: null });
    expect(health.collections.map(({ calendarId }) => calendarId)).toEqual([null, 'primary']);
    expect(health.collections[1]).toEqual({
      calendarId: 'primary',
      syncedAt: at,
      // A poll that found nothing stretches the interval of 15 minutes.
      pollEveryMs: 1_350_000,
      dueAt: expect.any(String),
      isPushPending: false,
      channel: { kind: 'push', expiresAt: expect.any(String) },
      setAside: 0,
      failures: 0,
      lastFailure: null,
      missingSince: null,
    });
  });

  it('has the code of the last failure until a success, and no text of the provider', async () => {
    const { operations, applicationId, accountId, clock, fake, read } = await openAccount();
    const at = () => new Date(clock.now()).toISOString();
    fake.failures.set('events.pull', new ProviderError('unavailable', 'No mailbox of ada@example.com'));
    await clock.advance(40_000);
    await read('primary');
    const failed = await operations.getSyncHealth(applicationId, accountId);
    expect(failed.collections[1]).toMatchObject({
      failures: 1,
      lastFailure: { code: 'ProviderUnavailable', at: at() },
    });
    expect(JSON.stringify(failed)).not.toContain('ada@example.com');
    fake.failures.clear();
    await clock.advance(40_000);
    await read('primary');
    const healed = await operations.getSyncHealth(applicationId, accountId);
    expect(healed.collections[1]).toMatchObject({ failures: 0, lastFailure: null, syncedAt: at() });
  });

  it('shows the cool-down after throttling, and its stretch of polls', async () => {
    const { operations, applicationId, accountId, clock, fake, read } = await openAccount();
    fake.failures.set('events.pull', new ProviderError('rate-limited', 'slow down', { retryAfterMs: 90_000 }));
    await clock.advance(40_000);
    await read('primary');
    const until = new Date(clock.now() + 90_000).toISOString();
    expect(await operations.getSyncHealth(applicationId, accountId)).toMatchObject({
      coolDownUntil: until,
      backoffFactor: 2,
    });
    await clock.advance(90_000);
    expect(await operations.getSyncHealth(applicationId, accountId)).toMatchObject({ coolDownUntil: null });
  });

  it('counts the objects of each calendar that are set aside', async () => {
    const { operations, applicationId, accountId, storage, clock } = await openAccount();
    const key = { applicationId, accountId, calendarId: 'primary' };
    const found = ['e1', 'e2'].map((objectId) => ({ objectId, groupId: objectId, isPart: false, reason: 'start' }));
    const unreadable = { found, readIds: [], readGroupIds: [] };
    await storage.mirror.commit(key, { writes: [], basedOn: 0, at: clock.now(), tag: 't', unreadable });
    const { collections } = await operations.getSyncHealth(applicationId, accountId);
    expect(collections.map(({ setAside }) => setAside)).toEqual([0, 2]);
  });
});

describe('a sync now', () => {
  it('makes every collection due, and tells its progress', async () => {
    const account = await openAccount();
    const { operations, applicationId, accountId, clock, fake, read } = account;
    await read('team');
    await clock.advance(5_000);
    fake.calls.length = 0;
    const begun = await operations.sync(applicationId, accountId, OPERATOR);
    const { since } = begun;
    expect(begun).toEqual({ since: new Date(clock.now()).toISOString(), total: 3, done: 0, failed: 0 });
    const progress = async () => (await operations.getSyncHealth(applicationId, accountId, { since })).progress;
    expect(await progress()).toEqual(begun);
    work(account);
    for (let i = 0; i < 500 && (await progress())?.done !== 3; i += 1) await turn();
    expect(await progress()).toEqual({ since, total: 3, done: 3, failed: 0 });
    expect(fake.calls.toSorted()).toEqual(['calendars.pull', 'events.pull', 'events.pull']);
  });

  it('is done when a process whose clock is behind has pulled since', async () => {
    const { operations, applicationId, accountId, clock, storage } = await openAccount();
    await clock.advance(5_000);
    const { since } = await operations.sync(applicationId, accountId, OPERATOR);
    const progress = async () => (await operations.getSyncHealth(applicationId, accountId, { since })).progress;
    for (const { calendarId, hintSeq } of await storage.schedule.list({ applicationId, accountId })) {
      expect(await progress()).toMatchObject({ done: calendarId === null ? 0 : 1 });
      const behind = clock.now() - 1_000;
      const key = { applicationId, accountId, calendarId };
      const pulled = { syncedAt: behind, clearedHintSeq: hintSeq, failures: 0, dueAt: behind + 60_000, now: behind };
      await storage.schedule.finish(key, pulled);
    }
    expect(await progress()).toEqual({ since, total: 2, done: 2, failed: 0 });
  });

  it('counts what has failed since', async () => {
    const account = await openAccount();
    const { operations, applicationId, accountId, clock, fake } = account;
    await clock.advance(5_000);
    fake.failures.set('events.pull', new ProviderError('unavailable', 'down'));
    const { since } = await operations.sync(applicationId, accountId);
    const progress = async () => (await operations.getSyncHealth(applicationId, accountId, { since })).progress;
    work(account);
    for (let i = 0; i < 500 && (await progress())?.failed !== 1; i += 1) await turn();
    for (let i = 0; i < 500 && (await progress())?.done !== 1; i += 1) await turn();
    expect(await progress()).toEqual({ since, total: 2, done: 1, failed: 1 });
  });

  it('is in the audit log, and refused for an EXPIRED account', async () => {
    const { operations, applicationId, accountId, engine } = await openAccount();
    const { audit } = engine.services;
    await operations.sync(applicationId, accountId, OPERATOR);
    const begun = { action: 'account.sync.begun' };
    expect((await audit.list(begun)).data).toMatchObject([{ target: accountId, actor: OPERATOR }]);
    await operations.expire(applicationId, accountId);
    expect(await failureOf(operations.sync(applicationId, accountId))).toMatchObject({ code: 'InvalidRefreshToken' });
    expect((await audit.list(begun)).data).toHaveLength(1);
  });
});

describe('an expiry', () => {
  it('ends the account once, with a message and an entry, until it is reconnected', async () => {
    const { operations, applicationId, accountId, engine, caller, storage, connect, fake } = await openAccount();
    const { accounts, audit, webhookEndpoints } = engine.services;
    const { webhookEndpointId } = await webhookEndpoints.create(caller, {
      webhookUrl: 'https://receiver.example/hook',
    });
    expect(await operations.expire(applicationId, accountId, OPERATOR)).toMatchObject({ status: 'EXPIRED' });
    expect(await operations.expire(applicationId, accountId, OPERATOR)).toMatchObject({ status: 'EXPIRED' });
    const { data } = await audit.list({ action: 'account.expired' });
    expect(data).toMatchObject([{ target: accountId, actor: OPERATOR }]);
    const { claims } = await storage.outbox.acknowledgeAndClaim([], { limit: 9, leaseMs: 1_000 });
    expect(claims).toMatchObject([
      { target: { id: webhookEndpointId }, message: { eventType: 'enduseraccount.updated' } },
    ]);
    expect(JSON.parse(claims[0]?.message.data ?? '')).toMatchObject({ endUserAccountId: accountId, status: 'EXPIRED' });
    expect(fake.calls).not.toContain('revoke');
    expect(await accounts.getCredentials(caller, accountId)).toMatchObject({ status: 'EXPIRED' });
    expect(await connect()).toBe(accountId);
    expect(await accounts.get(caller, accountId)).toMatchObject({ status: 'ACTIVE' });
  });

  it('ends the tokens that a refresh has just stored', async () => {
    const { operations, applicationId, accountId, storage, engine, caller, clock } = await openAccount();
    const { findCredential } = storage.accounts;
    let reads = 0;
    // The refresh comes between the look at the credentials and the write.
    storage.accounts.findCredential = async (...key) => {
      const seen = await findCredential(...key);
      if (reads++ > 0 || seen?.kind !== 'oauth') return seen;
      await storage.accounts.replaceTokens(applicationId, accountId, seen.version, {
        ...seen,
        updatedAt: clock.now(),
      });
      return seen;
    };
    onTestFinished(() => {
      storage.accounts.findCredential = findCredential;
    });
    await operations.expire(applicationId, accountId);
    expect(reads).toBe(2);
    expect(await engine.services.accounts.get(caller, accountId)).toMatchObject({ status: 'EXPIRED' });
  });
});

describe('a reconnect link', () => {
  it('begins the flow with the mailbox and the externalId of the account', async () => {
    const { operations, applicationId, engine, caller, fake } = await openAccount();
    fake.grant('rt', 'grace@example.com');
    const { account } = await engine.services.accounts.upsert(caller, {
      email: 'grace@example.com',
      providerType: 'FAKE',
      refreshToken: 'rt',
      externalId: 'user 7&8',
    });
    const link = await operations.createReconnectLink(applicationId, account.id, OPERATOR);
    const url = new URL(link.url);
    expect(url.origin + url.pathname).toBe(`https://calendar.example/api/v1/oauth/authorize/${applicationId}/fake`);
    expect(Object.fromEntries(url.searchParams)).toEqual({ loginHint: 'grace@example.com', externalId: 'user 7&8' });
    const begun = await engine.services.authorization.begin(
      applicationId,
      'fake',
      Object.fromEntries(url.searchParams),
      null,
    );
    expect(begun).toMatchObject({ isRefused: false });
    expect(new URL(begun.location).searchParams.get('login_hint')).toBe('grace@example.com');
    const { data } = await engine.services.audit.list({ action: 'account.reconnectLink.created' });
    expect(data).toMatchObject([{ target: account.id, actor: OPERATOR }]);
    expect(JSON.stringify(data)).not.toContain('grace@example.com');
  });

  it('is refused while a setting is missing, which the error names', async () => {
    const { operations, applicationId, accountId, engine, process } = await openAccount();
    const { applications, audit } = engine.services;
    const refused = async () => await failureOf(operations.createReconnectLink(applicationId, accountId));
    await applications.update(applicationId, { redirectUrls: [] });
    expect(await refused()).toMatchObject({ code: 'Conflict', message: expect.stringContaining('redirect URL') });
    await applications.update(applicationId, { redirectUrls: [REDIRECT_URL] });
    const unreachable = process({ publicUrl: undefined }).services.operations;
    expect(await failureOf(unreachable.createReconnectLink(applicationId, accountId))).toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('publicUrl'),
    });
    expect((await audit.list({ action: 'account.reconnectLink.created' })).data).toEqual([]);
  });
});

it('finds no account of another application, and leaves it alone', async () => {
  const { operations, accountId, engine, caller } = await openAccount();
  const { applications, audit, accounts } = engine.services;
  const { id } = await applications.create({ name: 'Other', redirectUrls: [REDIRECT_URL] });
  const before = await audit.list();
  const calls = [
    operations.getSyncHealth(id, accountId),
    operations.sync(id, accountId),
    operations.expire(id, accountId),
    operations.createReconnectLink(id, accountId),
  ];
  expect((await Promise.all(calls.map(failureOf))).map(({ code }) => code)).toEqual(calls.map(() => 'NotFound'));
  expect(await accounts.get(caller, accountId)).toMatchObject({ status: 'ACTIVE' });
  expect(await audit.list()).toEqual(before);
});

it('refuses a since that is no time, naming it', async () => {
  const { operations, applicationId, accountId } = await openAccount();
  expect(await failureOf(operations.getSyncHealth(applicationId, accountId, { since: 'now' }))).toMatchObject({
    code: 'InvalidRequest',
    details: [{ path: 'since' }],
  });
});
