import { sqlite } from '@kalends/sqlite';
import { expect, it } from 'vitest';
import { type ComposedEngine, failureOf, openComposedEngine } from '../accounts/composed-engine.ts';
import { tokensOf } from '../accounts/tokens-of.ts';
import { eventsPath } from '../interface/steps.ts';
import { PROVIDERS } from '../interface/world.ts';
import { createInterceptedWorld, gate } from './intercepted-world.ts';

it.each(PROVIDERS)('stops while the token endpoint of $provider hangs', async ({ provider }) => {
  const { world, network } = await createInterceptedWorld({
    storage: sqlite({ path: ':memory:' }),
    sync: { freshWithPushMs: 1, freshWithoutPushMs: 1, readWaitMs: 50 },
  });
  const connected = await world.connect(provider);
  await world.call('GET', eventsPath(connected));
  world.sandbox[provider].controls['expireAccessTokens']?.({ email: connected.email });
  const aborted = gate();
  let isReached = false;
  network.intercept = async (request, pass) => {
    if (!new URL(request.url).pathname.endsWith('/token')) return pass();
    isReached = true;
    await new Promise((_resolve, reject) => {
      request.signal.addEventListener('abort', () => {
        aborted.open();
        reject(request.signal.reason);
      });
    });
    return pass();
  };
  // A read may still join a pull that began with the old token.
  while (!isReached) await world.call('GET', eventsPath(connected));
  await world.close();
  // By our signal, long before the time limit of the request.
  await aborted.opened;
});

/** Refreshes wait for `until`; resolves when one does. */
function holdRefresh(composed: ComposedEngine, until: Promise<void>): Promise<void> {
  const reached = gate();
  Object.defineProperty(composed.fake, 'refreshGate', {
    configurable: true,
    get: () => {
      reached.open();
      return until;
    },
  });
  return reached.opened;
}

it('waits a moment for a refresh under way, stores what it brings, and gives up one that hangs', async () => {
  const composed = await openComposedEngine();
  composed.fake.rotates = true;
  const accountId = await composed.connect();
  const { access, renewals, services } = composed.engine;
  const session = access.session(await access.get(composed.applicationId, accountId));
  const first = await session.accessToken();
  const answer = gate();
  const reached = holdRefresh(composed, answer.opened);
  const refreshed = session.accessToken(first);
  await reached;
  const stopped = renewals.stop();
  answer.open();
  await stopped;
  const next = await refreshed;
  expect(next).not.toBe(first);
  expect((await tokensOf(services.accounts.getCredentials(composed.caller, accountId))).accessToken).toBe(next);

  const other = composed.process();
  const hangs = holdRefresh(composed, gate().opened);
  const hanging = other.access.session(await other.access.get(composed.applicationId, accountId)).accessToken(next);
  const failure = failureOf(hanging);
  await hangs;
  const givenUp = other.renewals.stop();
  await composed.clock.advance(2_000);
  await givenUp;
  expect(await failure).toMatchObject({ reason: 'unavailable' });
});
