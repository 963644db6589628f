import { afterEach, expect, it } from 'vitest';
import { calendarsPath } from '../interface/steps.ts';
import type { World } from '../interface/world.ts';
import { createInterceptedWorld } from './intercepted-world.ts';

let world: World;
afterEach(() => world.close());

const down = async () => new Response('{}', { status: 503, headers: { 'retry-after': '600' } });

it('shows what the provider made of an update that failed half-way', async () => {
  const intercepted = await createInterceptedWorld();
  world = intercepted.world;
  const { accountId } = await world.connect('google');
  const { body: calendar } = await world.call('POST', calendarsPath(accountId), { body: { name: 'before' } });
  const path = calendarsPath(accountId, calendar.id);
  intercepted.network.intercept = (request, pass) =>
    request.method === 'PATCH' && request.url.includes('/calendarList/') ? down() : pass();
  const put = await world.call('PUT', path, { body: { name: 'after', hexColor: '#112233' } });
  expect(put.status).toBe(503);
  expect((await world.call('GET', path)).body.name).toBe('after');
});

it('lists a calendar whose creation failed half-way and could not be taken back', async () => {
  const intercepted = await createInterceptedWorld();
  world = intercepted.world;
  const { accountId } = await world.connect('google');
  intercepted.network.intercept = (request, pass) =>
    request.method === 'DELETE' || (request.method === 'PATCH' && request.url.includes('/calendarList/'))
      ? down()
      : pass();
  const made = await world.call('POST', calendarsPath(accountId), { body: { name: 'half', hexColor: '#112233' } });
  expect(made.status).toBe(503);
  const { body } = await world.call('GET', calendarsPath(accountId));
  expect(body.data.map(({ name }: { name: string }) => name)).toContain('half');
});

it('keeps both halves of an update whose last answer cannot be read', async () => {
  const intercepted = await createInterceptedWorld();
  world = intercepted.world;
  const { accountId } = await world.connect('google');
  const { body: calendar } = await world.call('POST', calendarsPath(accountId), { body: { name: 'before' } });
  const path = calendarsPath(accountId, calendar.id);
  intercepted.network.intercept = async (request, pass) => {
    const answer = await pass();
    return request.method === 'PATCH' && request.url.includes('/calendarList/') ? Response.json({ id: 7 }) : answer;
  };
  expect((await world.call('PUT', path, { body: { name: 'after', hexColor: '#112233' } })).status).toBe(502);
  expect((await world.call('GET', path)).body).toMatchObject({ name: 'after', hexColor: '#112233' });
});

it.each(['google', 'microsoft'] as const)('shows an update at %s whose answer was lost', async (provider) => {
  const intercepted = await createInterceptedWorld();
  world = intercepted.world;
  const { accountId } = await world.connect(provider);
  const { body: calendar } = await world.call('POST', calendarsPath(accountId), { body: { name: 'before' } });
  const path = calendarsPath(accountId, calendar.id);
  intercepted.network.intercept = async (request, pass) => {
    const answer = await pass();
    return request.method === 'PATCH' ? down() : answer;
  };
  expect((await world.call('PUT', path, { body: { name: 'after' } })).status).toBe(503);
  expect((await world.call('GET', path)).body.name).toBe('after');
});
