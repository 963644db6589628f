import type { AccountUpsert } from 'kalends/model';
import { type AuditRow, ProviderError } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { failureOf, openComposedEngine } from './composed-engine.ts';
import { tokensOf } from './tokens-of.ts';

const MINUTE = 60_000;

describe('connecting an account with a refresh token', () => {
  it('creates it from what the provider says', async () => {
    const { engine, fake, caller, applicationId, storage } = await openComposedEngine();
    fake.grant('rt', 'Ada@Example.com', 'google-1');
    const result = await engine.services.accounts.upsert(caller, {
      email: 'ada@example.com',
      providerType: 'FAKE',
      refreshToken: 'rt',
      externalId: 'u-1',
    });
    expect(result.created).toBe(true);
    expect(result.account).toEqual({
      id: expect.stringMatching(/^acc_[0-9A-Za-z]{22}$/),
      createdAt: '2026-03-02T09:00:00.000Z',
      updatedAt: '2026-03-02T09:00:00.000Z',
      email: 'Ada@Example.com',
      externalId: 'u-1',
      authorizedScopes: ['calendar'],
      providerAccountId: 'google-1',
      providerId: (await storage.providerConfigs.find(applicationId, 'FAKE'))?.id,
      applicationId,
      status: 'ACTIVE',
      providerType: 'FAKE',
    });
    expect(await engine.services.accounts.get(caller, result.account.id)).toEqual(result.account);
  });

  it('updates the account of the same mailbox: same id, new credentials', async () => {
    const { engine, fake, caller, clock } = await openComposedEngine();
    const { accounts } = engine.services;
    fake.grant('rt1', 'ada@example.com', 'google-1');
    const body = { email: 'ada@example.com', providerType: 'FAKE', refreshToken: 'rt1', externalId: 'u-1' };
    const first = await accounts.upsert(caller, body);
    await clock.advance(MINUTE);
    fake.grant('rt2', 'ada@example.com', 'google-1');
    const second = await accounts.upsert(caller, {
      email: 'ADA@example.com',
      providerType: 'FAKE',
      refreshToken: 'rt2',
    });
    expect(second.created).toBe(false);
    expect(second.account).toEqual({ ...first.account, updatedAt: '2026-03-02T09:01:00.000Z' });
    expect(await accounts.getCredentials(caller, first.account.id)).toMatchObject({ refreshToken: 'rt2' });
  });

  it('takes another proven address of the mailbox for email, and keeps the address that the provider names first', async () => {
    const { engine, fake, caller } = await openComposedEngine();
    const email = 'a.l@corp.example';
    const identity = { email: 'ada@corp.example', providerAccountId: 'ms-1', otherAddresses: [email] };
    fake.grants.set('rt', { identity, scopes: ['calendar'] });
    const upsert = (address: string) =>
      engine.services.accounts.upsert(caller, { providerType: 'FAKE', refreshToken: 'rt', email: address });
    expect((await upsert(email)).account.email).toBe('ada@corp.example');
    expect(await failureOf(upsert('eve@corp.example'))).toMatchObject({ code: 'InvalidRequest' });
  });

  it('keeps externalId when absent, clears it with null, and takes an empty one', async () => {
    const { engine, fake, caller } = await openComposedEngine();
    const { accounts } = engine.services;
    fake.grant('rt', 'ada@example.com');
    const upsert = async (extra: object) =>
      (
        await accounts.upsert(caller, {
          email: 'ada@example.com',
          providerType: 'FAKE',
          refreshToken: 'rt',
          ...extra,
        })
      ).account.externalId;
    expect(await upsert({})).toBeNull();
    expect(await upsert({ externalId: 'u-1' })).toBe('u-1');
    expect(await upsert({})).toBe('u-1');
    expect(await upsert({ externalId: '' })).toBe('');
    expect(await upsert({ externalId: null })).toBeNull();
  });

  it('follows a mailbox whose address changed by its provider id', async () => {
    const { engine, fake, caller } = await openComposedEngine();
    const { accounts } = engine.services;
    fake.grant('rt', 'ada@example.com', 'google-1');
    const { account } = await accounts.upsert(caller, {
      email: 'ada@example.com',
      providerType: 'FAKE',
      refreshToken: 'rt',
    });
    fake.grant('rt', 'ada@lovelace.example', 'google-1');
    const moved = await accounts.upsert(caller, {
      email: 'ada@lovelace.example',
      providerType: 'FAKE',
      refreshToken: 'rt',
    });
    expect(moved).toMatchObject({ created: false, account: { id: account.id, email: 'ada@lovelace.example' } });
  });

  it('asks the provider for the mailbox when the token answer names none', async () => {
    const { engine, fake, caller } = await openComposedEngine();
    fake.namesIdentity = false;
    fake.grant('rt', 'ada@example.com', null);
    const body = { email: 'ada@example.com', providerType: 'FAKE', refreshToken: 'rt' };
    const { account } = await engine.services.accounts.upsert(caller, body);
    expect(account).toMatchObject({ email: 'ada@example.com', providerAccountId: null });
    expect(fake.calls).toEqual(['refresh', 'identify']);
  });

  it('believes the provider about scopes, else the caller', async () => {
    const { engine, fake, caller } = await openComposedEngine();
    fake.grant('rt', 'ada@example.com');
    const body = {
      email: 'ada@example.com',
      providerType: 'FAKE',
      refreshToken: 'rt',
      authorizedScopes: ['from caller'],
    };
    expect((await engine.services.accounts.upsert(caller, body)).account.authorizedScopes).toEqual(['calendar']);
    fake.grants.get('rt')!.scopes = undefined;
    expect((await engine.services.accounts.upsert(caller, body)).account.authorizedScopes).toEqual(['from caller']);
    const { authorizedScopes: _, ...without } = body;
    expect((await engine.services.accounts.upsert(caller, without)).account.authorizedScopes).toEqual(['from caller']);
  });

  it('changes nothing when the refresh token is refused', async () => {
    const { engine, caller, connect } = await openComposedEngine();
    const { accounts } = engine.services;
    const accountId = await connect();
    const before = await accounts.get(caller, accountId);
    const failure = await failureOf(
      accounts.upsert(caller, {
        email: 'ada@example.com',
        providerType: 'FAKE',
        refreshToken: 'dead',
        externalId: 'changed',
      }),
    );
    expect(failure).toMatchObject({ code: 'InvalidRefreshToken', status: 400, details: [{ path: 'refreshToken' }] });
    expect(await accounts.get(caller, accountId)).toEqual(before);
    expect(await accounts.getCredentials(caller, accountId)).toMatchObject({ refreshToken: 'rt-ada@example.com' });
  });

  it('refuses a token of another mailbox, naming email', async () => {
    const { engine, fake, caller } = await openComposedEngine();
    fake.grant('rt', 'eve@example.com');
    const body = { email: 'ada@example.com', providerType: 'FAKE', refreshToken: 'rt' };
    expect(await failureOf(engine.services.accounts.upsert(caller, body))).toMatchObject({
      code: 'InvalidRequest',
      details: [{ path: 'email' }],
    });
    expect((await engine.services.accounts.list(caller, {})).data).toEqual([]);
  });

  it.each([
    ['no body', undefined, ''],
    ['a missing e-mail', { providerType: 'FAKE', refreshToken: 'rt' }, 'email'],
    ['a broken e-mail', { email: 'ada', providerType: 'FAKE', refreshToken: 'rt' }, 'email'],
    ['an unknown provider', { email: 'a@b.example', providerType: 'GOOGLE', refreshToken: 'rt' }, 'providerType'],
    ['an unconfigured provider', { email: 'a@b.example', providerType: 'OTHER', refreshToken: 'rt' }, 'providerType'],
    ['an empty refresh token', { email: 'a@b.example', providerType: 'FAKE', refreshToken: '' }, 'refreshToken'],
    ['a long externalId', body({ externalId: 'x'.repeat(256) }), 'externalId'],
    ['an unknown field', body({ colour: 'red' }), 'colour'],
  ])('refuses %s', async (_name, input, path) => {
    const { engine, caller } = await openComposedEngine();
    expect(await failureOf(engine.services.accounts.upsert(caller, input as AccountUpsert))).toMatchObject({
      code: 'InvalidRequest',
      details: [{ path }],
    });
  });

  it.each([
    ['operator', 502, 'ProviderError'],
    ['malformed', 502, 'ProviderError'],
    ['unavailable', 503, 'ProviderUnavailable'],
    ['timeout', 504, 'ProviderTimeout'],
    ['rate-limited', 429, 'RateLimited'],
  ] as const)('answers %s of the provider with %i', async (reason, status, code) => {
    const { engine, fake, caller } = await openComposedEngine();
    fake.failures.set('refresh', new ProviderError(reason, 'x', { retryAfterMs: 7_000 }));
    const failure = await failureOf(engine.services.accounts.upsert(caller, body({})));
    expect(failure).toMatchObject({ status, code });
    if (status === 429 || status === 503) expect(failure['retryAfterMs']).toBe(7_000);
  });

  it('makes one account of concurrent requests for one mailbox', async () => {
    const { engine, fake, caller } = await openComposedEngine();
    fake.grant('rt', 'ada@example.com');
    const results = await Promise.all(
      Array.from({ length: 8 }, () => engine.services.accounts.upsert(caller, body({}))),
    );
    expect(new Set(results.map(({ account }) => account.id)).size).toBe(1);
    expect(results.filter(({ created }) => created)).toHaveLength(1);
  });

  it('reports two accounts that claim one mailbox as a conflict', async () => {
    const { engine, fake, caller } = await openComposedEngine();
    const { accounts } = engine.services;
    fake.grant('rt1', 'ada@example.com', 'google-1');
    fake.grant('rt2', 'bob@example.com', 'google-2');
    await accounts.upsert(caller, body({ refreshToken: 'rt1' }));
    await accounts.upsert(caller, { ...body({ refreshToken: 'rt2' }), email: 'bob@example.com' });
    fake.grant('rt2', 'ada@example.com', 'google-2');
    expect(await failureOf(accounts.upsert(caller, body({ refreshToken: 'rt2' })))).toMatchObject({
      code: 'Conflict',
      status: 409,
    });
  });
});

function body(extra: object) {
  return { email: 'ada@example.com', providerType: 'FAKE', refreshToken: 'rt', ...extra };
}

describe('listing accounts', () => {
  it('searches, filters by status and pages with bound tokens', async () => {
    const { engine, caller, connect, clock, storage, applicationId } = await openComposedEngine();
    const { accounts } = engine.services;
    const ids: string[] = [];
    for (const name of ['ada', 'bob', 'cleo', 'dora', 'emil']) {
      ids.push(await connect(`${name}@example.com`));
      await clock.advance(1);
    }
    const first = await accounts.list(caller, { limit: 2 });
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const second = await accounts.list(caller, { pageSize: 2, pageToken: first.nextPageToken! });
    expect(second.data.map(({ id }) => id)).toEqual(ids.slice(2, 4));
    const third = await accounts.list(caller, { pageToken: second.nextPageToken! });
    expect(third).toMatchObject({ data: [{ id: ids[4] }], nextPageToken: null });
    expect((await accounts.list(caller, { limit: 5 })).nextPageToken).toBeNull();

    expect((await accounts.list(caller, { search: 'BOB@' })).data.map(({ id }) => id)).toEqual([ids[1]]);
    await storage.accounts.expire(applicationId, ids[2]!, 1, clock.now());
    expect((await accounts.list(caller, { statusFilter: 'expired' })).data.map(({ id }) => id)).toEqual([ids[2]]);
    expect((await accounts.list(caller, { statusFilter: 'active' })).data).toHaveLength(4);
  });

  it('remembers the filters in its page tokens, and refuses others beside them', async () => {
    const { engine, caller, connect, clock } = await openComposedEngine();
    const { accounts } = engine.services;
    for (const name of ['ada', 'bob', 'cleo']) {
      await connect(`${name}@example.com`);
      await clock.advance(1);
    }
    const { nextPageToken } = await accounts.list(caller, { limit: 1, search: '@example', statusFilter: 'active' });
    const pageToken = nextPageToken!;
    expect((await accounts.list(caller, { pageToken, limit: 10 })).data).toHaveLength(2);
    expect((await accounts.list(caller, { pageToken, search: '@example', statusFilter: 'active' })).data).toHaveLength(
      2,
    );
    for (const query of [
      { pageToken, search: 'ada' },
      { pageToken, statusFilter: 'expired' as const },
    ]) {
      expect(await failureOf(accounts.list(caller, query))).toMatchObject({ code: 'InvalidPageToken', status: 400 });
    }
    const other = await engine.services.applications.create({ name: 'Other' });
    for (const token of ['x', `${pageToken}A`, pageToken.slice(0, -1)]) {
      expect(await failureOf(accounts.list(caller, { pageToken: token }))).toMatchObject({ code: 'InvalidPageToken' });
    }
    expect(await failureOf(accounts.list({ applicationId: other.id }, { pageToken }))).toMatchObject({
      code: 'InvalidPageToken',
    });
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 251 }, 'limit'],
    [{ limit: '1.5' }, 'limit'],
    [{ pageSize: 'many' }, 'pageSize'],
    [{ limit: 1, pageSize: 2 }, 'pageSize'],
    [{ statusFilter: 'ACTIVE' }, 'statusFilter'],
    [{ colour: 'red' }, 'colour'],
  ])('refuses %j', async (query, path) => {
    const { engine, caller } = await openComposedEngine();
    expect(await failureOf(engine.services.accounts.list(caller, query as never))).toMatchObject({
      code: 'InvalidRequest',
      details: [{ path }],
    });
  });
});

describe('credentials', () => {
  it('are refreshed with under five minutes left, and every read is audited', async () => {
    const { process, fake, caller, connect, clock, storage, applicationId } = await openComposedEngine();
    const entries: AuditRow[] = [];
    const append = async (entry: AuditRow) => {
      await storage.audit.append(entry);
      entries.push(entry);
    };
    const { accounts } = process({ storage: { ...storage, audit: { ...storage.audit, append } } }).services;
    const accountId = await connect();
    const first = await tokensOf(accounts.getCredentials(caller, accountId));
    expect(first).toEqual({
      id: expect.stringMatching(/^crd_/),
      endUserAccountId: accountId,
      accessToken: expect.stringMatching(/^access-rt-ada/),
      refreshToken: 'rt-ada@example.com',
      expiresAt: '2026-03-02T10:00:00.000Z',
      status: 'ACTIVE',
      createdAt: '2026-03-02T09:00:00.000Z',
      updatedAt: '2026-03-02T09:00:00.000Z',
    });
    await clock.advance(55 * MINUTE);
    expect(await accounts.getCredentials(caller, accountId)).toEqual(first);
    await clock.advance(1);
    const second = await tokensOf(accounts.getCredentials(caller, accountId));
    expect(second.accessToken).not.toBe(first.accessToken);
    expect(second).toMatchObject({ id: first.id, createdAt: first.createdAt, updatedAt: '2026-03-02T09:55:00.001Z' });
    expect(fake.calls.filter((call) => call === 'refresh')).toHaveLength(2);
    expect(entries).toEqual(
      Array.from({ length: 3 }, () =>
        expect.objectContaining({
          applicationId,
          actorType: 'key',
          actorId: 'key_test',
          action: 'credentials.read',
          target: accountId,
        }),
      ),
    );
  });

  it('are withheld from a key without that right: 403', async () => {
    const { engine, caller, connect } = await openComposedEngine();
    const accountId = await connect();
    const failure = await failureOf(
      engine.services.accounts.getCredentials({ ...caller, canReadCredentials: false }, accountId),
    );
    expect(failure).toMatchObject({ code: 'Forbidden', status: 403 });
  });

  it('of a grant that turns out dead are shown as EXPIRED, and so is the account', async () => {
    const { engine, fake, caller, connect, clock } = await openComposedEngine();
    const accountId = await connect();
    fake.grants.clear();
    await clock.advance(59 * MINUTE);
    expect(await engine.services.accounts.getCredentials(caller, accountId)).toMatchObject({
      status: 'EXPIRED',
      refreshToken: 'rt-ada@example.com',
    });
    expect(await engine.services.accounts.get(caller, accountId)).toMatchObject({ status: 'EXPIRED' });
  });

  it('that still work are handed out while the provider is down, those that do not are not', async () => {
    const { engine, fake, caller, connect, clock } = await openComposedEngine();
    const accountId = await connect();
    fake.failures.set('refresh', new ProviderError('unavailable', 'down'));
    await clock.advance(58 * MINUTE);
    expect(await engine.services.accounts.getCredentials(caller, accountId)).toMatchObject({ status: 'ACTIVE' });
    await clock.advance(3 * MINUTE);
    expect(await failureOf(engine.services.accounts.getCredentials(caller, accountId))).toMatchObject({ status: 503 });
    expect(await engine.services.accounts.get(caller, accountId)).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('an account of another application', () => {
  it('is not found', async () => {
    const { engine, connect } = await openComposedEngine();
    const accountId = await connect();
    const { id } = await engine.services.applications.create({ name: 'Other' });
    const stranger = { applicationId: id };
    const { accounts } = engine.services;
    for (const work of [
      accounts.get(stranger, accountId),
      accounts.getCredentials(stranger, accountId),
      accounts.delete(stranger, accountId),
      engine.access.get(id, accountId),
    ]) {
      expect(await failureOf(work)).toMatchObject({ code: 'NotFound', status: 404 });
    }
    expect((await accounts.list(stranger, {})).data).toEqual([]);
  });
});

describe('deleting an account', () => {
  it('revokes the grant and removes everything', async () => {
    const { engine, fake, caller, connect, storage, applicationId } = await openComposedEngine();
    const { accounts } = engine.services;
    const accountId = await connect();
    await accounts.delete(caller, accountId);
    expect(fake.grants.size).toBe(0);
    expect(await failureOf(accounts.get(caller, accountId))).toMatchObject({ code: 'NotFound' });
    expect(await failureOf(accounts.delete(caller, accountId))).toMatchObject({ code: 'NotFound' });
    expect(await storage.accounts.findCredential(applicationId, accountId)).toBeUndefined();
    const again = await connect();
    expect(again).not.toBe(accountId);
  });

  it('leaves the grant to the account that another application has under the same client', async () => {
    const { engine, fake, caller, connect } = await openComposedEngine();
    const { accounts, applications, oauthClients } = engine.services;
    const accountId = await connect();
    const { id: applicationId } = await applications.create({ name: 'Other', redirectUrls: [] });
    await oauthClients.set(applicationId, 'FAKE', { clientId: 'client', clientSecret: 'hush' });
    const other = { applicationId, apiKeyId: 'key_other' };
    const email = 'ada@example.com';
    const { account } = await accounts.upsert(other, { email, providerType: 'FAKE', refreshToken: `rt-${email}` });
    await accounts.delete(caller, accountId);
    expect(fake.calls).not.toContain('revoke');
    await accounts.delete(other, account.id);
    expect(fake.calls.filter((call) => call === 'revoke')).toHaveLength(1);
  });

  it('does not need the provider to answer', async () => {
    const { engine, fake, caller, connect, log } = await openComposedEngine();
    const accountId = await connect();
    fake.failures.set('revoke', new ProviderError('unavailable', 'down'));
    await engine.services.accounts.delete(caller, accountId);
    expect(await failureOf(engine.services.accounts.get(caller, accountId))).toMatchObject({ code: 'NotFound' });
    expect(log.map(({ message }) => message)).toContain('account removal: provider step failed');
  });
});
