import { afterEach, expect, it } from 'vitest';
import { eventsPath, expectProblem } from '../interface/steps.ts';
import { createWorld, PROVIDERS, type World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

it.each(PROVIDERS)('$provider: a PUT that cancels an occurrence and changes it is refused whole', async (place) => {
  world = await createWorld();
  const at = await world.connect(place.provider);
  const sent = { title: 's', start: { dateTime: '2026-03-01T09:00:00Z' }, recurrence: ['FREQ=DAILY;COUNT=3'] };
  const series = (await world.call('POST', eventsPath(at), { body: sent })).body;
  const path = eventsPath(at, `${series.id}_20260302T090000Z`);
  const both = { isCancelled: true, title: 'lost' };
  expectProblem(await world.call('PUT', path, { body: both }), 400, 'InvalidRequest', 'title');
  const shown = (await world.call('GET', path)).body;
  expect(shown).toMatchObject({ isCancelled: false, title: 's' });
  // A body sent back as it was read is no change.
  expect((await world.call('PUT', path, { body: { ...shown, isCancelled: true } })).status).toBe(200);
  expect((await world.call('GET', path)).body.isCancelled).toBe(true);
});
