import { expect, it } from 'vitest';
import { type ComposedEngine, failureOf, openComposedEngine } from '../accounts/composed-engine.ts';
import { tokensOf } from '../accounts/tokens-of.ts';

const VICTIM = { email: 'victim@corp.example', providerAccountId: 'person-1' };
/** An account at the provider that was made with the victim's address, without a confirmation. */
const ATTACKER = { email: 'Victim@corp.example', providerAccountId: 'person-2', isEmailVerified: false };

async function signIn(
  composed: ComposedEngine,
  identity: typeof VICTIM & { readonly isEmailVerified?: boolean },
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

/** The one account of the application, with its tokens. */
async function onlyAccount({ engine, caller }: ComposedEngine) {
  const { data } = await engine.services.accounts.list(caller, {});
  expect(data).toHaveLength(1);
  const [account] = data;
  const { refreshToken } = await tokensOf(engine.services.accounts.getCredentials(caller, account!.id));
  return { ...account!, refreshToken };
}

it.each([
  ['known', VICTIM.providerAccountId],
  ['not known yet', null],
])('an unconfirmed address takes no account whose person is %s', async (_, providerAccountId) => {
  const composed = await openComposedEngine();
  composed.fake.grant('rt-victim', VICTIM.email, providerAccountId);
  const body = { email: VICTIM.email, providerType: 'FAKE', refreshToken: 'rt-victim' };
  await composed.engine.services.accounts.upsert(composed.caller, body);
  const before = await onlyAccount(composed);
  expect((await signIn(composed, ATTACKER, 'rt-attacker'))['error']).toBe('account_conflict');

  // The same by the application, which the attacker has given a refresh token.
  composed.fake.grant('rt-attacker', ATTACKER.email, ATTACKER.providerAccountId, false);
  const posted = composed.engine.services.accounts.upsert(composed.caller, { ...body, refreshToken: 'rt-attacker' });
  expect(await failureOf(posted)).toMatchObject({ code: 'Conflict', message: expect.stringMatching(/does not vouch/) });
  expect(await onlyAccount(composed)).toEqual(before);
  expect(before.refreshToken).toBe('rt-victim');
});

it('an unconfirmed address proves no loginHint', async () => {
  const composed = await openComposedEngine();
  const hinted = await signIn(composed, ATTACKER, 'rt-attacker', { loginHint: VICTIM.email });
  expect(hinted['error']).toBe('login_hint_mismatch');
  expect((await composed.engine.services.accounts.list(composed.caller, {})).data).toEqual([]);
});

it('a person is known again by the id alone, and keeps the address that was proven', async () => {
  const composed = await openComposedEngine();
  const own = { email: 'own@people.example', providerAccountId: ATTACKER.providerAccountId };
  const { endUserAccountId: id } = await signIn(composed, own, 'rt-1');
  expect((await signIn(composed, ATTACKER, 'rt-2'))['endUserAccountId']).toBe(id);
  expect(await onlyAccount(composed)).toMatchObject({ id, email: own.email, refreshToken: 'rt-2' });
  expect((await signIn(composed, ATTACKER, 'rt-3', { loginHint: VICTIM.email }))['error']).toBe('login_hint_mismatch');
  expect((await signIn(composed, ATTACKER, 'rt-4', { loginHint: own.email }))['endUserAccountId']).toBe(id);
});

it('a person with an unconfirmed address is connected under the id, and keeps no one else from theirs', async () => {
  const composed = await openComposedEngine();
  const { endUserAccountId: id } = await signIn(composed, ATTACKER, 'rt-1');
  expect(id).toMatch(/^acc_/);
  expect((await signIn(composed, ATTACKER, 'rt-2'))['endUserAccountId']).toBe(id);
  const third = { ...ATTACKER, providerAccountId: 'person-3' };
  const { endUserAccountId: thirdId } = await signIn(composed, third, 'rt-third');
  const { endUserAccountId: owner } = await signIn(composed, VICTIM, 'rt-victim', { loginHint: VICTIM.email });
  expect(new Set([id, thirdId, owner]).size).toBe(3);
  expect((await signIn(composed, VICTIM, 'rt-again'))['endUserAccountId']).toBe(owner);
  expect((await signIn(composed, ATTACKER, 'rt-3'))['endUserAccountId']).toBe(id);

  // From now on the address is the owner's.
  const fourth = { ...ATTACKER, providerAccountId: 'person-4' };
  expect((await signIn(composed, fourth, 'rt-fourth'))['error']).toBe('account_conflict');
  const confirmed = { ...ATTACKER, isEmailVerified: true };
  expect((await signIn(composed, confirmed, 'rt-4'))['error']).toBe('account_conflict');
});

it('a person whose address is confirmed later has it alone from then on', async () => {
  const composed = await openComposedEngine();
  const { endUserAccountId: id } = await signIn(composed, ATTACKER, 'rt-1');
  const confirmed = { ...ATTACKER, isEmailVerified: true };
  expect((await signIn(composed, confirmed, 'rt-2'))['endUserAccountId']).toBe(id);
  expect((await signIn(composed, VICTIM, 'rt-victim'))['error']).toBe('account_conflict');
  // Nor does the claim of another address, or of another person, take it from them.
  const elsewhere = { ...ATTACKER, email: 'other@corp.example' };
  expect((await signIn(composed, elsewhere, 'rt-3'))['endUserAccountId']).toBe(id);
  const third = { ...ATTACKER, providerAccountId: 'person-3' };
  expect((await signIn(composed, third, 'rt-third'))['error']).toBe('account_conflict');
  expect((await signIn(composed, VICTIM, 'rt-victim'))['error']).toBe('account_conflict');
});

it('an address that 0.1.0 has stored without its mark keeps the owner out until the person with it is connected again', async () => {
  const composed = await openComposedEngine();
  const { accounts } = composed.storage;
  const { endUserAccountId: id = '' } = await signIn(composed, ATTACKER, 'rt-1');
  // 0.1.0 knows no mark, and takes that of a later version off.
  const { isEmailVerified: _, ...row } = (await accounts.find(composed.applicationId, id))!;
  const credential = (await accounts.findCredential(composed.applicationId, id))!;
  expect(await accounts.save(row, credential)).toBe(true);
  expect((await signIn(composed, VICTIM, 'rt-victim'))['error']).toBe('account_conflict');

  expect((await signIn(composed, ATTACKER, 'rt-3'))['endUserAccountId']).toBe(id);
  const { endUserAccountId: owner } = await signIn(composed, VICTIM, 'rt-victim');
  expect(owner).toMatch(/^acc_/);
  expect(owner).not.toBe(id);
});

it('a refresh token whose person is not named joins no account that an unconfirmed address has made', async () => {
  const composed = await openComposedEngine();
  const { endUserAccountId: id } = await signIn(composed, ATTACKER, 'rt-1');
  composed.fake.grant('rt-victim', VICTIM.email, null);
  const body = { email: VICTIM.email, providerType: 'FAKE', refreshToken: 'rt-victim' };
  const { account } = await composed.engine.services.accounts.upsert(composed.caller, body);
  expect(account.id).not.toBe(id);
});
