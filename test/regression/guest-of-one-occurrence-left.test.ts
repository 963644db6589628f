import { afterEach, expect, it } from 'vitest';
import { body, eventsPath, query } from '../interface/steps.ts';
import { createWorld, type Json, type World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

it('shows a guest who was taken off a series the one occurrence that the guest is invited to again', async () => {
  world = await createWorld();
  const [guest, organizer] = [await world.connect('google'), await world.connect('google')];
  const meeting = {
    title: 'Weekly',
    start: { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' },
    recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
    attendees: [{ email: guest.email }],
  };
  const { id } = body(await world.call('POST', eventsPath(organizer), { body: meeting }), 201);
  const window = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z' };
  const shown = async (account: typeof guest) => {
    // Asking for an unknown event brings in what is new.
    await world.call('GET', eventsPath(account, 'unknown'));
    const asked = query({ ...window, expandRecurrences: true, orderBy: 'startDateTime' });
    const { data } = body(await world.call('GET', eventsPath(account) + asked));
    return (data as Json[]).map(({ start }) => start.dateTime.slice(8, 10));
  };
  const invite = async (eventId: string, attendees: readonly { readonly email: string }[], scope: string) => {
    const path = eventsPath(organizer, eventId) + query({ scope });
    body(await world.call('PUT', path, { body: { attendees } }));
  };
  expect(await shown(guest)).toEqual(['02', '03', '04', '05', '06']);
  await invite(id, [], 'all');
  await invite(`${id}_20260304T080000Z`, [{ email: guest.email }], 'this');
  expect(await shown(guest)).toEqual(['04']);
  expect(await shown(organizer)).toEqual(['02', '03', '04', '05', '06']);
});
