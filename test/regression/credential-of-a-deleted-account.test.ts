import { expect, it } from 'vitest';
import { failureOf, openRoom } from '../accounts/room.ts';

const MINUTE_MS = 60_000;

it('ends a long operation soon after its account is deleted, though its access token still works', async () => {
  const room = await openRoom();
  const accountId = await room.connect();
  const session = room.rooms.access.session(await room.rooms.access.get(room.applicationId, accountId));
  await session.accessToken();
  await room.rooms.services.accounts.delete(room.caller, accountId);
  await room.clock.advance(MINUTE_MS);
  expect(await failureOf(session.accessToken())).toMatchObject({ code: 'NotFound' });
});

it('goes on in a long operation with the credential of a reconnect', async () => {
  const room = await openRoom();
  const accountId = await room.connect();
  const session = room.rooms.access.session(await room.rooms.access.get(room.applicationId, accountId));
  const before = await session.accessToken();
  await room.connect();
  await room.clock.advance(MINUTE_MS);
  expect(await session.accessToken()).not.toBe(before);
});
