import { expect, it } from 'vitest';
import { type ComposedEngine, failureOf, openComposedEngine } from '../accounts/composed-engine.ts';
import { tokensOf } from '../accounts/tokens-of.ts';

const VICTIM = { email: 'victim@corp.example', providerAccountId: 'tenant-1.person-1' };
const STRANGER = { email: 'Victim@corp.example', providerAccountId: 'tenant-2.person-2' };

async function signIn(
  composed: ComposedEngine,
  identity: typeof VICTIM,
  refreshToken: string,
  query: Record<string, string> = {},
) {
  const { authorization } = composed.engine.services;
  const { location, cookies } = await authorization.begin(composed.applicationId, 'fake', query, null);
  const state = new URL(location).searchParams.get('state') ?? '';
  composed.fake.codes.set('code', { refreshToken, identity });
  const back = await authorization.callback('fake', { state, code: 'code' }, cookies[0]?.split(';')[0] ?? '');
  return Object.fromEntries(new URL(back.location).searchParams);
}

it('gives no account to another person who claims its address', async () => {
  const composed = await openComposedEngine();
  const { accounts } = composed.engine.services;
  const { endUserAccountId: id = '' } = await signIn(composed, VICTIM, 'rt-victim');
  const stolen = await signIn(composed, STRANGER, 'rt-stranger', { loginHint: VICTIM.email });
  expect(stolen['error']).toBe('account_conflict');
  expect(stolen).not.toHaveProperty('endUserAccountId');

  composed.fake.grant('rt-stranger', STRANGER.email, STRANGER.providerAccountId);
  const posted = accounts.upsert(composed.caller, {
    email: VICTIM.email,
    providerType: 'FAKE',
    refreshToken: 'rt-stranger',
  });
  expect(await failureOf(posted)).toMatchObject({ code: 'Conflict', message: expect.stringMatching(/another person/) });
  expect((await tokensOf(accounts.getCredentials(composed.caller, id))).refreshToken).toBe('rt-victim');

  const again = await signIn(composed, { ...VICTIM, email: 'renamed@corp.example' }, 'rt-renamed');
  expect(again['endUserAccountId']).toBe(id);
});

it('joins an account whose person is not known yet by its address', async () => {
  const composed = await openComposedEngine();
  composed.fake.grant('rt-1', VICTIM.email, null);
  const body = { email: VICTIM.email, providerType: 'FAKE', refreshToken: 'rt-1' };
  const { account } = await composed.engine.services.accounts.upsert(composed.caller, body);
  expect((await signIn(composed, VICTIM, 'rt-2'))['endUserAccountId']).toBe(account.id);
  expect((await signIn(composed, STRANGER, 'rt-3'))['error']).toBe('account_conflict');
});
