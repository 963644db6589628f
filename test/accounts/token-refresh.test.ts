import { ProviderError, StorageUnavailableError } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { type ComposedEngine, failureOf, openComposedEngine } from './composed-engine.ts';
import { tokensOf } from './tokens-of.ts';

const HOUR = 3_600_000;

/** A session of one process for the account. */
async function sessionOf(composed: ComposedEngine, accountId: string, engine = composed.engine) {
  return engine.access.session(await engine.access.get(composed.applicationId, accountId));
}

function gate() {
  let open: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { closed, open };
}

const refreshes = (composed: ComposedEngine) => composed.fake.calls.filter((call) => call === 'refresh').length;

describe('a session', () => {
  it('hands out the stored access token while it lives, and a fresh one afterwards', async () => {
    const composed = await openComposedEngine();
    const session = await sessionOf(composed, await composed.connect());
    expect(session).toMatchObject({ email: 'ada@example.com' });
    const first = await session.accessToken();
    expect(await session.accessToken()).toBe(first);
    await composed.clock.advance(HOUR - 30_000);
    expect(await session.accessToken()).not.toBe(first);
    expect(refreshes(composed)).toBe(2);
  });

  it('refreshes with the scopes on record', async () => {
    const composed = await openComposedEngine();
    const session = await sessionOf(composed, await composed.connect());
    await session.accessToken(await session.accessToken());
    // The first refresh proved the imported token.
    expect(composed.fake.askedScopes).toEqual([undefined, ['calendar']]);
  });

  it('gets another token for one that was refused, once for all who hold it', async () => {
    const composed = await openComposedEngine();
    const session = await sessionOf(composed, await composed.connect());
    const refused = await session.accessToken();
    const tokens = await Promise.all(Array.from({ length: 10 }, () => session.accessToken(refused)));
    expect(new Set(tokens).size).toBe(1);
    expect(tokens[0]).not.toBe(refused);
    expect(await session.accessToken(refused)).toBe(tokens[0]);
    expect(refreshes(composed)).toBe(2);
  });

  it('takes a token that is issued with less than a minute to live', async () => {
    const composed = await openComposedEngine();
    composed.fake.tokenLifeMs = 10_000;
    const session = await sessionOf(composed, await composed.connect());
    const token = await session.accessToken();
    expect(token).toMatch(/^access-/);
    expect(refreshes(composed)).toBe(2);
  });
});

describe('rotation', () => {
  it('is stored with the access token, so that the next refresh works', async () => {
    const composed = await openComposedEngine();
    composed.fake.rotates = true;
    const accountId = await composed.connect();
    const session = await sessionOf(composed, accountId);
    for (let round = 0; round < 3; round += 1) {
      await composed.clock.advance(HOUR);
      await session.accessToken();
    }
    const { refreshToken } = await tokensOf(
      composed.engine.services.accounts.getCredentials(composed.caller, accountId),
    );
    expect([...composed.fake.grants.keys()]).toEqual([refreshToken]);
  });

  it('is not lost by an answer without a refresh token', async () => {
    const composed = await openComposedEngine();
    const accountId = await composed.connect();
    await composed.clock.advance(HOUR);
    await (await sessionOf(composed, accountId)).accessToken();
    expect(await composed.engine.services.accounts.getCredentials(composed.caller, accountId)).toMatchObject({
      refreshToken: 'rt-ada@example.com',
    });
  });

  it('survives many callers in two processes: the provider is asked once', async () => {
    const composed = await openComposedEngine();
    composed.fake.rotates = true;
    const accountId = await composed.connect();
    const other = composed.process();
    await composed.clock.advance(HOUR);
    const { closed, open } = gate();
    composed.fake.refreshGate = closed;
    const sessions = [await sessionOf(composed, accountId), await sessionOf(composed, accountId, other)];
    const asking = Promise.all(sessions.flatMap((session) => Array.from({ length: 5 }, () => session.accessToken())));
    await composed.clock.advance(1_000);
    open();
    await composed.clock.advance(1_000);
    await composed.clock.advance(1_000);
    expect(new Set(await asking).size).toBe(1);
    expect(refreshes(composed)).toBe(2);
    expect(composed.fake.grants.size).toBe(1);
  });

  /** The storage is away for this many attempts to store tokens. */
  function loseTokens({ storage }: ComposedEngine, attempts: number) {
    const { replaceTokens } = storage.accounts;
    const lost = { times: 0 };
    Object.assign(storage.accounts, {
      replaceTokens: async (...args: Parameters<typeof replaceTokens>) => {
        if (lost.times === attempts) return replaceTokens(...args);
        lost.times += 1;
        throw new StorageUnavailableError('The database cannot be reached', undefined);
      },
    });
    return lost;
  }

  it('is stored after an outage of the database', async () => {
    const composed = await openComposedEngine();
    composed.fake.rotates = true;
    const accountId = await composed.connect();
    const session = await sessionOf(composed, accountId);
    const lost = loseTokens(composed, 20);
    await composed.clock.advance(HOUR);
    let isAnswered = false;
    const asking = session.accessToken().finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) await composed.clock.advance(1_000);
    await asking;
    expect(lost.times).toBe(20);
    await composed.clock.advance(HOUR);
    expect(await session.accessToken()).toMatch(/^access-/);
    expect(refreshes(composed)).toBe(3);
    expect(await composed.engine.services.accounts.get(composed.caller, accountId)).toMatchObject({ status: 'ACTIVE' });
  });

  it('holds a stopping engine up for a moment only while the database is away', async () => {
    const composed = await openComposedEngine();
    composed.fake.rotates = true;
    const session = await sessionOf(composed, await composed.connect());
    const lost = loseTokens(composed, Number.POSITIVE_INFINITY);
    await composed.clock.advance(HOUR);
    const failed = failureOf(session.accessToken());
    while (lost.times === 0) await composed.clock.advance(0);
    const before = composed.clock.now();
    let isStopped = false;
    const stopping = composed.engine.renewals.stop().finally(() => {
      isStopped = true;
    });
    while (!isStopped) await composed.clock.advance(100);
    await stopping;
    expect(composed.clock.now() - before).toBeLessThan(3_000);
    expect((await failed).message).toBe('The engine is stopping.');
  });

  it('of a refresh that ends after a reconnect does not overwrite the newer credentials', async () => {
    const composed = await openComposedEngine();
    const accountId = await composed.connect();
    await composed.clock.advance(HOUR);
    const { closed, open } = gate();
    composed.fake.refreshGate = closed;
    const asking = (await sessionOf(composed, accountId)).accessToken();
    await composed.clock.advance(1);
    composed.fake.refreshGate = Promise.resolve();
    composed.fake.grant('rt-new', 'ada@example.com');
    await composed.engine.services.accounts.upsert(composed.caller, {
      email: 'ada@example.com',
      providerType: 'FAKE',
      refreshToken: 'rt-new',
    });
    open();
    expect(await asking).toMatch(/^access-rt-new/);
    expect(await composed.engine.services.accounts.getCredentials(composed.caller, accountId)).toMatchObject({
      refreshToken: 'rt-new',
    });
  });
});

describe('a dead grant', () => {
  it('expires the account exactly once, however many processes see the refusal', async () => {
    const composed = await openComposedEngine();
    const accountId = await composed.connect();
    const other = composed.process();
    composed.fake.grants.clear();
    await composed.clock.advance(HOUR);
    const sessions = [await sessionOf(composed, accountId), await sessionOf(composed, accountId, other)];
    const asking = Promise.all(
      sessions.flatMap((session) => Array.from({ length: 3 }, () => failureOf(session.accessToken()))),
    );
    await composed.clock.advance(500);
    await composed.clock.advance(500);
    for (const failure of await asking) expect(failure).toMatchObject({ reason: 'invalid-grant' });
    expect(composed.log.filter(({ message }) => message === 'account expired')).toHaveLength(1);
    expect(await composed.engine.services.accounts.get(composed.caller, accountId)).toMatchObject({
      status: 'EXPIRED',
    });
  });

  it('makes every use of the account a 409 until it is reconnected under the same id', async () => {
    const composed = await openComposedEngine();
    const accountId = await composed.connect();
    composed.fake.grants.clear();
    await composed.clock.advance(HOUR);
    const session = await sessionOf(composed, accountId);
    await failureOf(session.accessToken());
    expect(await failureOf(composed.engine.access.get(composed.applicationId, accountId))).toMatchObject({
      code: 'InvalidRefreshToken',
      status: 409,
    });
    expect(await failureOf(session.accessToken())).toMatchObject({ reason: 'invalid-grant' });
    expect(await composed.connect()).toBe(accountId);
    expect(await composed.engine.services.accounts.get(composed.caller, accountId)).toMatchObject({ status: 'ACTIVE' });
    expect(await session.accessToken()).toMatch(/^access-/);
  });

  it('that was replaced meanwhile expires no account', async () => {
    const composed = await openComposedEngine();
    const accountId = await composed.connect();
    await composed.clock.advance(HOUR);
    const { closed, open } = gate();
    composed.fake.refreshGate = closed;
    const asking = (await sessionOf(composed, accountId)).accessToken();
    await composed.clock.advance(1);
    composed.fake.refreshGate = Promise.resolve();
    composed.fake.grants.clear();
    composed.fake.grant('rt-new', 'ada@example.com');
    await composed.engine.services.accounts.upsert(composed.caller, {
      email: 'ada@example.com',
      providerType: 'FAKE',
      refreshToken: 'rt-new',
    });
    open();
    expect(await asking).toMatch(/^access-rt-new/);
    expect(await composed.engine.services.accounts.get(composed.caller, accountId)).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('every other failure', () => {
  it.each([
    'operator',
    'unavailable',
    'timeout',
    'rate-limited',
    'malformed',
  ] as const)('%s expires no account', async (reason) => {
    const composed = await openComposedEngine();
    const accountId = await composed.connect();
    composed.fake.failures.set('refresh', new ProviderError(reason, 'x'));
    await composed.clock.advance(HOUR);
    const session = await sessionOf(composed, accountId);
    expect(await failureOf(session.accessToken())).toMatchObject({ reason });
    expect(await composed.engine.services.accounts.get(composed.caller, accountId)).toMatchObject({ status: 'ACTIVE' });
    composed.fake.failures.clear();
    expect(await session.accessToken()).toMatch(/^access-/);
  });

  it('of a process that died while refreshing holds others up only until its lease ends', async () => {
    const composed = await openComposedEngine();
    const accountId = await composed.connect();
    await composed.clock.advance(HOUR);
    await composed.storage.leases.claim(`refresh:${accountId}`, 20_000);
    const asking = (await sessionOf(composed, accountId)).accessToken();
    for (let step = 0; step < 110; step += 1) await composed.clock.advance(200);
    expect(await asking).toMatch(/^access-/);
  });
});
