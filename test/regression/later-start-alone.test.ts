import { afterEach, expect, it } from 'vitest';
import { eventsPath, expectProblem } from '../interface/steps.ts';
import { createWorld, type World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

it('asks for the end too when the start alone moves past the end', async () => {
  world = await createWorld();
  const at = await world.connect('google');
  const put = async (body: object, start: string) => {
    const created = await world.call('POST', eventsPath(at), { body });
    return await world.call('PUT', eventsPath(at, created.body.id), { body: { start: { dateTime: start } } });
  };
  const timed = await put({ title: 'x', start: { dateTime: '2026-03-01T09:00:00Z' } }, '2026-03-02T09:00:00Z');
  expectProblem(timed, 400, 'InvalidRequest', 'end');
  expect(timed.body.detail).toMatch(/^end: .*2026-03-01T11:00:00\+01:00.*send end too/);

  const days = await put({ title: 'x', isAllDay: true, start: { dateTime: '2026-03-01' } }, '2026-03-02');
  expectProblem(days, 400, 'InvalidRequest', 'end');
  expect(days.body.detail).toMatch(/^end: .*2026-03-02.*send end too/);
});

it('says nothing of that where the end was sent', async () => {
  world = await createWorld();
  const at = await world.connect('google');
  const body = { title: 'x', start: { dateTime: '2026-03-01T09:00:00Z' }, end: { dateTime: '2026-03-01T08:00:00Z' } };
  expect((await world.call('POST', eventsPath(at), { body })).body.detail).toBe('end: must not be before start');
});
