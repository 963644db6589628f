import { afterEach, expect, it } from 'vitest';
import { eventsPath, expectProblem } from '../interface/steps.ts';
import type { Json, World } from '../interface/world.ts';
import { createInterceptedWorld } from './intercepted-world.ts';

let world: World;
afterEach(() => world.close());

it.each([
  'PUT',
  'DELETE',
])('Google: %s with If-Match of an occurrence that becomes an exception before it arrives is 412', async (method) => {
  const intercepted = await createInterceptedWorld();
  world = intercepted.world;
  const at = await world.connect('google');
  const sent = { title: 's', start: { dateTime: '2026-03-01T09:00:00Z' }, recurrence: ['FREQ=DAILY;COUNT=5'] };
  const series = (await world.call('POST', eventsPath(at), { body: sent })).body;
  const path = eventsPath(at, `${series.id}_20260302T090000Z`);
  const { etag } = (await world.call('GET', path)).body as Json;
  let isDone = false;
  intercepted.network.intercept = async (request, pass) => {
    const isWrite = request.method === 'PATCH' || request.method === 'DELETE';
    if (isWrite && !isDone) {
      isDone = true;
      const instance = new URL(request.url).pathname.split('/').pop();
      const change = { summary: 'theirs' };
      await world.atProvider('google', at.email, 'PATCH', `/calendars/primary/events/${instance}`, change);
    }
    return await pass();
  };
  const body = method === 'PUT' ? { body: { title: 'ours' } } : {};
  expectProblem(await world.call(method, path, { headers: { 'if-match': etag }, ...body }), 412, 'PreconditionFailed');
  expect(isDone).toBe(true);
  expect((await world.call('GET', path)).body).toMatchObject({ title: 'theirs', isCancelled: false });
});

it.each([
  'PUT',
  'DELETE',
])('Graph: %s with If-Match of an occurrence that becomes an exception before it arrives is 412', async (method) => {
  const intercepted = await createInterceptedWorld();
  world = intercepted.world;
  const at = await world.connect('microsoft');
  const sent = { title: 's', start: { dateTime: '2026-03-01T09:00:00Z' }, recurrence: ['FREQ=DAILY;COUNT=5'] };
  const series = (await world.call('POST', eventsPath(at), { body: sent })).body;
  const path = eventsPath(at, `${series.id}_20260302T090000Z`);
  const { etag } = (await world.call('GET', path)).body as Json;
  let isDone = false;
  intercepted.network.intercept = async (request, pass) => {
    const isWrite = request.method === 'PATCH' || request.method === 'DELETE';
    if (isWrite && !isDone) {
      isDone = true;
      const instance = new URL(request.url).pathname.split('/').pop();
      await world.atProvider('microsoft', at.email, 'PATCH', `/me/events/${instance}`, { subject: 'theirs' });
    }
    return await pass();
  };
  const body = method === 'PUT' ? { body: { title: 'ours' } } : {};
  expectProblem(await world.call(method, path, { headers: { 'if-match': etag }, ...body }), 412, 'PreconditionFailed');
  expect(isDone).toBe(true);
  expect((await world.call('GET', path)).body).toMatchObject({ title: 'theirs', isCancelled: false });
});

it('Graph: a write with If-Match of an occurrence that became an exception behind the look at its series is 412', async () => {
  const intercepted = await createInterceptedWorld();
  world = intercepted.world;
  const at = await world.connect('microsoft');
  const sent = { title: 's', start: { dateTime: '2026-03-01T09:00:00Z' }, recurrence: ['FREQ=DAILY;COUNT=5'] };
  const series = (await world.call('POST', eventsPath(at), { body: sent })).body;
  const path = eventsPath(at, `${series.id}_20260302T090000Z`);
  const { etag } = (await world.call('GET', path)).body as Json;
  let isDone = false;
  intercepted.network.intercept = async (request, pass) => {
    if (request.url.includes('/instances') && !isDone) {
      isDone = true;
      const answer = await pass();
      const { value } = (await answer.clone().json()) as { value: { id: string; start: { dateTime: string } }[] };
      const { id } = value.find(({ start }) => start.dateTime.startsWith('2026-03-02'))!;
      await world.atProvider('microsoft', at.email, 'PATCH', `/me/events/${id}`, { subject: 'theirs' });
    }
    return await pass();
  };
  const answer = await world.call('PUT', path, { headers: { 'if-match': etag }, body: { title: 'ours' } });
  expectProblem(answer, 412, 'PreconditionFailed');
  expect(isDone).toBe(true);
  expect((await world.call('GET', path)).body).toMatchObject({ title: 'theirs', isCancelled: false });
});
