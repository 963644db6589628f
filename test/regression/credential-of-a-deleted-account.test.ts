import { expect, it } from 'vitest';
import { failureOf, openComposedEngine } from '../accounts/composed-engine.ts';

const MINUTE_MS = 60_000;

it('ends a long operation soon after its account is deleted, though its access token still works', async () => {
  const composed = await openComposedEngine();
  const accountId = await composed.connect();
  const session = composed.engine.access.session(await composed.engine.access.get(composed.applicationId, accountId));
  await session.accessToken();
  await composed.engine.services.accounts.delete(composed.caller, accountId);
  await composed.clock.advance(MINUTE_MS);
  expect(await failureOf(session.accessToken())).toMatchObject({ code: 'NotFound' });
});

it('goes on in a long operation with the credential of a reconnect', async () => {
  const composed = await openComposedEngine();
  const accountId = await composed.connect();
  const session = composed.engine.access.session(await composed.engine.access.get(composed.applicationId, accountId));
  const before = await session.accessToken();
  await composed.connect();
  await composed.clock.advance(MINUTE_MS);
  expect(await session.accessToken()).not.toBe(before);
});
