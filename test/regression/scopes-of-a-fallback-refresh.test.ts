import { expect, it } from 'vitest';
import { openComposedEngine } from '../accounts/composed-engine.ts';

const HOUR_MS = 3_600_000;

it('asks at once for the scopes that an earlier refresh fell back to', async () => {
  const composed = await openComposedEngine();
  const accountId = await composed.connect();
  const scopesOnRecord = async () =>
    (await composed.engine.access.get(composed.applicationId, accountId)).row.authorizedScopes;
  expect(await scopesOnRecord()).toEqual(['calendar']);
  composed.fake.narrowedTo = ['calendar.narrow'];
  composed.fake.askedScopes.length = 0;
  for (let refreshes = 0; refreshes < 2; refreshes += 1) {
    await composed.clock.advance(HOUR_MS);
    const session = composed.engine.access.session(await composed.engine.access.get(composed.applicationId, accountId));
    await session.accessToken();
  }
  expect(composed.fake.askedScopes).toEqual([['calendar'], ['calendar.narrow']]);
  expect(await scopesOnRecord()).toEqual(['calendar.narrow']);
});
