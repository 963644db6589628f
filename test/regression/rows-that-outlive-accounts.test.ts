import { expect, it } from 'vitest';
import { runHousekeeping } from '../../src/runtime/index.ts';
import { openRoom } from '../accounts/room.ts';

const HOUR = 3_600_000;

it('forgets the leases of a deleted account after a day', async () => {
  const room = await openRoom();
  const accountId = await room.connect();
  const connected = await room.rooms.access.get(room.applicationId, accountId);
  const refreshedAt = room.clock.now();
  const session = room.rooms.access.session(connected);
  await session.accessToken(await session.accessToken());
  const name = `refresh:${accountId}`;
  const stopping = new AbortController();
  const house = runHousekeeping(room.storage, room.clock, stopping.signal);
  await room.rooms.services.accounts.delete(room.caller, accountId);
  await room.clock.advance(2 * HOUR);
  const kept = await room.storage.leases.claim(name, 1);
  expect(kept?.epoch).toBe(refreshedAt + 2);
  for (let hours = 0; hours < 26; hours += 1) await room.clock.advance(HOUR);
  const anew = await room.storage.leases.claim(name, 1);
  expect(anew?.epoch).toBe(room.clock.now());
  stopping.abort();
  await house;
});

it('forgets used states some time after they have expired', async () => {
  const room = await openRoom();
  const { usedStates } = room.storage;
  const { authorization } = room.rooms.services;
  const { location, cookies } = await authorization.begin(room.applicationId, 'fake', {}, null);
  const state = new URL(location).searchParams.get('state') ?? '';
  await authorization.callback('fake', { state, code: 'none' }, cookies[0]?.split(';')[0] ?? '');
  const stopping = new AbortController();
  const house = runHousekeeping(room.storage, room.clock, stopping.signal);
  await room.clock.advance(HOUR);
  expect(await usedStates.purge(Number.MAX_SAFE_INTEGER)).toBe(1);
  await authorization.callback('fake', { state, code: 'none' }, cookies[0]?.split(';')[0] ?? '').catch(() => undefined);
  expect(await usedStates.purge(Number.MAX_SAFE_INTEGER)).toBe(0);
  await usedStates.mark('old', room.clock.now());
  await room.clock.advance(2 * HOUR);
  expect(await usedStates.purge(Number.MAX_SAFE_INTEGER)).toBe(0);
  stopping.abort();
  await house;
});
