import { manualClock } from '@kalends/conformance';
import { createHandler } from '@kalends/http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../interface/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

it('allows the burst, then the rate, and says on every answer what is left', async () => {
  const clock = manualClock();
  const handler = createHandler(world.engine, { rateLimit: { perSecond: 2, burst: 3 }, clock });
  const ask = (path: string) =>
    handler(new Request(`http://kalends.test${path}`, { headers: { 'x-api-key': world.apiKey } }));

  const first = await ask('/v1/endUserAccounts');
  expect(first.status).toBe(200);
  expect(first.headers.get('ratelimit-policy')).toBe('"api-key";q=3;w=2');
  expect(first.headers.get('ratelimit')).toBe('"api-key";r=2;t=1');
  const failed = await ask('/v1/endUserAccounts/acc_nobody');
  expect([failed.status, failed.headers.get('ratelimit')]).toEqual([404, '"api-key";r=1;t=1']);
  await ask('/v1/endUserAccounts');

  const refused = await ask('/v1/endUserAccounts');
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.headers.get('ratelimit')).toBe('"api-key";r=0;t=2');
  expect(((await refused.json()) as { code: string }).code).toBe('RateLimited');

  await clock.advance(500);
  expect((await ask('/v1/endUserAccounts')).status).toBe(200);
  expect((await ask('/v1/endUserAccounts')).status).toBe(429);
});

it('counts each key by itself, and no request without a key', async () => {
  const handler = createHandler(world.engine, { rateLimit: { perSecond: 1, burst: 1 }, clock: manualClock() });
  const { key } = await world.engine.apiKeys.create(world.applicationId, { name: 'Other', expiresAt: null });
  const ask = async (apiKey: string | null, path = '/v1/endUserAccounts') => {
    const headers = apiKey === null ? undefined : { 'x-api-key': apiKey };
    return (await handler(new Request(`http://kalends.test${path}`, headers === undefined ? {} : { headers }))).status;
  };
  expect([await ask(world.apiKey), await ask(world.apiKey), await ask(key), await ask(key)]).toEqual([
    200, 429, 200, 429,
  ]);
  expect([await ask(null, '/v1/openapi.json'), await ask(null, '/v1/openapi.json')]).toEqual([200, 200]);
});
