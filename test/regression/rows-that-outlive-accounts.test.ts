import { expect, it } from 'vitest';
import { runHousekeeping } from '../../src/runtime/index.ts';
import { openComposedEngine } from '../accounts/composed-engine.ts';

const HOUR = 3_600_000;

it('forgets the leases of a deleted account after a day', async () => {
  const composed = await openComposedEngine();
  const accountId = await composed.connect();
  const connected = await composed.engine.access.get(composed.applicationId, accountId);
  const refreshedAt = composed.clock.now();
  const session = composed.engine.access.session(connected);
  await session.accessToken(await session.accessToken());
  const name = `refresh:${accountId}`;
  const stopping = new AbortController();
  const house = runHousekeeping(
    composed.storage,
    { clock: composed.clock, auditKeptMs: 400 * 24 * HOUR, accountMessagesKeptMs: 29 * 24 * HOUR },
    stopping.signal,
  );
  await composed.engine.services.accounts.delete(composed.caller, accountId);
  await composed.clock.advance(2 * HOUR);
  const kept = await composed.storage.leases.claim(name, 1);
  expect(kept?.epoch).toBe(refreshedAt + 2);
  for (let hours = 0; hours < 26; hours += 1) await composed.clock.advance(HOUR);
  const anew = await composed.storage.leases.claim(name, 1);
  expect(anew?.epoch).toBe(composed.clock.now());
  stopping.abort();
  await house;
});

it('forgets used states some time after they have expired', async () => {
  const composed = await openComposedEngine();
  const { usedStates } = composed.storage;
  const { authorization } = composed.engine.services;
  const { location, cookies } = await authorization.begin(composed.applicationId, 'fake', {}, null);
  const state = new URL(location).searchParams.get('state') ?? '';
  await authorization.callback('fake', { state, code: 'none' }, cookies[0]?.split(';')[0] ?? '');
  const stopping = new AbortController();
  const house = runHousekeeping(
    composed.storage,
    { clock: composed.clock, auditKeptMs: 400 * 24 * HOUR, accountMessagesKeptMs: 29 * 24 * HOUR },
    stopping.signal,
  );
  await composed.clock.advance(HOUR);
  expect(await usedStates.purge(Number.MAX_SAFE_INTEGER)).toBe(1);
  await authorization.callback('fake', { state, code: 'none' }, cookies[0]?.split(';')[0] ?? '').catch(() => undefined);
  expect(await usedStates.purge(Number.MAX_SAFE_INTEGER)).toBe(0);
  await usedStates.mark('old', composed.clock.now());
  await composed.clock.advance(2 * HOUR);
  expect(await usedStates.purge(Number.MAX_SAFE_INTEGER)).toBe(0);
  stopping.abort();
  await house;
});
