import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentials, endUserAccount } from './shapes.ts';
import { body, calendarsPath, eventsPath, expectProblem, query, revoke } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe.each(PROVIDERS)('an EXPIRED account of $providerType', ({ provider, providerType }) => {
  it('answers 409 where its calendars are meant, stays readable, and comes back as the same account', async () => {
    const account = await world.connect(provider);
    const { accountId, calendarId, email } = account;
    const event = body(
      await world.call('POST', eventsPath(account), {
        body: { title: 'Kept', start: { dateTime: '2026-03-02T09:00:00Z' } },
      }),
      201,
    );
    const subscriptions = `/v1/calendarSubscriptions/${accountId}`;
    const hook = { calendarId, webhookUrl: 'https://receiver.test/hook' };
    const { webhookSubscriptionId } = body(await world.call('POST', subscriptions, { body: hook }), 201);
    const tokens = body(await world.call('GET', `${eventsPath(account)}?limit=1`));

    await revoke(world, provider, email);
    // A write is the first that needs the provider; the refresh it forces is refused for good.
    const first = await world.call('POST', eventsPath(account), { body: { title: 'x', start: event.start } });
    expectProblem(first, 409, 'InvalidRefreshToken');

    const window = query({ startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z' });
    const one = eventsPath(account, event.id);
    const freeBusy = {
      startDateTime: '2026-03-01T00:00:00Z',
      endDateTime: '2026-03-02T00:00:00Z',
      timeZone: 'UTC',
      calendarIds: [calendarId],
    };
    const closed: readonly (readonly [string, string, unknown?])[] = [
      ['GET', calendarsPath(accountId)],
      ['GET', calendarsPath(accountId, calendarId)],
      ['POST', calendarsPath(accountId), { name: 'New' }],
      ['PUT', calendarsPath(accountId, calendarId), { hexColor: '#112233' }],
      ['DELETE', calendarsPath(accountId, calendarId)],
      ['GET', eventsPath(account)],
      ['GET', `${eventsPath(account)}${query({ syncToken: tokens.nextSyncToken })}`],
      ['GET', one],
      ['GET', `${one}/occurrences${window}`],
      ['GET', `${one}/attachments`],
      ['GET', `${one}/description`],
      ['POST', eventsPath(account), { title: 'New', start: event.start }],
      ['PUT', one, { title: 'Changed' }],
      ['POST', `${one}/rsvp`, { responseStatus: 'accepted' }],
      ['DELETE', one],
      ['POST', `/v1/freeBusy/${accountId}`, freeBusy],
      ['POST', subscriptions, hook],
    ];
    for (const [method, path, sent] of closed) {
      const answer = await world.call(method, path, { body: sent });
      expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 409`);
      expectProblem(answer, 409, 'InvalidRefreshToken');
    }

    const expired = body(await world.call('GET', `/v1/endUserAccounts/${accountId}`));
    expect(endUserAccount(expired)).toBeUndefined();
    expect(expired.status).toBe('EXPIRED');
    const record = body(await world.call('GET', `/v1/endUserAccounts/${accountId}/credentials`));
    expect(credentials(record)).toBeUndefined();
    expect(record.status).toBe('EXPIRED');
    const found = body(
      await world.call('GET', `/v1/endUserAccounts${query({ statusFilter: 'expired', search: email })}`),
    );
    expect(found.data).toEqual([expired]);
    const active = body(
      await world.call('GET', `/v1/endUserAccounts${query({ statusFilter: 'active', search: email })}`),
    );
    expect(active.data).toEqual([]);
    const listed = body(await world.call('GET', subscriptions)).data;
    expect(listed.map(({ id }: Json) => id)).toEqual([webhookSubscriptionId]);

    const again = { email, providerType, refreshToken: world.refreshToken(provider, email) };
    const back = body(await world.call('POST', '/v1/endUserAccounts', { body: again }));
    expect(back).toMatchObject({ id: accountId, status: 'ACTIVE' });
    expect(body(await world.call('GET', `/v1/endUserAccounts/${accountId}/credentials`)).status).toBe('ACTIVE');
    expect(body(await world.call('GET', one)).title).toBe('Kept');
    body(await world.call('GET', `${eventsPath(account)}${query({ syncToken: tokens.nextSyncToken })}`));
  });

  it('lets its subscriptions be deleted, and the account itself', async () => {
    const { accountId, calendarId, email } = await world.connect(provider);
    const subscriptions = `/v1/calendarSubscriptions/${accountId}`;
    const hook = { calendarId, webhookUrl: 'https://receiver.test/hook' };
    const { webhookSubscriptionId } = body(await world.call('POST', subscriptions, { body: hook }), 201);
    await revoke(world, provider, email);
    const write = await world.call('PUT', calendarsPath(accountId, calendarId), { body: { hexColor: '#112233' } });
    expectProblem(write, 409, 'InvalidRefreshToken');
    const sent = { subscriptionId: webhookSubscriptionId };
    expect(body(await world.call('DELETE', subscriptions, { body: sent }))).toEqual({ success: true });
    expect(body(await world.call('GET', subscriptions)).data).toEqual([]);
    expect(body(await world.call('DELETE', `/v1/endUserAccounts/${accountId}`)).ok).toBe(true);
    expectProblem(await world.call('GET', `/v1/endUserAccounts/${accountId}`), 404, 'NotFound');
  });

  it('that expired before its first pull works at once when it is reconnected', async () => {
    const email = `early@${provider}.example`;
    world.sandbox[provider].addMailbox({ email, name: 'Early', timeZone: 'UTC' });
    const connect = () => {
      const sent = { email, providerType, refreshToken: world.refreshToken(provider, email) };
      return world.call('POST', '/v1/endUserAccounts', { body: sent });
    };
    const { id } = body(await connect(), 201);
    await revoke(world, provider, email);
    expectProblem(await world.call('GET', calendarsPath(id)), 409, 'InvalidRefreshToken');
    expect(body(await connect())).toMatchObject({ id, status: 'ACTIVE' });
    expect(body(await world.call('GET', calendarsPath(id))).data).not.toEqual([]);
  });

  it('an access token that died is refreshed in silence', async () => {
    const account = await world.connect(provider);
    world.sandbox[provider].controls['expireAccessTokens']?.({ email: account.email });
    body(
      await world.call('POST', eventsPath(account), {
        body: { title: 'x', start: { dateTime: '2026-03-02T09:00:00Z' } },
      }),
      201,
    );
    expect(body(await world.call('GET', `/v1/endUserAccounts/${account.accountId}`)).status).toBe('ACTIVE');
  });
});
