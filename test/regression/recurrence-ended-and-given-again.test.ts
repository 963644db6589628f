import { afterEach, expect, it } from 'vitest';
import { body, eventsPath, query, readAll } from '../interface/steps.ts';
import { createWorld, PROVIDERS, type World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

/** Google cancels the changed occurrences of a series that ends, and still has them when the event recurs again. */
it.each(PROVIDERS)('$provider: an event that recurs again has all of its occurrences', async ({ provider }) => {
  world = await createWorld();
  const at = await world.connect(provider);
  const point = (time: string) => ({ dateTime: `2026-03-24T${time}`, timeZone: 'Europe/London' });
  const recurrence = ['RRULE:FREQ=DAILY;COUNT=4'];
  const sent = { title: 's', start: point('07:30:00'), end: point('08:30:00'), recurrence };
  const { id } = body(await world.call('POST', eventsPath(at), { body: sent }), 201);
  const put = async (key: string, change: object) =>
    body(await world.call('PUT', eventsPath(at, `${id}${key}`), { body: change }));
  await put('_20260325T073000Z', { location: 'X' });
  await put('_20260326T073000Z', { location: 'Y' });
  await put('', { recurrence: null });
  expect(await put('', { recurrence, title: 'new' })).toMatchObject({ id, recurrence, title: 'new' });
  const window = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-05-01T00:00:00Z' };
  const list = eventsPath(at) + query({ expandRecurrences: true, isCancelled: true, ...window });
  const shown = (await readAll(world, list)).data.map(
    ({ start, title, location, isCancelled }) => `${start.dateTime.slice(8, 16)} ${title}${location} ${isCancelled}`,
  );
  expect(shown.sort()).toEqual(['24', '25', '26', '27'].map((day) => `${day}T07:30 new false`));
});

it('google: another change leaves cancelled what a person has cancelled meanwhile', async () => {
  world = await createWorld({}, { background: false });
  const at = await world.connect('google');
  const point = (time: string) => ({ dateTime: `2026-03-24T${time}`, timeZone: 'Europe/London' });
  const sent = { title: 's', start: point('07:30:00'), end: point('08:30:00') };
  const { id } = body(await world.call('POST', eventsPath(at), { body: sent }), 201);
  const path = `/calendars/${encodeURIComponent(at.email)}/events/${id}`;
  await world.atProvider('google', at.email, 'PATCH', path, { recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] });
  await world.atProvider('google', at.email, 'DELETE', `${path}_20260325T073000Z`);
  body(await world.call('PUT', eventsPath(at, id), { body: { title: 'new' } }));
  expect(await world.atProvider('google', at.email, 'GET', `${path}_20260325T073000Z`)).toMatchObject({
    status: 'cancelled',
  });
});
