import { afterEach, expect, it } from 'vitest';
import { createImportWorld, type ImportWorld } from '../interface/imports/import-world.ts';
import { body, eventsPath, query } from '../interface/steps.ts';
import type { Json } from '../interface/world.ts';

let world: ImportWorld;
afterEach(() => world.close());

/** New York sets its clocks back at 06:00 UTC: it is half past one at 05:30, and again at 06:30. */
const SERIES = {
  title: 'watch',
  start: { dateTime: '2026-10-31T12:00:00', timeZone: 'America/New_York' },
  end: { dateTime: '2026-10-31T12:10:00', timeZone: 'America/New_York' },
  recurrence: ['RDATE:20261101T053000Z,20261101T063000Z,20261101T170000Z'],
};
const WINDOW = { startDateTime: '2026-10-30T00:00:00Z', endDateTime: '2026-11-03T00:00:00Z' };

async function watched(target: 'google' | 'caldav') {
  world = await createImportWorld();
  const at = await world.connectTo(target);
  const { id } = body(await world.call('POST', eventsPath(at), { body: SERIES }), 201);
  const occurrence = (stamp: string) => eventsPath(at, `${id}_20261101T${stamp}00Z`);
  const list = async (more = {}): Promise<readonly Json[]> =>
    body(await world.call('GET', eventsPath(at) + query({ ...WINDOW, expandRecurrences: true, ...more }))).data;
  const shown = async () => {
    const starts = (await list()).map(
      ({ start, title }) => `${new Date(start.dateTime).toISOString().slice(8, 16)} ${title}`,
    );
    return starts.sort();
  };
  return { at, id, occurrence, list, shown };
}

it.each([
  ['google', '0530', '0630'],
  ['google', '0630', '0530'],
  ['caldav', '0530', '0630'],
  ['caldav', '0630', '0530'],
] as const)('%s: deleting the occurrence at %s leaves the one at %s', async (target, gone, left) => {
  const { at, occurrence, shown, list } = await watched(target);
  expect(await shown()).toHaveLength(4);
  body(await world.call('DELETE', occurrence(gone)));
  const time = (stamp: string) => `${stamp.slice(0, 2)}:${stamp.slice(2)}`;
  expect(await shown()).toEqual(['31T16:00 watch', `01T${time(left)} watch`, '01T17:00 watch'].sort());
  expect(body(await world.call('GET', occurrence(left)))).toMatchObject({ isCancelled: false });
  expect(body(await world.call('GET', occurrence(gone)))).toMatchObject({ isCancelled: true });
  const busy = body(
    await world.call('POST', `/v1/freeBusy/${at.accountId}`, {
      body: { ...WINDOW, timeZone: 'UTC', calendarIds: [at.calendarId] },
    }),
  );
  expect(busy[0].busySlots).toHaveLength(3);

  body(await world.call('DELETE', occurrence(left)));
  expect(await shown()).toEqual(['01T17:00 watch', '31T16:00 watch']);
  const cancelled = (await list({ isCancelled: true })).filter(({ isCancelled }) => isCancelled);
  expect(new Set(cancelled.map(({ id }) => id)).size).toBe(2);
});

it.each(['google', 'caldav'] as const)('%s: each of the two has a title of its own', async (target) => {
  const { occurrence, shown } = await watched(target);
  body(await world.call('PUT', occurrence('0630'), { body: { title: 'second' } }));
  expect(await shown()).toEqual(['01T05:30 watch', '01T06:30 second', '01T17:00 watch', '31T16:00 watch']);
  body(await world.call('PUT', occurrence('0530'), { body: { title: 'first' } }));
  expect(await shown()).toEqual(['01T05:30 first', '01T06:30 second', '01T17:00 watch', '31T16:00 watch']);
});

it.each(['google', 'caldav'] as const)('%s: both keep what they say when all of the series changes', async (target) => {
  const { at, id, occurrence, shown } = await watched(target);
  body(await world.call('PUT', occurrence('0530'), { body: { title: 'first' } }));
  body(await world.call('PUT', occurrence('0630'), { body: { title: 'second' } }));
  const recurrence = [...SERIES.recurrence, 'RDATE:20261102T170000Z'];
  body(await world.call('PUT', eventsPath(at, id), { body: { recurrence } }));
  const all = ['01T05:30 first', '01T06:30 second', '01T17:00 watch', '02T17:00 watch', '31T16:00 watch'];
  expect(await shown()).toEqual(all);
  // From the second on: the first stays with the old series.
  body(await world.call('DELETE', `${occurrence('1700')}?scope=following`));
  expect(await shown()).toEqual(['01T05:30 first', '01T06:30 second', '31T16:00 watch']);
});
