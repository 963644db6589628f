import { afterEach, expect, it } from 'vitest';
import { body, eventsPath } from '../interface/steps.ts';
import { PROVIDERS, type World } from '../interface/world.ts';
import { createInterceptedWorld } from './intercepted-world.ts';

let world: World;
afterEach(() => world.close());

it.each(PROVIDERS)('a title for all is written at $provider over a faster change', async ({ provider }) => {
  const made = await createInterceptedWorld();
  world = made.world;
  const at = await world.connect(provider);
  const start = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' };
  const daily = { title: 'Daily', start, recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] };
  const { id } = body(await world.call('POST', eventsPath(at), { body: daily }), 201);
  const slot = eventsPath(at, `${id}_20260304T080000Z`);
  body(await world.call('PUT', slot, { body: { title: 'Special' } }));
  const [calendar, event] = [encodeURIComponent(at.calendarId), encodeURIComponent(id)];
  let isFaster = true;
  made.network.intercept = async ({ method }, pass) => {
    if (method === 'PATCH' && isFaster) {
      isFaster = false;
      if (provider === 'google') {
        await world.atProvider('google', at.email, 'PATCH', `/calendars/${calendar}/events/${event}`, {
          location: 'Room',
        });
      } else {
        const location = { displayName: 'Room' };
        await world.atProvider('microsoft', at.email, 'PATCH', `/me/calendars/${calendar}/events/${event}`, {
          location,
        });
      }
    }
    return await pass();
  };
  body(await world.call('PUT', `${slot}?scope=all`, { body: { title: 'New' } }));
  expect(body(await world.call('GET', eventsPath(at, id)))).toMatchObject({ title: 'New', location: 'Room' });
  expect(body(await world.call('GET', slot))).toMatchObject({ title: 'New' });
});
