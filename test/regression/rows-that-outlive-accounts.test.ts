import { expect, it } from 'vitest';
import { keepHouse } from '../../src/runtime/index.ts';
import { failureOf, openRoom } from '../accounts/room.ts';

const HOUR = 3_600_000;

it('forgets the leases of a deleted account after a day', async () => {
  const room = await openRoom();
  const accountId = await room.connect();
  const connected = await room.rooms.access.get(room.applicationId, accountId);
  const session = room.rooms.access.session(connected);
  await session.accessToken(await session.accessToken());
  const name = `refresh:${accountId}`;
  const stopping = new AbortController();
  const house = keepHouse(room.storage, room.clock, stopping.signal);
  await room.rooms.services.accounts.delete(room.caller, accountId);
  await room.clock.advance(2 * HOUR);
  const claimed = await room.storage.leases.claim(name, 1);
  expect(claimed).toEqual({ epoch: 2 });
  for (let hours = 0; hours < 26; hours += 1) await room.clock.advance(HOUR);
  expect(await room.storage.leases.claim(name, 1)).toEqual({ epoch: 1 });
  stopping.abort();
  await house;
});

it('keeps no more than some thousand authorizations of one application', async () => {
  const room = await openRoom();
  const { applications } = room.storage;
  const { authorization } = room.rooms.services;
  const begin = async () => {
    const { location, cookies } = await authorization.begin(room.applicationId, 'fake', {});
    const state = new URL(location).searchParams.get('state') ?? '';
    return () => authorization.callback('fake', { state, code: 'none' }, cookies[0]?.split(';')[0] ?? '');
  };
  const oldest = await begin();
  await room.clock.advance(1);
  for (let index = 0; index < 5_000; index += 1) {
    await applications.createAuthorization({
      stateHash: `s${index}`,
      applicationId: room.applicationId,
      providerType: 'FAKE',
      redirectUrl: 'https://app.example/',
      state: null,
      loginHint: null,
      externalId: null,
      cookieHash: '',
      wrappedKey: '',
      sealedVerifier: '',
      nonce: '',
      expiresAt: room.clock.now() + 15 * 60_000,
    });
  }
  const newest = await begin();
  expect(await failureOf(oldest())).toMatchObject({ code: 'InvalidRequest', details: [{ path: 'state' }] });
  expect((await newest()).location).toContain('error=invalid_grant');
});
