import { afterEach, expect, it } from 'vitest';
import { body, eventsPath, query } from '../interface/steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

it.each(PROVIDERS)('shows a declined day at $provider no more when its series has ended before', async ({
  provider,
}) => {
  world = await createWorld();
  const [guest, organizer] = [await world.connect(provider), await world.connect(provider)];
  const start = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' };
  const meeting = {
    title: 'Old',
    start,
    recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
    attendees: [{ email: guest.email }],
  };
  const { id } = body(await world.call('POST', eventsPath(organizer), { body: meeting }), 201);
  const window = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z' };
  const list = async () => {
    // Asking for an unknown event brings in what is new.
    await world.call('GET', eventsPath(guest, 'unknown'));
    const asked = query({ ...window, expandRecurrences: true, orderBy: 'startDateTime' });
    return body(await world.call('GET', eventsPath(guest) + asked)).data as Json[];
  };
  const shown = async () => (await list()).map((event) => `${event.start.dateTime.slice(8, 10)} ${event.title}`);
  const [, , third] = await list();
  body(await world.call('PUT', eventsPath(guest, third.id), { body: { myResponseStatus: 'declined' } }));
  expect(await shown()).toEqual(['02 Old', '03 Old', '04 Old', '05 Old', '06 Old']);
  const split = eventsPath(organizer, `${id}_20260304T080000Z`) + query({ scope: 'following' });
  body(await world.call('PUT', split, { body: { title: 'New' } }));
  expect(await shown()).toEqual(['02 Old', '03 Old', '04 New', '05 New', '06 New']);
});
