import { afterEach, expect, it } from 'vitest';
import { eventsPath } from '../interface/steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

it.each(PROVIDERS)('$provider: a cancelled day stays cancelled when its series gets times of day', async (place) => {
  world = await createWorld();
  const { provider } = place;
  const at = await world.connect(provider);
  const sent = { title: 's', isAllDay: true, start: { dateTime: '2026-03-02' }, recurrence: ['FREQ=DAILY;COUNT=5'] };
  const series = (await world.call('POST', eventsPath(at), { body: sent })).body;
  await world.call('DELETE', eventsPath(at, `${series.id}_20260304`));
  const times = {
    isAllDay: false,
    start: { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' },
    end: { dateTime: '2026-03-02T10:00:00', timeZone: 'Europe/Berlin' },
  };
  expect((await world.call('PUT', eventsPath(at, series.id), { body: times })).status).toBe(200);
  const query = 'startDateTime=2026-03-01T00:00:00Z&endDateTime=2026-03-10T00:00:00Z';
  const { data } = (await world.call('GET', `${eventsPath(at, series.id)}/occurrences?${query}`)).body;
  const days = data.map(({ start }: Json) => start.dateTime.slice(8, 13)).sort();
  expect(days).toEqual(['02T09', '03T09', '05T09', '06T09']);
  const range = 'timeMin=2026-03-01T00:00:00Z&timeMax=2026-03-10T00:00:00Z';
  const [path, list] =
    provider === 'google'
      ? [`/calendars/${encodeURIComponent(at.calendarId)}/events?singleEvents=true&${range}`, 'items']
      : [`/me/calendarView?${query}`, 'value'];
  const there = (await world.atProvider(provider, at.email, 'GET', path))[list];
  expect(there.map(({ start }: Json) => start.dateTime.slice(8, 10)).sort()).toEqual(['02', '03', '05', '06']);
});
