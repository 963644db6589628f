import { afterEach, expect, it } from 'vitest';
import { body, eventsPath, query, readAll } from '../interface/steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

/** Days of the cancelled occurrences of an unexpanded list, ascending. */
const cancelledDays = (records: readonly Json[]): readonly string[] =>
  records
    .filter(({ isCancelled }) => isCancelled)
    .map(({ originalStart }) => originalStart.dateTime.slice(8, 10))
    .sort();

it.each(
  PROVIDERS,
)('a cancelled occurrence of $provider goes with its slot, from lists, sync results and reads', async ({
  provider,
}) => {
  world = await createWorld();
  const at = await world.connect(provider);
  const sent = {
    title: 's',
    start: { dateTime: '2026-03-01T09:00:00', timeZone: 'Europe/Berlin' },
    recurrence: ['RRULE:FREQ=DAILY;COUNT=9'],
  };
  const { id } = body(await world.call('POST', eventsPath(at), { body: sent }), 201);
  const slot = (day: string) => eventsPath(at, `${id}_202603${day}T080000Z`);
  for (const day of ['02', '03', '04', '05']) body(await world.call('DELETE', slot(day)));
  const before = await readAll(world, eventsPath(at));
  expect(cancelledDays(before.data)).toEqual(['02', '03', '04', '05']);

  // Exchange would drop whatever is out of the pattern; Google keeps it on record as cancelled.
  const recurrence = ['RRULE:FREQ=DAILY;INTERVAL=2;COUNT=9', 'EXDATE;TZID=Europe/Berlin:20260305T090000'];
  body(await world.call('PUT', eventsPath(at, id), { body: { recurrence } }));
  const now = await readAll(world, eventsPath(at));
  expect(cancelledDays(now.data)).toEqual(['03']);
  expect((await world.call('GET', slot('03'))).body).toMatchObject({ isCancelled: true });
  for (const day of ['02', '04', '05']) expect((await world.call('GET', slot(day))).status).toBe(404);

  const sync = body(await world.call('GET', eventsPath(at) + query({ syncToken: before.nextSyncToken })));
  const held = new Map<string, Json>(before.data.map((event) => [event.id, event]));
  for (const event of sync.data) {
    if (event.isDeleted) held.delete(event.id);
    else held.set(event.id, event);
  }
  const byId = (records: Iterable<Json>) => [...records].sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(byId(held.values())).toEqual(byId(now.data));
});

it('a cancelled RDATE of Google stays on record', async () => {
  world = await createWorld();
  const at = await world.connect('google');
  const sent = {
    title: 's',
    start: { dateTime: '2026-03-01T09:00:00', timeZone: 'Europe/Berlin' },
    recurrence: ['RRULE:FREQ=DAILY;COUNT=2', 'RDATE;TZID=Europe/Berlin:20260310T090000'],
  };
  const { id } = body(await world.call('POST', eventsPath(at), { body: sent }), 201);
  body(await world.call('DELETE', eventsPath(at, `${id}_20260310T080000Z`)));
  expect(cancelledDays((await readAll(world, eventsPath(at))).data)).toEqual(['10']);
});
