import { afterAll, beforeAll, expect, it } from 'vitest';
import { failureOf, openComposedEngine } from '../accounts/composed-engine.ts';
import { createWorld, type World } from '../interface/world.ts';

const CALENDAR = 'https://www.googleapis.com/auth/calendar';
const SIGN_IN = ['openid', 'email'];

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** Posts a token of a new mailbox with these scopes. */
function post(scopes: readonly string[]) {
  const email = `person-${scopes.length}@google.example`;
  world.sandbox.google.addMailbox({ email, name: 'Person', timeZone: 'Europe/Berlin' });
  const refreshToken = world.sandbox.google.issueRefreshToken({ email, clientId: 'client', scopes });
  return world.call('POST', '/v1/endUserAccounts', { body: { email, providerType: 'PROVIDER_A', refreshToken } });
}

it.each([
  { without: 'any calendar', scopes: SIGN_IN },
  { without: 'events and the list', scopes: [...SIGN_IN, `${CALENDAR}.freebusy`] },
])('is refused: without $without', async ({ scopes }) => {
  const answer = await post(scopes);
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'InvalidRequest', details: [{ path: 'refreshToken' }] });
  expect(answer.body.detail).toContain(CALENDAR);
  expect((await world.call('GET', '/v1/endUserAccounts')).body.data).toEqual([]);
});

it('is taken when it reads calendars, with less than a sign-in would ask for', async () => {
  const scopes = [...SIGN_IN, `${CALENDAR}.calendarlist.readonly`, `${CALENDAR}.events.readonly`];
  const answer = await post(scopes);
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ authorizedScopes: expect.arrayContaining(scopes.slice(2)) });
});

it('replaces no credentials that work', async () => {
  const { engine, fake, caller, connect } = await openComposedEngine();
  const accountId = await connect();
  const account = await engine.services.accounts.get(caller, accountId);
  fake.grant('narrow', account.email);
  fake.grants.get('narrow')!.scopes = ['openid'];
  const body = { email: account.email, providerType: 'FAKE', refreshToken: 'narrow' };
  const failure = await failureOf(engine.services.accounts.upsert(caller, body));
  expect(failure).toMatchObject({ code: 'InvalidRequest', details: [{ path: 'refreshToken' }] });
  expect(await engine.services.accounts.get(caller, accountId)).toEqual(account);
  expect(await engine.services.accounts.getCredentials(caller, accountId)).toMatchObject({
    refreshToken: `rt-${account.email}`,
  });
});

it('is taken when the provider names no scopes', async () => {
  const { engine, fake, caller } = await openComposedEngine();
  fake.grant('rt', 'ada@example.com');
  fake.grants.get('rt')!.scopes = undefined;
  const body = { email: 'ada@example.com', providerType: 'FAKE', refreshToken: 'rt', authorizedScopes: ['openid'] };
  expect((await engine.services.accounts.upsert(caller, body)).created).toBe(true);
});
