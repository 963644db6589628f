import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentials, endUserAccount } from './shapes.ts';
import { body, calendarsPath, expectProblem, query, secondApplication } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const ACCOUNTS = '/v1/endUserAccounts';

describe.each(PROVIDERS)('accounts of $providerType', ({ provider, providerType }) => {
  let counter = 0;
  const mailbox = () => {
    counter += 1;
    const email = `account${counter}@${provider}.example`;
    world.sandbox[provider].addMailbox({ email, name: 'Person', timeZone: 'Europe/Berlin' });
    return email;
  };
  const post = (fields: Readonly<Record<string, unknown>>) =>
    world.call('POST', ACCOUNTS, { body: { providerType, ...fields } });

  describe('POST /v1/endUserAccounts', () => {
    it('creates with 201 and every field of the resource', async () => {
      const email = mailbox();
      const account = body(
        await post({ email, refreshToken: world.refreshToken(provider, email), externalId: 'u-1' }),
        201,
      );
      expect(endUserAccount(account)).toBeUndefined();
      expect(account).toMatchObject({
        email,
        providerType,
        externalId: 'u-1',
        status: 'ACTIVE',
        applicationId: world.applicationId,
      });
      expect(account.authorizedScopes.length).toBeGreaterThan(0);
      expect(body(await world.call('GET', `${ACCOUNTS}/${account.id}`))).toEqual(account);
    });

    it('updates with 200 when the mailbox is known, whatever the case of its address', async () => {
      const email = mailbox();
      const first = body(
        await post({ email, refreshToken: world.refreshToken(provider, email), externalId: 'a' }),
        201,
      );
      const again = body(await post({ email: email.toUpperCase(), refreshToken: world.refreshToken(provider, email) }));
      expect(again.id).toBe(first.id);
      expect(again.externalId).toBe('a');
      expect(again.createdAt).toBe(first.createdAt);
      const cleared = body(await post({ email, refreshToken: world.refreshToken(provider, email), externalId: null }));
      expect(cleared.externalId).toBeNull();
    });

    it('replaces the credentials', async () => {
      const email = mailbox();
      const account = body(await post({ email, refreshToken: world.refreshToken(provider, email) }), 201);
      const refreshToken = world.refreshToken(provider, email);
      body(await post({ email, refreshToken }));
      const stored = body(await world.call('GET', `${ACCOUNTS}/${account.id}/credentials`));
      // Microsoft rotates the refresh token at the first use; Google keeps it.
      if (provider === 'google') expect(stored.refreshToken).toBe(refreshToken);
      else expect(stored.refreshToken).not.toBe('');
    });

    it.each([
      ['email', { email: undefined }],
      ['email', { email: 'not an address' }],
      ['email', { email: 7 }],
      ['providerType', { providerType: undefined }],
      ['providerType', { providerType: 'PROVIDER_C' }],
      ['refreshToken', { refreshToken: undefined }],
      ['refreshToken', { refreshToken: '' }],
      ['refreshToken', { refreshToken: ['x'] }],
      ['externalId', { externalId: 'x'.repeat(256) }],
      ['externalId', { externalId: 5 }],
      ['authorizedScopes', { authorizedScopes: 'all' }],
      ['nickname', { nickname: 'Ada' }],
    ])('refuses a wrong %s, naming it: %j', async (path, wrong) => {
      const email = mailbox();
      const answer = await post({ email, refreshToken: world.refreshToken(provider, email), ...wrong });
      expectProblem(answer, 400, 'InvalidRequest', path);
      expect(body(await world.call('GET', `${ACCOUNTS}${query({ search: email })}`)).data).toEqual([]);
    });

    it('takes an externalId of 255 characters', async () => {
      const email = mailbox();
      const externalId = 'x'.repeat(255);
      expect(
        body(await post({ email, refreshToken: world.refreshToken(provider, email), externalId }), 201),
      ).toMatchObject({
        externalId,
      });
    });

    it('refuses a dead refresh token with 400 InvalidRefreshToken, and changes nothing', async () => {
      const email = mailbox();
      expectProblem(await post({ email, refreshToken: 'dead' }), 400, 'InvalidRefreshToken');
      const account = body(
        await post({ email, refreshToken: world.refreshToken(provider, email), externalId: 'a' }),
        201,
      );
      expectProblem(await post({ email, refreshToken: 'dead', externalId: 'b' }), 400, 'InvalidRefreshToken');
      expect(body(await world.call('GET', `${ACCOUNTS}/${account.id}`))).toEqual(account);
    });

    it('refuses the refresh token of another client with 400 InvalidRefreshToken', async () => {
      const email = mailbox();
      world.sandbox[provider].addClient({ clientId: 'another', clientSecret: 'another-secret', redirectUris: [] });
      const refreshToken = world.sandbox[provider].issueRefreshToken({ email, clientId: 'another' });
      expectProblem(await post({ email, refreshToken }), 400, 'InvalidRefreshToken', 'refreshToken');
      expect(body(await world.call('GET', `${ACCOUNTS}${query({ search: email })}`)).data).toEqual([]);
    });

    it('refuses an address that is not the mailbox of the token', async () => {
      const [email, other] = [mailbox(), mailbox()];
      const answer = await post({ email: other, refreshToken: world.refreshToken(provider, email) });
      expectProblem(answer, 400, 'InvalidRequest', 'email');
      expect(body(await world.call('GET', `${ACCOUNTS}${query({ search: other })}`)).data).toEqual([]);
    });
  });

  describe('GET /v1/endUserAccounts/{id}/credentials', () => {
    it('answers the record, never stored by caches', async () => {
      const { accountId } = await world.connect(provider);
      const answer = await world.call('GET', `${ACCOUNTS}/${accountId}/credentials`);
      const record = body(answer);
      expect(credentials(record)).toBeUndefined();
      expect(record).toMatchObject({ endUserAccountId: accountId, status: 'ACTIVE' });
      expect(answer.headers.get('cache-control')).toContain('no-store');
      expect(Date.parse(record.expiresAt) - Date.now()).toBeGreaterThan(5 * 60_000);
    });

    it('is 403 for a key from which that right was withheld, and everything else stays open to it', async () => {
      const { accountId } = await world.connect(provider);
      const { key } = await world.engine.apiKeys.create(world.applicationId, {
        name: 'No credentials',
        expiresAt: null,
        canReadCredentials: false,
      });
      expectProblem(await world.call('GET', `${ACCOUNTS}/${accountId}/credentials`, { key }), 403, 'Forbidden');
      body(await world.call('GET', `${ACCOUNTS}/${accountId}`, { key }));
    });

    it('is 404 for an unknown account', async () => {
      expectProblem(await world.call('GET', `${ACCOUNTS}/acc_unknown/credentials`), 404, 'NotFound');
    });
  });

  describe('DELETE /v1/endUserAccounts/{id}', () => {
    it('answers {message, ok}, revokes and forgets', async () => {
      const { accountId, email } = await world.connect(provider);
      const { refreshToken } = body(await world.call('GET', `${ACCOUNTS}/${accountId}/credentials`));
      const answer = body(await world.call('DELETE', `${ACCOUNTS}/${accountId}`));
      expect(answer).toEqual({ message: expect.any(String), ok: true });
      expectProblem(await world.call('GET', `${ACCOUNTS}/${accountId}`), 404, 'NotFound');
      expectProblem(await world.call('GET', `${ACCOUNTS}/${accountId}/credentials`), 404, 'NotFound');
      expectProblem(await world.call('GET', calendarsPath(accountId)), 404, 'NotFound');
      expectProblem(await world.call('DELETE', `${ACCOUNTS}/${accountId}`), 404, 'NotFound');
      expect(body(await world.call('GET', `${ACCOUNTS}${query({ search: email })}`)).data).toEqual([]);
      // Microsoft has nothing to revoke with.
      if (provider === 'google') expectProblem(await post({ email, refreshToken }), 400, 'InvalidRefreshToken');
    });
  });
});

describe('GET /v1/endUserAccounts', () => {
  let data: Json[];
  let key: string;
  const list = (parameters: Parameters<typeof query>[0] = {}) =>
    world.call('GET', `${ACCOUNTS}${query(parameters)}`, { key });
  beforeAll(async () => {
    ({ key } = await secondApplication(world));
    data = [];
    for (const [index, { provider, providerType }] of [...PROVIDERS, ...PROVIDERS, PROVIDERS[0]].entries()) {
      const email = `Listed${index}@${provider}.example`;
      world.sandbox[provider].addMailbox({ email, name: 'Person', timeZone: 'UTC' });
      const fields = { email, providerType, refreshToken: world.refreshToken(provider, email) };
      const answer = await world.call('POST', ACCOUNTS, { body: { ...fields, externalId: `User_%${index}` }, key });
      data.push(body(answer, 201));
    }
  });

  it('lists all accounts of the application, with nextPageToken null at the end', async () => {
    const page = body(await list());
    expect(page.nextPageToken).toBeNull();
    expect(Object.keys(page).sort()).toEqual(['data', 'nextPageToken']);
    expect(page.data.map((account: Json) => account.id).sort()).toEqual(data.map(({ id }) => id).sort());
    for (const account of page.data) expect(endUserAccount(account)).toBeUndefined();
  });

  it.each([['limit'], ['pageSize']])('pages by %s, each account once', async (name) => {
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = body(await list({ [name]: 2, pageToken }));
      expect(page.data.length).toBeLessThanOrEqual(2);
      seen.push(...page.data.map(({ id }: Json) => id));
      pageToken = page.nextPageToken ?? undefined;
      if (pageToken !== undefined) expect(segmentSafe(pageToken)).toBe(true);
    } while (pageToken !== undefined);
    expect(seen.sort()).toEqual(data.map(({ id }) => id).sort());
  });

  it.each([
    ['listed1@', 1],
    ['LISTED', 5],
    ['@google', 3],
    ['user_%3', 1],
    ['_%', 5],
    ['r%_', 0],
    ['nobody', 0],
  ])('search %s finds %i, any case, by e-mail and externalId, no wildcards', async (search, count) => {
    expect(body(await list({ search })).data).toHaveLength(count);
  });

  it('filters by status', async () => {
    expect(body(await list({ statusFilter: 'active' })).data).toHaveLength(5);
    expect(body(await list({ statusFilter: 'expired' })).data).toHaveLength(0);
  });

  it('filters by provider, page by page', async () => {
    const of = (providerType: string) => data.filter((each) => each.providerType === providerType).map(({ id }) => id);
    for (const providerType of ['PROVIDER_A', 'PROVIDER_B']) {
      const first = body(await list({ providerType, limit: 1 }));
      const rest = body(await list({ pageToken: first.nextPageToken }));
      expect([...first.data, ...rest.data].map(({ id }: Json) => id).sort()).toEqual(of(providerType).sort());
    }
    expect(of('PROVIDER_A').length).toBe(3);
    expect(body(await list({ providerType: 'PROVIDER_C' })).data).toEqual([]);
  });

  it.each([
    ['statusFilter', { statusFilter: 'ACTIVE' }],
    ['statusFilter', { statusFilter: 'sleeping' }],
    ['providerType', { providerType: 'provider_a' }],
    ['limit', { limit: 0 }],
    ['limit', { limit: 251 }],
    ['limit', { limit: -1 }],
    ['limit', { limit: '1e1' }],
    ['limit', { limit: '2.5' }],
    ['limit', { limit: '' }],
    ['pageSize', { pageSize: 251 }],
    ['offset', { offset: 3 }],
  ])('refuses a wrong %s: %j', async (path, parameters) => {
    expectProblem(await list(parameters), 400, 'InvalidRequest', path);
  });

  it('limit and pageSize are one parameter: together only when equal', async () => {
    expect(body(await list({ limit: 2, pageSize: 2 })).data).toHaveLength(2);
    expectProblem(await list({ limit: 2, pageSize: 3 }), 400, 'InvalidRequest');
  });

  it('refuses a page token that is not its own or comes with other filters', async () => {
    expectProblem(await list({ pageToken: 'nonsense' }), 400, 'InvalidPageToken');
    const { nextPageToken } = body(await list({ limit: 1, search: 'listed' }));
    body(await list({ pageToken: nextPageToken }));
    body(await list({ pageToken: nextPageToken, search: 'listed', limit: 3 }));
    expect((await list({ pageToken: nextPageToken, search: 'other' })).status).toBe(400);
    const elsewhere = await world.call('GET', `${ACCOUNTS}${query({ pageToken: nextPageToken })}`);
    expectProblem(elsewhere, 400, 'InvalidPageToken');
  });
});

function segmentSafe(token: string): boolean {
  return encodeURIComponent(token) === token;
}
