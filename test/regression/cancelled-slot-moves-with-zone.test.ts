import { afterEach, expect, it } from 'vitest';
import { calendarsPath, eventsPath, query, readAll } from '../interface/steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

it.each(
  PROVIDERS,
)('syncs the cancelled day of a series that became timed when the zone of its $provider calendar changes', async ({
  provider,
}) => {
  world = await createWorld();
  const { accountId } = await world.connect(provider);
  const calendar = { name: 'Moving', timeZone: 'America/New_York' };
  const { id: calendarId } = (await world.call('POST', calendarsPath(accountId), { body: calendar })).body;
  const at = { accountId, calendarId };
  const series = {
    title: 'Days',
    isAllDay: true,
    start: { dateTime: '2026-03-05' },
    recurrence: ['RRULE:FREQ=DAILY;COUNT=6'],
  };
  const { id } = (await world.call('POST', eventsPath(at), { body: series })).body;
  expect((await world.call('DELETE', eventsPath(at, `${id}_20260308`))).status).toBe(200);
  const start = { dateTime: '2026-03-05T10:00:00', timeZone: 'Europe/Berlin' };
  const timed = await world.call('PUT', eventsPath(at, id), { body: { isAllDay: false, start, end: null } });
  expect(timed.status).toBe(200);

  const before = await readAll(world, eventsPath(at));
  const moved = await world.call('PUT', calendarsPath(accountId, calendarId), { body: { timeZone: 'Europe/Berlin' } });
  expect(moved.status).toBe(200);
  const sync = await world.call('GET', eventsPath(at) + query({ syncToken: before.nextSyncToken }));
  const client = new Map<string, Json>(before.data.map((event) => [event.id, event]));
  for (const event of sync.body.data) {
    if (event.isDeleted) client.delete(event.id);
    else client.set(event.id, event);
  }
  const now = await readAll(world, eventsPath(at));
  expect([...client.values()].sort(byId)).toEqual([...now.data].sort(byId));
});

function byId(a: Json, b: Json): number {
  return a.id < b.id ? -1 : 1;
}
