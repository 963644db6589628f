import { ProviderError } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { failureOf, openRoom, type Room } from './room.ts';

const HOUR = 3_600_000;

/** A session of one process for the account. */
async function sessionOf(room: Room, accountId: string, rooms = room.rooms) {
  return rooms.access.session(await rooms.access.get(room.applicationId, accountId));
}

function gate() {
  let open: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { closed, open };
}

const refreshes = (room: Room) => room.fake.calls.filter((call) => call === 'refresh').length;

describe('a session', () => {
  it('hands out the stored access token while it lives, and a fresh one afterwards', async () => {
    const room = await openRoom();
    const session = await sessionOf(room, await room.connect());
    expect(session).toMatchObject({ email: 'ada@example.com' });
    const first = await session.accessToken();
    expect(await session.accessToken()).toBe(first);
    await room.clock.advance(HOUR - 30_000);
    expect(await session.accessToken()).not.toBe(first);
    expect(refreshes(room)).toBe(2);
  });

  it('refreshes with the scopes on record', async () => {
    const room = await openRoom();
    const session = await sessionOf(room, await room.connect());
    await session.accessToken(await session.accessToken());
    // The first refresh proved the imported token.
    expect(room.fake.askedScopes).toEqual([undefined, ['calendar']]);
  });

  it('gets another token for one that was refused, once for all who hold it', async () => {
    const room = await openRoom();
    const session = await sessionOf(room, await room.connect());
    const refused = await session.accessToken();
    const tokens = await Promise.all(Array.from({ length: 10 }, () => session.accessToken(refused)));
    expect(new Set(tokens).size).toBe(1);
    expect(tokens[0]).not.toBe(refused);
    expect(await session.accessToken(refused)).toBe(tokens[0]);
    expect(refreshes(room)).toBe(2);
  });

  it('takes a token that is issued with less than a minute to live', async () => {
    const room = await openRoom();
    room.fake.tokenLifeMs = 10_000;
    const session = await sessionOf(room, await room.connect());
    const token = await session.accessToken();
    expect(token).toMatch(/^access-/);
    expect(refreshes(room)).toBe(2);
  });
});

describe('rotation', () => {
  it('is stored with the access token, so that the next refresh works', async () => {
    const room = await openRoom();
    room.fake.rotates = true;
    const accountId = await room.connect();
    const session = await sessionOf(room, accountId);
    for (let round = 0; round < 3; round += 1) {
      await room.clock.advance(HOUR);
      await session.accessToken();
    }
    const { refreshToken } = await room.rooms.services.accounts.getCredentials(room.caller, accountId);
    expect([...room.fake.grants.keys()]).toEqual([refreshToken]);
  });

  it('is not lost by an answer without a refresh token', async () => {
    const room = await openRoom();
    const accountId = await room.connect();
    await room.clock.advance(HOUR);
    await (await sessionOf(room, accountId)).accessToken();
    expect(await room.rooms.services.accounts.getCredentials(room.caller, accountId)).toMatchObject({
      refreshToken: 'rt-ada@example.com',
    });
  });

  it('survives many callers in two processes: the provider is asked once', async () => {
    const room = await openRoom();
    room.fake.rotates = true;
    const accountId = await room.connect();
    const other = room.process();
    await room.clock.advance(HOUR);
    const { closed, open } = gate();
    room.fake.refreshGate = closed;
    const sessions = [await sessionOf(room, accountId), await sessionOf(room, accountId, other)];
    const asking = Promise.all(sessions.flatMap((session) => Array.from({ length: 5 }, () => session.accessToken())));
    await room.clock.advance(1_000);
    open();
    await room.clock.advance(1_000);
    await room.clock.advance(1_000);
    expect(new Set(await asking).size).toBe(1);
    expect(refreshes(room)).toBe(2);
    expect(room.fake.grants.size).toBe(1);
  });

  it('of a refresh that ends after a reconnect does not overwrite the newer credentials', async () => {
    const room = await openRoom();
    const accountId = await room.connect();
    await room.clock.advance(HOUR);
    const { closed, open } = gate();
    room.fake.refreshGate = closed;
    const asking = (await sessionOf(room, accountId)).accessToken();
    await room.clock.advance(1);
    room.fake.refreshGate = Promise.resolve();
    room.fake.grant('rt-new', 'ada@example.com');
    await room.rooms.services.accounts.upsert(room.caller, {
      email: 'ada@example.com',
      providerType: 'FAKE',
      refreshToken: 'rt-new',
    });
    open();
    expect(await asking).toMatch(/^access-rt-new/);
    expect(await room.rooms.services.accounts.getCredentials(room.caller, accountId)).toMatchObject({
      refreshToken: 'rt-new',
    });
  });
});

describe('a dead grant', () => {
  it('expires the account exactly once, however many processes see the refusal', async () => {
    const room = await openRoom();
    const accountId = await room.connect();
    const other = room.process();
    room.fake.grants.clear();
    await room.clock.advance(HOUR);
    const sessions = [await sessionOf(room, accountId), await sessionOf(room, accountId, other)];
    const asking = Promise.all(
      sessions.flatMap((session) => Array.from({ length: 3 }, () => failureOf(session.accessToken()))),
    );
    await room.clock.advance(500);
    await room.clock.advance(500);
    for (const failure of await asking) expect(failure).toMatchObject({ reason: 'invalid-grant' });
    expect(room.log.filter(({ message }) => message === 'account expired')).toHaveLength(1);
    expect(await room.rooms.services.accounts.get(room.caller, accountId)).toMatchObject({ status: 'EXPIRED' });
  });

  it('makes every use of the account a 409 until it is reconnected under the same id', async () => {
    const room = await openRoom();
    const accountId = await room.connect();
    room.fake.grants.clear();
    await room.clock.advance(HOUR);
    const session = await sessionOf(room, accountId);
    await failureOf(session.accessToken());
    expect(await failureOf(room.rooms.access.get(room.applicationId, accountId))).toMatchObject({
      code: 'InvalidRefreshToken',
      status: 409,
    });
    expect(await failureOf(session.accessToken())).toMatchObject({ reason: 'invalid-grant' });
    expect(await room.connect()).toBe(accountId);
    expect(await room.rooms.services.accounts.get(room.caller, accountId)).toMatchObject({ status: 'ACTIVE' });
    expect(await session.accessToken()).toMatch(/^access-/);
  });

  it('that was replaced meanwhile expires no account', async () => {
    const room = await openRoom();
    const accountId = await room.connect();
    await room.clock.advance(HOUR);
    const { closed, open } = gate();
    room.fake.refreshGate = closed;
    const asking = (await sessionOf(room, accountId)).accessToken();
    await room.clock.advance(1);
    room.fake.refreshGate = Promise.resolve();
    room.fake.grants.clear();
    room.fake.grant('rt-new', 'ada@example.com');
    await room.rooms.services.accounts.upsert(room.caller, {
      email: 'ada@example.com',
      providerType: 'FAKE',
      refreshToken: 'rt-new',
    });
    open();
    expect(await asking).toMatch(/^access-rt-new/);
    expect(await room.rooms.services.accounts.get(room.caller, accountId)).toMatchObject({ status: 'ACTIVE' });
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
    const room = await openRoom();
    const accountId = await room.connect();
    room.fake.failures.set('refresh', new ProviderError(reason, 'x'));
    await room.clock.advance(HOUR);
    const session = await sessionOf(room, accountId);
    expect(await failureOf(session.accessToken())).toMatchObject({ reason });
    expect(await room.rooms.services.accounts.get(room.caller, accountId)).toMatchObject({ status: 'ACTIVE' });
    room.fake.failures.clear();
    expect(await session.accessToken()).toMatch(/^access-/);
  });

  it('of a process that died while refreshing holds others up only until its lease ends', async () => {
    const room = await openRoom();
    const accountId = await room.connect();
    await room.clock.advance(HOUR);
    await room.storage.leases.claim(`refresh:${accountId}`, 20_000);
    const asking = (await sessionOf(room, accountId)).accessToken();
    for (let step = 0; step < 110; step += 1) await room.clock.advance(200);
    expect(await asking).toMatch(/^access-/);
  });
});
